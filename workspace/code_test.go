package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// runGit runs git in a folder, with fixed names and an empty configuration.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// until waits for a change after which ok holds.
func until(t *testing.T, changes <-chan Change, what string, ok func() bool) {
	t.Helper()
	for !ok() {
		select {
		case <-changes:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: nothing came", what)
		}
	}
}

// TestHistoryFollowsHead makes commits and switches branches under a workspace: what git
// says reaches the ranking, and the files of a switch arrive together.
func TestHistoryFollowsHead(t *testing.T) {
	changes := make(chan Change, 64)
	dir := t.TempDir()
	for p, text := range files {
		write(t, dir, p, text)
	}
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "Begin")
	write(t, dir, "src/use.go", files["src/use.go"]+"// rate limits\n")
	runGit(t, dir, "commit", "-q", "-a", "-m", "Throttle the gateway when tenants exceed their quota")

	w, err := Open(t.Context(), dir, Options{Watch: true, Trusted: true, Cache: t.TempDir(), Changed: func(c Change) { changes <- c }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	commits := func() int {
		if h := w.View().Code().History(); h != nil {
			return h.Len()
		}
		return 0
	}
	until(t, changes, "history", func() bool { return commits() == 1 }) // the first commit has no parent to differ from
	// Nothing in the code says "tenants" or "quota": only the commit does.
	ranked := w.View().Code().Rank(codebase.Query{Task: "tenants over their quota", Offset: -1})
	if len(ranked) == 0 || ranked[0].Path != "src/use.go" || !strings.Contains(ranked[0].Reason, "Throttle the gateway") {
		t.Errorf("ranked %+v", ranked)
	}

	runGit(t, dir, "switch", "-q", "-c", "other")
	for i := range 20 {
		write(t, dir, fmt.Sprintf("src/made%d.go", i), fmt.Sprintf("package src\n\nfunc Made%d() {}\n", i))
	}
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "Make twenty")
	until(t, changes, "commit", func() bool { return commits() == 2 && len(w.View().Code().Lookup("Made19")) == 1 })
	runGit(t, dir, "switch", "-q", "main")
	until(t, changes, "switch", func() bool { return commits() == 1 && len(w.View().Code().Lookup("Made0")) == 0 })
	if n := len(w.View().Code().Lookup("Made19")); n != 0 {
		t.Errorf("after the switch %d definitions of the other branch are left", n)
	}
}

// TestWarmStartParsesNothing opens a folder twice: the second time no parser is needed.
func TestWarmStartParsesNothing(t *testing.T) {
	cache := t.TempDir()
	dir := t.TempDir()
	for i := range 80 {
		p := fmt.Sprintf("src/f%d.go", i)
		write(t, dir, p, fmt.Sprintf("package src\n\nfunc F%d() {}\n", i))
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(dir+"/"+p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	first, err := Open(t.Context(), dir, Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := first.View().Code().Fingerprint()
	first.Close() // waits until the cache is written
	second, err := Open(t.Context(), dir, Options{Cache: cache, Worker: []string{"false"}})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := second.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := second.View().Code(); got.Fingerprint() != want || len(got.Lookup("F7")) != 1 {
		t.Error("the second start knows something else")
	}
}

// TestChangesDuringTheFirstReadArrive reports an edit while the code is being read: the
// file may have been read before it.
func TestChangesDuringTheFirstReadArrive(t *testing.T) {
	changes := make(chan Change, 64)
	reading := make(chan struct{})
	goOn := make(chan struct{})
	var once sync.Once
	w := open(t, files, Options{
		Changed: func(c Change) { changes <- c },
		Progress: func(Progress) {
			once.Do(func() {
				close(reading)
				<-goOn
			})
		},
	})
	go w.WaitCode(t.Context())
	<-reading
	write(t, w.Root(), "src/sign.go", "package src\n\nfunc Renamed() {}\n")
	write(t, w.Root(), "src/new.go", "package src\n\nfunc New() {}\n")
	w.DiskChanged([]string{"src/sign.go", "src/new.go"})
	for waits := true; waits; { // until the refresh loop has taken it
		w.changes.mu.Lock()
		waits = w.changes.waits || w.changes.reading
		w.changes.mu.Unlock()
		runtime.Gosched()
	}
	close(goOn)
	until(t, changes, "edit", func() bool {
		code := w.View().Code()
		return len(code.Lookup("Renamed")) == 1 && len(code.Lookup("New")) == 1 && len(code.Lookup("SignToken")) == 0
	})
}
