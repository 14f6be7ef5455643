package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// screen is an output for people: a terminal, a pipe, the log of a CI run. What a repository, the name of a file or an
// error holds must not repaint it, show in another order than it is written, give a CI runner commands, or pose as the tag
// of a frame to an agent that reads it. Each Write is whole text.
type screen struct {
	out   io.Writer
	wrote bool
}

func (s *screen) Write(p []byte) (int, error) {
	s.wrote = true
	_, err := io.WriteString(s.out, sanitize.Log(sanitize.Quote(string(p))))
	return len(p), err
}

// exactly writes a text for another program, byte for byte; a terminal shows it as any other.
func exactly(out io.Writer, text string) error {
	if s, ok := out.(*screen); ok && !isTerminal(s) {
		s.wrote, out = true, s.out
	}
	_, err := io.WriteString(out, text)
	return err
}

// passage is text of several lines.
type passage string

// sayf writes a text for people. Each value in it, but a passage, stays within its line, whoever wrote it.
func sayf(out io.Writer, format string, args ...any) {
	fmt.Fprintf(out, format, inLine(args)...)
}

// textf is the text that [sayf] writes.
func textf(format string, args ...any) string { return fmt.Sprintf(format, inLine(args)...) }

// inLine are values of which each is one line when it is formatted.
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

// errorText is an error as people read it: one line, of joined errors one each.
func errorText(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return sanitize.OneLine(err.Error())
	}
	lines := make([]string, 0, 2)
	for _, e := range joined.Unwrap() {
		lines = append(lines, errorText(e))
	}
	if errors.Join(joined.Unwrap()...).Error() != err.Error() { // it says more than its parts
		return sanitize.OneLine(err.Error())
	}
	return strings.Join(lines, "\n")
}
