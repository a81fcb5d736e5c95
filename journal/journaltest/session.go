package journaltest

import (
	"fmt"
	"strings"
)

// Session returns the text of a session file as pi writes it, with about the
// given number of bytes: ordinary messages, and every now and then a request
// of this library with its outcome. The requests r1, r2, … are answered,
// except every open-th one. Same arguments, same bytes.
func Session(bytes, open int) []byte {
	var b strings.Builder
	b.Grow(bytes + 4096)
	b.WriteString(`{"type":"session","version":3,"id":"0198f2a0-0000-7000-8000-000000000000","timestamp":"2026-08-03T14:00:00.000Z","cwd":"/project"}` + "\n")
	output := strings.Repeat(`ok   example.org/project/pkg 0.012s \u001b[32mPASS\u001b[0m says \"fine\"\n`, 26)
	parent, n, request := "null", 0, 0
	line := func(format string, args ...any) {
		n++
		id := fmt.Sprintf("%08x", n)
		text := fmt.Sprintf(format, args...)
		text = strings.ReplaceAll(text, "ID,", `"id":"`+id+`","parentId":`+parent+`,"timestamp":"2026-08-03T14:00:00.000Z"`)
		b.WriteString(text + "\n")
		parent = `"` + id + `"`
	}
	for b.Len() < bytes {
		line(`{"type":"message",ID,,"message":{"role":"assistant","content":[{"type":"toolCall","id":"call_%d","name":"bash","arguments":{"command":"go test ./..."}}],"stopReason":"toolUse"}}`, n)
		line(`{"type":"message",ID,,"message":{"role":"toolResult","toolCallId":"call_%d","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false}}`, n, output)
		if n%100 != 0 {
			continue
		}
		request++
		// The host puts id and parentId behind the data of custom entries.
		line(`{"type":"custom","customType":"ask:history-request","data":{"version":1,"requestId":"r%d","toolCallId":"c%d","background":false,"createdAt":"2026-08-03T14:00:00.000Z","questions":[{"id":"a","label":"Q1","prompt":"Go on?","type":"single","required":false,"options":[{"value":"yes","label":"Yes"}]}]},ID,}`, request, request)
		if request%open != 0 {
			line(`{"type":"custom","customType":"ask:history-completed","data":{"version":1,"requestId":"r%d","result":{"cancelled":false,"mode":"submit","questions":[{"id":"a","label":"Q1","prompt":"Go on?","type":"single"}],"answers":{"a":{"values":["yes"],"labels":["Yes"],"indices":[1]}}}},ID,}`, request)
		}
	}
	return []byte(b.String())
}
