// Package queue asks a person questions on behalf of an agent, now or in the
// background, and brings each answer to the agent exactly once.
//
// A [Manager] is the one object that an agent host holds. It keeps everything
// in the session, a [journal.Store]; it shows forms on a [Surface]; and it acts
// through the functions of a [Host].
//
//	m := queue.New(store, surface, &queue.Options{Host: host})
//	defer m.Close()
//	err := m.Resume(ctx) // take up what an earlier run has left
//
// The two calls most hosts need:
//
//	result, err := m.Ask(ctx, queue.Call{Payload: p})      // now, blocks
//	receipt, err := m.Enqueue(ctx, queue.Call{Payload: p}) // later, returns at once
//
// Answers of queued forms reach the agent in one of three ways. [Manager.Wait]
// returns them; [Manager.TurnEnd], called at the end of each turn, hands out
// messages for the session; and an agent that the host reports as idle is woken
// by Host.Deliver. Hosts tell the Manager when a turn starts ([Manager.TurnStart])
// and when the agent has come to rest ([Manager.Settled]).
//
// # What is promised
//
// An outcome is in the session before anybody gets it. If it cannot be written,
// it stays in memory and is written later. When the process dies, the session
// decides after the next [Manager.Resume] what has to be asked again, what has
// to be told, and what is done: never a question again that was answered, and
// never an answer twice that the session shows as told.
//
// A cancellation stops the agent and never wakes it. Forms that were open when
// the session changes close without a trace and open again where their request
// is on the branch.
package queue
