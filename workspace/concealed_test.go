package workspace

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/retrieval"
)

// TestAnswersAreConcealed: a passage that shows a credential of its entry without the word
// that gives it away shows none.
func TestAnswersAreConcealed(t *testing.T) {
	const secret = "hunter2hunter2X9"
	w := open(t, map[string]string{".brv/context-tree/a/b/login.md": "# Login\n\n- password: `" + secret + "`\n"}, Options{})
	hits := []retrieval.Hit{{Path: "a/b/gone.md"}, {Path: "a/b/login.md"}}
	if got := w.View().concealed("It is "+secret+".", hits); got != "It is [REDACTED:assigned-secret]." {
		t.Error(got)
	}
	if got := w.View().concealed("DB_PASSWORD="+secret, nil); got != "DB_PASSWORD=[REDACTED:assigned-secret]" {
		t.Error(got)
	}
}
