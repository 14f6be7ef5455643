package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slow is an event that comes late.
type slow struct{ io.Reader }

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return s.Reader.Read(p)
}

// broken is an output that nobody reads any more.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

// TestHookKeepsWhatWasPrinted has a host that is gone before the answer, and one whose event comes too late.
func TestHookKeepsWhatWasPrinted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	entry := filepath.Join(root, ".brv/context-tree/auth/jwt/tokens.md")
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		t.Fatal(err)
	}
	const rule = "access tokens are signed with RS256, never HS256"
	if err := os.WriteFile(entry, []byte("# Access tokens\n## Narrative\n### Rules\n- "+rule+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	asks := func(out io.Writer, in func(io.Reader) io.Reader, limit string) error {
		event := in(strings.NewReader(`{"session_id": "a", "prompt": "how are access tokens signed, and may I use HS256?"}`))
		args := []string{"user-prompt", "--host", "claude-code", "--root", root, "--deadline", limit}
		do, err := verbs()["hook"].read(newFlags("hook"), args)
		if err == nil {
			_, err = do(t.Context(), env{event, out, os.Stderr})
		}
		return err
	}
	inTime := func(r io.Reader) io.Reader { return r }
	if err := asks(broken{}, inTime, "20000"); err == nil {
		t.Error("an answer that nobody reads is printed")
	}
	var out bytes.Buffer
	late := func(r io.Reader) io.Reader { return slow{r} }
	if err := asks(&out, late, "100"); err != nil || out.Len() > 0 {
		t.Errorf("late: %v, %s", err, out.String())
	}
	if err := asks(&out, inTime, "20000"); err != nil || !strings.Contains(out.String(), rule) {
		t.Errorf("told %q, %v, though nothing was printed before", out.String(), err)
	}
}

// TestWarmUpReadsTreesAlone has a folder with code, without a tree and with one.
func TestWarmUpReadsTreesAlone(t *testing.T) {
	cache, root := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	if err := os.CopyFS(filepath.Join(root, "src"), os.DirFS("../../codebase")); err != nil {
		t.Fatal(err)
	}
	for _, tree := range []bool{false, true} {
		if tree {
			if err := os.MkdirAll(filepath.Join(root, ".brv/context-tree/a"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		code := run([]string{"hook", warmUp, "--root", root}, env{nil, io.Discard, io.Discard})
		if kept, _ := os.ReadDir(cache); code != exitOK || tree != (len(kept) > 0) {
			t.Errorf("with a tree %v: %v, %v", tree, code, kept)
		}
	}
}

// TestInterruptEndsTheQuestion has a terminal at which nobody ends a line.
func TestInterruptEndsTheQuestion(t *testing.T) {
	in, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = typed.Write([]byte("y"))
		cancel()
	}()
	if _, err := typedLine(ctx, in); err == nil {
		t.Error("an interrupt is taken for an answer")
	}
	if line, err := typedLine(t.Context(), strings.NewReader("Yes\n")); err != nil || line != "Yes" || !saysYes(line) || saysYes("") {
		t.Errorf("the answer is not what was typed: %q, %v", line, err)
	}
	if line, err := typedLine(t.Context(), strings.NewReader("")); !errors.Is(err, io.EOF) {
		t.Errorf("the end of the input is taken for an answer: %q, %v", line, err)
	}
}
