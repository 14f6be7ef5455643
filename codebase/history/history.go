// Package history knows what git knows of the files of a folder: which files were
// changed for which reason, which ones change together, and when they last changed.
//
// [Read] makes a [History] from the newest commits in one run of git; it is
// immutable and safe for concurrent use. With the history before it, Read reads only
// the commits since. It answers three questions:
//
//   - [History.Votes]: the commits whose messages are most like a question vote for
//     the files they changed. Of all signals beside the text itself this one adds most
//     to finding the files of a task.
//   - [History.CoChange]: files that were changed together with one file.
//   - [History.Age]: days since a file changed.
//
// What counts: commits that are no merges and change 1 to 60 files. Larger ones are
// moves, formatting and licence headers, whose messages say nothing of a file. The
// first commit is left out for the same reason, and since that of a shallow clone
// seems to add every file. Messages count without trailers, issue numbers and hosts.
//
// A file that was moved keeps its history under the name it has now. Paths have
// slashes and are relative to the folder. A name that no file has any more can occur
// in every answer.
package history

import (
	"encoding/hex"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// History holds the commits that were read of a repository. The zero value is an empty history.
type History struct {
	head     string // hash of the newest commit, also if that is a merge
	headTime int64  // seconds since 1970
	known    int    // commits that were read before, see [History.Keep]
	prefix   string // the folder inside the repository, as [git.Repository.Prefix]
	partial  string // why older commits are missing; "" if they are not
	shallow  string // what the clone leaves out, as [git.Repository.Shallow]
	paths    []string
	commits  columns

	once sync.Once
	idx  *index // by index()
}

// columns hold the commits, newest first. All values of a kind lie in one slice, and
// the ends tell which of them belong to commit i: from end[i-1] to end[i].
type columns struct {
	hashLen    int    // bytes of a hash: 20 or 32
	hashes     []byte // all hashes
	times      []int64
	totals     []uint8 // files of the whole commit, 1 to 60
	subjects   string
	subjectEnd []uint32
	files      []uint32 // indexes of paths, ascending
	fileEnd    []uint32
	terms      []terms.Term // of the message, ascending
	counts     []uint8      // how often each occurs, at most 255
	termEnd    []uint32
}

// Head returns the hash of the newest commit; "" for an empty history.
func (h *History) Head() string { return h.head }

// Len returns the number of commits that count.
func (h *History) Len() int { return len(h.commits.times) }

// Partial says why commits are missing that should have been read: a damaged pack, a
// limit, or that reading goes on. It is "" for a complete history.
func (h *History) Partial() string { return h.partial }

// Hash returns the hash of commit i, with 0 ≤ i < Len.
func (h *History) Hash(i int) string {
	c := &h.commits
	return hex.EncodeToString(c.hashes[i*c.hashLen : (i+1)*c.hashLen])
}

// Subject returns the first line of commit i's message: printable, at most 120 bytes.
func (h *History) Subject(i int) string {
	c := &h.commits
	from, to := span(c.subjectEnd, i)
	return c.subjects[from:to]
}

// Files returns the paths that commit i changed.
func (h *History) Files(i int) []string {
	files := make([]string, 0, 8)
	for _, id := range h.commits.filesOf(i) {
		files = append(files, h.paths[id])
	}
	return files
}

func (c *columns) filesOf(i int) []uint32 {
	from, to := span(c.fileEnd, i)
	return c.files[from:to]
}

func (c *columns) termsOf(i int) ([]terms.Term, []uint8) {
	from, to := span(c.termEnd, i)
	return c.terms[from:to], c.counts[from:to]
}

// span returns where the values of item i begin and end.
func span(end []uint32, i int) (from, to uint32) {
	if i > 0 {
		from = end[i-1]
	}
	return from, end[i]
}
