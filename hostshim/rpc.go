package hostshim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/pi-agent-ask/pi-agent-ask/ask"
)

// Error codes of JSON-RPC, and those of the protocol: see docs/protocol.md.
const (
	codeParse      = -32700
	codeRequest    = -32600
	codeNoMethod   = -32601
	codeParams     = -32602
	codeInternal   = -32603
	codeToolFailed = -32001
	codeAborted    = -32002
	codeStale      = -32010
	codeVersion    = -32011
)

// errGone means that the other side cannot be reached any more.
var errGone = errors.New("hostshim: the connection to the host is over")

// rpcError is an error on the wire.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

func errorf(code int, format string, args ...any) *rpcError {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// incoming is any message of the other side.
type incoming struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

// outgoing is a call or a notification.
type outgoing struct {
	Version string `json:"jsonrpc"`
	ID      uint64 `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// answer is the answer to a call of the other side.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// method is what happens when the other side calls.
type method struct {
	do    func(ctx context.Context, params json.RawMessage) (any, error)
	order order
	read  func() // if not nil, done before anything that is read later; must not block
	last  bool   // the connection ends behind the answer
}

// order says what a call waits for, and what waits for it.
type order int

const (
	beside order = iota // nothing: calls that wait for the host or for a person
	inTurn              // those like it that came before
	inLine              // those like it that came before, until they have ended or called passOn
	atOnce              // everything that comes later waits for it: it must not block
)

// conn is a connection on which both sides call methods: JSON-RPC 2.0, one
// message a line, no batches.
//
// Answers of the other side are taken as they come, also while calls of it are
// under way, and an answer that nobody waits for any more is dropped.
type conn struct {
	in      io.Reader
	out     *writer
	methods map[string]method
	quit    chan struct{}
	gone    chan struct{}
	ctx     context.Context // of the calls
	cancel  context.CancelFunc
	turn    chan struct{} // closed when the newest call with inTurn is done; the reader's
	line    chan struct{} // closed when the newest call with inLine has its place; the reader's

	mu      sync.Mutex
	next    uint64
	pending map[uint64]chan incoming
	over    bool
	stopped bool
	work    sync.WaitGroup
}

func newConn(in io.Reader, out io.WriteCloser) *conn {
	c := &conn{in: in, out: newWriter(out), quit: make(chan struct{}), gone: make(chan struct{}), pending: map[uint64]chan incoming{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// run serves the other side until it hangs up, ctx ends or stop is called, and
// until everything that it started has ended.
func (c *conn) run(ctx context.Context) error {
	read := make(chan error, 1)
	go func() { read <- c.read() }()
	var err error
	select {
	case err = <-read:
	case <-c.out.broken:
	case <-c.quit:
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	close(c.gone)
	c.cancel()
	c.work.Wait()
	c.out.finish()
	if closer, ok := c.in.(io.Closer); ok {
		_ = closer.Close() // so that the reader ends
	}
	return err
}

// stop ends the connection.
func (c *conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stopped {
		c.stopped = true
		close(c.quit)
	}
}

func (c *conn) read() error {
	in := bufio.NewReaderSize(c.in, 64<<10)
	for {
		c.out.hold()
		line, err := readLine(in)
		switch {
		case errors.Is(err, errTooLong):
			c.refuse(errorf(codeRequest, "%s", err))
			continue
		case len(bytes.TrimSpace(line)) > 0:
			c.take(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take takes one message.
func (c *conn) take(line []byte) {
	var m incoming
	err := json.Unmarshal(line, &m)
	switch {
	case err != nil && !json.Valid(line):
		c.refuse(errorf(codeParse, "the line is not JSON: %v", err))
	case err != nil:
		c.refuse(errorf(codeRequest, "the line is not a JSON-RPC 2.0 message: %v", err))
	case m.Version != "2.0":
		c.refuse(errorf(codeRequest, `the line is not a JSON-RPC 2.0 message: jsonrpc is not "2.0"`))
	case m.Method != nil:
		c.called(m)
	case len(m.ID) == 0:
		c.refuse(errorf(codeRequest, "the message has neither a method nor an id"))
	case m.Result == nil && m.Error == nil:
		m.Error = errorf(codeRequest, "the answer %.100s has neither a result nor an error", m.ID)
		c.refuse(m.Error)
		c.answered(m) // whoever waits for it would wait for ever
	default:
		c.answered(m)
	}
}

// refuse answers what cannot be answered by its id.
func (c *conn) refuse(err *rpcError) {
	c.write(answer{Version: "2.0", ID: json.RawMessage("null"), Error: err})
}

// answered takes the answer to a call of ours.
func (c *conn) answered(m incoming) {
	id, err := strconv.ParseUint(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- m
	}
}

// called carries out a call of the other side.
func (c *conn) called(m incoming) {
	if len(m.ID) > 0 && m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		if string(m.ID) != "null" {
			c.refuse(errorf(codeRequest, "the id is neither a string nor a number"))
			return
		}
		m.ID = nil
	}
	known, ok := c.methods[*m.Method]
	if !ok {
		c.reply(m.ID, nil, errorf(codeNoMethod, "there is no method %q", *m.Method))
		return
	}
	c.mu.Lock()
	over := c.over
	if !over {
		c.work.Add(1)
	}
	c.mu.Unlock()
	if over {
		return
	}
	if known.read != nil {
		known.read()
	}
	do := func(ctx context.Context) {
		defer c.work.Done()
		result, err := known.call(ctx, m.Params)
		c.reply(m.ID, result, err)
		if known.last {
			c.stop()
		}
	}
	switch known.order {
	case atOnce:
		do(c.ctx)
	case inTurn:
		before, done := c.turn, make(chan struct{})
		c.turn = done
		go func() {
			defer close(done)
			if before != nil {
				<-before
			}
			do(c.ctx)
		}()
	case inLine:
		before, done := c.line, make(chan struct{})
		c.line = done
		pass := sync.OnceFunc(func() { close(done) })
		go func() {
			defer pass()
			if before != nil {
				<-before
			}
			do(context.WithValue(c.ctx, passKey{}, pass))
		}()
	default:
		go do(c.ctx)
	}
}

type passKey struct{}

// passOn is the function by which a call with the order inLine lets the next
// one begin.
func passOn(ctx context.Context) func() {
	if pass, ok := ctx.Value(passKey{}).(func()); ok {
		return pass
	}
	return func() {}
}

// call makes an error of a panic: no call takes the engine down.
func (m method) call(ctx context.Context, params json.RawMessage) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errorf(codeInternal, "the engine failed: %v\n%s", v, debug.Stack())
		}
	}()
	return m.do(ctx, params)
}

// reply answers a call; notifications have no answer.
func (c *conn) reply(id json.RawMessage, result any, err error) {
	if len(id) == 0 {
		return
	}
	a := answer{Version: "2.0", ID: id, Result: result}
	if err != nil {
		a.Result = nil
		if !errors.As(err, &a.Error) {
			a.Error = errorf(codeInternal, "%s", err)
		}
	} else if result == nil {
		a.Result = none{}
	}
	c.write(a)
}

func (c *conn) write(a answer) {
	raw, err := ask.Marshal(a)
	if err != nil {
		raw, _ = ask.Marshal(answer{Version: "2.0", ID: a.ID, Error: errorf(codeInternal, "the answer cannot be encoded: %v", err)})
	}
	c.out.send(raw)
}

// call calls the other side and waits for its answer. The error of the other
// side is an [*rpcError].
func (c *conn) call(ctx context.Context, name string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting := make(chan incoming, 1)
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return errGone
	}
	c.next++
	id := c.next
	c.pending[id] = waiting
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	raw, err := ask.Marshal(outgoing{"2.0", id, name, params})
	if err != nil {
		return fmt.Errorf("hostshim: %s cannot be encoded: %w", name, err)
	}
	c.out.send(raw)
	select {
	case m := <-waiting:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("hostshim: the host's answer to %s cannot be read: %w", name, err)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.gone:
		return errGone
	}
}

// notify tells the other side something.
func (c *conn) notify(name string, params any) {
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	if raw, err := ask.Marshal(outgoing{Version: "2.0", Method: name, Params: params}); err == nil && !over {
		c.out.send(raw)
	}
}
