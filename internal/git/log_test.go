package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	w := newRepo(t)
	first := w.commit("first", "sub/a", "a")
	w.write("other", "other")
	second := w.commit("second\n\nM\x01\nA\n"+strings.Repeat("ab", 20)+" 1 \n", "sub/b", "1")
	w.commit("", "sub/with\nline", "2")
	w.git("mv", "sub/a", "sub/moved")
	w.record("move")
	w.git("checkout", "-q", "-b", "side", first)
	w.commit("side", "sub/\xff\xfe é", "1")
	w.git("checkout", "-q", "main")
	w.git("merge", "-q", "--no-ff", "-m", "join", "side")
	w.git("mv", "sub/moved", "out")
	w.git("mv", "other", "sub/in")
	w.record("across")
	w.record("nothing")

	whole := []string{
		`"nothing"`,
		`"across" "sub/moved"→"out" "other"→"sub/in"`,
		`"join" parents=2`,
		`"side" "sub/\xff\xfe é"`,
		`"move" "sub/a"→"sub/moved"`,
		`"" "sub/with\nline"`,
		`"second\n\nM\x01\nA\n` + strings.Repeat("ab", 20) + ` 1 " "other" "sub/b"`,
		`"first" parents=0`,
	}
	below := []string{
		`"nothing"`,
		`"across" "moved" "in"`,
		`"join" parents=2`,
		`"side" "\xff\xfe é"`,
		`"move" "a"→"moved"`,
		`"" "with\nline"`,
		`"second\n\nM\x01\nA\n` + strings.Repeat("ab", 20) + ` 1 " "b" of 2`,
		`"first" parents=0`,
	}
	since := whole[:6]
	for _, c := range []struct {
		name, dir string
		opts      LogOptions
		want      []string
	}{
		{"whole", "", LogOptions{Renames: ExactRenames}, whole},
		{"below", "sub", LogOptions{Renames: ExactRenames}, below},
		{"since", "", LogOptions{Renames: ExactRenames, Since: second}, since},
		{"cut", "", LogOptions{Head: second, MaxMessage: 3, MaxChanges: 1}, []string{`"sec" "other" of 2`, `"fir" parents=0`}},
	} {
		got, err := log(t, open(t, filepath.Join(w.dir, c.dir)), c.opts)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v\n%s", c.name, err, strings.Join(got, "\n"))
		}
	}
}

// The same log from every kind of repository.
func TestLogOfEveryKind(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1")
	w.commit("second", "a", "2")
	w.commit("third", "b", "1")
	want := []string{`"third" "b"`, `"second" "a"`, `"first" parents=0`}
	clone := func(args ...string) *workbench {
		c := *w
		c.dir = filepath.Join(realDir(t), "clone")
		w.git(append(append([]string{"clone", "-q"}, args...), "file://"+w.dir, c.dir)...)
		return &c
	}
	w.git("config", "uploadpack.allowFilter", "true")
	shared := *w
	shared.dir = filepath.Join(realDir(t), "shared")
	w.git("clone", "-q", "--shared", w.dir, shared.dir)
	packed := clone()
	packed.git("gc", "-q")
	packed.git("commit-graph", "write", "--reachable", "--changed-paths")
	wide := newRepo(t, "--object-format=sha256")
	wide.commit("first", "a", "1")
	wide.commit("second", "a", "2")
	wide.commit("third", "b", "1")
	shallow := clone("--depth", "2")
	for name, c := range map[string]struct {
		w    *workbench
		want []string
	}{
		"packed":        {packed, want},
		"shared":        {&shared, want},
		"without blobs": {clone("--filter=blob:none", "--no-checkout"), want},
		"sha256":        {wide, want},
		"shallow":       {shallow, []string{want[0], `"second" parents=0`}},
	} {
		r := open(t, c.w.dir)
		for _, opts := range []LogOptions{{}, {Renames: ExactRenames}} {
			if got, err := log(t, r, opts); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		if (r.Shallow() != "") != (name == "shallow") {
			t.Errorf("%s: Shallow = %q", name, r.Shallow())
		}
	}
}

func TestLogEnds(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1")
	for range 3 {
		w.record("more")
	}
	r := open(t, w.dir)
	head := w.git("rev-parse", "HEAD")
	calls := 0
	err := r.Log(t.Context(), LogOptions{Head: head}, func(Commit) error { calls++; return ErrEnough })
	if err != nil || calls != 1 {
		t.Errorf("enough: %d calls, %v", calls, err)
	}
	own := errors.New("own")
	if err := r.Log(t.Context(), LogOptions{Head: head}, func(Commit) error { return own }); !errors.Is(err, own) {
		t.Errorf("own error: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Log(gone, LogOptions{Head: head}, func(Commit) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, opts := range []LogOptions{{}, {Head: "HEAD"}, {Head: "--all"}, {Head: head, Since: "--all"}} {
		if err := r.Log(t.Context(), opts, func(Commit) error { t.Error("emitted"); return nil }); err == nil {
			t.Errorf("%+v: no error", opts)
		}
	}
	r.limits.output = 10
	if _, err := log(t, r, LogOptions{}); !errors.Is(err, errTooMuch) {
		t.Errorf("output: %v", err)
	}
}

// A git that says nothing is stopped.
func TestStalledGitIsStopped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	w := newRepo(t)
	w.commit("first", "a", "1")
	silent := filepath.Join(realDir(t), "git")
	if err := os.WriteFile(silent, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	real := lookUp
	defer func() { lookUp = real }()
	lookUp = func() (string, error) { return silent, nil }
	r := open(t, w.dir)
	r.limits.stall = 20 * time.Millisecond
	if _, err := log(t, r, LogOptions{}); !errors.Is(err, errStalled) {
		t.Errorf("error %v", err)
	}
}

// Damage is an error; what lies before it is still read, and nothing half.
func TestDamagedObjects(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1")
	w.write("x", "1")
	w.write("y", "1")
	w.commit("second", "a", "2")
	w.commit("third", "b", "1")
	tree := w.git("rev-parse", "HEAD~1^{tree}")
	path := filepath.Join(w.dir, ".git", "objects", tree[:2], tree[2:])
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("rubbish"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := log(t, open(t, w.dir), LogOptions{}); err == nil || len(got) > 0 {
		t.Errorf("loose: %q, %v", got, err)
	}
	pack := newRepo(t)
	pack.commit("first", "a", "1")
	pack.git("gc", "-q")
	files, _ := filepath.Glob(filepath.Join(pack.dir, ".git", "objects", "pack", "*.pack"))
	for _, name := range files {
		os.Chmod(name, 0o644)
		if err := os.Truncate(name, 40); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log(t, open(t, pack.dir), LogOptions{}); len(files) == 0 || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("pack: %v", err)
	}
}

// A git program that the repository brought is not run.
func TestProgramInsideTheRepository(t *testing.T) {
	w := newRepo(t)
	w.commit("first", "a", "1")
	r := open(t, w.dir)
	real := lookUp
	defer func() { lookUp = real }()
	inside := filepath.Join(w.dir, "bin", "git")
	w.write("bin/git", "#!/bin/sh\nexit 0\n")
	link := filepath.Join(realDir(t), "git")
	if err := os.Symlink(inside, link); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	for name, found := range map[string]func() (string, error){
		"inside":        func() (string, error) { return inside, nil },
		"link to there": func() (string, error) { return link, nil },
		"missing":       func() (string, error) { return "", os.ErrNotExist },
	} {
		lookUp = found
		if _, err := log(t, r, LogOptions{}); !errors.Is(err, ErrNoProgram) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := r.Resolve(t.Context(), "HEAD"); !errors.Is(err, ErrNoProgram) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
