package browse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func rows(t *testing.T, w *workspace.Workspace, req KnowledgeRequest) string {
	t.Helper()
	r, err := Browse(t.Context(), w.View(), req)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, k := range r.Items {
		fmt.Fprintf(&b, "%s %s (%s)", k.Kind, k.Path, k.Title)
		for _, n := range []struct {
			name string
			n    int
		}{{"entries", k.Entries}, {"stale", k.Stale}, {"broken", k.Broken}} {
			if n.n > 0 {
				fmt.Fprintf(&b, " %s %d", n.name, n.n)
			}
		}
		b.WriteString("\n")
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "%d more\n", r.More)
	}
	return b.String()
}

func TestBrowse(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		".brv/context-tree/auth/jwt/tokens.md":  "---\ntitle: Tokens\nupdatedAt: 2026-01-01T00:00:00Z\naccessCount: 3\n---\n@auth/jwt/gone.md\n",
		".brv/context-tree/auth/jwt/keys.md":    "---\ntitle: Keys\nupdatedAt: 2026-05-01T00:00:00Z\n---\nkeys\n",
		".brv/context-tree/auth/jwt/context.md": "# Overview\n",
		".brv/context-tree/db/schema/users.md":  "# Users\n",
		"README.md":                             "# The shop\n\nTokens are sold.\n",
		"docs/guide/part/tokens.md":             "# Of tokens\n\nMore of them.\n",
		"docs/guide/part/keys/new.md":           "# New keys\n",
	}, workspace.Options{})
	for _, c := range []struct {
		req  KnowledgeRequest
		want string
	}{
		{KnowledgeRequest{}, "domain auth (auth) entries 2 broken 1\ndomain db (db) entries 1\ndocuments  (Documents) entries 3\n"},
		{KnowledgeRequest{Folder: "auth"}, "topic auth/jwt (jwt) entries 2 broken 1\n"},
		{KnowledgeRequest{Folder: "auth/jwt"}, "entry auth/jwt/keys.md (Keys)\nentry auth/jwt/tokens.md (Tokens) broken 1\n"},
		{KnowledgeRequest{Folder: "auth/jwt", Limit: 1}, "entry auth/jwt/keys.md (Keys)\n1 more\n"},
		{KnowledgeRequest{Folder: "auth/jwt", Offset: 1}, "entry auth/jwt/tokens.md (Tokens) broken 1\n"},
		{KnowledgeRequest{Folder: "auth/jwt", Sort: "age"}, "entry auth/jwt/tokens.md (Tokens) broken 1\nentry auth/jwt/keys.md (Keys)\n"},
		{KnowledgeRequest{Folder: "auth/jwt", Sort: "use"}, "entry auth/jwt/tokens.md (Tokens) broken 1\nentry auth/jwt/keys.md (Keys)\n"},
		{KnowledgeRequest{Folder: "nowhere"}, ""},
		{KnowledgeRequest{Documents: true}, "documents docs (docs) entries 2\ndocument README.md (The shop)\n"},
		{KnowledgeRequest{Documents: true, Folder: "docs"}, // with nothing but one folder, which has one
			"documents docs/guide/part/keys (keys) entries 1\ndocument docs/guide/part/tokens.md (Of tokens)\n"},
		{KnowledgeRequest{Documents: true, Folder: "doc"}, ""},
		{KnowledgeRequest{Filter: "TOKENS auth"}, "entry auth/jwt/tokens.md (Tokens) broken 1\n"},
		{KnowledgeRequest{Filter: "tokens"}, "entry auth/jwt/tokens.md (Tokens) broken 1\ndocument docs/guide/part/tokens.md (Of tokens)\n"},
	} {
		if got := rows(t, w, c.req); got != c.want {
			t.Errorf("%+v:\n%swant\n%s", c.req, got, c.want)
		}
	}
	for _, bad := range []KnowledgeRequest{{Sort: "size"}, {Offset: -1}, {Limit: maxRows + 1}} {
		if _, err := Browse(t.Context(), w.View(), bad); err == nil {
			t.Errorf("%+v is answered", bad)
		}
	}
}

func TestStaleIsShown(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, w, KnowledgeRequest{}); strings.Contains(got, "stale") {
		t.Errorf("known before anybody looked:\n%s", got)
	}
	if found, err := drift.Of(t.Context(), w.View(), workspacetest.TokensEntry); err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	if got := rows(t, w, KnowledgeRequest{Folder: "auth/jwt"}); !strings.Contains(got, " stale 1") {
		t.Errorf("not known afterwards:\n%s", got)
	}
}

func TestBrowseLargeTree(t *testing.T) {
	entries := map[string]string{}
	for i := range 10_000 {
		entries[fmt.Sprintf("d%d/t%d/e%d.md", i%10, i%100, i)] = fmt.Sprintf("# Entry %d\n\n@d%d/t%d/e%d.md\n", i, (i+1)%10, (i+1)%100, i+1)
	}
	w := workspacetest.Tree(t, entries)
	begin := time.Now()
	r, err := Browse(t.Context(), w.View(), KnowledgeRequest{})
	if err != nil || len(r.Items) != 10 || r.Items[0].Entries != 1000 {
		t.Fatalf("%+v, %v", r, err)
	}
	t.Logf("the root of 10,000 entries: %v", time.Since(begin))
}
