package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/llm"
)

// The project's limits, in bytes.
const (
	maxBody  = 4 << 20  // for an answer, as received and decompressed
	maxEvent = 64 << 10 // for a line or event of a stream
)

// maxCalls bounds the calls in a streamed answer; the tool loop runs 16 of them.
const maxCalls = 256

var errTooLarge = &Error{Kind: KindTooLarge, what: "the answer is longer than 4 MiB"}

// unpacked returns a decompressed body, within its limits.
func unpacked(response *http.Response) (io.Reader, *Error) {
	body, err := outbound.Body(response, maxBody)
	if err != nil {
		return nil, &Error{Kind: KindAnswer, what: err.Error()}
	}
	return body, nil
}

// read reads an answer. Its beginning shows whether it is a stream or one text, since the Content-Type of servers
// is not reliable.
func (m *Model) read(w *watcher, response *http.Response, a *answer) *Error {
	body, fault := unpacked(response)
	if fault != nil {
		return fault
	}
	in := bufio.NewReaderSize(body, 4<<10)
	first, err := firstByte(in)
	switch {
	case err == io.EOF:
		streams := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
		return &Error{Kind: KindAnswer, Status: response.StatusCode, what: "the answer is empty", retry: streams, empty: streams}
	case err != nil:
		fault := m.broken(w, err)
		fault.empty = fault.retry
		return fault
	case first == '{':
		return m.readWhole(w, in, a)
	case strings.IndexByte(":deir", first) >= 0: // a comment, data, event, id, retry
		return m.readEvents(w, in, a)
	}
	what := "the answer is neither JSON nor an event stream"
	if first == '<' {
		what = "the answer is a web page"
	}
	return &Error{Kind: KindAnswer, Status: response.StatusCode, what: what, Message: m.clean(quotable(in))}
}

// quotable returns the beginning of an error or of a body that could not be parsed. It leaves out the end of a cut
// text, which may be half of a key.
func quotable(in io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(in, maxRefusal))
	if err != nil {
		text = text[:max(0, len(text)-maxKey)]
	}
	return string(text) // cleaner cuts a text of maxRefusal bytes
}

// firstByte skips blanks and a byte order mark.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n\xef\xbb\xbf", b) < 0 {
			return b, in.UnreadByte()
		}
	}
}

// readWhole reads an answer in one text.
func (m *Model) readWhole(w *watcher, in io.Reader, a *answer) *Error {
	var parts [][]byte // joined at the end, since growing a buffer would take four times the memory
	for part := make([]byte, 0, maxEvent); ; {
		n, err := in.Read(part[len(part):cap(part)])
		part = part[:len(part)+n]
		if len(part) == cap(part) || err != nil {
			parts = append(parts, part)
			part = make([]byte, 0, maxEvent)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return m.broken(w, err)
		}
	}
	return m.judged(m.speak.whole(bytes.Join(parts, nil), a))
}

// readEvents reads an answer in pieces, to the event that ends it or to the end of the
// stream.
func (m *Model) readEvents(w *watcher, in *bufio.Reader, a *answer) *Error {
	stream := events{in: in}
	for {
		data, err := stream.next()
		if err == io.EOF {
			return nil // answer.finish checks whether the answer is complete
		}
		if err != nil {
			return m.broken(w, err)
		}
		if stream.failed {
			return m.judged(failed(data))
		}
		before := a.received
		end, fault := m.speak.event(data, a)
		if fault != nil || end {
			return m.judged(fault)
		}
		if len(a.calls.list) > maxCalls {
			return &Error{Kind: KindTooLarge, what: "the answer has more than 256 tool calls"}
		}
		w.received(a.received - before)
	}
}

// judged completes an error that a dialect found in an answer.
func (m *Model) judged(e *Error) *Error {
	if e != nil {
		e.Message = m.clean(e.Message)
	}
	return e
}

// events reads server-sent events (WHATWG HTML, section 9.2.6). Lines end in CR, LF or both, and an empty line
// ends each event. Only the field data and the event called error matter here. The last event counts even if the
// stream ends before its empty line.
type events struct {
	in     *bufio.Reader
	line   []byte
	data   []byte
	any    bool // the event has data
	failed bool // the event is called error
	cr     bool // the previous line ended in CR, so an LF that follows belongs to it
}

var errLongEvent = &Error{Kind: KindTooLarge, what: "an event of the answer is longer than 64 KiB"}

// next returns the data of the next event with data. The data are valid until the next call.
func (s *events) next() ([]byte, error) {
	s.data, s.any, s.failed = s.data[:0], false, false
	for {
		err := s.readLine()
		if err != nil && (err != io.EOF || len(s.line) == 0) {
			if err == io.EOF && s.any {
				return s.data, nil
			}
			return nil, err
		}
		if len(s.line) == 0 && s.any {
			return s.data, nil
		}
		name, value, _ := bytes.Cut(s.line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(s.line) == 0:
			s.failed = false // an event without data does not count
			continue
		case string(name) == "event":
			s.failed = string(value) == "error"
			continue
		case string(name) != "data":
			continue
		}
		if s.any {
			s.data = append(s.data, '\n')
		}
		s.any = true
		s.data = append(s.data, value...)
		if len(s.data) > maxEvent {
			return nil, errLongEvent
		}
	}
}

// readLine reads one line into s.line, without its end.
func (s *events) readLine() error {
	s.line = s.line[:0]
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		after := s.cr
		s.cr = b == '\r'
		switch {
		case b == '\n' && after:
			continue
		case b == '\n' || b == '\r':
			return nil
		case len(s.line) == maxEvent:
			return errLongEvent
		}
		s.line = append(s.line, b)
	}
}

// watcher ends a context after silence for as long as the patience.
type watcher struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	end      time.Time // when the timer fires, by the machine's clock
	paused   time.Time
	hearing  llm.Hearing
	patience time.Duration
	now      func() time.Time
	until    time.Time // the deadline before the first piece
}

// errSilent is the cause with which a watcher ends its context.
var errSilent = errors.New("no data came")

func watch(ctx context.Context, patience time.Duration, now func() time.Time) *watcher {
	w := &watcher{patience: patience, now: now, until: now().Add(patience), end: time.Now().Add(patience)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errSilent) })
	return w
}

// received records a number of received bytes, which may restart the time.
func (w *watcher) received(bytes int) {
	if w.hearing.Received(bytes) {
		w.end = time.Now().Add(w.patience)
		w.timer.Reset(w.patience)
	}
}

// pause stops the clock until resume.
func (w *watcher) pause() {
	w.timer.Stop()
	w.paused = time.Now()
}

// resume restarts the clock.
func (w *watcher) resume() {
	w.end = w.end.Add(time.Since(w.paused))
	w.timer.Reset(time.Until(w.end))
}

// left returns the rest of the patience before the first piece.
func (w *watcher) left() time.Duration { return w.until.Sub(w.now()) }

// silent reports whether the server was silent for too long.
func (w *watcher) silent() bool { return context.Cause(w.ctx) == errSilent }

func (w *watcher) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
