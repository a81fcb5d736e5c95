package journal

import "github.com/pi-agent-ask/pi-agent-ask/ask"

// The functions of this file give values the form in which they are written:
// an empty list is [] and an empty map {}, never null. They copy only what
// they change.

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func storedPayload(p ask.Payload) ask.Payload {
	p.Questions = storedQuestions(p.Questions)
	return p
}

func storedQuestions(questions []ask.Question) []ask.Question {
	out := make([]ask.Question, len(questions))
	for i, q := range questions {
		q.Options = list(q.Options)
		out[i] = q
	}
	return out
}

func storedResult(r *ask.Result) *ask.Result {
	if r == nil {
		return nil
	}
	c := *r
	if c.Mode == "" {
		c.Mode = ask.Submit
	}
	c.Questions = list(c.Questions)
	c.Answers = storedAnswers(c.Answers)
	if c.Error != nil {
		c.Error = &ask.ResultError{Kind: c.Error.Kind, Issues: list(c.Error.Issues)}
	}
	if c.Continuation != nil {
		n := *c.Continuation
		n.AffectedQuestionIDs = list(n.AffectedQuestionIDs)
		n.PreservedAnswers = storedAnswers(n.PreservedAnswers)
		if n.QuestionStates == nil {
			n.QuestionStates = map[string]ask.QuestionState{}
		}
		c.Continuation = &n
	}
	if c.Elaboration != nil {
		n := *c.Elaboration
		n.Items = make([]ask.Item, len(n.Items))
		for i, item := range c.Elaboration.Items {
			item.Question.Options = list(item.Question.Options)
			if item.Answer != nil {
				a := storedAnswer(*item.Answer)
				item.Answer = &a
			}
			n.Items[i] = item
		}
		c.Elaboration = &n
	}
	return &c
}

func storedAnswers(answers map[string]ask.Answer) map[string]ask.Answer {
	out := make(map[string]ask.Answer, len(answers))
	for id, a := range answers {
		out[id] = storedAnswer(a)
	}
	return out
}

func storedAnswer(a ask.Answer) ask.Answer {
	a.Values, a.Labels, a.Indices = list(a.Values), list(a.Labels), list(a.Indices)
	return a
}
