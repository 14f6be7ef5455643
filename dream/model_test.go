package dream

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// oracle is a model that answers each question by its list, and a domain's by that: with what
// stands under "actions/auth", "actions", "syntheses" or "decisions".
type oracle struct {
	replies map[string]string
	err     error

	mu    sync.Mutex // guards asked
	asked []llm.Request
}

func (o *oracle) Name() string { return "oracle" }

func (o *oracle) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, r)
	domain, _, _ := strings.Cut(strings.TrimPrefix(r.Messages[0].Text, "Consolidate the domain "), ".")
	reply, ok := o.replies[r.Schema.Name+"/"+domain]
	if !ok {
		reply = o.replies[r.Schema.Name]
	}
	if reply == "" && o.err == nil {
		reply = fmt.Sprintf(`{%q: []}`, r.Schema.Name)
	}
	return llm.Response{Text: reply}, o.err
}

// TestModelDreams dreams over testdata/model: trees, a model's replies, and what came of them:
// the log, what was asked, and the tree once all that waits is approved.
func TestModelDreams(t *testing.T) {
	files, err := filepath.Glob("testdata/model/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			entries, o := map[string]string{}, &oracle{replies: map[string]string{}}
			var kept []txtar.File
			var showPrompts bool
			for _, f := range a.Files {
				switch at, name, _ := strings.Cut(f.Name, "/"); at {
				case "tree":
					entries[name] = string(f.Data)
				case "reply":
					o.replies[name] = strings.TrimSpace(string(f.Data))
				case "want", "after", "asked":
					showPrompts = showPrompts || at == "asked"
					continue
				}
				kept = append(kept, f)
			}
			h, c, dir := place(t, entries)
			h.Model = o
			l, err := Run(t.Context(), h, Options{Force: true, Trigger: "cli"})
			if err != nil {
				t.Fatal(err)
			}
			got := kept
			if showPrompts {
				slices.SortStableFunc(o.asked, func(a, b llm.Request) int {
					return cmp.Compare(a.Messages[0].Text[:40],
						b.Messages[0].Text[:40])
				})
				for i, r := range o.asked {
					got = append(got, txtar.File{Name: fmt.Sprintf("asked/%d", i+1), Data: []byte(r.Messages[0].Text)})
				}
			}
			got = append(got, txtar.File{Name: "want", Data: []byte(report(l))})
			before := content(t, dir)
			c.at = c.at.Add(60e9)
			approveAll(t, h)
			got = append(got, changes(before, content(t, dir))...)
			out := txtar.Format(&txtar.Archive{Comment: a.Comment, Files: got})
			if *update {
				if err := os.WriteFile(file, out, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := gocmp.Diff(string(txtar.Format(a)), string(out)); diff != "" {
				t.Errorf("-want +got, see -update:\n%s", diff)
			}
		})
	}
}

// report is a log for people, with its steps and notes.
func report(l *Log) string {
	var b strings.Builder
	b.WriteString(l.String())
	for _, s := range l.Steps {
		fmt.Fprintf(&b, "%s %s %s [%s] %.2f %s review=%v\n  %s\n", s.Phase, s.Action, s.Output, strings.Join(s.Inputs, " "),
			s.Confidence, s.Status, s.Review, s.text())
		if s.Status == Failed {
			fmt.Fprintf(&b, "  %s\n", s.Message)
		}
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return strings.ReplaceAll(b.String(), l.ID, "drm-1")
}

// approveAll approves what waits, batch by batch.
func approveAll(t *testing.T, h Host) {
	t.Helper()
	reviews, err := h.Store.Reviews.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reviews {
		if _, err := h.Store.Approve(t.Context(), r.Batch, "ada", plan.Decision{}); err != nil {
			t.Fatal(err)
		}
	}
}

// changes are the entries of which the text differs, as files of an archive.
func changes(before, after map[string]string) (out []txtar.File) {
	text := func(s string) string { _, t, _ := strings.Cut(s, "\n"); return t }
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, p := range slices.Sorted(maps.Keys(all)) {
		name, ok := strings.CutPrefix(p, tree.Dir+"/")
		if !ok || text(before[p]) == text(after[p]) {
			continue
		}
		out = append(out, txtar.File{Name: "after/" + name, Data: []byte(cmp.Or(text(after[p]), "(gone)\n"))})
	}
	return out
}

// TestModelThatFailsLeavesTheRules dreams with models that are no help: what happens is what
// rules do, and the log says so.
func TestModelThatFailsLeavesTheRules(t *testing.T) {
	same := "## Narrative\n### Rules\n- The `retry_budget` is 20 % of requests in `pkg/retry.go`, refilled each second\n- " +
		"`Backoff` doubles from 50 ms up to 2 s, with jitter of 10 %\n- A `429` answer counts against the budget of the caller\n"
	files := map[string]string{
		"net/retry/budget.md":  entry("Retry budget", same),
		"net/retry/budgets.md": entry("Budget of retries", same+"- Nothing is retried behind a deadline\n"),
		"ops/old/notes.md": "---\ntitle: Notes\nimportance: 3\nrecency: 0\nmaturity: draft\naccessCount: 0\nupdateCount: " +
			"0\ncreatedAt: '2025-01-01T00:00:00.000Z'\nupdatedAt: '2025-01-01T00:00:00.000Z'\n---\n## Narrative\n### Rules\n- " +
			"restart the box\n",
	}
	steps := func(m llm.Model) (out []string, notes []string) {
		h, _, _ := place(t, files)
		h.Model = m
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Steps {
			out = append(out, fmt.Sprint(s.Phase, s.Action, s.Inputs, s.Output, s.Status, s.Reason))
		}
		return out, l.Notes
	}
	want, notes := steps(nil)
	if len(want) < 2 || len(notes) > 0 {
		t.Fatalf("rules: %v %v", want, notes)
	}
	for name, o := range map[string]*oracle{
		"an error": {err: errors.New("overloaded")},
		"prose": {replies: map[string]string{"actions": "I merged them for you.", "syntheses": "Nothing.",
			"decisions": "Keep all!"}},
		"half an answer": {replies: map[string]string{"actions": `{"actions": [{"action": "MERGE"`, "syntheses": `{"syntheses": [`,
			"decisions": `{"decisions": [{}`}},
		"another form": {replies: map[string]string{"actions": `{"operations": []}`, "syntheses": `{"items": []}`,
			"decisions": `{"decisions": "all"}`}},
		"no list": {replies: map[string]string{"actions": `{"actions": null}`, "syntheses": `{"syntheses": 5}`,
			"decisions": `{"decisions": {"file": "x"}}`}},
	} {
		got, notes := steps(o)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-rules +got):\n%s", name, diff)
		}
		if len(notes) < 3 || !strings.Contains(strings.Join(notes, "\n"), "the model gave no usable answer") {
			t.Errorf("%s: notes %q", name, notes)
		}
		if name == "an error" && (len(o.asked) < leftAfter || len(o.asked) >= leftAfter+atOnce) {
			t.Errorf("%s: asked %d times, it was to be left after %d", name, len(o.asked), leftAfter)
		}
	}
}
