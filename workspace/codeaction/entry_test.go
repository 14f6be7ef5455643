package codeaction

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// fixesOf are the actions of a file that end problems of a code.
func fixesOf(t *testing.T, w *workspace.Workspace, path, code string) []Action {
	t.Helper()
	v := w.View()
	text, _ := v.Text(path)
	all := At(t.Context(), v, Request{Path: path, At: markdown.Span{Start: 0, End: len(text)},
		Wants: func(kind string) bool { return kind == KindFix }})
	return slices.DeleteFunc(all, func(a Action) bool { return a.Repairs != code })
}

// planned is the text of the one file that an action changes, after it.
func planned(t *testing.T, a Action) string {
	t.Helper()
	c, err := a.Plan()
	if err != nil || len(c.Files) != 1 {
		t.Fatalf("%s: %+v, %v", a.Title, c, err)
	}
	return markdown.ApplyEdits(c.Files[0].Before, c.Files[0].Edits)
}

func TestEditedSummaryIsWrittenAsItIsGenerated(t *testing.T) {
	entries := map[string]string{
		"a/b/one.md": "---\ntitle: One\n---\nThe first of both entries says what the session is for.\n",
		"a/b/two.md": "---\ntitle: Two\n---\n@a/b/one.md\n",
	}
	fresh, _ := derived.Summaries(workspacetest.Tree(t, entries).View().Tree())
	i := slices.IndexFunc(fresh, func(s derived.Summary) bool { return s.Path == "a/b/_index.md" })
	ours := fresh[i].Text
	added := "\nA sentence that somebody added by hand.\n"
	for _, c := range []struct{ name, disk, buffer, want string }{
		{"in a buffer", ours, ours + added, ours},
		{"in a buffer, of a stale text", strings.Replace(ours, "children_hash: \"", "children_hash: \"0", 1), "Mine.\n", ours},
		{"in a buffer, of what was edited on disk", ours + added, ours + added + added, ours + added},
		{"not at all", ours, "", ""},
	} {
		entries["a/b/_index.md"] = c.disk
		w := workspacetest.Tree(t, entries)
		path := workspace.TreeDir + "/a/b/_index.md"
		if c.buffer != "" {
			w.Overlay(path, c.buffer)
		}
		got := ""
		if fixes := fixesOf(t, w, path, format.CodeEdited); len(fixes) == 1 {
			got = planned(t, fixes[0])
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}

	w := workspacetest.Tree(t, map[string]string{"a/b/one.md": "# One\n", "c/d/_index.md": "---\ntype: summary\n---\n"})
	w.Overlay(workspace.TreeDir+"/c/d/_index.md", "Mine.\n")
	if fixes := fixesOf(t, w, workspace.TreeDir+"/c/d/_index.md", format.CodeEdited); len(fixes) != 1 {
		t.Errorf("%+v", fixes)
	} else if _, err := fixes[0].Plan(); err == nil {
		t.Error("a summary of nothing")
	}
}

func TestSecretsAreTakenOutAndNotRepeated(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("a1B2c3", 6)
	pem := "-----BEGIN PRIVATE " + "KEY-----\n" + strings.Repeat(strings.Repeat("aB3/", 16)+"\n", 4) + "-----END PRIVATE " + "KEY-----"
	for _, c := range []struct{ name, text, want string }{
		{"prose", "Ü " + key + ", no more.\n", "Ü [REDACTED:github-token], no more.\n"},
		{"the end of a fact", "## Facts\n- the token is " + key + "\n", "## Facts\n- the token is [REDACTED:github-token]\n"},
		{"lines", "Before\n" + pem + "\nbehind.\n", "Before\n[REDACTED:private-key]\nbehind.\n"},
		{"a title", "---\ntitle: " + key + "\n---\n", "---\ntitle: \"[REDACTED:github-token]\"\n---\n"},
		{"a list", "---\ntags: [a, " + key + "]\n---\n", "---\ntags: [a, \"[REDACTED:github-token]\"]\n---\n"},
		{"quotes", "---\ntitle: '" + key + "'\n---\n", "---\ntitle: '[REDACTED:github-token]'\n---\n"},
		{"frontmatter that is not YAML", "---\ntags: [\ntitle: " + key + "\n---\n",
			"---\ntags: [\ntitle: \"[REDACTED:github-token]\"\n---\n"},
	} {
		w := workspacetest.Tree(t, map[string]string{"a/b/c.md": c.text})
		fixes := fixesOf(t, w, workspace.TreeDir+"/a/b/c.md", format.CodeSecret)
		if len(fixes) != 1 || fixes[0].Disabled != "" {
			t.Errorf("%s: %+v", c.name, fixes)
			continue
		}
		after := planned(t, fixes[0])
		if after != c.want {
			t.Errorf("%s: %q, want %q", c.name, after, c.want)
		}
		if secret := fixes[0].At.Of(c.text); strings.Contains(fixes[0].Title+fixes[0].ID, secret) {
			t.Errorf("%s: the secret is repeated", c.name)
		}
		if left := secrets.Veil(after).Found(); len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
		before, now := format.Parse("a/b/c.md", c.text), format.Parse("a/b/c.md", after)
		if len(now.Problems) > len(before.Problems) {
			t.Errorf("%s: %s", c.name, workspacetest.Spelled(now.Problems))
		}
	}
	const password = "hunter2hunter2X9"
	w := workspacetest.Tree(t, map[string]string{"a/b/c.md": "password: `" + password + "`\n\nWho signs in uses " + password + " too.\n"})
	fixes := fixesOf(t, w, workspace.TreeDir+"/a/b/c.md", format.CodeSecret)
	if len(fixes) != 2 {
		t.Fatalf("%+v", fixes)
	}
	for _, f := range fixes { // either takes both out
		if after := planned(
			t, f); after != "password: `[REDACTED:assigned-secret]`\n\nWho signs in uses [REDACTED:assigned-secret] too.\n" {
			t.Errorf("twins: %q", after)
		}
	}
}
