package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// proposal is a proposal as a client reads it.
type proposal struct {
	Operations []struct{ Type, Path string }
	Report     struct {
		Batch   int
		Diff    string
		Summary struct{ Pending, Failed int }
	}
}

// deciding is a client that opens documents of the server, and shows questions.
func deciding(t *testing.T, root string) *lsptest.Editor {
	t.Helper()
	capabilities := lsptest.Modern()
	capabilities["workspace"].(map[string]any)["textDocumentContent"] = map[string]any{}
	capabilities["window"].(map[string]any)["showMessage"] = map[string]any{}
	e, _ := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	return e
}

// head is the range of the lines at the head of auth.go that say why it is as it is.
var head = map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 3, "character": 0}}

// withWhy is the project with these lines.
func withWhy(t *testing.T) string {
	t.Helper()
	root := project(t)
	text, err := os.ReadFile(filepath.Join(root, "auth.go"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(root, "auth.go"), "// Package auth signs tokens.\n//\n// SignToken signs with the newest key, because "+
		"those who verify read the list of keys once an hour: a key that is older\n// than that is known everywhere, and a token "+
		"that was signed with one which nobody knows yet is refused by half of the servers.\n"+string(text))
	return root
}

func TestProposalIsShownAndDecided(t *testing.T) {
	root := withWhy(t)
	e := deciding(t, root)
	file := open(t, e, root, "auth.go")
	actions, err := e.Actions(t.Context(), file, 0, 300, "source.brv.propose")
	if err != nil || len(actions) == 0 {
		t.Fatal(actions, err)
	}
	var p proposal
	if err := e.Run(t.Context(), actions[0], &p); err != nil {
		t.Fatal(err)
	}
	if p.Report.Batch != 1 || p.Report.Summary.Pending == 0 || len(p.Operations) == 0 || !strings.Contains(p.Report.Diff, "SignToken") {
		t.Fatalf("%+v", p)
	}
	shown := e.Received("window/showDocument")
	if len(shown) != 1 || !strings.Contains(string(shown[0].Params), `"brv://review/1.md"`) {
		t.Fatalf("shown: %v", shown)
	}
	text, err := content(t, e, "brv://review/1.md")
	if err != nil || !strings.Contains(text, "# Review of batch 1") || !strings.Contains(text, "via brv-lsp") ||
		!strings.Contains(text, "SignToken") {
		t.Errorf("%v\n%s", err, text)
	}
	var reviews struct{ Reviews []struct{ Batch int } }
	if err := e.Call(t.Context(), "brv/review/list", nil, &reviews); err != nil || len(reviews.Reviews) != 1 {
		t.Errorf("%+v, %v", reviews, err)
	}
	if err := e.Execute(t.Context(), "brv.reject", map[string]any{"batch": 1}, nil); err != nil {
		t.Error(err)
	}
	if _, err := content(t, e, "brv://review/1.md"); err == nil {
		t.Error("a review that is over is still shown")
	}
}

// TestWhoDecidesInTheEditorIsTheUser: no client says who sits before it.
func TestWhoDecidesInTheEditorIsTheUser(t *testing.T) {
	root := withWhy(t)
	getenv := func(name string) string { return map[string]string{"USER": "ada"}[name] }
	e, ctx := session(t, lsp.Options{Now: fixedNow, Getenv: getenv}, lsptest.Session{Folders: []string{root}})
	var p proposal
	request := map[string]any{"uri": lsptest.URI(filepath.Join(root, "auth.go")), "range": head}
	if err := e.Execute(ctx, "brv.propose", request, &p); err != nil || p.Report.Batch == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := e.Call(ctx, "brv/review/approve", map[string]any{"batch": p.Report.Batch}, nil); err != nil {
		t.Fatal(err)
	}
	curated := map[string]any{"operations": []map[string]any{{"type": "CONFIRM", "path": "auth/jwt/other.md", "reason": "read"}}}
	if err := e.Execute(ctx, "brv.curate", curated, nil); err != nil {
		t.Fatal(err)
	}
	curated["author"] = "bo"
	curated["operations"].([]map[string]any)[0]["path"] = "auth/jwt/tokens.md"
	if err := e.Execute(ctx, "brv.curate", curated, nil); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Changes []struct {
			Action, Author string
			Files          []string
		}
	}
	if err := e.Execute(ctx, "brv.log", nil, &log); err != nil || len(log.Changes) != 4 {
		t.Fatalf("%+v, %v", log, err)
	}
	for i, want := range []string{"bo", "ada", "ada", "ada"} {
		if log.Changes[i].Author != want {
			t.Errorf("%+v, want %s", log.Changes[i], want)
		}
	}
	text, err := os.ReadFile(filepath.Join(root, ".brv/context-tree", log.Changes[2].Files[len(log.Changes[2].Files)-1]))
	if err != nil || !strings.Contains(string(text), "approved by ada") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestProposalForClientsThatShowNothing get a message with what to do.
func TestProposalForClientsThatShowNothing(t *testing.T) {
	root := withWhy(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	argument := map[string]any{"uri": lsptest.URI(filepath.Join(root, "auth.go")), "range": head, "show": true}
	var p proposal
	if err := e.Execute(ctx, "brv.propose", argument, &p); err != nil || p.Report.Batch == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	said := e.Received("window/showMessage")
	if len(said) != 1 || !strings.Contains(string(said[0].Params), "brv.showReview, brv.approve") {
		t.Errorf("said: %v", said)
	}
	var shown struct {
		URI, Text string
		Shown     bool
	}
	if err := e.Execute(ctx, "brv.showReview", map[string]any{"uri": lsptest.URI(root), "id": "1"}, &shown); err != nil ||
		shown.Shown || !strings.Contains(shown.Text, "# Review of batch 1") {
		t.Errorf("%+v, %v", shown, err)
	}
	for _, argument := range []map[string]any{{"uri": lsptest.URI(filepath.Join(root, tokens))},
		{"uri": lsptest.URI(root), "id": "9"}, {"uri": lsptest.URI(root), "id": "x"}} {
		if err := e.Execute(ctx, "brv.showReview", argument, nil); err == nil {
			t.Errorf("%v: shown", argument)
		}
	}
}

// TestProposeFromARange: of a range that is empty the whole file is meant, as where there is
// none; one that nothing of the file stands in is an error.
func TestProposeFromARange(t *testing.T) {
	root := withWhy(t)
	e, ctx := session(t, lsp.Options{}, lsptest.Session{Folders: []string{root}})
	file := open(t, e, root, "auth.go")
	at := func(line, character int) map[string]any { return map[string]any{"line": line, "character": character} }
	for _, c := range []struct {
		from, to map[string]any
		want     string
		ops      int
	}{{at(0, 0), at(0, 0), "", 0}, {at(0, 0), at(900, 0), "", 1}, {at(900, 0), at(901, 3),
		"key `range`: auth.go ends before the range; its last line is ", 0}} {
		var p proposal
		err := e.Execute(ctx, "brv.propose", map[string]any{"uri": lsptest.URI(file), "range": map[string]any{"start": c.from,
			"end": c.to}, "dryRun": true}, &p)
		if c.want == "" && (err != nil || len(p.Operations) != c.ops) || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v-%v: %+v, %v", c.from, c.to, p, err)
		}
	}
}

// TestProposeFromASelectionIsOffered without a filter, and only for a selection. Where it goes is
// not asked, since an entry lists the file.
func TestProposeFromASelectionIsOffered(t *testing.T) {
	root := withWhy(t)
	e := deciding(t, root)
	file := open(t, e, root, "auth.go")
	for _, c := range []struct {
		end  int
		want int
	}{{0, 0}, {300, 1}} {
		actions, err := e.Actions(t.Context(), file, 0, c.end)
		if err != nil {
			t.Fatal(err)
		}
		offered := slices.DeleteFunc(actions, func(a lsptest.Action) bool { return a.Title != "Propose knowledge from this selection" })
		if len(offered) != c.want {
			t.Fatalf("%d characters: %v", c.end, actions)
		}
		if c.want == 0 {
			continue
		}
		var p proposal
		if err := e.Run(t.Context(), offered[0], &p); err != nil || p.Report.Batch != 1 || len(p.Operations) != 1 ||
			!strings.HasPrefix(p.Operations[0].Path, "auth/jwt") {
			t.Errorf("%+v, %v", p, err)
		}
		if asked := e.Received("window/showMessageRequest"); len(asked) != 0 {
			t.Errorf("asked: %v", asked)
		}
	}
}

// TestWaitingLensesDecide goes from the lens over an entry to its review, and approves by
// the next.
func TestWaitingLensesDecide(t *testing.T) {
	root := project(t)
	e := deciding(t, root)
	for _, summary := range []string{"Signed.", "Signed with RS256."} {
		batch := map[string]any{"hold": "all", "operations": []map[string]any{{"type": "UPDATE", "path": "auth/jwt/tokens.md",
			"summary": summary, "reason": "a test"}}}
		if err := e.Execute(t.Context(), "brv.curate", batch, nil); err != nil {
			t.Fatal(err)
		}
	}
	type lens struct {
		Command struct {
			Title, Command string
			Arguments      []json.RawMessage
		}
	}
	lenses := func() map[string]lens {
		t.Helper()
		file := open(t, e, root, tokens)
		defer e.CloseDocument(file)
		var all []lens
		if err := e.Call(t.Context(), "textDocument/codeLens",
			map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}}, &all); err != nil {
			t.Fatal(err)
		}
		out := map[string]lens{}
		for _, l := range all {
			out[l.Command.Command] = l
		}
		return out
	}
	run := func(l lens) {
		t.Helper()
		if err := e.Execute(t.Context(), l.Command.Command, l.Command.Arguments[0], nil); err != nil {
			t.Error(err)
		}
	}
	now := lenses()
	if title := now["brv.showReview"].Command.Title; title != "2 changes wait for review: show (first of 2 batches)" {
		t.Errorf("lens: %q", title)
	}
	run(now["brv.showReview"])
	if shown := e.Received("window/showDocument"); len(shown) != 1 || !strings.Contains(string(shown[0].Params), `"brv://review/1.md"`) {
		t.Errorf("shown: %v", shown)
	}
	e.Answer("window/showMessageRequest", answerWrite("Cancel"))
	run(now["brv.approve"])
	if title := lenses()["brv.showReview"].Command.Title; !strings.HasPrefix(title, "2 changes") {
		t.Errorf("approved by mistake: %q", title)
	}
	e.Answer("window/showMessageRequest", answerWrite("Yes"))
	run(lenses()["brv.reject"])
	now = lenses()
	if title := now["brv.showReview"].Command.Title; title != "1 change waits for review: show" {
		t.Errorf("lens: %q", title)
	}
	run(now["brv.approve"])
	if _, waits := lenses()["brv.showReview"]; waits {
		t.Error("the lens stays")
	}
}

// TestTopicOfAChangeIsChosen by the user, where no link says it and the client can
// show a question; without an answer nothing is held.
func TestTopicOfAChangeIsChosen(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		held   string
	}{
		"one of them": {map[string]string{"title": "billing/invoices"}, "billing/invoices"},
		"a new one":   {map[string]string{"title": "core/base"}, "core/base"},
		"another":     {map[string]string{"title": "made/up"}, ""},
		"closed":      {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeFile(t, filepath.Join(root, ".brv/context-tree/uploads/retries/budget.md"),
				"---\ntitle: Budget of retries\n---\n`backoffDelay` says how long it takes.\n")
			writeFile(t, filepath.Join(root, ".brv/context-tree/billing/invoices/numbers.md"),
				"---\ntitle: Numbers of invoices\n---\n`backoffDelay` says how long one waits.\n")
			base := filepath.Join(root, "src/core/base.go")
			writeFile(t, base, "// Late ones wait twice as long.\nfunc (q *Queue) backoffDelay(n int) int {\n\treturn 2 * n\n}\n")
			capabilities := lsptest.Modern()
			capabilities["window"].(map[string]any)["showMessage"] = map[string]any{}
			e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
			e.Answer("window/showMessageRequest", func(json.RawMessage) (any, error) { return c.answer, nil })
			var p struct {
				proposal
				Undecided []struct{ Title string }
			}
			if err := e.Execute(ctx, "brv.propose", map[string]any{"uri": lsptest.URI(base), "range": head, "show": true}, &p); err != nil {
				t.Fatal(err)
			}
			asked := e.Received("window/showMessageRequest")
			if len(asked) != 1 || !strings.Contains(string(asked[0].Params), "Where does “Late ones wait twice as long” belong?") {
				t.Fatalf("asked: %v", asked)
			}
			if c.held == "" && (len(p.Operations) > 0 || p.Report.Batch != 0 || len(p.Undecided) != 1) {
				t.Errorf("%+v", p)
			}
			if c.held != "" && (len(p.Operations) != 1 || !strings.HasPrefix(p.Operations[0].Path, c.held) || p.Report.Batch != 1 ||
				len(p.Undecided) != 0) {
				t.Errorf("%+v", p)
			}
		})
	}
}
