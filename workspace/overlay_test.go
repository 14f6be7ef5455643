package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
)

const unsavedSign = "package src\n\n// SignTokenTwice is not saved.\nfunc SignTokenTwice(user string) string { return user + user }\n"

// TestUnsavedCodeIsReadOnceAndOnlyWhenAskedFor counts the maps that keystrokes make.
func TestUnsavedCodeIsReadOnceAndOnlyWhenAskedFor(t *testing.T) {
	w := open(t, files, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Overlay("src/sign.go", files["src/sign.go"]) // opening it does
	w.Overlay("src/sign.go", unsavedSign)
	typed := w.View()
	if typed.openMap.last != nil {
		t.Error("a keystroke reads code")
	}
	first, err := typed.withOpen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := typed.withOpen(t.Context()); again != first || err != nil {
		t.Errorf("one view has two maps: %v", err)
	}
	if again, err := first.withOpen(t.Context()); again != first || err != nil {
		t.Errorf("buffers are laid over twice: %v", err)
	}
	w.Overlay(tokensPath, tokensText+"\nMore.\n")
	second, err := w.View().withOpen(t.Context())
	if err != nil || second.Code() != first.Code() || second.Links() == first.Links() {
		t.Errorf("a keystroke in an entry reads code, or leaves the links as they were: %v", err)
	}
	w.Overlay("src/sign.go", files["src/sign.go"])
	same, err := w.View().withOpen(t.Context())
	if err != nil || same != w.View() {
		t.Errorf("a buffer that equals the disk has a map of its own: %v", err)
	}
}

// TestDeletedEntryCountsOnlyOnceItIsEdited: an editor goes on showing a file that was deleted on disk.
func TestDeletedEntryCountsOnlyOnceItIsEdited(t *testing.T) {
	changes := make(chan Change, 16)
	w := open(t, files, Options{Changed: func(c Change) { changes <- c }})
	counts := func() bool { _, ok := w.View().Tree().Entry("auth/jwt/tokens.md"); return ok }
	w.Overlay(tokensPath, tokensText)
	if err := os.Remove(filepath.Join(w.Root(), filepath.FromSlash(tokensPath))); err != nil {
		t.Fatal(err)
	}
	w.DiskChanged([]string{tokensPath})
	until(t, changes, "the deletion", func() bool { return !counts() })
	if unsaved := w.Unsaved(); len(unsaved) > 0 {
		t.Errorf("taken for a change that is not saved: %v", unsaved)
	}
	for text, want := range map[string]bool{tokensText + "More.\n": true, tokensText: false} {
		if w.Overlay(tokensPath, text); counts() != want {
			t.Errorf("counts with %q: %t", text, !want)
		}
	}
	write(t, w.Root(), tokensPath, tokensText)
	w.DiskChanged([]string{tokensPath})
	until(t, changes, "the file again", counts)
}

// TestWhatAnOpenEntryNamesIsReadBeforeTheRest asks about a symbol in an entry when no more is known of the
// code than which files there are.
func TestWhatAnOpenEntryNamesIsReadBeforeTheRest(t *testing.T) {
	w := open(t, files, Options{})
	w.Overlay(tokensPath, tokensText)
	opts := codebase.Options{Parser: w.code.pool, Found: w.code.set}
	var err error
	if w.code.alone, err = codebase.Unread(t.Context(), w.root, opts); err == nil {
		_, err = w.code.alone.Scan(t.Context())
	}
	if err != nil || len(w.View().Code().Lookup("SignToken")) > 0 {
		t.Fatalf("the code is read already: %v", err)
	}
	w.code.reach(codeFiles, nil)
	view := w.View().ForFile(t.Context(), tokensPath)
	named := slices.ContainsFunc(view.Links().Of("auth/jwt/tokens.md"), func(c link.CodeRef) bool {
		return c.Exists && c.Path == "src/sign.go" && c.Symbol == "SignToken"
	})
	if found := view.Code().Lookup("SignToken"); !named || len(found) != 1 || found[0].Symbol.Line != 4 ||
		found[0].Symbol.Signature != "func SignToken(user string) string" {
		t.Errorf("named %v, found %+v", named, found)
	}
	w.Overlay(tokensPath, strings.Replace(tokensText, "src/sign.go", "src/use.go", 1))
	if len(openTexts(w.View())) > 0 {
		t.Error("an entry is no code")
	}
	v, err := w.View().withOpen(t.Context())
	if err != nil || len(v.Code().Lookup("SignToken")) > 0 || len(v.Code().Lookup("err")) == 0 {
		t.Errorf("what an entry does not name any more is read, or what it names now is not: %v", err)
	}
}

// TestWhatWasReadAheadIsFreed reads open files alone, and then all of the code.
func TestWhatWasReadAheadIsFreed(t *testing.T) {
	w := open(t, files, Options{})
	w.code.scan()
	w.code.readAhead("src/sign.go", unsavedSign)
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := w.code.readAhead("src/use.go", files["src/use.go"]) // by who asked before the rest was there
	if err := read.Wait(t.Context()); err != nil || !read.Reached() {
		t.Error(err)
	}
	w.code.opening.Lock()
	defer w.code.opening.Unlock()
	if n := len(w.code.ahead); n > 0 {
		t.Errorf("%d files read ahead are kept", n)
	}
}

// TestNothingIsLookedAtAfterTheEnd closes a workspace that would look at its files again.
func TestNothingIsLookedAtAfterTheEnd(t *testing.T) {
	w, err := Open(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.changes.lookAgain(time.Hour, nil)
	if err := w.Close(); err != nil || w.changes.looking.Stop() {
		t.Errorf("the timer goes on, %v", err)
	}
}
