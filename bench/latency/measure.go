package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/corpus"
)

// tabs is how many documents are open at a time.
const tabs = 20

// edits is how often a document is changed and then asked about; each change
// makes the server build a new snapshot.
const edits = 500

// editedQueries is how often a question follows a change: the index must then
// take the change in.
const editedQueries = 50

// place finds the first relation of an entry that corpus wrote.
func place(e corpus.Entry) document {
	d := document{text: e.Text()}
	if len(e.Related) == 0 {
		return d
	}
	before, _, _ := strings.Cut(d.text, e.Related[0])
	d.line = strings.Count(before, "\n")
	d.start = len(before) - strings.LastIndexByte(before, '\n') - 1
	d.to = e.Related[0]
	return d
}

// measure starts the server as often as needed and asks.
func (b *bench) measure(ctx context.Context) (*result, error) {
	r := newResult(b)
	for range b.starts {
		if err := b.starting(ctx, r); err != nil {
			return nil, err
		}
	}
	c, err := start(ctx, b.bin)
	if err != nil {
		return nil, err
	}
	defer c.Kill()
	if _, err := c.initialize(b.root); err != nil {
		return nil, err
	}
	m := &measurement{bench: b, client: c, result: r}
	for _, step := range []func() error{m.navigation, m.editing, m.asking, m.askingAfterEdits} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	used, err := c.close()
	r.CPUSeconds, r.PeakMiB = used.cpu.Seconds(), float64(used.peak)/(1<<20)
	r.finish()
	return r, err
}

// starting starts the server twice, once for the first hover and once for the
// first question.
func (b *bench) starting(ctx context.Context, r *result) error {
	d := b.related()[0]
	for _, first := range []func(*client) error{
		func(c *client) error {
			if err := c.open(d); err != nil {
				return err
			}
			return c.must("textDocument/hover", d.at(0))
		},
		func(c *client) error { return c.must("workspace/executeCommand", question(b.questions[0])) },
	} {
		if err := b.session(ctx, r, first); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) session(ctx context.Context, r *result, first func(*client) error) error {
	c, err := start(ctx, b.bin)
	if err != nil {
		return err
	}
	defer c.Kill()
	initialized, err := c.initialize(b.root)
	if err != nil {
		return err
	}
	if err := first(c); err != nil {
		return err
	}
	answered := time.Since(c.Spawned)
	used, err := c.close()
	r.started(initialized, answered, used)
	return err
}

// must asks once and fails on an empty answer.
func (c *client) must(method string, params any) error {
	raw, _, err := c.call(method, params)
	if err == nil && empty(raw) {
		return fmt.Errorf("%s: empty answer", method)
	}
	return err
}

// empty reports whether an answer says nothing.
func empty(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null" || string(raw) == "[]"
}

// related lists the documents that have a relation.
func (b *bench) related() []document {
	var out []document
	for _, d := range b.documents {
		if d.to != "" {
			out = append(out, d)
		}
	}
	return out
}

// measurement is one long session.
type measurement struct {
	*bench
	*client
	*result
}

// navigation asks everything an editor asks while someone reads.
func (m *measurement) navigation() error {
	docs := m.related()
	rng := rand.New(rand.NewPCG(1, 2)) // the same order in every run
	rng.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	kinds := []struct {
		name, method string
		params       func(document) object
		right        func(document, json.RawMessage) bool
	}{
		{"hover on a relation", "textDocument/hover", func(d document) object { return d.at(2) }, leadsTo},
		{"definition", "textDocument/definition", func(d document) object { return d.at(2) }, leadsTo},
		{"references", "textDocument/references", func(d document) object {
			p := d.at(2)
			p["context"] = object{"includeDeclaration": false}
			return p
		}, comesFrom},
		{"documentLink", "textDocument/documentLink", document.identity, leadsTo},
		{"completion in related", "textDocument/completion", func(d document) object { return d.at(d.typed()) }, offers},
	}
	for at := 0; at < m.requests; at += tabs {
		group := make([]document, 0, tabs)
		for i := at; i < min(at+tabs, m.requests); i++ {
			group = append(group, docs[i%len(docs)])
		}
		if err := m.each(group, m.open); err != nil {
			return err
		}
		for _, k := range kinds {
			for _, d := range group {
				raw, took, err := m.call(k.method, k.params(d))
				if err != nil {
					return err
				}
				m.took(k.name, took, k.right(d, raw))
			}
			m.used(k.name, m.client)
		}
		if err := m.each(group, m.shut); err != nil {
			return err
		}
		m.used("opening and closing documents", m.client)
	}
	return nil
}

func (m *measurement) each(group []document, f func(document) error) error {
	for _, d := range group {
		if err := f(d); err != nil {
			return err
		}
	}
	return nil
}

// leadsTo reports whether an answer names the relation's target; the rendering
// of a hover may escape the path, but its link holds it as it is.
func leadsTo(d document, raw json.RawMessage) bool { return bytes.Contains(raw, []byte(d.to)) }

// offers reports whether completions hold the relation's target, or say that
// there are more than they hold.
func offers(d document, raw json.RawMessage) bool {
	return leadsTo(d, raw) || bytes.Contains(raw, []byte(`"isIncomplete":true`))
}

// comesFrom reports whether an answer names the document that was asked about:
// it is one of those that mention the target.
func comesFrom(d document, raw json.RawMessage) bool { return bytes.Contains(raw, []byte(uri(d.file))) }

// editing changes a document and asks about it at once: in one document, as
// while typing, and in many that all stay unsaved.
func (m *measurement) editing() error {
	related := m.related()
	if err := m.edit("edit, then hover", related[:1]); err != nil {
		return err
	}
	unsaved := related[:min(tabs, len(related))]
	return m.edit(fmt.Sprintf("edit, then hover, %d unsaved", len(unsaved)), unsaved)
}

// edit opens documents and changes them in turn.
func (m *measurement) edit(name string, docs []document) error {
	if err := m.each(docs, m.open); err != nil {
		return err
	}
	for i := range edits {
		d := docs[i%len(docs)]
		start := time.Now()
		if err := m.append(d, i/len(docs), "."); err != nil {
			return err
		}
		raw, _, err := m.call("textDocument/hover", d.at(2))
		if err != nil {
			return err
		}
		m.took(name, time.Since(start), leadsTo(d, raw))
	}
	m.used(name, m.client)
	return m.each(docs, m.shut)
}

// asking asks distinct questions.
func (m *measurement) asking() error {
	for _, q := range m.questions {
		raw, took, err := m.call("workspace/executeCommand", question(q))
		if err != nil {
			return err
		}
		m.took("brv.query", took, !empty(raw))
	}
	m.used("brv.query", m.client)
	return nil
}

// askingAfterEdits changes a document before each question.
func (m *measurement) askingAfterEdits() error {
	d := m.related()[0]
	if err := m.open(d); err != nil {
		return err
	}
	for i := range min(editedQueries, len(m.questions)) {
		start := time.Now()
		if err := m.append(d, i, "."); err != nil {
			return err
		}
		raw, _, err := m.call("workspace/executeCommand", question(m.questions[i]))
		if err != nil {
			return err
		}
		m.took("edit, then brv.query", time.Since(start), !empty(raw))
	}
	m.used("edit, then brv.query", m.client)
	return m.shut(d)
}

func question(text string) object {
	return object{"command": "brv.query", "arguments": []object{{"text": text}}}
}

func (d document) identity() object { return object{"textDocument": object{"uri": uri(d.file)}} }

// at is a request's place: n bytes into the document's first relation.
func (d document) at(n int) object {
	p := d.identity()
	p["position"] = object{"line": d.line, "character": d.start + n}
	return p
}

// typed is how much of the relation stands before the cursor when completion is
// asked for: the folder and three letters of the name.
func (d document) typed() int { return min(strings.LastIndexByte(d.to, '/')+4, len(d.to)) }

func (c *client) open(d document) error {
	return c.notify("textDocument/didOpen", object{"textDocument": object{
		"uri": uri(d.file), "languageId": "markdown", "version": 0, "text": d.text,
	}})
}

func (c *client) shut(d document) error { return c.notify("textDocument/didClose", d.identity()) }

// append adds text at a document's end, to which text of the same length was
// added n times before.
func (c *client) append(d document, n int, text string) error {
	at := d.end(n * len(text))
	return c.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": uri(d.file), "version": n + 1},
		"contentChanges": []object{{"range": object{"start": at, "end": at}, "text": text}},
	})
}

// end is the place behind a document's last line, which has become longer by
// that many bytes.
func (d document) end(longer int) object {
	text := strings.TrimSuffix(d.text, "\n")
	return object{"line": strings.Count(text, "\n"), "character": len(text) - strings.LastIndexByte(text, '\n') - 1 + longer}
}
