package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// What a repository ships in the state counts for nothing, and is named.
func TestShippedStateIsNotBelieved(t *testing.T) {
	const counted = `{"a/b/x.md":{"access":2147483647,"bonus":50,"maturity":"core","at":"2026-11-20T10:00:00Z","keptAt":"9000-01-01T00:00:00Z"}}`
	dir := onDisk(t, small)
	clean := opened(t, dir).Snapshot().Signals("a/b/x.md", testNow)
	at := tree.StateDir + "/" + tree.UsageFile("a/b/x.md")
	for name, text := range map[string]string{
		"without a seal":  counted,
		"another user's":  string(seal.In(t.TempDir()).For("1").Seal(at, []byte(counted))),
		"of another file": string(testSeal.Seal(tree.StateDir+"/"+tree.UsageFile("other"), []byte(counted))),
	} {
		ship(t, dir, at, text)
		s := opened(t, dir)
		if got := s.Snapshot().Signals("a/b/x.md", testNow); got != clean {
			t.Errorf("%s: %+v, want %+v", name, got, clean)
		}
		if s.Written() {
			t.Errorf("%s: counts as written by this user", name)
		}
		if st, err := s.State(); err != nil || len(st.Foreign) != 1 || st.Foreign[0] != at {
			t.Errorf("%s: %+v, %v", name, st, err)
		}
	}
	ship(t, dir, at, string(testSeal.Seal(at, []byte(counted))))
	if got := opened(t, dir).Snapshot().Signals("a/b/x.md", testNow); got == clean {
		t.Error("the user's own counters are not read")
	}
}

// No part of the state is reached through a link, wherever that leads.
func TestStateIsNotReachedThroughLinks(t *testing.T) {
	for _, at := range []string{"state", "state/txn", "state/journal", "state/review", "state/usage", "state/lock",
		"state/replace.lock", "state/saved", "state/damaged"} {
		dir := onDisk(t, small)
		for _, target := range []string{"victim", "context-tree"} {
			ship(t, dir, target+"/0000000001", "a stranger's")
		}
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755))
		target := "victim"
		if filepath.Dir(at) != "." {
			target = "../victim"
		}
		if filepath.Ext(at) == ".lock" || filepath.Base(at) == "lock" {
			target += "/0000000001"
		}
		must(t, os.Symlink(target, filepath.Join(dir, at)))
		s := opened(t, dir)
		s.Busy()
		_, _ = s.State()
		_, _ = s.Reviews.List()
		for range 2 {
			// may be refused
			_, _ = s.Apply(t.Context(), batchOf(plan.Op{Type: plan.OpUpdate, Path: "a/c/z.md", Summary: "news", Reason: "r"}))
			_ = s.Credit(t.Context(), "a/c/z.md")
		}
		list, err := os.ReadDir(filepath.Join(dir, "victim"))
		data, readErr := os.ReadFile(filepath.Join(dir, "victim", "0000000001"))
		if err != nil || readErr != nil || len(list) != 1 || string(data) != "a stranger's" {
			t.Errorf("%s: %v, %q, %v", at, list, data, errors.Join(err, readErr))
		}
	}
}

// A change that a crash interrupted is not finished by looking, where the folder is not trusted.
func TestTrustIsAskedBeforeRecovery(t *testing.T) {
	dir := onDisk(t, small)
	sealed := testSeal.Seal("change", []byte(`{"version":1,"id":1,"time":"2026-01-02T03:04:05Z","files":[]}`))
	ship(t, dir, "state/txn/0000000001", fmt.Sprintf("%s\nsha256 %x\n", sealed, sha256.Sum256(sealed)))
	trusted := false
	s, err := Open(t.Context(), dir, Options{Seal: testSeal, Trusted: func() bool { return trusted }})
	must(t, err)
	defer s.Close()
	if _, err := os.Stat(filepath.Join(dir, "state/lock")); err == nil {
		t.Error("looking has written")
	}
	if st, err := s.State(); err != nil || !st.Unfinished {
		t.Errorf("%+v, %v", st, err)
	}
	trusted = true
	if _, err := s.Refresh(t.Context()); err != nil || s.journal.Interrupted() {
		t.Errorf("not finished: %v", err)
	}
}

// A draft of a change names entries, counters and reviews, and nothing hidden.
func TestWhatABatchMayChange(t *testing.T) {
	for p, want := range map[string]bool{
		"context-tree/a/b/x.md": true, "context-tree/_archived/a/x.full.md": true, "state/usage/0a.json": true,
		"state/review/000001.json": true,
		"context-tree/a/b/x.sh":    false, "context-tree/.git/x.md": false, ".git/hooks/pre-commit": false, "config.json": false,
		"state/usage/x/0a.json":    false,
		"state/journal/0000000001": false, "state/review/x": false, "dream-log/drm-1.json": false, ".gitignore": false,
		"hooks/x.md": false,
	} {
		if mayChange(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
	if _, _, err := txn.Open(opened(t, onDisk(t, small)).disk, tree.StateDir, txn.Options{MayChange: mayChange}).Commit(t.Context(),
		func(int) (any, []txn.Change, error) {
			return nil, []txn.Change{{Path: ".git/config", After: &txn.Image{Data: []byte("x")}}}, nil
		}); err == nil {
		t.Error("made")
	}
}

// ship puts a file into a `.brv` folder.
func ship(t *testing.T, dir, at, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(at))
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
