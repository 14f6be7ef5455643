package lsptest

import (
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// buffer is an open document as the editor sees it.
type buffer struct {
	text    string
	version int
}

// URI is a file's URI, as an editor that escapes only what it must writes it.
func URI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// Path is the file that a URI of the server's names.
func Path(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", err
	}
	if u.Scheme != "file" {
		return "", fmt.Errorf("%s is no file", uri)
	}
	return filepath.FromSlash(u.Path), nil
}

// Open opens a document with a text.
func (e *Editor) Open(path, language, text string) error {
	e.mu.Lock()
	e.docs[path] = &buffer{text: text, version: 1}
	e.mu.Unlock()
	return e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": URI(path), "languageId": language, "version": 1, "text": text,
	}})
}

// Edit replaces the bytes from start to end of an open document, incrementally.
func (e *Editor) Edit(path string, start, end int, text string) error {
	version, r, err := e.edited(path, start, end, text)
	if err != nil {
		return err
	}
	return e.didChange(path, version, map[string]any{"range": r, "text": text})
}

// Replace replaces the whole text of an open document.
func (e *Editor) Replace(path, text string) error {
	old, _ := e.Text(path)
	version, _, err := e.edited(path, 0, len(old), text)
	if err != nil {
		return err
	}
	return e.didChange(path, version, map[string]any{"text": text})
}

// edited changes the editor's own text and returns the range in terms of the old
// one.
func (e *Editor) edited(path string, start, end int, text string) (int, Range, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.docs[path]
	if d == nil {
		return 0, Range{}, fmt.Errorf("%s is not open", path)
	}
	r := RangeIn(d.text, start, end, e.encoding)
	d.text = d.text[:start] + text + d.text[end:]
	d.version++
	return d.version, r, nil
}

func (e *Editor) didChange(path string, version int, change map[string]any) error {
	return e.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": URI(path), "version": version},
		"contentChanges": []any{change},
	})
}

// CloseDocument closes a document.
func (e *Editor) CloseDocument(path string) error {
	e.mu.Lock()
	delete(e.docs, path)
	e.mu.Unlock()
	return e.Notify("textDocument/didClose", document(path))
}

// Save tells the server that a document was saved. The file is not written.
func (e *Editor) Save(path string) error { return e.Notify("textDocument/didSave", document(path)) }

// Text returns the text of an open document.
func (e *Editor) Text(path string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.docs[path]; d != nil {
		return d.text, true
	}
	return "", false
}

// Encoding is the position encoding that was negotiated.
func (e *Editor) Encoding() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encoding
}

// Position is a place in a document: a line, and the units of the negotiated
// encoding from its start.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is the range between two places.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// walk yields each character of a text, a line end as one: where it begins, in bytes and
// as a position, and where it ends. It walks from the beginning: slow and plain, to check
// the server's way by.
func walk(text, encoding string) iter.Seq[step] {
	return func(yield func(step) bool) {
		for s := (step{}); s.end < len(text); {
			s.start, s.from = s.end, s.to
			r, size := utf8.DecodeRuneInString(text[s.start:])
			switch {
			case strings.HasPrefix(text[s.start:], "\r\n"):
				size = 2
				fallthrough
			case r == '\n' || r == '\r':
				s.to = Position{Line: s.from.Line + 1}
			default:
				s.to.Character += Units(r, size, encoding)
			}
			if s.end += size; !yield(s) {
				return
			}
		}
	}
}

// step is one character: from start to before end.
type step struct {
	start, end int
	from, to   Position
}

// PositionIn converts a byte offset; one inside of a character is where that begins.
func PositionIn(text string, offset int, encoding string) Position {
	var p Position
	for s := range walk(text, encoding) {
		if s.end > offset {
			return s.from
		}
		p = s.to
	}
	return p
}

// Units is how many units of an encoding a character of size bytes takes.
func Units(r rune, size int, encoding string) int {
	switch {
	case encoding == "utf-8":
		return size
	case encoding == "utf-16" && r > 0xFFFF:
		return 2
	}
	return 1
}

// RangeIn converts a byte range.
func RangeIn(text string, start, end int, encoding string) Range {
	return Range{PositionIn(text, start, encoding), PositionIn(text, end, encoding)}
}

// errNoPlace reports a position that is not in the text.
var errNoPlace = errors.New("position outside of the text")

// OffsetIn converts a position that must exist in the text.
func OffsetIn(text string, p Position, encoding string) (int, error) {
	if p == (Position{}) {
		return 0, nil
	}
	for s := range walk(text, encoding) {
		if s.to == p {
			return s.end, nil
		}
	}
	return 0, fmt.Errorf("%w: %d:%d", errNoPlace, p.Line, p.Character)
}
