package retrieval

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// TestAConflictEndsWhatIsRemembered: an answer from before a merge is not given again, and no tool of a model
// shows what a merge left.
func TestAConflictEndsWhatIsRemembered(t *testing.T) {
	const at, torn = "auth/tokens/t1.md", "# Tokens\n<<<<<<< HEAD\nThey live ninety days.\n=======\nThey live eighty days.\n" +
		"See @auth/keys/k1.md.\n>>>>>>> feature\n"
	whole := snapshotOf(at, "# Tokens\n\nTokens live ninety days.\n", "auth/keys/k1.md", "# Keys\n\nKeys are kept in a vault.\n")
	q := Query{Text: "how many days do tokens live", Limit: 8, Now: time.Unix(1e9, 0)}
	l := NewLadder(LadderOptions{})
	ask := func(snap *tree.Snapshot) Answer {
		t.Helper()
		open := func(context.Context) (Search, error) { return indexOf(t, snap).Search, nil }
		a, err := l.Answer(t.Context(), Searchable{Snapshot: snap, Open: open}, q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(whole); !strings.Contains(a.Text, "ninety") {
		t.Fatalf("before: %+v", a)
	}
	after := whole.With(at, torn)
	a := ask(after)
	if strings.Contains(a.Text, "ninety") || strings.Contains(a.Text, "eighty") || len(a.Sources) > 0 {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(a.Text, "Not searched because of merge conflicts: 1 of") {
		t.Errorf("it does not say what is missing: %s", a.Text)
	}
	i := inquiryInto(t, after)
	for tool, arguments := range map[string]string{
		"read_entry": `{"path": "auth/tokens/t1.md"}`, "relations": `{"path": "auth/keys/k1.md"}`, "search": `{"query": "days eighty"}`,
		"list": `{"folder": "auth/tokens"}`,
	} {
		if text := called(t, i, tool, arguments); strings.Contains(text, "eighty days") || strings.Contains(text, "@auth") ||
			strings.Contains(text, "<<<") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
