package txn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
)

var errnos = []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EMFILE, syscall.EACCES, syscall.EROFS, syscall.EINTR}

// Each step of the script fails, once or with all after it, in each of six ways:
// the change is made or not, as Commit says, and the next goes well.
func TestErrorAtEveryStep(t *testing.T) {
	t.Parallel()
	for i, kind := range kinds[:2] {
		for _, errno := range errnos {
			t.Run(kind.name+"/"+errno.Error(), func(t *testing.T) {
				due := oneIn(t, 1+4*i)
				fresh := func() *txntest.Disk {
					d := newDisk()
					kind.adjust(d)
					return d
				}
				for at, steps := 1, countSteps(newDisk()); at <= steps; at++ {
					if !due(at - 1) {
						continue
					}
					for _, from := range []bool{false, true} {
						if err := failAt(fresh(), at, from, errno); err != nil {
							t.Errorf("step %d, and all after it %v: %v", at, from, err)
						}
					}
				}
			})
		}
	}
}

func failAt(d *txntest.Disk, at int, from bool, errno error) error {
	acked, folder := 0, false
	fail := txntest.FailAt(at, from, errno)
	hook := func(s txntest.Step) error {
		err := fail(s)
		folder = folder || s.Op == "rmdir" && err != nil // then a folder too many is allowed
		return err
	}
	j := Open(&txntest.Steps{FS: d, Hook: hook}, "state", options())
	var err error
	for n := 1; n <= len(script) && err == nil; n++ {
		var kept []string
		if kept, err = commit(j, n); err == nil {
			acked = n
		}
		if len(kept) > 0 {
			return fmt.Errorf("kept %q", kept)
		}
	}
	if folder {
		return nil
	}
	if err == nil {
		_, err = verify(d, len(script), len(script)) // the step was one that may fail
		return err
	}
	if !errors.Is(err, errno) {
		return fmt.Errorf("the error does not say why: %w", err)
	}
	hi := acked
	if errors.Is(err, ErrUnfinished) {
		hi++
	} else if _, err := stateOf(d, acked, acked); err != nil {
		return fmt.Errorf("not taken back at once: %w", err)
	}
	_, err = verify(d, acked, hi)
	return err
}

// A journal that failed goes on by itself, without being opened again.
func TestGoesOnAfterAnError(t *testing.T) {
	d := newDisk()
	broken := false
	steps := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
		if broken && s.Op != "list" {
			return syscall.ENOSPC
		}
		return nil
	}}
	j := Open(steps, "state", options())
	for n := 1; n <= len(script); n++ {
		broken = true
		if _, err := commit(j, n); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		broken = false
		if _, err := commit(j, n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := verify(d, len(script), len(script)); err != nil {
		t.Error(err)
	}
}

// A change that cannot be finished because one folder refuses does not stop the
// journal: it is taken back.
func TestChangeThatCannotBeFinishedIsTakenBack(t *testing.T) {
	for _, kind := range kinds {
		d := newDisk()
		kind.adjust(d)
		hook := func(s txntest.Step) error {
			if strings.HasPrefix(s.Path, "context-tree/b/") && s.Op != "stat" && s.Op != "read" ||
				strings.HasPrefix(s.To, "context-tree/b/") {
				return syscall.EPERM
			}
			return nil
		}
		j := Open(&txntest.Steps{FS: d, Hook: hook}, "state", options())
		if _, err := commit(j, 1); !errors.Is(err, syscall.EPERM) || errors.Is(err, ErrUnfinished) {
			t.Errorf("%s: %v", kind.name, err)
		}
		if _, err := stateOf(d, 0, 0); err != nil {
			t.Errorf("%s: %v", kind.name, err)
		}
		h, kept, err := j.Commit(ctx, func(int) (any, []Change, error) {
			return nil, []Change{{"context-tree/a/one.md", &Image{Data: []byte("one 0")}, &Image{Data: []byte("1")}}}, nil
		})
		if err != nil || h.ID != 1 || len(kept) > 0 {
			t.Errorf("%s: %+v, %q, %v", kind.name, h, kept, err)
		}
	}
}

// A name that the file system does not take, in a folder that the change makes, is refused, and nothing is left.
func TestANameTooLongIsTakenBack(t *testing.T) {
	root, err := jail.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	j := Open(root, "state", options())
	write := func(p string) error {
		_, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
			return nil, []Change{{Path: "context-tree/ok-" + path.Base(p)[:1] + ".md", After: &Image{Data: []byte("1")}},
				{Path: p, After: &Image{Data: []byte("2")}}}, nil
		})
		return err
	}
	err = write("context-tree/new/" + strings.Repeat("x", 300))
	if known := runtime.GOOS != "windows"; err == nil || known && !errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, ErrUnfinished) {
		t.Error(err)
	}
	if _, err := root.Lstat("context-tree/ok-x.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := write("context-tree/new/y"); err != nil {
		t.Error(err)
	}
}

// In a folder that may not be written everything can be read, and a change fails
// with one step.
func TestReadOnly(t *testing.T) {
	d := newDisk()
	if err := playTo(d, 2); err != nil {
		t.Fatal(err)
	}
	writes := 0
	readOnly := &txntest.Steps{FS: d, Hook: func(s txntest.Step) error {
		switch s.Op {
		case "read", "list", "stat":
			return nil
		}
		writes++
		return syscall.EROFS
	}}
	if err := reads(Open(readOnly, "state", options()), 2); err != nil || writes > 0 {
		t.Errorf("%v, %d tries to write", err, writes)
	}
	if err := refuses(Open(readOnly, "state", options()), syscall.EROFS); err != nil || writes > 3 {
		t.Errorf("%v, %d tries to write", err, writes)
	}
}

// reads checks that a journal with n changes can be read.
func reads(j *Journal, n int) error {
	list, err := j.Records()
	if err != nil || len(list) != n {
		return fmt.Errorf("%v, %w", list, err)
	}
	if _, err := j.Load(n); err != nil {
		return err
	}
	if newestID(j) != n {
		return errors.New("audit")
	}
	kept, err := j.Recover(ctx)
	if len(kept) > 0 || err != nil || j.Interrupted() {
		return fmt.Errorf("recover: %q, %w", kept, err)
	}
	return nil
}

// refuses checks that nothing can be changed, because of a reason.
func refuses(j *Journal, reason error) error {
	if _, err := commit(j, 3); !errors.Is(err, reason) {
		return fmt.Errorf("commit: %w", err)
	}
	if err := j.Replace("state/usage/3f.json", nil); !errors.Is(err, reason) {
		return fmt.Errorf("replace: %w", err)
	}
	if err := j.Locked(ctx, func() error { return errors.New("not to be called") }); !errors.Is(err, reason) {
		return fmt.Errorf("locked: %w", err)
	}
	return nil
}

func TestMissingFolderIsAnEmptyJournal(t *testing.T) {
	d := txntest.NewDisk()
	j := Open(d, "state", Options{Seal: testSeal})
	if err := func() error { _, err := j.Recover(ctx); return err }(); err != nil {
		t.Error(err)
	}
	if list, err := j.Records(); err != nil || len(list) > 0 || j.Interrupted() || newestID(j) > 0 {
		t.Error(list, err)
	}
	if _, err := j.Load(1); !errors.Is(err, ErrNoRecord) {
		t.Error(err)
	}
	if len(d.Folders()) > 0 {
		t.Error("reading made", d.Folders())
	}
	if _, _, err := j.Commit(ctx, func(id int) (any, []Change, error) {
		return nil, []Change{{"a/b.md", nil, &Image{}}}, nil
	}); err != nil {
		t.Error(err)
	}
}

// Links that lead out are refused before anything is written, in a plan and in a
// record that waits to be finished.
func TestLinksThatLeadOutAreRefused(t *testing.T) {
	root := realDisk(t)
	outside := linkOut(t, root, "context-tree/link")
	j := Open(root, "state", options())
	_, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
		return nil, []Change{{"context-tree/link/x.md", nil, &Image{Data: []byte("x")}}}, nil
	})
	if !errors.Is(err, jail.ErrEscapes) {
		t.Error(err)
	}
	if _, err := stateOf(root, 0, 0); err == nil || !strings.Contains(err.Error(), "context-tree/link") {
		t.Error(err)
	}
	if list, err := outside(); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
	if list, _ := root.ReadDir("state/txn"); len(list) > 0 {
		t.Error(list)
	}
}

// The system refuses one of several files, wherever: to read it, to stage what it is to hold, to
// put it in its place. The error names that file, and none of the journal's.
func TestErrorNamesTheFile(t *testing.T) {
	const refused = "context-tree/new/two.md"
	change := func(p string) Change { return Change{Path: p, After: &Image{Data: []byte(p)}} }
	for _, c := range []struct {
		op, from, to string // of the step; prefixes
	}{
		{"stat", refused, ""}, {"create", "state/txn/0000000001-", ""}, {"sync", "state/txn/0000000001-", ""},
		{"renamenew", "", refused}, {"mkdir", "context-tree/new", ""},
	} {
		staged := 0
		hook := func(s txntest.Step) error {
			if s.Op != c.op || !strings.HasPrefix(s.Path, c.from) || !strings.HasPrefix(s.To, c.to) {
				return nil
			}
			if staged++; strings.HasPrefix(c.from, "state/") && staged != 2 { // the second file is the one
				return nil
			}
			return fmt.Errorf("%s: %w", s.Path, syscall.ENOSPC)
		}
		j := Open(&txntest.Steps{FS: newDisk(), Hook: hook}, "state", options())
		_, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
			return nil, []Change{change("context-tree/a/first.md"), change(refused)}, nil
		})
		var file *FileError
		if !errors.As(err, &file) || !errors.Is(err, syscall.ENOSPC) || file.Path != refused ||
			err.Error() != refused+": no space left on device" {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
