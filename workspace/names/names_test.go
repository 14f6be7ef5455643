package names

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestNamesFitInOrder(t *testing.T) {
	term := "token"
	texts := []string{"Token", "Token-refresh", "Refresh tokens", "Betokened", "Turn of key, ends now", "Tools I keep en route"}
	last := 1.1
	for _, text := range texts {
		n, q := readName(text), readName(term)
		got := n.fit(&q, 0)
		if got >= last || got <= 0 {
			t.Errorf("%q fits %q with %.2f, the one before with %.2f", term, text, got, last)
		}
		last = got
	}
	for query, text := range map[string]string{"rtr": "Refresh token rotation", "refresh-token": "refresh_token", "JWT": "about jwt",
		"日語": "日本語", "ÄU": "Bäume und Äußeres"} {
		n, q := readName(text), readName(query)
		if n.fit(&q, 0) == 0 {
			t.Errorf("%q does not fit %q", query, text)
		}
	}
	for query, text := range map[string]string{"tokens": "token", "ab": "ba", "本日": "日本語", "x": ""} {
		n, q := readName(text), readName(query)
		if got := n.fit(&q, 0); got != 0 {
			t.Errorf("%q fits %q with %.2f", query, text, got)
		}
	}
}

// namesOf are the names that a query gets, "kind name".
func namesOf(t *testing.T, w *workspace.Workspace, query string) []string {
	t.Helper()
	var out []string
	for _, n := range Find(w.View(), query) {
		out = append(out, fmt.Sprintf("%d %s", n.Kind, n.Name))
	}
	return out
}

func TestNamesAreFound(t *testing.T) {
	w := workspacetest.Open(t, map[string]string{
		".brv/context-tree/auth/jwt/tokens.md": "---\ntitle: Signing keys\nkeywords: [rotation]\n---\nWords of the body: " +
			"caterpillar.\n\n## Facts\n- **key_size**: 2048 bits\n",
		".brv/context-tree/auth/jwt/rotation.md": "---\ntitle: Rotation\n---\nThe caterpillar again, and again the caterpillar.\n",
		".brv/context-tree/auth/context.md":      "---\ntitle: Who may do what\n---\n",
		".brv/context-tree/auth/jwt/_index.md":   "# Generated\n\nkey_size rotation\n",
		".brv/context-tree/_archived/x.stub.md":  "# Rotation, archived\n",
	}, workspace.Options{})
	for query, want := range map[string][]string{
		"rotation":     {"2 Rotation", "2 Signing keys"},
		"caterpillar":  nil, // in no name
		"key size":     {"3 key_size"},
		"who may":      {"0 auth"}, // the title of its overview
		"jw":           {"1 jwt", "2 Rotation", "2 Signing keys"},
		"zzz":          nil,
		"jwt rotation": {"2 Rotation", "2 Signing keys"},
	} {
		got := namesOf(t, w, query)
		if query == "rotation" {
			got = got[:min(len(got), len(want))]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", query, diff)
		}
	}
}

func TestNamesAreThoseOfTheBuffers(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	before := catalogues.Of(w.View()).of(w.View().Tree())
	if got := namesOf(t, w, "brandnew"); len(got) != 0 {
		t.Fatal(got)
	}
	w.Overlay(workspacetest.TokensPath, "# Brandnew\n\n## Facts\n- **brandnew_fact**: yes\n")
	if diff := cmp.Diff([]string{"2 Brandnew", "3 brandnew_fact"}, namesOf(t, w, "brandnew")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	after := catalogues.Of(w.View()).of(w.View().Tree())
	if len(before.entries) != len(after.entries) {
		t.Fatal("an entry came or went")
	}
	for i, c := range after.entries {
		if taken := c == before.entries[i]; taken == (c.path == "auth/jwt/tokens.md") {
			t.Errorf("%s: taken over: %v", c.path, taken)
		}
	}
	w.Drop(workspacetest.TokensPath)
	if got := namesOf(t, w, "brandnew"); len(got) != 0 {
		t.Errorf("after the buffer was closed: %v", got)
	}
}

// What is made from the names before is what is made from nothing, whatever changed.
func TestNameListsAreTakenOver(t *testing.T) {
	s := namedTree(300)
	list := (&nameList{}).next(s)
	steps := []func(*tree.Snapshot) *tree.Snapshot{
		func(s *tree.Snapshot) *tree.Snapshot { return s.With(namedPath(7), "# Edited\n") },
		func(s *tree.Snapshot) *tree.Snapshot { return s.Without(namedPath(0)) },
		func(s *tree.Snapshot) *tree.Snapshot { return s.With("zz/last.md", "# Last\n") },
		func(s *tree.Snapshot) *tree.Snapshot { return s.With("aa/context.md", "# First\n") },
		func(s *tree.Snapshot) *tree.Snapshot { return s.With("aa/context.md", "# First again\n") },
		func(s *tree.Snapshot) *tree.Snapshot { return s.Without("zz/last.md").Without(namedPath(299)) },
	}
	for i, step := range steps {
		s = step(s)
		list = list.next(s)
		if diff := cmp.Diff(listing((&nameList{}).next(s)), listing(list)); diff != "" {
			t.Fatalf("step %d: -from nothing +taken over:\n%s", i, diff)
		}
	}
}

func listing(l *nameList) (out []string) {
	for _, c := range l.folders {
		out = append(out, fmt.Sprintf("%d %s %s %s", c.kind, c.path, c.title.text, c.words.text))
	}
	for _, e := range l.entries {
		out = append(out, fmt.Sprintf("%d %s %s %s %d", e.kind, e.path, e.title.text, e.words.text, len(e.facts)))
	}
	return out
}

func namedPath(i int) string { return fmt.Sprintf("domain_%d/topic_%d/entry_%d.md", i/500, i/25%20, i) }

// namedTree is a tree of n entries with titles of four words, keywords and two facts each.
func namedTree(n int) *tree.Snapshot {
	words := strings.Fields(
		"access refresh token session rotation schema index migration queue worker retry timeout cache layout render theme deploy " +
			"rollback metric alert secret audit policy role")
	entries := make([]*format.Entry, 0, n)
	for i := range n {
		w := func(k int) string { return words[(i*(k*2+1)+i/7*k)%len(words)] }
		entries = append(entries, format.Parse(namedPath(i), fmt.Sprintf(
			"---\ntitle: The %s %s of %s %d\nkeywords: [%s, %s]\n---\nSome words about %s.\n\n## Facts\n- **%s_%s**: a day\n- "+
				"**%s_limit**: 10\n",
			w(1), w(2), w(3), i, w(4), w(5), w(6), w(1), w(4), w(2))))
	}
	return tree.NewSnapshot(entries, nil)
}

// BenchmarkNames costs the names of a tree of 10,000 entries: after an edit, and for
// queries that fit nothing, some, and nearly all of them.
func BenchmarkNames(b *testing.B) {
	s := namedTree(10_000)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			(&nameList{}).next(s)
		}
	})
	list := (&nameList{}).next(s)
	b.Run("edit", func(b *testing.B) {
		i := 0
		for b.Loop() {
			b.StopTimer()
			i++
			p := namedPath(i * 7919 % 10_000)
			s = s.With(p, fmt.Sprintf("# Edited %d\n", i))
			b.StartTimer()
			list = list.next(s)
		}
	})
	for _, query := range []string{"zzzz", "rotation", "refresh token", "rtr", "e", "topic entry"} {
		b.Run(strings.ReplaceAll(query, " ", "+"), func(b *testing.B) {
			for b.Loop() {
				best := list.best(nameTerms(query))
				if !slices.IsSortedFunc(best, func(a, b fitting) int { return int(1000 * (b.score - a.score)) }) {
					b.Fatal("not in order")
				}
			}
		})
	}
}
