package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestHeadOfALine(t *testing.T) {
	long := strings.Repeat("x", headSize+1)
	for _, c := range []struct {
		line            string
		typ, id, parent string
		ok              bool
	}{
		{`{"type":"message","id":"a","parentId":"b","timestamp":"x"}`, "message", "a", "b", true},
		{`{"type":"message","id":"a","parentId":null,"message":{"a": broken`, "message", "a", "", true},
		{`{"type":"message","id":"a","parentId":null}`, "message", "a", "", true},
		{`{"type":"message","id":"a","parentId":"","x":1}`, "message", "a", "", true},
		{`{"type":"message","id":"","parentId":null}`, "", "", "", false},
		{`{"type":"message","id":"a\u0062","parentId":null}`, "", "", "", false},
		{"{\"type\":\"message\",\"id\":\"a\x01\",\"parentId\":null}", "", "", "", false},
		{"{\"type\":\"message\",\"id\":\"\xff\",\"parentId\":null}", "", "", "", false},
		{`{"type":"message","id":"` + long + `","parentId":null}`, "", "", "", false},
		{`{"type":"message","id":5,"parentId":null}`, "", "", "", false},
		{`{"type":"message","id":"a","parentId":nullx}`, "", "", "", false},
		{`{"type":"message","id":"a","parentId":"b"`, "", "", "", false},
		{`{"type":"message","id":"a"}`, "", "", "", false},
		{` {"type":"message","id":"a","parentId":null}`, "", "", "", false},
		{`{"type":"custom","customType":"x","data":1,"id":"a","parentId":null}`, "", "", "", false},
		{`{"type":"mess`, "", "", "", false},
		{``, "", "", "", false},
	} {
		l, ok := readHead([]byte(c.line))
		if ok != c.ok || ok && (string(l.typ) != c.typ || string(l.id) != c.id || string(l.parent) != c.parent) {
			t.Errorf("%.80s: %q %q %q %v", c.line, l.typ, l.id, l.parent, ok)
		}
	}
}

func TestFirstOfTwoMembersCounts(t *testing.T) {
	for _, line := range []string{
		`{"type":"custom","id":"a","parentId":"b","data":1,"id":"x","parentId":"y","type":"z","data":2}`,
		`{"id":"a","data":1,"data":2,"type":"custom","parentId":"b","id":"x","ID":"y"}`,
		`{"ID":"y","i\u0064":"a","data":1,"type":"custom","parentId":"b","id":"x"}`,
	} {
		e, kind, why := decodeLine([]byte(line))
		if kind != goodLine || e.ID != "a" || e.ParentID != "b" || e.Type != "custom" || string(e.Data) != "1" {
			t.Errorf("%s: %+v %v %s", line, e, kind, why)
		}
	}
}

// FuzzLine reads any line: no panic, raw fields that are JSON, and an entry that
// was read is read again the same after it was written.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-08-03T14:00:00.000Z","message":{"role":"user","content":"\"\\"}}`,
		`{"type":"custom","customType":"ask:queue-completed","data":{"requestId":"r","error":"e"},"id":"a","parentId":"b","timestamp":"x"}`,
		`{"type":"custom_message","id":"a","parentId":"b","content":[{"type":"text","text":"}"}],"display":true,"details":[[],{}]}`,
		`{"type":"custom","id":"a","parentId":{},"data":-1.5e+3 , "x" : [ 1 , "]" ] }`,
		`{"type":"session","version":3}`, `{"\u0069d":"\ud800","type":"x"}`, "{\"type\":\"\xff\",\"id\":\"a\"}", `null`, `[`, ` `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, kind, why := decodeLine(line)
		if (kind == damagedLine || kind == linkLine) != (why != "") {
			t.Fatalf("kind %d, reason %q", kind, why)
		}
		if kind == goodLine != (json.Valid(line) && e.Type != "" && e.Type != headerType && e.ID != "") {
			t.Fatalf("kind %d of %q", kind, line)
		}
		Decode(e)
		ReadMessage(e)
		if kind != goodLine {
			return
		}
		for _, f := range rawFields(&e) {
			if len(*f.raw) > 0 && !json.Valid(*f.raw) {
				t.Fatalf("%s is %q", f.name, *f.raw)
			}
		}
		e.Timestamp = time.Unix(0, 0).UTC()
		written, stored, err := encodeLine(e)
		if err != nil {
			return
		}
		if bytes.Count(written, []byte("\n")) != 1 {
			t.Fatalf("more than one line: %q", written)
		}
		if again, kind, why := decodeLine(bytes.TrimSuffix(written, []byte("\n"))); kind != goodLine || !sameEntry(again, stored) {
			t.Fatalf("wrote %q, read %+v, %s", written, again, why)
		}
	})
}

func sameEntry(a, b Entry) bool {
	for i, f := range rawFields(&a) {
		if !bytes.Equal(*f.raw, *rawFields(&b)[i].raw) {
			return false
		}
	}
	display := a.Display == b.Display || a.Type != "custom_message"
	return display && a.ID == b.ID && a.ParentID == b.ParentID && a.Type == b.Type && a.CustomType == b.CustomType && a.Timestamp.Equal(b.Timestamp)
}
