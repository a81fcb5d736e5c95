// Package ask is the model of a structured question form: what an agent sends,
// what a person enters, and what goes back. It has no clock, no terminal and no
// state of its own, and it is deterministic: the same input always gives the
// same bytes.
//
// The two calls most people need turn arguments into a form and entries into a
// result:
//
//	payload, err := ask.Decode(raw)    // JSON arguments of an ask_user call
//	form, err := ask.Normalize(payload) // what a person is shown
//
//	drafts := ask.NewDrafts(form)
//	drafts.Pick(0, 1) // second option of the first question
//	result := drafts.Result(ask.Submitted)
//	fmt.Println(result.AgentText())
//
// A Go program that builds a [Payload] itself starts with [Normalize]. A tool
// call goes through [Prepare], the host's check against [InputSchema],
// [LoadPreviews], Decode and Normalize, and its outcome through [Envelope].
//
// Text of the agent and of the user is never changed in data; use package
// display before drawing it. JSON is encoded with [Marshal] where the exact
// characters matter.
package ask
