package history

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

func TestReasonsSayWhatWasReverted(t *testing.T) {
	p := newProject(t)
	hash := func(message string) string { return p.commit(message, "a.go") }
	takesBack := func(hash string) string { return "Revert\n\nThis reverts commit " + hash + ".\n" }
	short := hash("Cache the answers")
	first := hash(takesBack(short) + "Users saw the answers of others when a proxy stood between.")
	hash("Skip the slow test\n\nIt fails on a loaded machine, since it waits a second for the disk.")
	again := hash("Send a placeholder\n\nEditors flicker while a picture is missing, and a placeholder hides it.")
	second := hash(takesBack(again))
	hash(takesBack(second))

	h := p.read("", Options{})
	repo, err := git.Open(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	all, err := Reasons(t.Context(), repo, h, cache, p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(p.dir, ".git"), filepath.Join(p.dir, "away")); err != nil {
		t.Fatal(err)
	}
	if kept, err := Reasons(t.Context(), repo, h, cache, p.dir); err != nil || !reflect.DeepEqual(kept, all) {
		t.Errorf("from the cache: %v, %v; want %v", kept, err, all)
	}
	texts := map[string]string{}
	for _, r := range all {
		texts[r.Hash] = r.Text
	}
	if want := "Cache the answers\n\nReverted by commit " + first[:10] + ": Revert\n"; texts[short] != want {
		t.Errorf("a commit without a reason that was reverted:\n%s", texts[short])
	}
	if !strings.Contains(texts[first], "answers of others") || strings.Contains(texts[first], "Reverted by") {
		t.Errorf("a commit that reverts another one:\n%s", texts[first])
	}
	if strings.Contains(texts[again], "Reverted by") || texts[again] == "" {
		t.Errorf("a commit whose reverting commit was reverted:\n%s", texts[again])
	}
}
