package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// workspaceEdit is a WorkspaceEdit as far as an editor carries it out.
type workspaceEdit struct {
	Changes           map[string][]textEdit `json:"changes"`
	DocumentChanges   []documentChange      `json:"documentChanges"`
	ChangeAnnotations map[string]any        `json:"changeAnnotations"`
}

// documentChange is a TextDocumentEdit, or where Kind is set a resource operation.
type documentChange struct {
	Kind         string `json:"kind"`
	URI          string `json:"uri"`
	OldURI       string `json:"oldUri"`
	NewURI       string `json:"newUri"`
	AnnotationID string `json:"annotationId"`
	Options      struct {
		Overwrite      bool `json:"overwrite"`
		IgnoreIfExists bool `json:"ignoreIfExists"`
		Recursive      bool `json:"recursive"`
	} `json:"options"`
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type textEdit struct {
	Range        Range  `json:"range"`
	NewText      string `json:"newText"`
	AnnotationID string `json:"annotationId"`
}

// Apply carries a WorkspaceEdit out, step by step as the protocol describes: open documents change in the
// editor, which notifies the server, and other files on the disk; a file that is made, moved or deleted is so
// on the disk, together with its documents. It returns the texts of the touched files that exist afterwards,
// by path.
//
// It fails where an editor would or should: a version that is not the document's, a range outside of the
// text, overlapping edits of one text, an annotation without description, a file that exists already or is
// missing. Earlier steps are not reverted.
func (e *Editor) Apply(edit json.RawMessage) (map[string]string, error) {
	var w workspaceEdit
	if err := json.Unmarshal(edit, &w); err != nil {
		return nil, err
	}
	if len(w.Changes) > 0 && len(w.DocumentChanges) > 0 {
		return nil, errors.New("an edit with changes and documentChanges")
	}
	a := applying{editor: e, annotations: w.ChangeAnnotations, touched: map[string]bool{}, plain: len(w.DocumentChanges) == 0}
	for uri, edits := range w.Changes {
		if err := a.text(uri, nil, edits); err != nil {
			return nil, err
		}
	}
	for _, c := range w.DocumentChanges {
		if err := a.step(c); err != nil {
			return nil, err
		}
	}
	return a.texts()
}

// applying is an edit that is being carried out.
type applying struct {
	editor      *Editor
	annotations map[string]any
	touched     map[string]bool // paths, as they are now
	plain       bool            // of changes alone: editors open a file that is not there as an empty one
}

func (a *applying) step(c documentChange) error {
	for _, id := range append([]string{c.AnnotationID}, annotationsOf(c.Edits)...) {
		if _, ok := a.annotations[id]; id != "" && !ok {
			return fmt.Errorf("annotation %q is not described", id)
		}
	}
	switch c.Kind {
	case "":
		return a.text(c.TextDocument.URI, c.TextDocument.Version, c.Edits)
	case "create":
		return a.create(c)
	case "rename":
		return a.rename(c)
	case "delete":
		return a.remove(c)
	}
	return fmt.Errorf("no such operation: %s", c.Kind)
}

func annotationsOf(edits []textEdit) (ids []string) {
	for _, e := range edits {
		ids = append(ids, e.AnnotationID)
	}
	return ids
}

// text changes one text.
func (a *applying) text(uri string, version *int, edits []textEdit) error {
	path, err := Path(uri)
	if err != nil {
		return err
	}
	text, open := a.editor.Text(path)
	if !open {
		raw, err := os.ReadFile(path)
		if (a.plain || begins(edits)) && errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err != nil {
			return err
		}
		text = string(raw)
	}
	if version != nil && (!open || *version != a.editor.Version(path)) {
		return fmt.Errorf("%s: edits of version %d, which is not the document's", path, *version)
	}
	after, err := Edited(text, edits, a.editor.Encoding())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	a.touched[path] = true
	if open {
		return a.editor.Replace(path, after)
	}
	return os.WriteFile(path, []byte(after), 0o644)
}

// begins reports whether edits only insert at a document's beginning: what they edit need
// not be there for editors that cannot create files otherwise.
func begins(edits []textEdit) bool {
	return !slices.ContainsFunc(edits, func(e textEdit) bool { return e.Range != Range{} })
}

// Version is the version of an open document, 0 if it is not open.
func (e *Editor) Version(path string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.docs[path]; d != nil {
		return d.version
	}
	return 0
}

// Detached is an editor without a server: its messages are lost. It is used to see the effect of an edit.
func Detached(encoding string) *Editor {
	e := newEditor(lost{})
	e.encoding = encoding
	return e
}

type lost struct{}

func (lost) Write(p []byte) (int, error) { return len(p), nil }
func (lost) Close() error                { return nil }

// Hold opens a document at a version, without notifying a server.
func (e *Editor) Hold(path, text string, version int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.docs[path] = &buffer{text: text, version: version}
}

// Edited is a text after edits, all of which count on the text as it is. They are any
// value that is written in JSON as a list of TextEdits.
func Edited(text string, edits any, encoding string) (string, error) {
	raw, err := json.Marshal(edits)
	if err != nil {
		return "", err
	}
	var list []textEdit
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", err
	}
	type placed struct {
		start, end int
		text       string
	}
	var all []placed
	for _, e := range list {
		start, err := OffsetIn(text, e.Range.Start, encoding)
		end, err2 := OffsetIn(text, e.Range.End, encoding)
		if err := errors.Join(err, err2); err != nil {
			return "", err
		}
		all = append(all, placed{start, end, e.NewText})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return a.start - b.start })
	var b strings.Builder
	pos := 0
	for _, p := range all {
		if p.start < pos || p.end < p.start {
			return "", fmt.Errorf("edits overlap at byte %d", p.start)
		}
		b.WriteString(text[pos:p.start])
		b.WriteString(p.text)
		pos = p.end
	}
	return b.String() + text[pos:], nil
}

func (a *applying) create(c documentChange) error {
	path, err := Path(c.URI)
	if err != nil {
		return err
	}
	if err := a.vacant(path, c); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	a.touched[path] = true
	return os.WriteFile(path, nil, 0o644)
}

// vacant says whether a file may be made at a path.
func (a *applying) vacant(path string, c documentChange) error {
	if _, err := os.Lstat(path); err == nil && !c.Options.Overwrite {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	return nil
}

// rename moves a file or folder, on the disk and in the editor.
func (a *applying) rename(c documentChange) error {
	from, err := Path(c.OldURI)
	to, err2 := Path(c.NewURI)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if err := a.vacant(to, c); err != nil && !strings.EqualFold(from, to) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	moved := func(p string) (string, bool) {
		rest, ok := strings.CutPrefix(p, from)
		return to + rest, ok && (rest == "" || rest[0] == filepath.Separator)
	}
	for _, p := range sortedKeys(a.touched) {
		if q, ok := moved(p); ok {
			delete(a.touched, p)
			a.touched[q] = true
		}
	}
	if info, err := os.Stat(to); err == nil && !info.IsDir() {
		a.touched[to] = true
	}
	for _, p := range a.editor.open() {
		q, ok := moved(p)
		if !ok {
			continue
		}
		text, _ := a.editor.Text(p)
		if err := errors.Join(a.editor.CloseDocument(p), a.editor.Open(q, "markdown", text)); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// open lists the open documents.
func (e *Editor) open() (paths []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for p := range e.docs {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

func (a *applying) remove(c documentChange) error {
	path, err := Path(c.URI)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	delete(a.touched, path)
	if _, open := a.editor.Text(path); open {
		return a.editor.CloseDocument(path)
	}
	return nil
}

// texts are the texts of the touched files.
func (a *applying) texts() (map[string]string, error) {
	out := map[string]string{}
	for path := range a.touched {
		text, open := a.editor.Text(path)
		if !open {
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		out[path] = text
	}
	return out, nil
}
