package transfer

import (
	"errors"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/txn/txntest"
	"github.com/brv-lsp/brv-lsp/vault"
)

// TestFilesArePlacedAllOrNone lets each step of the file system fail.
func TestFilesArePlacedAllOrNone(t *testing.T) {
	files := []vault.File{{Path: "a/b/one.md", Text: "1"}, {Path: "a/two.md", Text: "2"}, {Path: "c/three.md", Text: "3"},
		{Path: "four.md", Text: "4"}}
	for _, torn := range []bool{false, true} {
		for n := 1; ; n++ {
			d := txntest.NewDisk()
			if err := errors.Join(d.Mkdir("c"), d.Mkdir("mine")); err != nil {
				t.Fatal(err)
			}
			broken := errors.New("broken")
			if torn {
				broken = errors.Join(txntest.ErrTorn, broken)
			}
			steps := &txntest.Steps{FS: d, Hook: txntest.FailAt(n, false, broken)}
			err := place(steps, files)
			if steps.Count() < n { // no step failed
				if err != nil || names(t, d, ".") != " a/ a/b/ a/b/one.md a/two.md c/ c/three.md four.md mine/" {
					t.Errorf("without a failure: %v, %s", err, names(t, d, "."))
				}
				break
			}
			if got := names(t, d, "."); err == nil || got != " c/ mine/" {
				t.Errorf("step %d fails: %v, left:%s", n, err, got)
			}
		}
	}
}

// TestFilesAreNotPlacedOverOthers: what came since the folder was looked at stays.
func TestFilesAreNotPlacedOverOthers(t *testing.T) {
	d := txntest.NewDisk()
	if err := d.Append("b.md", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	if err := place(d, []vault.File{{Path: "a.md"}, {Path: "b.md"}}); err == nil || names(t, d, ".") != " b.md" {
		t.Errorf("%v, left:%s", err, names(t, d, "."))
	}
	if text, err := d.ReadFile("b.md", 10); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := place(d, []vault.File{{Path: "c/a.md"}, {Path: "b.md/a.md"}}); err == nil || names(t, d, ".") != " b.md" {
		t.Errorf("%v, left:%s", err, names(t, d, "."))
	}
}

// names are the paths of all that is in a folder.
func names(t *testing.T, d *txntest.Disk, dir string) (out string) {
	t.Helper()
	list, err := d.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		p := e.Name()
		if dir != "." {
			p = dir + "/" + p
		}
		if !e.IsDir() {
			out += " " + p
			continue
		}
		out += " " + p + "/" + names(t, d, p)
	}
	return out
}
