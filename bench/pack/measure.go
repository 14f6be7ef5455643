package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// warming is how many packs come before those that are measured.
const warming = 10

// calm is how long work that goes on behind an answer may take.
const calm = 300 * time.Millisecond

// deadlines are the deadlines of the measured requests, in milliseconds.
var deadlines = []int{5, 20, 50, 100, 200}

// sample is one pack, as a line of the raw run.
type sample struct {
	Case     string   `json:"case"`
	Wall     float64  `json:"ms"`
	CPU      float64  `json:"cpu_ms"`
	Tokens   int      `json:"tokens"`
	Items    int      `json:"items"`
	Deadline int      `json:"deadline_ms,omitempty"`
	Degraded []string `json:"degraded,omitempty"`
}

// meter asks a workspace for packs.
type meter struct {
	ctx     context.Context
	w       *workspace.Workspace
	o       options
	tasks   []string
	next    int
	random  *rand.Rand
	open    []string // files with several functions
	samples []sample
}

func newMeter(ctx context.Context, w *workspace.Workspace, o options, tasks []string) *meter {
	m := &meter{ctx: ctx, w: w, o: o, tasks: tasks, random: rand.New(rand.NewPCG(3, 4))}
	for _, c := range w.View().Code().Chunks() {
		if len(functions(c.Symbols())) >= 4 {
			m.open = append(m.open, c.Path)
		}
	}
	return m
}

func functions(symbols []syntax.Symbol) (out []syntax.Symbol) {
	for _, s := range symbols {
		if (s.Kind == syntax.Function || s.Kind == syntax.Method) && s.Range.Len() > 40 {
			out = append(out, s)
		}
	}
	return out
}

// task is the next one; they come again when all were asked.
func (m *meter) task() string {
	m.next++
	return m.tasks[(m.next-1)%len(m.tasks)]
}

// file is any that has several functions.
func (m *meter) file() string { return m.open[m.random.IntN(len(m.open))] }

// at is an offset in one of a file's functions.
func (m *meter) at(file string) (offset *int, in syntax.Symbol) {
	c, _ := m.w.View().Code().Chunk(file)
	all := functions(c.Symbols())
	in = all[m.random.IntN(len(all))]
	return m.within(in), in
}

func (m *meter) within(s syntax.Symbol) *int {
	offset := s.Range.Start + m.random.IntN(s.Range.Len())
	return &offset
}

// ask measures one pack; a case "" is not noted.
func (m *meter) ask(name string, req contextpack.PackRequest) error {
	req.BudgetTokens = m.o.budget
	var p *pack.Pack
	used, err := process.Timed(func() (err error) {
		p, err = contextpack.Pack(m.ctx, m.w.View(), req)
		return err
	})
	if err == nil && name != "" {
		m.samples = append(m.samples, sample{name, used.Wall, used.CPU, p.Tokens, len(p.Items), req.DeadlineMs, p.Degraded})
	}
	return err
}

func (m *meter) warm() error {
	file := m.file()
	for range warming {
		offset, _ := m.at(file)
		if err := m.ask("", contextpack.PackRequest{Task: m.task(), Path: file, Offset: offset}); err != nil {
			return err
		}
	}
	return nil
}

// all takes all cases.
func (m *meter) all() (*report, error) {
	for _, c := range []func() error{m.otherTasks, m.cursors, m.otherFiles, m.keystrokes, m.deadlines} {
		if err := c(); err != nil {
			return nil, err
		}
	}
	return newReport(m.o, m.w.View(), m.samples), nil
}

func (m *meter) otherTasks() error {
	for range m.o.packs {
		if err := m.ask("another task", contextpack.PackRequest{Task: m.task()}); err != nil {
			return err
		}
	}
	return nil
}

// cursors moves the cursor of an editor: to another function, inside it, and not at all.
func (m *meter) cursors() error {
	var req contextpack.PackRequest
	for i := range m.o.packs {
		if i%20 == 0 { // some files and tasks, each first asked for uncounted
			req = contextpack.PackRequest{Task: m.task(), Path: m.file()}
			if err := m.ask("", req); err != nil {
				return err
			}
			time.Sleep(calm) // what it left to be done beside is not the next one's cost
		}
		var in syntax.Symbol
		req.Offset, in = m.at(req.Path)
		if err := m.ask("cursor in another function", req); err != nil {
			return err
		}
		req.Offset = m.within(in)
		if err := m.ask("cursor moved within a function", req); err != nil {
			return err
		}
		if err := m.ask("nothing moved", req); err != nil {
			return err
		}
	}
	return nil
}

func (m *meter) otherFiles() error {
	req := contextpack.PackRequest{Task: m.task()}
	for range m.o.packs {
		req.Path = m.file()
		req.Offset, _ = m.at(req.Path)
		if err := m.ask("another file opened", req); err != nil {
			return err
		}
	}
	return nil
}

// keystrokes types into functions of an open file that is not saved.
func (m *meter) keystrokes() error {
	file := m.file()
	text, ok := m.w.View().Text(file)
	if !ok {
		return nil
	}
	defer m.w.Drop(file)
	req := contextpack.PackRequest{Task: m.task(), Path: file}
	offset, in := m.at(file)
	typed := in.Range.Start + max(0, strings.IndexByte(text[in.Range.Start:in.Range.End], '\n'))
	for range m.o.packs {
		text = text[:typed] + " " + text[typed:]
		m.w.Overlay(file, text)
		req.Offset = offset
		if err := m.ask("a key typed in the open file", req); err != nil {
			return err
		}
	}
	return nil
}

// deadlines asks in as little time as an editor may give: each time for another task
// with another file, then for the same with another cursor.
func (m *meter) deadlines() error {
	for _, ms := range deadlines {
		for range max(1, m.o.packs/4) {
			req := contextpack.PackRequest{Task: m.task(), Path: m.file(), DeadlineMs: ms}
			req.Offset, _ = m.at(req.Path)
			if err := m.ask("deadline, another task", req); err != nil {
				return err
			}
			req.Offset, _ = m.at(req.Path)
			if err := m.ask("deadline, another cursor", req); err != nil {
				return err
			}
		}
	}
	return m.newIndex()
}

// newIndex asks right after a change of the tree: what is made for it may not be there.
func (m *meter) newIndex() error {
	const entry = ".brv/context-tree/unsaved/by_editor/entry.md"
	defer m.w.Drop(entry)
	for _, ms := range deadlines {
		for i := range max(1, m.o.packs/20) {
			m.w.Overlay(entry, "---\ntitle: Unsaved\n---\n"+strings.Repeat("word ", ms+i))
			if err := m.ask("deadline, the tree changed", contextpack.PackRequest{Task: m.task(), DeadlineMs: ms}); err != nil {
				return err
			}
			time.Sleep(calm)
		}
	}
	return nil
}
