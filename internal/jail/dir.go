package jail

import (
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
