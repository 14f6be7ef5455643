package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// session is the scripted editor with the repository open in it.
type session struct {
	*lsptest.Editor
	repository
	root    string
	entries []entry
	defs    definitions
	out     *checked
}

// check prepares a repository, starts the server in it and asks everything.
func check(ctx context.Context, bin string, r repository, root string) (*checked, error) {
	if err := r.prepare(root); err != nil {
		return nil, err
	}
	s := &session{repository: r, root: root, out: &checked{Name: r.name, Version: r.version}}
	var err error
	if s.entries, err = readEntries(filepath.Join(root, filepath.FromSlash(treeFolder))); err != nil {
		return nil, err
	}
	if s.defs, err = r.define(root); err != nil {
		return nil, err
	}
	s.out.Entries, s.out.Names = len(s.entries), len(s.defs)
	p, err := process.Start(ctx, bin)
	if err != nil {
		return nil, err
	}
	s.Editor = lsptest.Attach(p.Out, p.In)
	if err := s.ask(ctx, p); err != nil {
		p.Kill()
		return nil, errors.Join(err, p.Said())
	}
	s.out.PeakMiB = float64(p.Peak()) / (1 << 20)
	if _, err := s.Shutdown(ctx); err != nil {
		p.Kill()
		return nil, err
	}
	cpu, err := p.Wait()
	s.out.CPUSeconds = cpu.Seconds()
	s.Close()
	return s.out, err
}

// ask runs all checks in one session.
func (s *session) ask(ctx context.Context, p *process.Process) error {
	if _, err := s.Initialize(ctx, lsptest.Session{Folders: []string{s.root}, Encodings: []string{"utf-8"}}); err != nil {
		return err
	}
	if err := s.firstAnswers(ctx, p); err != nil {
		return err
	}
	// The map waits for the first reading of the code, which links need.
	if err := s.Execute(ctx, "brv.map", nil, nil); err != nil {
		return err
	}
	s.out.ReadySeconds = time.Since(p.Spawned).Seconds()
	for _, e := range s.entries[1:] {
		if err := s.Open(e.file, "markdown", e.text); err != nil {
			return err
		}
	}
	for _, e := range s.entries {
		if err := errors.Join(s.relations(ctx, e), s.backlinks(ctx, e), s.namedFiles(ctx, e), s.namedSymbols(ctx, e)); err != nil {
			return err
		}
	}
	if err := s.code(ctx); err != nil {
		return err
	}
	return s.packs(ctx)
}

// firstAnswers asks at once, while the server still reads the code: about a
// relation, and about a symbol in code. What the second says is not checked,
// since links are not known yet; that it does not keep the user waiting is.
func (s *session) firstAnswers(ctx context.Context, p *process.Process) error {
	i := slices.IndexFunc(s.entries, func(e entry) bool { return len(e.mention) > 0 })
	if i < 0 {
		return errors.New("no entry has a relation")
	}
	s.entries[0], s.entries[i] = s.entries[i], s.entries[0]
	e := s.entries[0]
	if err := s.Open(e.file, "markdown", e.text); err != nil {
		return err
	}
	if _, err := s.Hover(ctx, e.file, e.mention[0].at+1); err != nil {
		return err
	}
	s.out.FirstHoverSeconds = time.Since(p.Spawned).Seconds()
	start := time.Now()
	for _, d := range s.defs[s.symbol] {
		if err := s.openCode(d.file); err != nil {
			return err
		}
		if _, err := s.Hover(ctx, s.codeFile(d.file), d.offset+1); err != nil {
			return err
		}
	}
	s.out.CodeHoverSeconds = time.Since(start).Seconds()
	return nil
}

// codeFile is a code file's absolute path.
func (s *session) codeFile(path string) string {
	return filepath.Join(s.root, filepath.FromSlash(path))
}

// openCode opens a code file unless it is open.
func (s *session) openCode(path string) error {
	file := s.codeFile(path)
	if _, open := s.Text(file); open {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return s.Open(file, languageID(file), string(data))
}

// entryFile is an entry's file.
func (s *session) entryFile(path string) string {
	return filepath.Join(s.root, filepath.FromSlash(treeFolder), filepath.FromSlash(path))
}

// relations checks hover and definition of each relation of an entry.
func (s *session) relations(ctx context.Context, e entry) error {
	for _, m := range e.mention {
		target := s.entryFile(m.what)
		where := fmt.Sprintf("%s, relation to %s", e.path, m.what)
		h, err := s.Hover(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		s.out.count("hover on a relation", where, shows(h, target), "shows "+short(h))
		found, err := s.Definition(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		s.out.count("definition of a relation", where, len(found) == 1 && found[0].URI == lsptest.URI(target) && exists(target),
			"leads to "+places(s.root, found))
	}
	return nil
}

// shows reports whether a hover names a file, which it does by a link to it.
func shows(h *lsptest.Hover, file string) bool {
	return h != nil && strings.Contains(h.Contents.Value, "]("+lsptest.URI(file))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// short is the beginning of a hover.
func short(h *lsptest.Hover) string {
	if h == nil {
		return "nothing"
	}
	line, _, _ := strings.Cut(h.Contents.Value, "\n")
	return line
}

func places(root string, found []lsptest.Location) string {
	var out []string
	for _, l := range found {
		file, _ := lsptest.Path(l.URI)
		rel, _ := filepath.Rel(root, file)
		out = append(out, fmt.Sprintf("%s:%d", filepath.ToSlash(rel), l.Range.Start.Line+1))
	}
	return "[" + strings.Join(out, " ") + "]"
}

// backlinks compares the references of an entry's title with a plain search.
func (s *session) backlinks(ctx context.Context, e entry) error {
	found, err := s.References(ctx, e.file, e.title, false)
	if err != nil {
		return err
	}
	var want, got []string
	for _, from := range s.entries {
		for _, m := range from.mention {
			if m.what == e.path {
				want = append(want, place(from.file, lineOf(from.text, m.at), columnOf(from.text, m.at)))
			}
		}
	}
	for _, l := range found {
		file, err := lsptest.Path(l.URI)
		if err != nil {
			return err
		}
		// Of an @relation the sign is part of the place.
		column := l.Range.Start.Character
		if text, ok := s.Text(file); ok && byteAt(text, l.Range.Start) == '@' {
			column++
		}
		got = append(got, place(file, l.Range.Start.Line, column))
	}
	slices.Sort(want)
	slices.Sort(got)
	s.out.count("references of an entry", e.path, slices.Equal(want, got), fmt.Sprintf("%d instead of %d", len(got), len(want)))
	return nil
}

func place(file string, line, column int) string { return fmt.Sprintf("%s:%d:%d", file, line, column) }

func lineOf(text string, at int) int { return strings.Count(text[:at], "\n") }

func columnOf(text string, at int) int { return at - strings.LastIndexByte(text[:at], '\n') - 1 }

func byteAt(text string, p lsptest.Position) byte {
	for range p.Line {
		_, text, _ = strings.Cut(text, "\n")
	}
	if p.Character < len(text) {
		return text[p.Character]
	}
	return 0
}

// namedFiles checks each file that an entry lists.
func (s *session) namedFiles(ctx context.Context, e entry) error {
	for _, m := range e.files {
		file := s.codeFile(m.what)
		where := fmt.Sprintf("%s, file %s", e.path, m.what)
		h, err := s.Hover(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		s.out.count("hover on a named file", where, exists(file) && shows(h, file), "shows "+short(h))
		found, err := s.Definition(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		s.out.count("definition of a named file", where, len(found) == 1 && found[0].URI == lsptest.URI(file),
			"leads to "+places(s.root, found))
	}
	return nil
}

// namedSymbols checks each symbol that an entry names.
func (s *session) namedSymbols(ctx context.Context, e entry) error {
	for _, m := range e.symbols {
		want, linked := e.expected(s.defs, m.what)
		where := fmt.Sprintf("%s, symbol %s", e.path, m.what)
		found, err := s.Definition(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		if !linked {
			s.out.Unlinked = append(s.out.Unlinked, fmt.Sprintf("%s (%d files)", where, s.defs.files(m.what)))
			s.out.count("no link where a name cannot mean one thing", where, len(found) == 0 || s.among(want, found[0]),
				"leads to "+places(s.root, found))
			continue
		}
		s.out.count("definition of a named symbol", where, s.allAmong(want, found), "leads to "+places(s.root, found))
		h, err := s.Hover(ctx, e.file, m.at+1)
		if err != nil {
			return err
		}
		right := slices.ContainsFunc(want, func(d definition) bool { return shows(h, s.codeFile(d.file)) })
		s.out.count("hover on a named symbol", where, right, "shows "+short(h))
	}
	return nil
}

// allAmong reports whether something was found and all of it are definitions that
// the name can mean.
func (s *session) allAmong(want []definition, found []lsptest.Location) bool {
	return len(found) > 0 && !slices.ContainsFunc(found, func(l lsptest.Location) bool { return !s.among(want, l) })
}

// among reports whether a place is on the line of one of the definitions.
func (s *session) among(want []definition, l lsptest.Location) bool {
	return slices.ContainsFunc(want, func(d definition) bool {
		file := s.codeFile(d.file)
		if l.URI != lsptest.URI(file) {
			return false
		}
		data, err := os.ReadFile(file)
		return err == nil && lineOf(string(data), d.offset) == l.Range.Start.Line
	})
}

// shown is how many entries a hover on code lists at most (workspace.About).
const shown = 3

// code checks that a hover on the definition of a symbol that entries name shows
// one of them, and all if there are few.
func (s *session) code(ctx context.Context) error {
	type place struct {
		name string
		definition
	}
	about := map[place][]string{}
	var order []place
	for _, e := range s.entries {
		seen := map[string]bool{}
		for _, m := range e.symbols {
			want, linked := e.expected(s.defs, m.what)
			if !linked || seen[m.what] {
				continue
			}
			seen[m.what] = true
			for _, d := range want {
				p := place{m.what, d}
				if about[p] == nil {
					order = append(order, p)
				}
				about[p] = append(about[p], e.path)
			}
		}
	}
	slices.SortFunc(order, func(a, b place) int { return strings.Compare(a.file+a.name, b.file+b.name) })
	for _, p := range order {
		if err := s.codeHover(ctx, p.name, p.definition, about[p]); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) codeHover(ctx context.Context, name string, d definition, entries []string) error {
	if err := s.openCode(d.file); err != nil {
		return err
	}
	h, err := s.Hover(ctx, s.codeFile(d.file), d.offset+1)
	if err != nil {
		return err
	}
	n := 0
	for _, e := range entries {
		if shows(h, s.entryFile(e)) {
			n++
		}
	}
	s.out.count("hover on a symbol in the code", fmt.Sprintf("%s in %s", name, d.file), n >= min(shown, len(entries)),
		fmt.Sprintf("%d of %d entries; %s", n, len(entries), short(h)))
	return nil
}

// packed is the answer of brv.pack, as far as it is looked at.
type packed struct {
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
	Items  []struct {
		Kind string `json:"kind"`
		Path string `json:"path"`
		Form string `json:"form"`
	} `json:"items"`
}

func (s *session) pack(ctx context.Context, text string, budget int) (packed, error) {
	var p packed
	err := s.Execute(ctx, "brv.pack", map[string]any{"task": text, "budgetTokens": budget}, &p)
	return p, err
}

// packs packs each task with each budget.
func (s *session) packs(ctx context.Context) error {
	for _, budget := range budgets {
		row := packRow{Budget: budget}
		for _, t := range s.tasks {
			start := time.Now()
			p, err := s.pack(ctx, t.text, budget)
			if err != nil {
				return err
			}
			row.add(p, t, time.Since(start))
			where := fmt.Sprintf("%q at %d", t.text, budget)
			n := tokens.Count(p.Text)
			s.out.count("pack within its budget", where, n <= budget && n > 0, fmt.Sprintf("%d tokens", n))
			s.out.count("pack counts its tokens exactly", where, n == p.Tokens, fmt.Sprintf("says %d, has %d", p.Tokens, n))
		}
		s.out.Packs = append(s.out.Packs, row.mean())
	}
	return nil
}
