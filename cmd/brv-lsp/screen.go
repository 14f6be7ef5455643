package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// screen is an output for people: a terminal, a pipe, or the log of a CI run. Text from a repository, a file name
// or an error must not repaint the screen, change the visual order of the text, give commands to a CI runner, or
// look to an agent like the tag of a frame. Each Write has to be a whole text.
type screen struct {
	out   io.Writer
	wrote bool
}

func (s *screen) Write(p []byte) (int, error) {
	s.wrote = true
	_, err := io.WriteString(s.out, sanitize.Log(sanitize.Quote(string(p))))
	return len(p), err
}

// exactly writes a text for another program, byte for byte. A terminal gets it as any other text.
func exactly(out io.Writer, text string) error {
	if s, ok := out.(*screen); ok && !isTerminal(s) {
		s.wrote, out = true, s.out
	}
	_, err := io.WriteString(out, text)
	return err
}

// passage is a text that may have several lines.
type passage string

// sayf writes a text for people. Each value stays within its line, wherever it comes from, unless it is a passage.
func sayf(out io.Writer, format string, args ...any) {
	fmt.Fprintf(out, format, inLine(args)...)
}

// textf returns the text that [sayf] writes.
func textf(format string, args ...any) string { return fmt.Sprintf(format, inLine(args)...) }

// inLine wraps values so that each is formatted as one line.
func inLine(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case passage:
			out[i] = string(v)
		case error:
			out[i] = errorText(v)
		default:
			out[i] = a
			if s, ok := a.(fmt.Stringer); ok && reflect.ValueOf(a).Kind() > reflect.Complex128 {
				out[i] = sanitize.OneLine(s.String())
			} else if s := reflect.ValueOf(a); s.Kind() == reflect.String {
				out[i] = sanitize.OneLine(s.String())
			}
		}
	}
	return out
}

// errorText writes an error for people in one line, or in one line for each of several joined errors.
func errorText(err error) string {
	text := err.Error()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(joined.Unwrap()...).Error() != text { // the second: it has text besides that of its parts
		if p, ok := errors.AsType[*fs.PathError](err); ok { // without the name of the system call
			text = strings.Replace(text, p.Op+" "+p.Path+":", p.Path+":", 1)
		}
		return sanitize.OneLine(text)
	}
	lines := make([]string, 0, 2)
	for _, e := range joined.Unwrap() {
		lines = append(lines, errorText(e))
	}
	return strings.Join(lines, "\n")
}

// drawSome writes a line for each of the first items, and one that says how many more there are.
func drawSome[T any](out io.Writer, items []T, most int, more string, line func(T) string) {
	for _, x := range items[:min(len(items), most)] {
		fmt.Fprintln(out, line(x))
	}
	if left := len(items) - most; left > 0 {
		fmt.Fprintf(out, more+"\n", left)
	}
}

// barPause is the time before progress is first shown, and between two updates.
const barPause = 500 * time.Millisecond

// bar shows the progress of long work at a terminal, in one line that is overwritten and removed at the end.
type bar struct {
	out io.Writer
	now func() time.Time

	mu    sync.Mutex // guards the fields below
	last  time.Time  // time of the last update, or of the bar's creation
	width int        // of the shown line
}

func newBar(out io.Writer, now func() time.Time) *bar { return &bar{out: out, now: now, last: now()} }

// tell shows the progress. The cursor stays at the start of the line, so that a message overwrites it.
func (b *bar) tell(p workspace.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := ""
	if !p.End {
		if b.now().Sub(b.last) < barPause {
			return
		}
		text = textf("brv-lsp: %s: %s of %s", p.Title, grouped(p.Done), grouped(p.Total))
	}
	if b.width == 0 && text == "" {
		return
	}
	fmt.Fprintf(b.out, "%-*s\r", b.width, text)
	b.last, b.width = b.now(), len(text)
}
