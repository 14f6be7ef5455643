package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// texts are the texts that a file may have had when the server looked.
func (c *checker) texts(uri string) (texts []string) {
	path, err := Path(uri)
	if err != nil {
		return nil
	}
	for _, docs := range []map[string]buffer{c.docs, c.now} {
		if d, open := docs[path]; open {
			texts = append(texts, d.text)
		}
	}
	if len(texts) == 0 {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil // reading a pipe would wait for ever
		}
		raw, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return nil
		}
		texts = append(texts, string(raw)) // one that does not exist yet is empty
	}
	return texts
}

// walk looks at places and edits, wherever they stand. uri names the document that
// ranges are of.
func (c *checker) walk(v any, uri string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.walk(item, uri)
		}
	case map[string]any:
		c.object(v, uri)
	}
}

func (c *checker) object(m map[string]any, uri string) {
	c.workspaceEdit(m)
	own := uri
	for _, key := range []string{"uri", "targetUri"} {
		if u, ok := m[key].(string); ok {
			own = u
		}
	}
	if u, ok := at(m, "textDocument.uri").(string); ok {
		own = u
	}
	if r, ok := m["range"]; ok && m["selectionRange"] != nil && !inside(m["selectionRange"], r) {
		c.wrong("selectionRange %v outside of range %v", m["selectionRange"], r)
	}
	if parent, ok := m["parent"].(map[string]any); ok && !inside(m["range"], parent["range"]) {
		c.wrong("range %v outside of its parent's %v", m["range"], parent["range"])
	}
	for key, value := range m {
		switch key {
		case "data", "arguments": // the server's own
		case "originSelectionRange":
			c.place(value, c.home)
		case "fromRanges":
			of := c.home // of outgoing calls
			if u, ok := at(m, "from.uri").(string); ok {
				of = u
			}
			for _, r := range value.([]any) {
				c.place(r, of)
			}
		case "range", "selectionRange", "targetRange", "targetSelectionRange", "insert", "replace":
			c.place(value, own)
		case "changes":
			files, _ := value.(map[string]any)
			for u, edits := range files {
				c.edits(edits, u)
			}
		case "edits":
			c.edits(value, own)
		default:
			c.walk(value, own)
		}
	}
}

// workspaceEdit checks the form of an edit, if m is one, or a step of one.
func (c *checker) workspaceEdit(m map[string]any) {
	steps, ok := m["documentChanges"].([]any)
	if !ok {
		return
	}
	operations, _ := at(c.client, "workspace.workspaceEdit.resourceOperations").([]any)
	c.wants(c.yes("workspace.workspaceEdit.documentChanges") || len(operations) > 0, "documentChanges")
	if m["changes"] != nil {
		c.wrong("changes beside documentChanges")
	}
	annotations, _ := m["changeAnnotations"].(map[string]any)
	c.wants(len(annotations) == 0 || at(c.client, "workspace.workspaceEdit.changeAnnotationSupport") != nil, "changeAnnotations")
	var used []any
	for _, step := range steps {
		used = append(used, at(step, "annotationId"))
		if kind := at(step, "kind"); kind != nil {
			c.wants(slices.Contains(operations, kind), fmt.Sprint("resource operation ", kind))
		}
		if version, ok := at(step, "textDocument.version").(float64); ok {
			uri, _ := at(step, "textDocument.uri").(string)
			path, _ := Path(uri)
			if was, is := c.docs[path], c.now[path]; int(version) != was.version && int(version) != is.version {
				c.wrong("edit of version %v of %s, which is %d", version, uri, is.version)
			}
		}
		edits, _ := at(step, "edits").([]any)
		for _, edit := range edits {
			used = append(used, at(edit, "annotationId"))
		}
	}
	for _, id := range used {
		if name, ok := id.(string); ok && annotations[name] == nil {
			c.wrong("annotation %s is not described", name)
		}
	}
}

// edits checks the edits of one document: they may touch but not overlap.
func (c *checker) edits(v any, uri string) {
	list, ok := v.([]any)
	if !ok {
		return
	}
	var ranges []Range
	for _, edit := range list {
		if _, tokens := at(edit, "deleteCount").(float64); tokens {
			return // of semantic tokens
		}
		if r, ok := c.place(at(edit, "range"), uri); ok {
			ranges = append(ranges, r)
		}
	}
	slices.SortFunc(ranges, func(a, b Range) int { return a.Start.compare(b.Start) })
	for i := 1; i < len(ranges); i++ {
		if ranges[i].Start.compare(ranges[i-1].End) < 0 {
			c.wrong("edits of %s overlap: %v, %v", uri, ranges[i-1], ranges[i])
		}
	}
}

// place checks that a range lies in its document.
func (c *checker) place(v any, uri string) (Range, bool) {
	r, ok := rangeOf(v)
	if !ok || !strings.HasPrefix(uri, "file:") {
		return r, false
	}
	if r.End.compare(r.Start) < 0 {
		c.wrong("range %v of %s ends before it begins", r, uri)
	}
	texts := c.texts(uri)
	holds := func(text string) bool { return holds(text, r.Start, c.encoding) && holds(text, r.End, c.encoding) }
	if len(texts) > 0 && !slices.ContainsFunc(texts, holds) {
		c.wrong("range %v is not in %s", r, uri)
	}
	return r, true
}

// rangeOf reads a range of decoded JSON.
func rangeOf(v any) (r Range, ok bool) {
	raw, err := json.Marshal(v)
	if err != nil || at(v, "start") == nil || at(v, "end") == nil {
		return r, false
	}
	return r, json.Unmarshal(raw, &r) == nil
}

func inside(inner, outer any) bool {
	in, ok := rangeOf(inner)
	out, ok2 := rangeOf(outer)
	return !ok || !ok2 || out.Start.compare(in.Start) <= 0 && in.End.compare(out.End) <= 0
}

func (p Position) compare(q Position) int {
	if p.Line != q.Line {
		return p.Line - q.Line
	}
	return p.Character - q.Character
}

// holds reports whether a position is one of a text.
func holds(text string, p Position, encoding string) bool {
	_, err := OffsetIn(text, p, encoding)
	return err == nil
}
