package dream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

const rulesIn = "## Narrative\n### Rules\n"

// TestMergeKeepsWhatTheTargetSays merges bodies by rules: the target's stays byte for byte and in
// its place, and of the source's only what is said already is left out.
func TestMergeKeepsWhatTheTargetSays(t *testing.T) {
	const staged = "- Deploys run from `main` only.\n\n#### Staging\n\n- Deploys run from `main` only.\n\n#### Production\n\n| " +
		"Host | Port |\n|---|---|\n| web | 80 |\n| web | 80 |"
	for _, c := range []struct{ name, target, source, want string }{
		{
			"what is said already is left out, in other words too",
			rulesIn + "- Tokens live 15 minutes.\n- Keys are rotated.",
			rulesIn + "- Tokens live for 15 minutes.\n- Keys are rotated.\n- `kid` names the key.",
			rulesIn + "- Tokens live 15 minutes.\n- Keys are rotated.\n- `kid` names the key.",
		},
		{
			"a line that says more stands beside the one that says less",
			rulesIn + "- Tokens live 15 minutes.", rulesIn + "- Tokens live 15 min and are signed.",
			rulesIn + "- Tokens live 15 minutes.\n- Tokens live 15 min and are signed.",
		},
		{
			"the target may say a thing twice",
			rulesIn + "- Tokens live 15 minutes.\n- Tokens live 15 min.", rulesIn + "- Tokens live 15 minutes.",
			rulesIn + "- Tokens live 15 minutes.\n- Tokens live 15 min.",
		},
		{
			"paragraphs of one line",
			rulesIn + "Tokens live 15 minutes.\n\nKeys are rotated.", rulesIn + "Keys are rotated.\n\n`kid` names the key.",
			rulesIn + "Tokens live 15 minutes.\n\nKeys are rotated.\n\n`kid` names the key.",
		},
		{
			"headings and tables of the target; what is added is under no heading of its",
			rulesIn + staged, rulesIn + "- Deploys run from `main` only.\n- A tag `v*` deploys to production.",
			rulesIn + staged + "\n\n#### Source\n\n- Deploys run from `main` only.\n- A tag `v*` deploys to production.",
		},
		{
			"headings of the source",
			rulesIn + "- Deploys run from `main` only.", rulesIn + staged,
			rulesIn + "- Deploys run from `main` only.\n\n" + staged,
		},
		{
			"numbered steps",
			rulesIn + "1. Stop the queue.\n2. Run `migrate`.\n3. Start the queue.", rulesIn + "1. Run `migrate`.\n2. Stop the queue.",
			rulesIn + "1. Stop the queue.\n2. Run `migrate`.\n3. Start the queue.\n\n1. Run `migrate`.\n2. Stop the queue.",
		},
		{
			"a list with its introduction",
			rulesIn + "- Run `migrate`.", rulesIn + "Never do:\n- Run `migrate`.",
			rulesIn + "- Run `migrate`.\n\nNever do:\n- Run `migrate`.",
		},
		{
			"code", rulesIn + "Run:\n\n```sh\nmake\n\n\nmake\n```", rulesIn + "- make",
			rulesIn + "Run:\n\n```sh\nmake\n\n\nmake\n```\n\n- make",
		},
		{
			"what is exactly contained", rulesIn + staged, rulesIn + "#### Staging\n\n- Deploys run from `main` only.", rulesIn + staged,
		},
		{
			"facts of the target stay, and of the source those that it does not say are added",
			"## Facts\n- **ttl**: Tokens live 15 minutes [convention]\n- **ttl_too**: Tokens live 15 min, signed [project]",
			"## Facts\n- **ttl**: Tokens live 15 min [project]\n- **ttl**: Tokens live 20 minutes [project]",
			"## Facts\n- **ttl**: Tokens live 15 minutes [convention]\n- **ttl_too**: Tokens live 15 min, signed [project]\n- " +
				"**ttl**: Tokens live 20 minutes [project]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mergedBy(t, entry("Target", c.target), entry("Source", c.source))
			if diff := gocmp.Diff(c.want, strings.TrimSpace(got.Body.Of(got.Text))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestMergeKeepsSummaries keeps what only the source's summary says.
func TestMergeKeepsSummaries(t *testing.T) {
	long := "Tokens " + strings.Repeat("are signed and ", 20) + "live."
	for _, c := range []struct{ name, target, body, source, summary, rest string }{
		{"said", "Tokens live 15 minutes.", "x", "Tokens live for 15 minutes", "Tokens live 15 minutes.", "x"},
		{"said by the body", "Tokens.", rulesIn + "- Keys rotate every 30 days.", "Keys rotate every 30 days.", "Tokens.",
			rulesIn + "- Keys rotate every 30 days."},
		{"one sentence of two", "Tokens live 15 minutes", "x", "Tokens live for 15 minutes. `kid` names the key.",
			"Tokens live 15 minutes; `kid` names the key.", "x"},
		{"too long for a summary", long, rulesIn + "- Keys rotate.", "The `kid` names the key.", long,
			"## Narrative\n### Highlights\n- The `kid` names the key.\n\n### Rules\n- Keys rotate."},
		{"none in the target", "", "x", "The `kid` names the key.", "The `kid` names the key.", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			summary := func(s string) string {
				if s == "" {
					return ""
				}
				return "summary: " + s + "\n"
			}
			got := mergedBy(t, entry("Target", c.body, summary(c.target)), entry("Source", "", summary(c.source)))
			if diff := gocmp.Diff(c.summary, got.Summary); diff != "" {
				t.Errorf("summary: -want +got:\n%s", diff)
			}
			if diff := gocmp.Diff(c.rest, strings.TrimSpace(got.Body.Of(got.Text))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestMergeKeepsLinks: a link leads from the target to where it led, whichever of two or three entries
// says it, and what linked them to each other leads to the target.
func TestMergeKeepsLinks(t *testing.T) {
	const target, other, third = "a/b/target.md", "a/c/other.md", "a/b/third.md"
	for _, c := range []struct {
		name  string
		texts [3]string // of the target, of one of another folder, and of one of its own
		want  string
	}{
		{"of another folder", [3]string{"- Alpha.", "- Alpha.\n- Beta, see [x](x.md).", ""}, "- Alpha.\n- Beta, see [x](../c/x.md)."},
		{"of three", [3]string{"- Alpha.", "- Alpha.\n- Beta, see [x](x.md).", "- Gamma, see [y](x.md)."},
			"- Alpha.\n- Beta, see [x](../c/x.md).\n- Gamma, see [y](x.md)."},
		{"said already", [3]string{"- Beta, see [x](../c/x.md).", "- Beta, see [x](x.md).\n- Alpha.", "- Gamma."},
			"- Beta, see [x](../c/x.md).\n- Alpha.\n- Gamma."},
		{"to each other", [3]string{"- Alpha, see [other](../c/other.md).", "- Beta, see [third](../b/third.md).",
			"- Gamma, see [other](../c/other.md)."},
			"- Alpha, see [other](target.md).\n- Beta, see [third](target.md).\n- Gamma, see [other](target.md)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"a/c/x.md": entry("X", "x"), "a/b/x.md": entry("Another x", "x")}
			for i, p := range []string{target, other, third} {
				files[p] = entry(p[4:], rulesIn+c.texts[i])
			}
			h, _, _ := place(t, files)
			snapshot := h.Store.Snapshot()
			var all []*format.Entry
			for _, p := range []string{target, other, third} {
				e, _ := snapshot.Entry(p)
				all = append(all, e)
			}
			ops, whole := mergeOps(snapshot, all[0], all[1:])
			for i := range ops {
				ops[i].Reason = "the same"
			}
			if _, err := h.Apply(t.Context(), plan.Batch{Ops: ops, Hold: plan.HoldNone}); err != nil {
				t.Fatal(err)
			}
			got, _ := h.Store.Snapshot().Entry(target)
			if diff := gocmp.Diff(rulesIn+c.want+"\n", got.Body.Of(got.Text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := gocmp.Diff(got.Body.Of(got.Text), whole.Body.Of(whole.Text)); diff != "" {
				t.Errorf("-done +planned:\n%s", diff)
			}
		})
	}
}

// TestModelsLinksLeadWhereTheyLed uses a model's text only where its links lead from the target's
// folder to where the entries led.
func TestModelsLinksLeadWhereTheyLed(t *testing.T) {
	for link, used := range map[string]bool{"../c/x.md": true, "x.md": false, "../c/other.md": false} {
		h, _, _ := place(t, map[string]string{
			"a/b/target.md": entry("Target", rulesIn+"- Alpha."), "a/c/other.md": entry("Other", rulesIn+"- Beta, see [x](x.md)."),
			"a/c/x.md": entry("X", "x"), "a/b/x.md": entry("Another x", "x"),
		})
		h.Model = &oracle{replies: map[string]string{"actions/a": fmt.Sprintf(
			`{"actions": [{"action": "MERGE", "files": ["a/b/target.md", "a/c/other.md"], "outputFile": "a/b/target.md", "reason": "one subject", "confidence": 1,
			"content": {"narrative": {"rules": "- Alpha and Beta: see [x](%s)."}}}]}`, link)}}
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(l.Notes, "\n"), "the model's text was not used"); said == used {
			t.Errorf("%s: %v", link, l.Notes)
		}
		approveAll(t, h)
		got, _ := h.Store.Snapshot().Entry("a/b/target.md")
		if !strings.Contains(got.Text, "[x](../c/x.md)") || strings.Contains(got.Text, "Alpha and Beta") != used {
			t.Errorf("%s: %s", link, got.Text)
		}
	}
}

// TestRewordingsEndInOneEntry dreams of what four people, and three, wrote down each in words of their
// own, until nothing more is merged: one entry says all, and pages of one template stay apart.
func TestRewordingsEndInOneEntry(t *testing.T) {
	archive, err := txtar.ParseFile("overlap/testdata/rewordings.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	h, c, _ := place(t, files)
	var merges []int
	for len(merges) == 0 || merges[len(merges)-1] > 0 {
		l, err := Run(t.Context(), h, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range l.Steps {
			if s.Action == Merge {
				n++
			}
		}
		merges = append(merges, n)
		c.at = c.at.Add(time.Hour)
		approveAll(t, h)
		c.at = c.at.Add(time.Hour)
	}
	left := map[string]int{}
	for _, e := range h.Store.Snapshot().Entries() {
		for _, s := range []string{"queuectl", "patroni", "mergeCarts"} {
			if e.Role == format.RoleEntry && strings.Contains(e.Text, s) {
				left[s]++
			}
		}
	}
	want := map[string]int{"queuectl": 4, "patroni": 1, "mergeCarts": 1}
	if diff := gocmp.Diff(want, left); diff != "" || len(merges) > 4 {
		t.Errorf("merges by dream: %v; -want +left:\n%s", merges, diff)
	}
}

// mergedBy is what a store makes of the operations that merge two entries, which is what
// mergeOps says that they make.
func mergedBy(t *testing.T, target, source string) *format.Entry {
	t.Helper()
	h, _, _ := place(t, map[string]string{"a/b/target.md": target, "a/b/source.md": source})
	a, _ := h.Store.Snapshot().Entry("a/b/target.md")
	b, _ := h.Store.Snapshot().Entry("a/b/source.md")
	ops, whole := mergeOps(h.Store.Snapshot(), a, []*format.Entry{b})
	for i := range ops {
		ops[i].Reason = "the same"
	}
	if _, err := h.Apply(t.Context(), plan.Batch{Ops: ops, Hold: plan.HoldNone}); err != nil {
		t.Fatal(err)
	}
	got, _ := h.Store.Snapshot().Entry("a/b/target.md")
	if diff := gocmp.Diff(whole.Body.Of(whole.Text), got.Body.Of(got.Text)); diff != "" {
		t.Errorf("as planned and as applied: -want +got:\n%s", diff)
	}
	if whole.Summary != got.Summary {
		t.Errorf("summary %q, planned %q", got.Summary, whole.Summary)
	}
	return got
}

// FuzzMerge checks that a merged part begins with the target's, and that each line of the source's
// stands behind it or is said by a line of the target.
func FuzzMerge(f *testing.F) {
	f.Add("- Tokens live 15 minutes.\n- Keys rotate.", "- Tokens live 15 min and are signed.\n\n\n- Keys rotate.")
	f.Add("#### a\n- b\n```\n#### c\n```", "- b\n- d\n")
	f.Add("a\n\nb never 5", "b never 5\n---\nc")
	f.Fuzz(func(t *testing.T, target, source string) {
		if len(target)+len(source) > 1<<10 {
			return
		}
		got := behind(target, source, format.Parse("a/b/c.md", ""))
		if !strings.HasPrefix(got, target) {
			t.Fatalf("%q became %q", target, got)
		}
		added := strings.Split(got[len(target):], "\n")
		for line := range strings.SplitSeq(source, "\n") {
			said := func(l string) bool { return overlap.Says(l, line) }
			if strings.TrimSpace(line) != "" && !slices.Contains(added, line) && !slices.ContainsFunc(strings.Split(target, "\n"), said) {
				t.Errorf("%q of the source is not in %q", line, got)
			}
		}
	})
}
