package workspace

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestDiskChangesArrive(t *testing.T) {
	changes := make(chan Change, 16)
	w := open(t, files, Options{Watch: true, Changed: func(c Change) { changes <- c }})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	until := func(what string, ok func() bool) {
		t.Helper()
		for !ok() {
			select {
			case <-changes:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s: nothing came", what)
			}
		}
	}
	write(t, w.Root(), tokensPath, "# From disk")
	w.DiskChanged([]string{tokensPath})
	until("edit", func() bool { e, ok := w.View().Tree().Entry("auth/jwt/tokens.md"); return ok && e.Title == "From disk" })
	write(t, w.Root(), ".brv/context-tree/new/topic/made.md", "# Made")
	until("new folder, by the watcher", func() bool { _, ok := w.View().Tree().Entry("new/topic/made.md"); return ok })
	write(t, w.Root(), "src/more.go", "package src\n\nfunc Added() {}\n")
	w.DiskChanged([]string{"src/more.go"})
	until("code", func() bool { return len(w.View().Code().Lookup("Added")) == 1 })
	if err := os.RemoveAll(filepath.Join(w.Root(), ".brv")); err != nil {
		t.Fatal(err)
	}
	w.DiskChanged(nil)
	until("tree removed", func() bool { return !w.HasTree() && w.View().Tree().Len() == 0 })
}

// TestNoDiskChangeIsLost has more changes arrive during one refresh than any
// queue would hold; the last of them matters.
func TestNoDiskChangeIsLost(t *testing.T) {
	changes, resume := make(chan Change), make(chan struct{})
	w := open(t, files, Options{Changed: func(c Change) {
		changes <- c
		<-resume
	}})
	edit := func(title string) {
		write(t, w.Root(), tokensPath, "# "+title)
		w.DiskChanged([]string{tokensPath})
	}
	edit("First")
	<-changes // the refresh is held up
	for i := range 1000 {
		w.DiskChanged([]string{fmt.Sprintf("other/%d.txt", i)})
	}
	edit("Last")
	resume <- struct{}{}
	select {
	case <-changes:
	case <-time.After(30 * time.Second):
		t.Fatal("the last change was lost")
	}
	close(resume)
	if e, _ := w.View().Tree().Entry("auth/jwt/tokens.md"); e.Title != "Last" {
		t.Errorf("title %q", e.Title)
	}
}

// TestOverlaysEqualRebuild opens, edits and closes buffers at random, looks at
// the tree only now and then, and compares it with one made from scratch.
func TestOverlaysEqualRebuild(t *testing.T) {
	w := open(t, files, Options{})
	rnd := rand.New(rand.NewSource(1))
	disk := map[string]string{"auth/jwt/tokens.md": tokensText, "auth/jwt/rotation.md": files[".brv/context-tree/auth/jwt/rotation.md"]}
	buffers := map[string]string{}
	paths := []string{"auth/jwt/tokens.md", "auth/jwt/rotation.md", "new/topic/a.md", "new/topic/b.md"}
	for i := range 1000 {
		p := paths[rnd.Intn(len(paths))]
		if rnd.Intn(3) == 0 {
			delete(buffers, p)
			w.Drop(".brv/context-tree/" + p)
		} else {
			buffers[p] = fmt.Sprintf("# %d\n@%s @new/topic\n", i, paths[rnd.Intn(len(paths))])
			w.Overlay(".brv/context-tree/"+p, buffers[p])
		}
		w.Overlay("src/sign.go", fmt.Sprint(i))
		if rnd.Intn(4) > 0 {
			continue
		}
		texts := maps.Clone(disk)
		maps.Copy(texts, buffers)
		var entries []*format.Entry
		for p, text := range texts {
			entries = append(entries, format.Parse(p, text))
		}
		want, got := tree.NewSnapshot(entries, nil), w.View().Tree()
		if want.Fingerprint() != got.Fingerprint() {
			t.Fatalf("step %d: trees differ", i)
		}
		for _, p := range paths {
			if len(want.Backlinks(p)) != len(got.Backlinks(p)) {
				t.Fatalf("step %d: %s has %d backlinks, want %d", i, p, len(got.Backlinks(p)), len(want.Backlinks(p)))
			}
		}
	}
}
