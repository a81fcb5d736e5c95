package journal

import (
	"fmt"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Status says what became of a question. Only [Answered] is an answer; none of
// the others is approval.
type Status string

// The statuses of a question.
const (
	Waiting       Status = "waiting"       // nobody has dealt with the form yet
	Answered      Status = "answered"      // an option was chosen or a text written
	Skipped       Status = "skipped"       // the form was submitted without an answer to it
	Cancelled     Status = "cancelled"     // the form was cancelled; Answer may hold a draft
	Clarification Status = "clarification" // the user wants the agent to answer notes first
	Failed        Status = "error"         // the form could not be shown
)

// Key addresses one question of a session.
type Key struct {
	RequestID  string `json:"requestId"`
	QuestionID string `json:"questionId"`
}

// Record is one question with what became of it.
type Record struct {
	Key
	Title      string       `json:"title,omitempty"`
	CreatedAt  time.Time    `json:"createdAt"` // in milliseconds
	Background bool         `json:"background"`
	Question   ask.Question `json:"question"`
	Status     Status       `json:"status"`
	// Mode is "" while there is no result.
	Mode ask.Mode `json:"mode,omitempty"`
	// Answer is nil when nothing was entered. It may hold notes only.
	Answer *ask.Answer `json:"answer,omitempty"`
	// Elaboration holds the notes on this question.
	Elaboration []ask.Item `json:"elaboration,omitempty"`
	Error       string     `json:"error,omitempty"`
}

// MarshalJSON writes the time as the session does, with all three decimals.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	return ask.Marshal(struct {
		plain
		CreatedAt string `json:"createdAt"`
	}{plain(r), r.CreatedAt.UTC().Format(isoMillis)})
}

// Records returns one record per question of a branch, in the order in which
// they were asked. Entries of other programs, of unknown versions and of the
// wrong shape are passed over.
func Records(branch []Entry) []Record {
	var data []Data
	for _, e := range branch {
		if e.CustomType == TypeRequest || e.CustomType == TypeCompleted {
			data = append(data, Decode(e))
		}
	}
	records := []Record{}
	for _, r := range readRequests(data) {
		for _, q := range r.Questions {
			records = append(records, r.record(q))
		}
	}
	return records
}

// request is a journal key with its outcome, nil while there is none.
type request struct {
	Request
	outcome *Outcome
}

// readRequests puts requests and completions together. A repeated request
// replaces the data and keeps its place, the last completion wins.
func readRequests(data []Data) []*request {
	var requests []*request
	byID := map[string]*request{}
	outcomes := map[string]*Outcome{}
	for _, d := range data {
		switch d := d.(type) {
		case Request:
			if r := byID[d.RequestID]; r != nil {
				r.Request = d
				continue
			}
			r := &request{Request: d}
			byID[d.RequestID] = r
			requests = append(requests, r)
		case Completed:
			outcomes[d.RequestID] = &d.Outcome
		}
	}
	for _, r := range requests {
		r.outcome = outcomes[r.RequestID]
	}
	return requests
}

func (r *request) record(q ask.Question) Record {
	rec := Record{
		Key: Key{r.RequestID, q.ID}, Title: r.Title, CreatedAt: r.CreatedAt, Background: r.Background,
		Question: q, Status: r.status(q.ID),
	}
	if r.outcome == nil {
		return rec
	}
	rec.Error = r.outcome.Error
	result := r.outcome.Result
	if result == nil {
		return rec
	}
	rec.Mode = result.Mode
	for _, shown := range result.Questions {
		if shown.ID == q.ID {
			rec.Question.Type, rec.Question.PresentedType = shown.Type, shown.PresentedType
		}
	}
	if a, ok := result.Answers[q.ID]; ok {
		rec.Answer = &a
	}
	rec.Elaboration = itemsOf(result, q.ID)
	return rec
}

func (r *request) status(id string) Status {
	switch {
	case r.outcome != nil && r.outcome.Error != "":
		return Failed
	case r.outcome == nil || r.outcome.Result == nil:
		return Waiting
	}
	result := r.outcome.Result
	switch {
	case result.Cancelled:
		return Cancelled
	case result.Mode == ask.Elaborate && needsClarification(result, id):
		return Clarification
	case committed(result.Answers[id]):
		return Answered
	}
	return Skipped
}

func needsClarification(result *ask.Result, id string) bool {
	if result.Continuation != nil {
		for _, affected := range result.Continuation.AffectedQuestionIDs {
			if affected == id {
				return true
			}
		}
	}
	noItems := result.Elaboration == nil || len(result.Elaboration.Items) == 0
	return noItems || len(itemsOf(result, id)) > 0
}

func itemsOf(result *ask.Result, id string) []ask.Item {
	if result.Elaboration == nil {
		return nil
	}
	var items []ask.Item
	for _, item := range result.Elaboration.Items {
		if item.Question.ID == id {
			items = append(items, item)
		}
	}
	return items
}

// committed reports whether an answer is more than notes.
func committed(a ask.Answer) bool {
	return len(a.Values) > 0 || !ask.IsBlank(a.CustomText) || len(a.CustomImages) > 0
}

// Select returns the records with the given keys, in journal order; a key that
// is given twice counts once. Nil keys select everything. An unknown key fails
// the whole selection, and so does an empty list that is not nil.
func Select(records []Record, keys []Key) ([]Record, error) {
	if keys == nil {
		return records, nil
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("nothing selected: pass at least one key, or none at all for everything")
	}
	wanted := make(map[Key]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
	}
	selected := []Record{}
	known := make(map[Key]bool, len(keys))
	for _, r := range records {
		if wanted[r.Key] {
			known[r.Key] = true
			selected = append(selected, r)
		}
	}
	for _, k := range keys {
		if !known[k] {
			return nil, fmt.Errorf("no such question on this branch: %s / %s", k.RequestID, k.QuestionID)
		}
	}
	return selected, nil
}

// ImageBlocks returns the images of a record for the agent, each behind a line
// of text that says where it belongs. A cancelled or failed record has none.
func (r Record) ImageBlocks() []ask.Block {
	if r.Status == Cancelled || r.Status == Failed {
		return []ask.Block{}
	}
	q := r.Question
	result := ask.Result{
		Mode:      r.Mode,
		Questions: []ask.ResultQuestion{{ID: q.ID, Label: q.Label, Prompt: q.Prompt, Type: q.Type, PresentedType: q.PresentedType}},
	}
	if r.Answer != nil {
		result.Answers = map[string]ask.Answer{q.ID: *r.Answer}
	}
	if len(r.Elaboration) > 0 {
		result.Elaboration = &ask.Elaboration{Items: r.Elaboration}
	}
	return result.ImageBlocks()
}
