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
// [NewMemory] are for those that have none. [Verify], [Scan], [ReadRecords] and
// [OpenRequests] read a session file, one of pi as well, without locking or
// changing it.
//
// # Crash safety
//
// What [File.Append] has confirmed is on the disk: one write, one fsync. When
// the process dies, the next [OpenFile] finds one of these states:
//
//  1. Before the write: the file ends with the entry before. Nothing to do.
//  2. Within the write: the file ends with part of a line, which nobody was
//     told is saved. It is moved to a file beside the session ("….torn-1") and
//     reported once, in [File.Problems].
//  3. After the write, before the fsync or before Append returned: the entry is
//     there though it was not confirmed, or it is not.
//  4. After Append returned: the entry is there.
//
// When a write or an fsync fails and the process lives on, Append returns the
// error and takes the bytes back; the next Append opens and reads the file
// again before it writes, so that a half-written line never joins another one.
//
// A line that cannot be read in the middle of a file is no trace of a crash. It
// is reported and left as it is; if its id and parent can still be made out,
// the entries before it stay on the branch. A parent is only looked for among
// the lines before its child, so that no file can send a reader in circles.
//
// Not detected: bytes that changed on the disk and left valid JSON behind.
package journal
