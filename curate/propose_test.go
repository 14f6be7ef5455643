package curate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// bench is a project on disk: a tree, and files that are only there.
type bench struct {
	t      testing.TB
	store  *store.Store
	engine *retrieval.Retriever
	code   *codebase.RepoMap
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := jail.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t}
	pool := syntax.NewPool(syntax.Options{Timeout: time.Minute})
	if b.code, err = codebase.Scan(t.Context(), root, codebase.Options{Parser: pool}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".brv", tree.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if b.store, err = store.Open(t.Context(), filepath.Join(dir, ".brv"),
		store.Options{Now: func() time.Time { return now }}); err != nil {
		t.Fatal(err)
	}
	if b.engine, err = retrieval.New(retrieval.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.engine.Close(); b.store.Close(); pool.Close(); root.Close() })
	return b
}

// project is what Propose sees of it.
func (b *bench) project() Project {
	search, err := b.engine.Open(context.Background(), b.store.Snapshot())
	if err != nil {
		b.t.Fatal(err)
	}
	links := link.Build(b.store.Snapshot(), b.code)
	return Project{
		Tree: b.store.Snapshot(), Search: search, Code: b.code, Try: b.store.Apply, Now: now,
		Links: func(context.Context) (*link.Links, error) { return links, nil },
	}
}

func (b *bench) propose(m Material) Proposal {
	b.t.Helper()
	got, err := Propose(b.t.Context(), b.project(), m)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// TestPropose drafts from material: of each archive, "commit HASH" is a message, "M PATH",
// "A PATH", "D PATH" and "R OLD -> NEW" are its files, each a unified difference without
// head; "markdown PATH", "text PATH", "code PATH" and "selection PATH" are sources, and
// "instruction" what the user says, "topic" where it goes, "any-topic" that the likeliest is
// enough. Other files are those of the project, its tree below
// .brv/context-tree. The last file is what is proposed: notes, operations, and the dry
// run's difference.
//
// Each proposal is then done, reads back without a problem, and is not made again.
func TestPropose(t *testing.T) {
	paths, err := filepath.Glob("testdata/propose/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no data")
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			m, files := material(t, a.Files[:last])
			b := newBench(t, files)
			made := b.propose(m)
			if again := b.propose(m); !reflect.DeepEqual(made.Ops, again.Ops) || !reflect.DeepEqual(made.Refused, again.Refused) {
				t.Error("the same material gave another proposal")
			}
			got := written(made)
			if *update {
				a.Files[last].Data = []byte(got)
				if err := os.WriteFile(p, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(a.Files[last].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			b.readsBack(made)
			for _, op := range b.propose(m).Ops {
				if op.Type == plan.OpAdd {
					t.Errorf("%s of %s is proposed again", op.Type, op.Title)
				}
			}
		})
	}
}

// written is a proposal as text.
func written(p Proposal) string {
	var b strings.Builder
	for _, n := range slices.Concat(p.Refused, p.Notes) {
		b.WriteString("note: " + n + "\n")
	}
	for _, u := range p.Undecided {
		fmt.Fprintf(&b, "undecided: %s (%s)\n", u.Title, u.Source)
		for _, c := range u.Choices {
			fmt.Fprintf(&b, "  %s new=%v: %s\n", c.Topic, c.New, c.Reason)
		}
	}
	for _, op := range p.Ops {
		switch op.Type {
		case plan.OpAdd:
			fmt.Fprintf(&b, "ADD %s: %s\n", op.Path, op.Title)
		default:
			text, _ := json.Marshal(op)
			b.WriteString(string(text) + "\n")
		}
	}
	if p.Report != nil {
		for line := range strings.Lines(p.Report.Diff) {
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}

// readsBack does a proposal and checks what is there then.
func (b *bench) readsBack(p Proposal) {
	b.t.Helper()
	if len(p.Ops) == 0 {
		return
	}
	before := b.store.Snapshot()
	report, err := b.store.Apply(b.t.Context(), plan.Batch{Ops: p.Ops, Hold: plan.HoldNone})
	if err != nil || report.Summary.Failed+report.Summary.Pending > 0 {
		b.t.Fatalf("%v: %+v", err, report)
	}
	after := b.store.Snapshot()
	for i, r := range report.Results {
		e, ok := after.Entry(r.FilePath)
		if !ok {
			continue
		}
		if op := p.Ops[i]; op.Type == plan.OpAdd && e.Title != op.Title {
			b.t.Errorf("title %q reads back as %q", op.Title, e.Title)
		}
		for _, problem := range after.Problems(e.Path) {
			if problem.Code != format.CodeOrphan && len(before.Problems(e.Path)) == 0 {
				b.t.Errorf("%s has a problem: %+v\n%s", e.Path, problem, e.Text)
			}
		}
		if found := secrets.Scan(e.Text); len(found) > 0 {
			b.t.Errorf("%s holds credentials: %v", e.Path, found)
		}
	}
}

// material reads an archive's files.
func material(t *testing.T, all []txtar.File) (m Material, files map[string]string) {
	t.Helper()
	files = map[string]string{}
	for _, f := range all {
		kind, name, _ := strings.Cut(f.Name, " ")
		text := string(f.Data)
		switch kind {
		case "commit", "staged":
			m.Changes = &Changes{Name: kind + " " + name, Commit: name, Message: text}
			if kind == "staged" {
				m.Changes.Name, m.Changes.Commit = "staged changes", ""
			}
		case "A", "M", "D", "R":
			m.Changes.Files = append(m.Changes.Files, fileChange(t, kind[0], name, text))
		case "markdown", "text", "code":
			m.Sources = append(m.Sources, Source{Path: name, Kind: Kind(kind), Text: text, Symbols: namesIn(text)})
		case "selection":
			s := selection(t, txtar.File{Name: name, Data: f.Data})
			m.Sources = append(m.Sources, Source{Path: s.Path, Entry: s.Entry, Kind: KindSelection, Text: text,
				StartLine: s.StartLine, EndLine: s.EndLine, Language: s.Language})
		case "instruction":
			m.Instruction = text
		case "topic":
			m.Topic = strings.TrimSpace(text)
		case "any-topic":
			m.AnyTopic = true
		default:
			files[f.Name] = text
		}
	}
	return m, files
}

func namesIn(text string) (names []string) {
	for line := range strings.Lines(text) {
		if m := definition().FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// fileChange reads a unified difference: "@@ -1 +1 @@", then lines that begin with a sign.
func fileChange(t *testing.T, status byte, name, text string) FileChange {
	t.Helper()
	f := FileChange{Path: name, Status: status}
	if from, to, ok := strings.Cut(name, " -> "); ok {
		f.From, f.Path = from, to
	}
	old, fresh := 1, 1
	side := byte(' ')
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "@@") {
			if _, err := fmt.Sscanf(line, "@@ -%d +%d @@", &old, &fresh); err != nil {
				t.Fatal(line, err)
			}
			side = ' '
			continue
		}
		sign := byte(' ')
		if line != "" {
			sign, line = line[0], line[1:]
		}
		list, at := &f.Added, fresh
		if sign == '-' {
			list, at = &f.Removed, old
		}
		if sign == '-' || sign == '+' {
			if sign == side {
				(*list)[len(*list)-1].Text += "\n" + line
			} else {
				*list = append(*list, Hunk{Line: at, Text: line})
			}
		}
		if sign != '+' {
			old++
		}
		if sign != '-' {
			fresh++
		}
		side = sign
	}
	f.Symbols = touched(f, nil)
	return f
}

// What a trial refuses is not proposed, and said.
func TestProposeLeavesOutWhatATrialRefuses(t *testing.T) {
	b := newBench(t, nil)
	p := b.project()
	p.Try = func(ctx context.Context, batch plan.Batch) (*plan.Report, error) {
		if !batch.DryRun {
			t.Error("a trial that is none")
		}
		report := &plan.Report{}
		for _, op := range batch.Ops {
			r := plan.Result{Status: plan.StatusSuccess, Path: op.Path}
			if op.Title == "Second" {
				r = plan.Result{Status: plan.StatusFailed, Message: "no"}
			}
			report.Results = append(report.Results, r)
		}
		return report, nil
	}
	var m Material
	for _, title := range []string{"First", "Second", "Third"} {
		m.Sources = append(m.Sources, Source{Path: strings.ToLower(title) + ".go", Kind: KindSelection, Text: "// " + title +
			".\n//\n// Something to know about it.\n"})
	}
	got, err := Propose(t.Context(), p, m)
	if err != nil || len(got.Ops) != 2 || len(got.Report.Results) != 2 || len(got.Refused) != 1 || !strings.Contains(got.Refused[0], "no") {
		t.Errorf("%+v, %v", got, err)
	}
}

// A search or a trial that fails, and a context that ends, are the caller's to see.
func TestProposePassesErrorsOn(t *testing.T) {
	b := newBench(t, nil)
	m := Material{Sources: []Source{{Path: "a.go", Kind: KindSelection, Text: "// Package a is a thing.\npackage a\n"}}}
	p := b.project()
	p.Search = func(context.Context, retrieval.Query) (retrieval.Result, error) {
		return retrieval.Result{}, context.Canceled
	}
	if _, err := Propose(t.Context(), p, m); err != context.Canceled {
		t.Errorf("search: %v", err)
	}
	p = b.project()
	p.Try = func(context.Context, plan.Batch) (*plan.Report, error) { return nil, context.Canceled }
	if _, err := Propose(t.Context(), p, m); err != context.Canceled {
		t.Errorf("trial: %v", err)
	}
	if got, err := Propose(t.Context(), b.project(), Material{}); err != nil || len(got.Ops)+len(got.Notes)+len(got.Refused) > 0 {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
}

// Texts of one sign many times over are drafted like any other.
func TestProposeOfOddTexts(t *testing.T) {
	b := newBench(t, nil)
	for _, piece := range []string{"a ", "`", "``` ", "[", "[[", "](", "@a/", "x. Y ", "- a\n", "#\n", "## a b\n\ntext\n", "\n",
		"=\n", "a\n=\n", "<!--", "**a**: ", "1) ", "\"\"\"\n", "/*\n", "Fixes ", "\u200d", "[a](b#c)", "![a](b)", "- **a**: b\n"} {
		text := strings.Repeat(piece, 9000/len(piece))
		for _, m := range []Material{
			{Sources: []Source{{Path: "a.md", Kind: KindMarkdown, Text: text}}},
			{Sources: []Source{{Path: "a.txt", Kind: KindText, Text: text}}},
			{Sources: []Source{{Path: "a.go", Kind: KindSelection, Text: text}}},
			{Changes: &Changes{Name: "commit", Message: text, Files: []FileChange{{Path: "a.go", Added: []Hunk{{1, text}}}}}},
			{Changes: &Changes{Name: "commit", Message: "Keys rotate\n\n" + text,
				Files: []FileChange{{Path: "a.go", Added: []Hunk{{1, text}}}}}},
		} {
			made := b.propose(m)
			snap := b.store.Snapshot()
			for _, op := range made.Ops {
				at := snap.FreePath(op.Path, op.Title)
				text := format.Render(format.Header{Title: op.Title, Summary: op.Summary, Reason: op.Reason, CreatedAt: now,
					UpdatedAt: now}, op.Content)
				readsBackAs(t, snap, Draft{Path: at, Title: op.Title, Text: text})
				snap = snap.With(at, text)
			}
			if len(made.Ops)+len(made.Notes)+len(made.Refused) == 0 {
				t.Errorf("%q: neither an operation nor a note", piece)
			}
		}
	}
}

// FuzzPropose: whatever the material, what is proposed reads back as it was meant, is the
// same a second time and holds no credential.
func FuzzPropose(f *testing.F) {
	f.Add("fix(auth): Rotate keys (#12)\n\n- Keys must rotate, see [docs](docs/a.md#x) and @a/b/c.md\n", "src/auth/keys.go",
		"// Rotate turns the key.\nfunc Rotate() {}\n\n", "# Title [x](y.md#z)\n\n## Rules\n- never `a\n```\n@a/b\n")
	f.Add("x\u202e\u200d\n\n`````", "設計/メモ.md", "password = \"hunter2hunter2A\"",
		"---\ntitle: x\n---\n**Task:**\n[[a/b]] [c]: d/e.md\n[t](#u)\n===\n")
	f.Add("Revert \"x\"", "a b (c).go", "\x00", "Setext\n---\n\n***\n1. [a]([b](c))\n")
	f.Add("Keys\n\nWho leaves takes the keys along, see [docs](docs/a.md#x), @a/b/c.md and [[a/b]], so they "+
		"have to be new each month.\n## Facts\n**Task:**\n---\n```\ncode", "src/auth/keys.go", "// @a", "- [ ] x\n")
	known := tree.NewSnapshot([]*format.Entry{
		format.Parse(
			"auth/keys/rotate_keys.md",
			"---\ntitle: Rotate keys\n---\n## Raw Concept\n**Files:**\n- src/auth/keys.go\n\n## Facts\n- **ttl**: a week\n"),
		format.Parse("auth/keys/key_rotation.md", "---\ntitle: Rotation of keys\n---\n## Reason\nx\n"),
	}, nil)
	f.Fuzz(func(t *testing.T, message, path, added, document string) {
		if strings.TrimSpace(path) == "" {
			return
		}
		m := Material{
			Sources: []Source{{Path: path, Kind: KindMarkdown, Text: document}, {Path: path, Kind: KindText, Text: document},
				{Path: path, Kind: KindSelection, Text: added, Symbols: namesIn(added)}},
			Changes: &Changes{Name: "commit x", Commit: "0123456789abcdef", Message: message,
				Files: []FileChange{{Path: path, Status: 'M', Added: []Hunk{{Line: 1, Text: added}}, Symbols: namesIn(added)}}},
		}
		p := Project{Tree: known, Now: now}
		got, err := Propose(t.Context(), p, m)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Propose(t.Context(), p, m); !reflect.DeepEqual(got, again) {
			t.Fatal("the same material gave another proposal")
		}
		snap := known
		for _, op := range got.Ops {
			if op.Type != plan.OpAdd {
				continue
			}
			at := op.Path
			if !strings.HasSuffix(at, ".md") {
				at = snap.FreePath(at, op.Title)
			}
			if err := format.CheckEntryPath(at); err != nil {
				t.Fatal(err)
			}
			text := format.Render(format.Header{Title: op.Title, Summary: op.Summary, Reason: op.Reason, CreatedAt: now,
				UpdatedAt: now}, op.Content)
			if found := secrets.Scan(text); len(found) > 0 {
				t.Fatalf("credentials: %v", found)
			}
			readsBackAs(t, snap, Draft{Path: at, Title: op.Title, Text: text})
			snap = snap.With(at, text)
		}
	})
}

// readsBackAs is readsBack of one of several drafts, which may have the title of another.
func readsBackAs(t *testing.T, snap *tree.Snapshot, d Draft) {
	t.Helper()
	with := snap.With(d.Path, d.Text)
	for _, problem := range with.Problems(d.Path) {
		if problem.Code != format.CodeOrphan && problem.Code != format.CodeDuplicate {
			t.Fatalf("the draft has a problem: %v\n%s", problem, d.Text)
		}
	}
	if e, _ := with.Entry(d.Path); e.Title != d.Title {
		t.Fatalf("title %q reads back as %q", d.Title, e.Title)
	}
}

// BenchmarkPropose drafts from code on trees of a thousand entries and of ten times as many.
func BenchmarkPropose(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var entries []*format.Entry
			for i := range n {
				at := fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i%13, i%97, i)
				entries = append(
					entries, format.Parse(
						at, fmt.Sprintf(
							"---\ntitle: Entry %d about retry %d of uploads\n---\n## Raw Concept\n**Files:**\n- "+
								"src/part_%d/file_%d.go\n\n## Narrative\n### Rules\n- Upload %d is tried again after %d seconds\n", i,
							i%31, i%97, i, i, i%61)))
			}
			snap := tree.NewSnapshot(entries, nil)
			engine, err := retrieval.New(retrieval.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer engine.Close()
			search, err := engine.Open(b.Context(), snap)
			if err != nil {
				b.Fatal(err)
			}
			m := Material{Sources: []Source{{Path: "src/part_5/file_5.go", Kind: KindSelection,
				Text: "// Package upload retries failed parts with a longer pause.\npackage upload\n"}}}
			p := Project{Tree: snap, Search: search, Now: now}
			for b.Loop() {
				if got, err := Propose(b.Context(), p, m); err != nil || len(got.Ops) != 1 {
					b.Fatal(got, err)
				}
			}
		})
	}
}

// Of more than may be proposed at once as much is drafted as may be; what is left comes when it is proposed again.
func TestManyThreads(t *testing.T) {
	b := newBench(t, nil)
	m := Material{Topic: "review/rules"}
	for n := range plan.MaxProposed + 5 {
		word := func(k int) string { return strings.Repeat(string(rune('a'+n)), 2) + string(rune('a'+k)) + "o" }
		text := ""
		for k := range 20 {
			text += word(k) + " "
		}
		m.Threads = append(m.Threads, Thread{Path: fmt.Sprintf("src/%c.go", 'a'+n), Text: strings.TrimSpace(text) + ".", Settled: true})
	}
	first := b.propose(m)
	if len(first.Ops) != plan.MaxProposed || !strings.Contains(strings.Join(first.Notes, "\n"),
		"5 more drafts were left out because at most 20") {
		t.Fatalf("%d operations, %q", len(first.Ops), first.Notes)
	}
	b.readsBack(first)
	if second := b.propose(m); len(second.Ops) != 5 {
		t.Errorf("then %d operations, %q", len(second.Ops), second.Notes)
	}
}
