//go:build unix

package cachefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// TestWhatOthersMayHaveWrittenIsNotRead has folders and files that others can write to, or own.
func TestWhatOthersMayHaveWrittenIsNotRead(t *testing.T) {
	const stranger = 12345
	others := func(p string) error { return os.Chmod(p, 0o777) }
	group := func(p string) error { return os.Chmod(p, 0o720) }
	owned := func(p string) error { return os.Lchown(p, stranger, stranger) }
	for name, c := range map[string]struct {
		share  func(string) error
		folder bool
	}{
		"a folder that all write to": {others, true}, "a folder that a group writes to": {group, true},
		"a folder of another": {owned, true}, "a file that all write to": {others, false},
		"a file that a group writes to": {group, false}, "a file of another": {owned, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "cache")
			f := Of(folder, "kind", "/a")
			if err := f.Write("v1", sample...); err != nil {
				t.Fatal(err)
			}
			at := f.Path()
			if c.folder {
				at = folder
			}
			if err := c.share(at); err != nil {
				t.Skip(err) // only root gives files away
			}
			if _, err := f.Read("v1", limit); err == nil {
				t.Error("it is read")
			}
			err := f.Write("v1", sample...)
			if !c.folder && err != nil || c.folder && (!errors.Is(err, jail.ErrShared) || !errors.Is(Usable(folder), jail.ErrShared)) {
				t.Errorf("written: %v; %v", err, Usable(folder))
			}
			if _, err := f.Read("v1", limit); (err == nil) == c.folder { // in our own folder it is made again
				t.Error(err)
			}
		})
	}
}

// TestALinkedFolderIsUsed where link and folder are this user's.
func TestALinkedFolderIsUsed(t *testing.T) {
	top := t.TempDir()
	folder, link := filepath.Join(top, "elsewhere"), filepath.Join(top, "cache")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Symlink(folder, link)); err != nil {
		t.Fatal(err)
	}
	f := Of(link, "kind", "/a")
	if err := f.Write("v1", sample...); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("v1", limit); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("v1", limit); !errors.Is(err, jail.ErrShared) {
		t.Errorf("a folder that all write to: %v", err)
	}
	if os.Chmod(folder, 0o700) != nil || os.Lchown(link, 12345, 12345) != nil {
		t.Skip("only root gives links away")
	}
	if _, err := f.Read("v1", limit); !errors.Is(err, jail.ErrShared) {
		t.Errorf("a link of another: %v", err)
	}
}
