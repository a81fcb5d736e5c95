package queue_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// mutationsVariable switches the mutation check on: "all", which takes some
// minutes, or a part of a rule.
const mutationsVariable = "PI_AGENT_ASK_MUTATIONS"

// mutation breaks one rule of the queue.
type mutation struct {
	rule     string
	file     string
	old, new string
}

var mutations = []mutation{
	{"a failed wait delivers nothing", "facts.go", ` || m.IsError `, ` `},
	{"the first queued entry of an id wins", "facts.go", `ok && known[d.RequestID] == nil`, `ok`},
	{"forms open in queue order", "ready.go", "for _, r := range list {\n\t\tif r.waiting()", "for _, r := range slices.Backward(list) {\n\t\tif r.waiting()"},
	{"nothing is delivered before all of it is saved", "ready.go", `r.outcome != nil && !r.unsaved && `, `r.outcome != nil && `},
	{"one answer wakes, the rest follows at the boundary", "ready.go", `return ready[:i+1]`, `_ = i`},
	{"an idle claim lasts until the message is recorded", "ready.go", `if r.claim != byIdle || r.delivered {`, `{`},
	{"a cancellation wakes nobody", "ready.go", `return o.Result == nil || !o.Result.Cancelled`, `return true`},
	{"a finished wait claims its results", "wait.go", "\t\tr.claim = byWait\n", ""},
	{"a boundary claims its answers", "deliver.go", "\t\tr.claim = byBoundary\n", ""},
	{"an idle delivery claims its answers", "deliver.go", "\t\tr.claim = byIdle\n", "\t\t_ = r\n"},
	{"a boundary releases what was not recorded", "deliver.go", "\trelease(g.requests)\n", ""},
	{"a wait that was aborted gets nothing", "wait.go", `w == nil || w.ctx.Err() != nil || `, `w == nil || `},
	{"the journal's completion comes before the queue's", "save.go", `h.noted = true`, `h.noted = false`},
	{"an answer that is not saved is not handed out", "save.go", "\tif err == nil {\n\t\treturn nil\n\t}\n\terr = fmt.Errorf", "\tif true {\n\t\treturn nil\n\t}\n\terr = fmt.Errorf"},
	{"one notice for an answer that is kept", "save.go", `h.told = true`, `h.told = false`},
	{"a foreground answer is saved at the second try", "save.go", "\t\terr = m.append(journal.Completed{Outcome: o})\n", ""},
	{"an outcome is written to the branch it belongs to", "manager.go", `return now == g.store`, `return now == g.store || true`},
	{"the end of a session closes its forms", "manager.go", "\tg.end(ErrSessionEnded)\n", ""},
	{"restored forms wait for the editor", "manager.go", `m.surface == nil || g.awaiting || g.serving`, `m.surface == nil || g.serving`},
	{"a cancelled form stops the agent", "flow.go", "\t\t\tm.abort()\n", ""},
	{"cancelled results hold no images", "flow.go", "\tif result.Cancelled {\n\t\tresult = withoutImages(result)\n\t}\n", ""},
	{"the first result of a form stands", "flow.go", `if f.result != nil || f.over || f.session == nil`, `if f.over || f.session == nil`},
	{"the lock serves first come, first served", "lock.go", `close(l.queue[0].turn)`, "l.queue[0], l.queue[len(l.queue)-1] = l.queue[len(l.queue)-1], l.queue[0]\n\t\t\tclose(l.queue[0].turn)"},
	{"what the queue has is not recovered", "interrupted.go", "if _, ok := queuedForm(d); ok {", "if _, ok := queuedForm(d); ok && false {"},
	{"a saved outcome is never asked for again", "interrupted.go", `ok && c.requestID != ""`, `ok && c.requestID == "?"`},
	{"a lost follow-up is sent again", "interrupted.go", `o.Result == nil && o.Error == "" || h.saidAfter`, `true || h.saidAfter`},
	{"a follow-up that is there is not sent again", "interrupted.go", ` || h.saidAfter(i, outcomeText(o))`, ``},
	{"a recovered answer is saved before the dismissal", "recover.go", "\tif err := m.append(journal.Completed{Outcome: h.outcome}); err != nil {\n\t\treturn err\n\t}\n\tm.dismiss(h.call, h.outcome, true, fx)\n", "\tm.dismiss(h.call, h.outcome, true, fx)\n\tif err := m.append(journal.Completed{Outcome: h.outcome}); err != nil {\n\t\treturn err\n\t}\n"},
	{"the payload is saved before the request", "ask.go", "err = m.append(journal.Payload{ToolCallID: call.ID, Timestamp: now, Params: params})", "defer func() { _ = m.append(journal.Payload{ToolCallID: call.ID, Timestamp: now, Params: params}) }()"},
	{"a receipt counts the new form", "ask.go", "\tg.requests = append(g.requests, &request{id: id, callID: call.ID, form: form})\n\tm.pump(g)\n\treturn ask.NewReceipt(id, form, pending(g.requests)), nil", "\tn := pending(g.requests)\n\tg.requests = append(g.requests, &request{id: id, callID: call.ID, form: form})\n\tm.pump(g)\n\treturn ask.NewReceipt(id, form, n), nil"},
	{"events reach the form that they name", "remote.go", `flow == nil || flow.id != s.FlowID || `, `flow == nil || `},
}

const noBuild = "(does not compile)"

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// TestMutations breaks the rules of the queue one by one, in a copy, and lists
// the tests that notice.
func TestMutations(t *testing.T) {
	for _, m := range mutations {
		source, err := os.ReadFile(m.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.old); n != 1 {
			t.Errorf("%s: the line to break is %d times in %s", m.rule, n, m.file)
		}
	}
	if os.Getenv(mutationsVariable) == "" {
		t.Skipf("breaks nothing without %s=all", mutationsVariable)
	}
	dir := t.TempDir()
	if out, err := exec.Command("cp", "-r", "../go.mod", "../go.sum", "../ask", "../journal", "../queue", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	caught := 0
	mutations := slices.DeleteFunc(slices.Clone(mutations), func(m mutation) bool {
		return os.Getenv(mutationsVariable) != "all" && !strings.Contains(m.rule, os.Getenv(mutationsVariable))
	})
	for _, m := range mutations {
		path := filepath.Join(dir, "queue", m.file)
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		broken := strings.Replace(string(source), m.old, m.new, 1)
		if strings.Contains(m.new, "slices.") {
			broken = strings.Replace(broken, `import "github.com`, "import (\n\t\"slices\"\n\n\t\"github.com", 1)
			broken = strings.Replace(broken, `journal"`+"\n", `journal"`+"\n)\n", 1)
		}
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.RemoveAll(filepath.Join(dir, "queue", "testdata")) // failures of the last one
		tests := breakage(dir)
		switch {
		case len(tests) > 0 && tests[0] == noBuild:
			t.Errorf("%s: the broken source is not tested: %v", m.rule, tests)
		case len(tests) > 0:
			caught++
		}
		t.Logf("| %s | %s | %s |", m.rule, m.file, strings.Join(tests, ", "))
		if err := os.WriteFile(path, source, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d caught", caught, len(mutations))
	if caught*20 < len(mutations)*19 {
		t.Errorf("less than 19 of 20 are caught")
	}
}

// breakage runs the tests of the copy and returns the names of those that fail.
func breakage(dir string) []string {
	limit, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(limit, "go", "test", "./queue", "-short", "-timeout=90s", "-rapid.shrinktime=1s")
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, mutationsVariable) })
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	var names []string
	for _, match := range failedTest.FindAllStringSubmatch(string(out), -1) {
		if match[1] != "TestMutations" {
			names = append(names, match[1])
		}
	}
	switch text := string(out); {
	case strings.Contains(text, "[build failed]"):
		return []string{noBuild, text}
	case len(names) == 0 && strings.Contains(text, "panic:"):
		return []string{"a panic"}
	}
	if len(names) == 0 && !strings.Contains(string(out), "FAIL: TestMutations") {
		return []string{noBuild, string(out)}
	}
	return names
}
