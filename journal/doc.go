// Package journal keeps questions and answers in the session, so that they
// survive everything short of a broken disk.
//
// A session is a tree of entries. The branch, from the root to the current
// leaf, is what has happened so far; all reading starts from it:
//
//	store, err := journal.OpenFile("session.jsonl", nil)
//	...
//	branch, err := store.Branch(ctx)
//	records := journal.Records(branch) // one per question, with its status
//
// Hosts that have a session of their own implement [Store]; [OpenFile] and
// [NewMemory] are for those that have none.
package journal
