package discover

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"maps"
	"strings"

	gitrepo "github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// The bounds of git's index, in bytes: it has some 130 for a file, and in version 4 the paths can be longer than it is.
const (
	maxIndexSize = 64 << 20
	maxPaths     = 2 * maxIndexSize // of all paths together
	maxPath      = 4096             // as Linux has it
)

// trackedFiles returns the paths in git's index below the top of the walk, in the order of their bytes, and those of them that
// git does not check out, see [readIndex]; none where it is no repository, or the index is none that is understood.
func trackedFiles(root *jail.Root) (paths []string, away map[string]bool) {
	index, err := root.ReadFile(".git/index", maxIndexSize)
	if err == nil {
		return readIndex(index)
	}
	outside := gitrepo.Around(root.Dir())
	all, gone := readIndex(outside.Index(maxIndexSize))
	away = map[string]bool{}
	for _, p := range all {
		if in, ok := strings.CutPrefix(p, outside.Prefix); ok {
			paths, away[strings.TrimSuffix(in, "/")] = append(paths, in), gone[strings.TrimSuffix(p, "/")]
		}
	}
	maps.DeleteFunc(away, func(_ string, gone bool) bool { return !gone })
	return paths, away
}

// readIndex reads the paths of an index with SHA-1 names, in versions 2 to 4 (gitformat-index): a head of 12
// bytes; then entries, each of 62 bytes (64 with the extended flag), a path that ends with a zero, and in versions
// 2 and 3 zeros up to a multiple of 8. In version 4 a path leaves out what it begins with as the one before does,
// and says how many bytes of that one's end are cut. Away are the paths without a file of their own: what a sparse checkout
// leaves out (a bit of the extended flag), and submodules (by the mode).
func readIndex(index []byte) (paths []string, away map[string]bool) {
	const head, modeAt, fixed, flagsAt = 12, 24, 62, 60
	const submodule = 0o160000
	away = map[string]bool{}
	if len(index) < head || string(index[:4]) != "DIRC" {
		return nil, nil
	}
	version := binary.BigEndian.Uint32(index[4:])
	if version < 2 || version > 4 {
		return nil, nil
	}
	last, sum := "", 0
	at := index[head:]
	for range binary.BigEndian.Uint32(index[8:]) {
		if len(at) < fixed+2 {
			return nil, nil
		}
		n, absent := fixed, binary.BigEndian.Uint32(at[modeAt:]) == submodule
		if version > 2 && at[flagsAt]&0x40 != 0 {
			absent = absent || at[n]&0x40 != 0
			n += 2
		}
		kept := 0
		if version == 4 {
			cut, size := indexNumber(at[n:])
			if n += size; size == 0 || cut > len(last) {
				return nil, nil
			}
			kept = len(last) - cut
		}
		end := bytes.IndexByte(at[n:], 0)
		if end < 0 {
			return nil, nil
		}
		if sum += kept + end; kept+end > maxPath || sum > maxPaths {
			return nil, nil
		}
		p := last[:kept] + string(at[n:n+end])
		if !fs.ValidPath(strings.TrimSuffix(p, "/")) || p < last {
			return nil, nil
		}
		paths, last = append(paths, p), p
		if absent {
			away[strings.TrimSuffix(p, "/")] = true
		}
		n += end + 1
		if version < 4 {
			n = (n + 7) &^ 7
		}
		if n > len(at) {
			return nil, nil
		}
		at = at[n:]
	}
	return paths, away
}

// indexNumber reads a number of variable length as git writes offsets, and how many bytes it has; 0 bytes for none.
func indexNumber(b []byte) (n, size int) {
	for i := 0; i < min(len(b), 4); i++ {
		n = n<<7 | int(b[i]&0x7f)
		if b[i]&0x80 == 0 {
			return n, i + 1
		}
		n++
	}
	return 0, 0
}
