//go:build unix

package e2e

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	embedded = regexp.MustCompile(`<script id="session-data"[^>]*>([^<]*)</script>`)
	markup   = regexp.MustCompile(`<[^>]*>`)
)

// exported is what a page of pi's /export holds: our rows as text, by call.
type exported struct {
	Rows map[string]struct {
		Call     string `json:"callHtml"`
		Result   string `json:"resultHtmlExpanded"`
		ShortRow string `json:"resultHtmlCollapsed"`
	} `json:"renderedTools"`
	Entries []json.RawMessage `json:"entries"`
}

func readExport(t *testing.T, path string) exported {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out exported
	found := embedded.FindSubmatch(page)
	if found == nil {
		t.Fatalf("%s has no session", path)
	}
	data, err := base64.StdEncoding.DecodeString(string(found[1]))
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, row := range out.Rows {
		for _, part := range []*string{&row.Call, &row.Result, &row.ShortRow} {
			*part = html.UnescapeString(markup.ReplaceAllString(*part, " "))
		}
		out.Rows[id] = row
	}
	return out
}

// /export writes every row so that it can be read.
func TestExport(t *testing.T) {
	slow(t)
	parallel(t)
	m := newModel(t, ask(oneStore), ask(background("Later?")), say("Resting."), say("Known."),
		ask(background("Again?")), use(waits, `{}`), say("Known too."))
	b := newBox(t, "fullscreen", m)
	pi := b.start("start")
	pi.form("Which store?")
	pi.pick("2")
	pi.form("Later?")
	pi.sees("Resting.")
	pi.pick("1")
	pi.sees("Known.")
	pi.prompt("again")
	pi.form("Again?")
	b.holds(1, "call wait_for_answers")
	pi.pick("2")
	pi.sees("Known too.")
	export := func() exported {
		t.Helper()
		path := filepath.Join(b.cwd, "out.html")
		_ = os.Remove(path)
		pi.command("/export out.html")
		pi.sees("Session exported to")
		return readExport(t, path)
	}
	check := func(when string, page exported) {
		t.Helper()
		for id, want := range map[string][2]string{
			"call_1_0": {"ask_user", "Q1: SQLite"}, "call_2_0": {"ask_user", "queued"},
			"call_5_0": {"ask_user", "queued"}, "call_6_0": {"wait_for_answers", "SQLite"},
		} {
			row := page.Rows[id]
			if !strings.Contains(row.Call, want[0]) || !strings.Contains(row.Result, want[1]) || strings.Contains(row.Result, "\x1b") {
				t.Errorf("%s: the row of %s is %q", when, id, row)
			}
		}
		told := 0
		for _, e := range page.Entries {
			if at(e, "customType") == "ask:background-answer" && strings.Contains(at(e, "content").(string), "Q1 [q]: Postgres") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: the answer is there %d times", when, told)
		}
	}
	check("as it went", export())
	b.quit()
	pi = b.resume()
	pi.sees("Known too.")
	check("after a restart", export())
	b.quit()
	path := filepath.Join(b.cwd, "from-file.html")
	b.run("", "--export", b.sessionFile(), path)
	if n := len(readExport(t, path).Entries); n != len(b.session())-1 { // the first line is the header
		t.Errorf("%d entries were exported of %d", n, len(b.session())-1)
	}
}
