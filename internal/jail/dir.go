package jail

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Entry is a name in a folder with the type of the file.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only; a link is [fs.ModeSymlink]
}

// Record is the file system's data about a name, without following it.
type Record struct {
	Mode    fs.FileMode
	Size    int64 // bytes
	ModTime time.Time
	Changed time.Time // of the record itself, which no program can set back; zero where unknown
	Inode   uint64    // 0 where unknown
}

// RecordOf returns the record that a description was made of.
func RecordOf(info fs.FileInfo) Record {
	r := Record{Mode: info.Mode(), Size: info.Size(), ModTime: info.ModTime()}
	r.Inode, r.Changed = identity(info)
	return r
}

// component refuses a name that does not mean an entry directly in a folder.
func component(name string) error {
	if name == "." || strings.ContainsRune(name, '/') {
		return fmt.Errorf("%q: %w", name, fs.ErrInvalid)
	}
	_, err := local(name)
	return err
}

// The rights that others than its owner have to a file or folder.
const (
	Written fs.FileMode = 0o022 // to change it
	Entered fs.FileMode = 0o077 // to do anything with it
)

// ErrShared: others can access a file or folder, so its content may be theirs.
var ErrShared = errors.New("is accessible to others")

// Private refuses a file or folder of another user, and one to which others have any of those rights. On
// Windows the user's own folders are closed by their place, and such rights are not checked.
func Private(info fs.FileInfo, rights fs.FileMode) error {
	owned, told := ownedByUser(info)
	switch mode := info.Mode().Perm(); {
	case !owned:
		return fmt.Errorf("%w: another user owns it", ErrShared)
	case told && mode&rights != 0:
		return fmt.Errorf("%w: its mode is %v; run chmod %o on it", ErrShared, info.Mode(), mode&^Entered)
	}
	return nil
}
