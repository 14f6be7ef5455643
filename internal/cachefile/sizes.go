package cachefile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MaxAll bounds what all files of a folder take, in bytes: the largest repositories have some 0.5 GB, and few have four such.
const MaxAll = 2 << 30

// kept is a file of a folder.
type kept struct {
	name string
	info fs.FileInfo
}

// all lists our files of a folder, those used last first.
func all(folder string) (list []kept) {
	found, _ := os.ReadDir(folder) // an unreadable folder counts as empty
	for _, e := range found {
		if !e.Type().IsRegular() || !ours().MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			list = append(list, kept{e.Name(), info})
		}
	}
	slices.SortStableFunc(list, func(a, b kept) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	return list
}

// Size counts the bytes of the files of a kind.
type Size struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// Sizes returns what all files of a folder take, in bytes, and for projects that are named as in [Of] what each kind takes.
func Sizes(folder string, roots ...string) (total int64, of []Size) {
	sums := map[string]int64{}
	for _, k := range all(folder) {
		total += k.info.Size()
		kind, _, _ := strings.Cut(k.name, "-")
		if slices.ContainsFunc(roots, func(root string) bool { return Of(folder, kind, root).name == k.name }) {
			sums[kind] += k.info.Size()
		}
	}
	for kind, size := range sums {
		of = append(of, Size{kind, size})
	}
	slices.SortFunc(of, func(a, b Size) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Kind, b.Kind)) })
	return total, of
}

// Clear removes all of our files in a folder, and returns their size. Running programs go on with the data in
// their memory.
func Clear(folder string) (removed int64, err error) {
	if err := Usable(folder); err != nil {
		return 0, err
	}
	for _, k := range all(folder) {
		if failed := os.Remove(filepath.Join(folder, k.name)); failed == nil {
			removed += k.info.Size()
		} else if !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return removed, err
}

// clean removes partial files of killed processes and the files of projects that were not opened for long. Of
// the rest it removes the least recently used until they take at most so many bytes. File times are the file
// system's, so the clock is the machine's.
func clean(folder string, most int64) {
	now := time.Now()
	for _, k := range all(folder) {
		age := now.Sub(k.info.ModTime())
		if filepath.Ext(k.name) == partial {
			if age > partialAge {
				os.Remove(filepath.Join(folder, k.name))
			}
		} else if most -= k.info.Size(); age > unusedAge || most < 0 {
			os.Remove(filepath.Join(folder, k.name))
		}
	}
}
