package hostshim

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
	"github.com/pi-agent-ask/pi-agent-ask/journal"
)

// host is the connection as a [Host]; the optional powers are there only when
// the other side has them.
func (p *peer) host(powers []string) Host {
	h := peerHost{p}
	switch clip, files := slices.Contains(powers, "clipboard"), slices.Contains(powers, "files"); {
	case clip && files:
		return struct {
			peerHost
			peerClipboard
			peerFiles
		}{h, peerClipboard{p}, peerFiles{p}}
	case clip:
		return struct {
			peerHost
			peerClipboard
		}{h, peerClipboard{p}}
	case files:
		return struct {
			peerHost
			peerFiles
		}{h, peerFiles{p}}
	}
	return h
}

// call makes a request of the host; stale answers become [ErrStale].
func (p *peer) call(ctx context.Context, name string, params, result any) error {
	err := p.conn.call(ctx, name, params, result)
	var e *rpcError
	if errors.As(err, &e) && e.Code == codeStale {
		return ErrStale
	}
	return err
}

func (p *peer) notify(name string, params any) { p.conn.notify(name, params) }

// peerHost makes the calls that every host answers.
type peerHost struct{ p *peer }

func (h peerHost) AppendEntry(ctx context.Context, gen uint64, customType string, data json.RawMessage) (string, error) {
	var out struct {
		ID string `json:"id"`
	}
	err := h.p.call(ctx, "journal/append", map[string]any{"gen": gen, "customType": customType, "data": data}, &out)
	if err == nil && out.ID == "" {
		err = errors.New("hostshim: the host's answer to journal/append has no id")
	}
	return out.ID, err
}

func (h peerHost) Branch(ctx context.Context, gen uint64, after string) (Branch, error) {
	params := map[string]any{"gen": gen}
	if after != "" {
		params["after"] = after
	}
	var out rawBranch
	if err := h.p.call(ctx, "session/branch", params, &out); err != nil {
		return Branch{}, err
	}
	return out.branch(), nil
}

// rawBranch is a branch on the wire.
type rawBranch struct {
	Leaf     string            `json:"leaf"`
	Entries  []json.RawMessage `json:"entries"`
	Complete bool              `json:"complete"`
}

func (r rawBranch) branch() Branch {
	b := Branch{Leaf: r.Leaf, Complete: r.Complete}
	for _, raw := range r.Entries {
		if e, ok := readEntry(raw); ok {
			b.Entries = append(b.Entries, e)
		}
	}
	return b
}

// readEntry reads one entry of a session that others write to as well: what
// cannot be read is none of ours, and times matter to nobody here.
func readEntry(raw json.RawMessage) (journal.Entry, bool) {
	var e struct {
		journal.Entry
		Timestamp json.RawMessage `json:"timestamp"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return journal.Entry{}, false
	}
	var at time.Time
	if json.Unmarshal(e.Timestamp, &at) == nil {
		e.Entry.Timestamp = at
	}
	return e.Entry, true
}

func (h peerHost) Idle(ctx context.Context, gen uint64) (bool, error) {
	var out struct {
		Idle bool `json:"idle"`
	}
	err := h.p.call(ctx, "agent/state", generation{gen}, &out)
	return out.Idle, err
}

func (h peerHost) Abort(ctx context.Context, gen uint64) error {
	return h.p.call(ctx, "agent/abort", generation{gen}, nil)
}

func (h peerHost) Deliver(ctx context.Context, gen uint64, m Message, wake bool) error {
	return h.p.call(ctx, "message/deliver", map[string]any{"gen": gen, "message": m, "wake": wake}, nil)
}

func (h peerHost) SendUser(ctx context.Context, gen uint64, content []ask.Block, followUp bool) error {
	return h.p.call(ctx, "message/user", map[string]any{"gen": gen, "content": content, "followUp": followUp}, nil)
}

func (h peerHost) OpenForm(ctx context.Context, gen uint64, f FormSlot) error {
	return h.p.call(ctx, "form/open", struct {
		Gen uint64 `json:"gen"`
		FormSlot
	}{gen, f}, nil)
}

func (h peerHost) ShowFrame(f Frame) {
	h.p.notify("form/frame", f)
	h.p.conn.out.drain() // the next picture is drawn when the host can take it
}

func (h peerHost) CloseForm(ctx context.Context, f FormEnd) error {
	return h.p.call(ctx, "form/close", f, nil)
}

func (h peerHost) Notify(gen uint64, text string, isError bool) {
	h.p.notify("ui/notify", map[string]any{"gen": gen, "text": text, "error": isError})
}

func (h peerHost) Status(gen uint64, text string) {
	h.p.notify("ui/status", map[string]any{"gen": gen, "text": text})
}

func (h peerHost) Working(gen uint64, shown bool) {
	h.p.notify("ui/working", map[string]any{"gen": gen, "shown": shown})
}

func (h peerHost) Emit(gen uint64, channel string, data json.RawMessage) {
	h.p.notify("bus/emit", map[string]any{"gen": gen, "channel": channel, "data": data})
}

func (h peerHost) WriteTerminal(data []byte) error {
	h.p.notify("terminal/write", map[string]any{"data": base64.StdEncoding.EncodeToString(data)})
	return nil
}
