package workspace

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

const unsavedSign = "package src\n\n// SignTokenTwice is not saved.\nfunc SignTokenTwice(user string) string { return user + user }\n"

// TestUnsavedCodeIsInEveryAnswer types into a code file and asks each request that
// speaks of code.
func TestUnsavedCodeIsInEveryAnswer(t *testing.T) {
	w := open(t, files, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Overlay("src/sign.go", unsavedSign)
	if !defined(t, w, "SignTokenTwice") || defined(t, w, "SignToken") {
		t.Error("symbols are those on disk")
	}
	p := packed(t, w, PackRequest{Task: "sign a token twice", Include: []string{"code"}})
	if text, _ := w.View().Text("src/sign.go"); !strings.Contains(p.Text, strings.TrimSpace(text)) || strings.Contains(p.Text, "SignToken signs") {
		t.Errorf("the pack is of the disk:\n%s", p.Text)
	}
	m, err := w.Map(t.Context(), w.View(), MapRequest{Path: "src/use.go"})
	if err != nil || !strings.Contains(m.Outline, "SignTokenTwice") {
		t.Errorf("the map is of the disk: %v\n%s", err, m.Outline)
	}
	if a := about(t, w, tokensPath, "SignToken"); a != nil {
		t.Errorf("an entry's name leads to what is not there any more: %+v", a)
	}

	w.Overlay("src/new.go", "package src\n\nvar newest = SignTokenTwice(\"x\")\n")
	d, err := w.Deps(t.Context(), w.View(), DepsRequest{Path: "src/new.go"})
	if err != nil || len(d.SamePackage) != 1 || d.SamePackage[0] != "src/sign.go" {
		t.Errorf("dependencies of a file that is not on disk: %+v, %v", d, err)
	}

	w.Drop("src/sign.go")
	w.Drop("src/new.go")
	if defined(t, w, "SignTokenTwice") || !defined(t, w, "SignToken") {
		t.Error("closed buffers still count")
	}
}

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

// TestWhatAnOpenEntryNamesIsReadBeforeTheRest asks about a symbol in an entry when no more is known of the
// code than which files there are.
func TestWhatAnOpenEntryNamesIsReadBeforeTheRest(t *testing.T) {
	w := open(t, files, Options{})
	w.Overlay(tokensPath, tokensText)
	opts := codebase.Options{Parser: w.pool, Found: w.setCode}
	var err error
	if w.code.alone, err = codebase.Unread(t.Context(), w.root, opts); err == nil {
		_, err = w.code.alone.Scan(t.Context())
	}
	if err != nil || len(w.View().Code().Lookup("SignToken")) > 0 {
		t.Fatalf("the code is read already: %v", err)
	}
	close(w.code.found)
	want := `code "SignToken" src/sign.go:4 func SignToken(user string) string`
	if got := summary(about(t, w, tokensPath, "SignToken")); got != want {
		t.Error(got)
	}
	w.Overlay(tokensPath, strings.Replace(tokensText, "src/sign.go", "src/use.go", 1))
	if len(w.View().openTexts()) > 0 {
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
	w.scanCode()
	w.readAhead("src/sign.go", unsavedSign)
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, read := w.readAhead("src/use.go", files["src/use.go"]) // by who asked before the rest was there
	<-read.done
	if read.err != nil || !file.ready() {
		t.Error(read.err)
	}
	w.waiting.Lock()
	defer w.waiting.Unlock()
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
	w.looking = time.AfterFunc(time.Hour, func() {})
	if err := w.Close(); err != nil || w.looking.Stop() {
		t.Errorf("the timer goes on, %v", err)
	}
}

// TestWithoutTimeUnsavedCodeIsLeftOut has a request whose time is over before the
// buffers are read.
func TestWithoutTimeUnsavedCodeIsLeftOut(t *testing.T) {
	w := open(t, files, Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Overlay("src/sign.go", unsavedSign)
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	w.View().openMap.last = &try[*codebase.RepoMap]{done: make(chan struct{})} // under way, and slow
	v, degraded, err := w.promptView(t.Context(), over, w.View())
	if err != nil || len(degraded) != 1 || degraded[0] != unsavedCode+": reading takes longer than the deadline" {
		t.Errorf("degraded %q, %v", degraded, err)
	}
	if len(v.Code().Lookup("SignToken")) != 1 {
		t.Error("the code on disk is not there either")
	}
}
