package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// realProject is a project on disk: a store, a search over its tree, and code without
// syntax. Files are by workspace path; entries stand below .brv/context-tree.
func realProject(t testing.TB, files map[string]string) Project {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(dir, ".brv", tree.Dir), 0o755))
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(at), 0o755))
		must(os.WriteFile(at, []byte(text), 0o644))
	}
	store, err := store.Open(t.Context(), filepath.Join(dir, ".brv"), store.Options{Now: func() time.Time { return now }})
	must(err)
	root, err := jail.Open(dir)
	must(err)
	code, err := codebase.Scan(t.Context(), root, codebase.Options{})
	must(err)
	engine, err := retrieval.New(retrieval.Options{})
	must(err)
	t.Cleanup(func() { engine.Close(); root.Close(); store.Close() })
	index, err := engine.Sync(t.Context(), store.Snapshot())
	must(err)
	return Project{
		Tree: store.Snapshot(), Search: index.Search, Code: code, Now: now, Try: store.Apply,
		Read: func(ctx context.Context, p string) (Source, error) {
			text, err := code.Read(p)
			if err != nil {
				return Source{}, err
			}
			return ReadFile(ctx, p, []byte(text), code)
		},
	}
}

// scenario is a fixture: files of the project under "project/", sources of the material
// under "source/", and what a model says.
type scenario struct {
	file string
	*txtar.Archive
}

func (s scenario) under(prefix string) map[string]string {
	out := map[string]string{}
	for _, f := range s.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			out[name] = string(f.Data)
		}
	}
	return out
}

// check compares a file of the fixture with what it should be, or rewrites it.
func (s scenario) check(t *testing.T, name, got string) {
	t.Helper()
	i := slices.IndexFunc(s.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return
	}
	if *update {
		s.Files[i].Data = []byte(got)
		if err := os.WriteFile(s.file, txtar.Format(s.Archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(string(s.Files[i].Data), got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", name, diff)
	}
}

// toolless is a model whose context is too small for tools.
type toolless struct{ llm.Model }

func (toolless) Context() int { return llm.ShortContext }

// Each archive is a project, sources, what a model is foreseen to be asked and says, and
// goldens: the last request with all of the conversation, and the proposal. They are
// reviewed by hand and rewritten with -update.
func TestCompose(t *testing.T) {
	files, _ := filepath.Glob("testdata/compose/*.txtar")
	if len(files) == 0 {
		t.Fatal("no data")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := scenario{file, a}
			p := realProject(t, s.under("project/"))
			m := Material{Instruction: strings.TrimSpace(s.under("instruction")[""])}
			for _, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "source/"); ok {
					source, err := ReadFile(t.Context(), name, f.Data, p.Code)
					if err != nil {
						t.Fatal(err)
					}
					m.Sources = append(m.Sources, source)
				}
			}
			if message, ok := s.under("commit")[""]; ok {
				m.Changes = changesOf(message, s.under("changed/"))
			}
			model := llmtest.Record(llmtest.Load(t, s.under("script")[""]))
			asked := llm.Model(model)
			if _, ok := s.under("toolless")[""]; ok {
				asked = toolless{model}
			}
			proposal, err := Compose(t.Context(), p, asked, m)
			requests := model.Requests()
			s.check(t, "transcript", llmtest.Format(requests[len(requests)-1]))
			s.check(t, "proposal", shownProposal(proposal, err))
		})
	}
}

// changesOf is a commit that adds these lines.
func changesOf(message string, files map[string]string) *Changes {
	c := &Changes{Name: "commit 1a2b3c4d5e6f", Commit: "1a2b3c4d5e6f7890abcdef", Message: message}
	for name, text := range files {
		c.Files = append(c.Files, FileChange{Path: name, Status: 'M', Added: []Hunk{{Line: 10, Text: text}},
			Removed: []Hunk{{Line: 10, Text: "old"}}, Symbols: []string{"retry"}})
	}
	slices.SortFunc(c.Files, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return c
}

func shownProposal(p Proposal, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "error: %v\norigin: %s %s %s %s\nusage: %d %d\n", err, p.Origin.Kind, p.Origin.Tool, p.Origin.Model,
		p.Origin.Commit, p.Usage.Input, p.Usage.Output)
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, op := range p.Ops {
		fmt.Fprintf(&b, "%s %s %q\n", op.Type, op.Path, op.Title)
	}
	if p.Report != nil {
		b.WriteString("\n" + p.Report.Diff)
	}
	return b.String()
}

func plainProject(t testing.TB) (Project, Material) {
	p := realProject(t, map[string]string{
		".brv/context-tree/auth/jwt/rotation.md": "---\ntitle: Rotation\n---\n\n## Facts\n- Refresh tokens rotate.\n",
		"src/auth.go":                            "package auth\n",
	})
	return p, Material{Sources: []Source{{Path: "notes.md", Kind: KindMarkdown,
		Text: "Refresh tokens live for 14 days, because audits ask for it."}}}
}

const good = `{"operations":[{"type":"ADD","path":"auth/jwt","title":"Lifetime","reason":"notes","content":{"facts":[{"statement":"Refresh tokens live for 14 days."}]}}]}`

// livesLong is what good rests on.
const livesLong = "Refresh tokens live for 14 days."

func proposing(batch string) llm.Response {
	return llm.Response{Calls: []llm.Call{{Tool: "propose", Arguments: []byte(batch)}}}
}

func TestFailuresLieWithTheModel(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	p, m := plainProject(t)
	bad := strings.Replace(good, "auth/jwt", "../jwt", 1)
	for _, c := range []struct {
		name  string
		turns []llmtest.Turn
		want  string
	}{
		{"an error", []llmtest.Turn{{Err: errors.New("overloaded")}}, "the model made no proposal: scripted: overloaded"},
		{"no end", []llmtest.Turn{{Wait: hang}},
			"the model made no proposal: scripted stopped at its limit of time; try again, or choose a faster model in brv.model.name"},
		{"talk", []llmtest.Turn{{Say: llm.Response{Text: "All is well."}}},
			"the model made no proposal: scripted gave no operations; try again, or set brv.model.name to a model that calls " +
				"tools or answers in JSON"},
		{"a panic", []llmtest.Turn{{Reply: func(llm.Request) (llm.Response, error) { panic("ouch") }}},
			"the model made no proposal: scripted: panic: ouch"},
		{"a refused batch in text", []llmtest.Turn{{Say: llm.Response{Text: bad}}},
			`the model made no proposal: nothing was accepted: operation 1: path "../jwt": "..": a name cannot begin with a dot (hidden file)`},
		{"only refused batches", slices.Repeat([]llmtest.Turn{{Say: proposing(bad)}}, composeLimits.Turns),
			`the model made no proposal: scripted stopped at its limit of turns; ask about less, or choose another model in brv.model.name`},
		{"a missing entry",
			[]llmtest.Turn{{Say: proposing(strings.NewReplacer("ADD", "UPDATE", `"auth/jwt"`, `"auth/jwt/none.md"`).Replace(good))}, {}},
			"the model made no proposal: every operation failed: [1] UPDATE auth/jwt/none.md: failed: auth/jwt/none.md: no such " +
				"entry; `brv-lsp search` finds entries No operation can be done. The proposal that was accepted before, if any, is kept."},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got, err := Compose(t.Context(), p, llmtest.New(t, c.turns...), m)
				if !errors.Is(err, ErrModel) || err.Error() != c.want || len(got.Ops) > 0 || time.Since(began) > composeLimits.Time {
					t.Errorf("%v after %v\n%+v", err, time.Since(began), got.Ops)
				}
			})
		})
	}
}

// What was accepted before a model failed is kept.
func TestFailureBehindAProposal(t *testing.T) {
	p, m := plainProject(t)
	got, err := Compose(t.Context(), p, llmtest.New(t, llmtest.Turn{Say: proposing(good)},
		llmtest.Turn{Err: errors.New("overloaded")}), m)
	if err != nil || len(got.Ops) != 1 || !slices.Contains(got.Notes,
		"the model failed after this proposal: scripted, turn 2: overloaded") {
		t.Errorf("%v %q", err, got.Notes)
	}
}

func TestCancelledCuration(t *testing.T) {
	p, m := plainProject(t)
	for _, tools := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		var model llm.Model = llmtest.New(
			t, llmtest.Turn{Wait: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }})
		if !tools {
			model = toolless{model}
		}
		if got, err := Compose(ctx, p, model, m); !errors.Is(err, context.Canceled) || errors.Is(err, ErrModel) || len(got.Ops) > 0 {
			t.Errorf("tools %v: %v", tools, err)
		}
	}
}

func TestNothingToCurateFrom(t *testing.T) {
	p, _ := plainProject(t)
	if _, err := Compose(t.Context(), p, llmtest.New(t), Material{Sources: []Source{{Path: "empty.md", Text: " \n"}}}); err == nil ||
		errors.Is(err, ErrModel) {
		t.Error(err)
	}
}

func TestNothingToChangeIsAProposal(t *testing.T) {
	p, m := plainProject(t)
	for _, turns := range [][]llmtest.Turn{
		{{Say: proposing(`{"operations":[]}`)}, {Say: llm.Response{Text: "Nothing is new."}}},
		{{Say: llm.Response{Text: "```json\n{\"operations\": []}\n```"}}},
	} {
		got, err := Compose(t.Context(), p, llmtest.New(t, turns...), m)
		if err != nil || len(got.Ops) > 0 || !slices.Contains(got.Notes, "the model found nothing to change") {
			t.Errorf("%v %q", err, got.Notes)
		}
	}
}

func TestMoreSourcesThanThereMayBe(t *testing.T) {
	p, _ := plainProject(t)
	m := Material{Instruction: livesLong}
	for i := range 8 {
		m.Sources = append(m.Sources, Source{Path: fmt.Sprintf("n%d.txt", i), Kind: KindText,
			Text: fmt.Sprintf("Note %d.\n%s", i, strings.Repeat("é", 50_000))})
	}
	model := llmtest.Record(llmtest.New(t, slices.Concat(slices.Repeat([]llmtest.Turn{{Err: errors.New("no summaries")}},
		2*MaxSources), []llmtest.Turn{{Say: proposing(good)}, {}})...))
	got, err := Compose(t.Context(), p, model, m)
	if err != nil || got.Notes[0] != "n0.txt: only the first 40000 of 50008 characters" ||
		!slices.Contains(got.Notes, "3 of 8 sources were left out; the limit is 5") {
		t.Errorf("%v %q", err, got.Notes)
	}
	first := model.Requests()[2*MaxSources].Messages[0].Text
	if strings.Count(first, "<source-") != MaxSources || strings.Count(first, "truncated from") != MaxSources ||
		strings.Contains(first, "Note 5") {
		t.Errorf("%d sources", strings.Count(first, "<source-"))
	}
}

// What stands in the middle of a key shows nothing of it: whatever piece the model reads, of the
// material and of the project, is of a text without it.
func TestNoPieceOfAKeyIsRead(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("MIIEpAIBAAKCAQEA%02dQ7xv8Zk3mWfPq9sLd2nRtYuHjKbVcXz1aSdFgHjKlQwEr", i))
	}
	key := "notes\n-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END RSA " + "PRIVATE KEY-----\nmore\n"
	p := realProject(t, map[string]string{"deploy/conf.py": "x = 1\n" + key, ".brv/context-tree/a/b/c.md": "# C\n"})
	for name, m := range map[string]Material{
		"a file": {Sources: []Source{{Path: "deploy/notes.txt", Kind: KindText, Text: key}}},
		"a change": {Changes: &Changes{Name: "staged changes",
			Files: []FileChange{{Path: "deploy/notes.txt", Status: 'A', Added: []Hunk{{Line: 1, Text: key}}}}}},
		"the limit": {Sources: []Source{{Path: "deploy/notes.txt", Kind: KindText, Text: strings.Repeat("some words here\n", 2490) +
			key}}},
	} {
		m.Instruction = livesLong
		reads := llm.Response{}
		for i, arguments := range []string{`{"number":1,"from":4}`, `{"number":1,"from":2491}`, `{"path":"deploy/conf.py","from":4}`,
			`{"path":"deploy/conf.py","from":6,"to":7}`} {
			reads.Calls = append(reads.Calls, llm.Call{ID: fmt.Sprint(i), Tool: "read_source", Arguments: []byte(arguments)})
		}
		model := llmtest.Record(llmtest.New(t, llmtest.Turn{Say: reads}, llmtest.Turn{Say: proposing(good)}, llmtest.Turn{}))
		if _, err := Compose(t.Context(), p, model, m); err != nil {
			t.Fatal(name, err)
		}
		all, redacted := "", 0
		for _, r := range model.Requests() {
			all += llmtest.Format(r)
		}
		if redacted = strings.Count(all, "[REDACTED:private-key]"); redacted == 0 {
			t.Errorf("%s: nothing is redacted", name)
		}
		for _, line := range lines {
			if strings.Contains(all, line) {
				t.Errorf("%s: the model was told %s", name, line)
			}
		}
	}
}

// What a model is shown of the material fits its context, also where the server takes less than it says.
func TestMaterialFitsTheContext(t *testing.T) {
	p := realProject(t, map[string]string{".brv/context-tree/api/upload/limits.md": "# Limits\n\n" + strings.Repeat(longText, 20)})
	m := Material{Sources: []Source{{Path: "upload.md", Kind: KindMarkdown, Text: strings.Repeat(longText, 400)}}}
	for takes, asked := range map[int]int{2048: 1, 4096: 1, 8192: 1, 5000: 2} {
		model := &llmtest.Sized{Model: llmtest.New(t, llmtest.Turn{Say: llm.Response{Text: `{"operations": []}`}}), Says: takes, Takes: takes}
		if asked > 1 {
			model.Says = llm.ShortContext
		}
		out, err := Compose(t.Context(), p, model, m)
		if err != nil || len(model.Asked) != asked {
			t.Errorf("%d: %v, asked %d times", takes, err, len(model.Asked))
		}
		if text := model.Asked[asked-1].Messages[0].Text; !strings.Contains(text, "truncated from") || !strings.Contains(text, "retried 500 ms") ||
			strings.Count(strings.Join(out.Notes, " "), "cut from") != 1 {
			t.Errorf("%d: %.500q, %v", takes, text, out.Notes)
		}
	}
	small := &llmtest.Sized{Model: llmtest.New(t), Says: 1024, Takes: 1024}
	if _, err := Compose(t.Context(), p, small, m); !errors.Is(err, ErrModel) || !errors.Is(err, llm.ErrTooLong) {
		t.Error(err)
	}
}

// What a model invents is no proposal; it is told so, and what stands in the material or was looked up is none.
func TestInventionsAreNotProposed(t *testing.T) {
	p, _ := plainProject(t)
	m := Material{Instruction: livesLong}
	for said, want := range map[string]string{
		"":                                      "",
		"Refresh tokens live for 15 days.":      "it says 15, a number",
		"Tokens are kept in Redis for 14 days.": `names "Redis"`,
		"See src/none/token.go.":                `names "src/none/token.go"`,
		"Call `RotateAll` after 14 days.":       `names "rotateall"`,
	} {
		batch := strings.Replace(good, livesLong, cmp.Or(said, livesLong), 1)
		_, err := Compose(t.Context(), p, llmtest.New(t, llmtest.Turn{Say: proposing(batch)}, llmtest.Turn{}), m)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", said, err, want)
		}
	}
}

// A model cannot make a name known by saying it to a tool that says it back.
func TestOwnWordsGroundNothing(t *testing.T) {
	p, _ := plainProject(t)
	calls := func(tool, arguments string) llm.Response {
		return llm.Response{Calls: []llm.Call{{Tool: tool, Arguments: []byte(arguments)}}}
	}
	invented := strings.Replace(good, livesLong, "Tokens are kept in Redis for 14 days.", 1)
	for _, first := range []llm.Response{
		calls("search", `{"query":"Redis"}`), calls("read_entry", `{"path":"Redis"}`), calls("read_source", `{"path":"src/Redis"}`),
		proposing(strings.Replace(good, `"auth/jwt"`, `"auth/Redis"`, 1)), proposing(strings.Replace(good, "Lifetime", "Redis", 1)),
	} {
		got, err := Compose(t.Context(), p, llmtest.New(t, llmtest.Turn{Say: first}, llmtest.Turn{Say: proposing(invented)},
			llmtest.Turn{}), Material{Instruction: livesLong})
		if text := fmt.Sprint(got.Ops); strings.Contains(text, "kept in Redis") || err != nil && !strings.Contains(err.Error(), `names "Redis"`) {
			t.Errorf("after %s: %v %v", first.Calls[0].Arguments, err, text)
		}
	}
}
