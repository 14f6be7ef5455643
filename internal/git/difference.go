package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// Difference lists the changes of a commit, or of uncommitted work, in the files below the opened folder.
// Links and submodules are left out.
type Difference struct {
	Commit  string // hash, "" if there is none yet
	Parents int    // number of parents of the commit
	Time    int64  // committed, seconds since 1970 by the committer's clock
	Message string // at most DiffLimits.Message bytes, any bytes but NUL
	Files   []FileDifference
	Total   int // files that differ, those outside the folder and over the limit included
}

// FileDifference is the change of one file. Paths are relative to the opened folder, and
// can hold any byte but NUL.
type FileDifference struct {
	Path    string // for a removed file, its former path
	From    string // the former path, if the file was renamed
	Status  byte   // A, M, D or R, as in git
	Added   []Hunk
	Removed []Hunk
	Left    string // why lines are missing, "" if none are missing
}

// DiffLimits bounds a difference. The difference tells which parts are missing.
type DiffLimits struct {
	Files   int   // files; further ones are only counted
	Bytes   int64 // of all compared texts, before and after; 0 for names only
	Lines   int   // of one file, for added and removed lines each
	Message int   // bytes of a commit's message
}

// DefaultDiff is enough for people's commits; larger differences are imports or generated.
var DefaultDiff = DiffLimits{Files: 400, Bytes: 16 << 20, Lines: 4000, Message: 16 << 10}

// maxCompared is the largest file that is compared, in bytes: the code's own limit.
const maxCompared = 1 << 20

// The reasons for missing lines of a file.
const (
	leftLarge    = "over 1 MiB"
	leftBinary   = "binary"
	leftMissing  = "not in this clone"
	leftRest     = "over the limit of compared files"
	leftConflict = "in conflict"
	leftKind     = "no longer a regular file"
)

// The hashes of the empty tree, which exists in every repository.
const (
	emptyTree    = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTree256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

func emptyTreeOf(hashLen int) string {
	if hashLen == 64 {
		return emptyTree256
	}
	return emptyTree
}

// CommitDiff returns the changes of a commit against its first parent, or its whole content if it is the first
// one. The changes of a shallow clone's first commit are unknown, and an error.
func (r *Repository) CommitDiff(ctx context.Context, hash string, limits DiffLimits) (*Difference, error) {
	d := &Difference{Commit: hash}
	err := r.Log(ctx, LogOptions{Head: hash, MaxCommits: 1, MaxMessage: limits.Message}, func(c Commit) error {
		d.Parents, d.Time, d.Message = c.Parents, c.Time, c.Message
		return nil
	})
	if err != nil {
		return nil, err
	}
	before := hash + "^"
	if d.Parents == 0 {
		if shallow, err := readIn(r.common, "shallow"); err == nil && bytes.Contains(shallow, []byte(hash)) {
			return nil, fmt.Errorf("the parent of %s is missing in this shallow clone; run `git fetch --unshallow`", hash[:min(12, len(hash))])
		}
		before = emptyTreeOf(len(hash))
	}
	sides, err := r.names(ctx, d, limits, call{hashLen: len(hash)}, "diff-tree", before, hash)
	if err != nil {
		return nil, err
	}
	return d, r.fill(ctx, d, sides, limits)
}

// StagedDiff returns the changes of the index against HEAD's commit: those that `git commit` would
// commit. Git sees a copy of the index, so nothing is locked, refreshed or written.
func (r *Repository) StagedDiff(ctx context.Context, limits DiffLimits) (*Difference, error) {
	index, _, _, err := r.checkedIndex()
	if err != nil {
		return nil, err
	}
	d := &Difference{}
	if index == nil {
		return d, nil
	}
	head, err := r.Head()
	if err != nil {
		return nil, err
	}
	if head == "" {
		head = emptyTreeOf(r.hashLen())
	}
	sides, err := r.names(ctx, d, limits, call{hashLen: len(head), index: index}, "diff-index", "--cached", head)
	if err != nil {
		return nil, err
	}
	return d, r.fill(ctx, d, sides, limits)
}

// sides holds the two texts of a file that differs.
type sides struct {
	before, after string  // hashes, "" for a missing file
	textAfter     *string // for a file on disk
}

// hashes lists the hashes of the texts that git has.
func (s sides) hashes() []string {
	return slices.DeleteFunc([]string{s.before, s.after}, func(h string) bool { return h == "" })
}

// names lists the files that differ, from a comparison of two trees, or of a tree and an index.
func (r *Repository) names(ctx context.Context, d *Difference, limits DiffLimits, c call, command string,
	args ...string) ([]sides, error) {
	var found []sides
	c.read = func(out io.Reader) error {
		in := &fields{from: bufio.NewReaderSize(out, 64<<10)}
		for {
			f, s, err := in.raw(r.prefix)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			d.Total++
			if f.Path != "" && len(d.Files) < limits.Files {
				d.Files, found = append(d.Files, f), append(found, s)
			}
		}
	}
	options := []string{command, "-r", "-z", "--raw", "--no-abbrev", "-M", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "--ita-invisible-in-index"}
	err := r.run(ctx, c, append(append(options, args...), "--")...)
	return found, err
}

// raw reads one file of git's raw form: ":MODE MODE HASH HASH STATUS", then its path, or two for a rename.
// Path is "" for a file that is left out.
func (f *fields) raw(prefix string) (d FileDifference, s sides, err error) {
	text, _, err := f.next(maxStatus)
	if err != nil {
		return d, s, err
	}
	words := strings.Fields(strings.TrimPrefix(string(text), ":"))
	if len(words) != 5 || !isHash(words[2]) || !isHash(words[3]) {
		return d, s, fmt.Errorf("git diff: unexpected %q", clip(string(text)))
	}
	d.Status = words[4][0]
	if d.Path, err = f.path(prefix); err != nil {
		return d, s, inside(err)
	}
	s = sides{before: hashOrNone(words[2]), after: hashOrNone(words[3])}
	if d.Status == 'R' || d.Status == 'C' {
		from := d.Path
		if d.Path, err = f.path(prefix); err != nil {
			return d, s, inside(err)
		}
		switch {
		case d.Status == 'C' || from == "": // copied, or from outside the folder
			d.Status, s.before = 'A', ""
		case d.Path == "": // moved out of the folder
			d.Path, d.Status, s.after = from, 'D', ""
		default:
			d.From = from
		}
	}
	if d.Status != 'A' && d.Status != 'D' && d.Status != 'R' {
		d.Status = 'M'
	}
	if !plainModes(words[0], words[1]) {
		d.Path = ""
	}
	return d, s, nil
}

func hashOrNone(h string) string {
	if strings.Trim(h, "0") == "" {
		return ""
	}
	return h
}

// plainModes reports whether all modes belong to regular files, or are 0 for a missing file.
func plainModes(modes ...string) bool {
	for _, m := range modes {
		if n, err := strconv.ParseUint(m, 8, 32); err != nil || n != 0 && !isText(uint32(n)) {
			return false
		}
	}
	return true
}

// fill compares the texts of the files, in order, within the limits.
func (r *Repository) fill(ctx context.Context, d *Difference, all []sides, limits DiffLimits) error {
	var hashes []string
	for _, s := range all {
		hashes = append(hashes, s.hashes()...)
	}
	sizes, err := sizesOf(ctx, r, hashes)
	if err != nil {
		return err
	}
	var wanted []string
	left := limits.Bytes
	for i, s := range all {
		f := &d.Files[i]
		size := int64(0)
		for _, h := range s.hashes() {
			n, known := sizes[h]
			switch {
			case !known:
				f.Left = leftMissing
			case n > maxCompared:
				f.Left = leftLarge
			}
			size += n
		}
		if f.Left == "" && size > left {
			f.Left = leftRest
		}
		if f.Left != "" {
			continue
		}
		left -= size
		wanted = append(wanted, s.hashes()...)
	}
	texts := map[string]string{}
	if err := r.Contents(ctx, wanted, maxCompared, func(hash string, text []byte) { texts[hash] = string(text) }); err != nil {
		return err
	}
	for i, s := range all {
		f := &d.Files[i]
		if f.Left != "" {
			continue
		}
		before, after := texts[s.before], texts[s.after]
		if s.textAfter != nil {
			after = *s.textAfter
		}
		f.compare(before, after, limits.Lines)
	}
	return nil
}

// veiled returns a text without its credentials and with the same lines. It is applied to whole texts, since a
// piece of a key may not be recognisable.
func veiled(text string) string { return secrets.Veil(text).Part(0, len(text)) }

// compare sets the lines that differ, without credentials.
func (f *FileDifference) compare(before, after string, most int) {
	if IsBinary(before) || IsBinary(after) {
		f.Left = leftBinary
		return
	}
	before, after = veiled(before), veiled(after)
	f.Removed, f.Added = compare(before, after)
	for _, side := range []*[]Hunk{&f.Removed, &f.Added} {
		lines := 0
		for i, h := range *side {
			n := 1 + strings.Count(h.Text, "\n")
			if lines+n > most {
				*side, f.Left = (*side)[:i], fmt.Sprintf("over %d lines", most)
				break
			}
			lines += n
		}
	}
}

// binaryProbe is the number of bytes at the beginning in which git looks for a NUL to call a file binary.
const binaryProbe = 8000

// IsBinary reports whether git calls a file of this text binary.
func IsBinary[T string | []byte](text T) bool {
	return strings.IndexByte(string(text[:min(len(text), binaryProbe)]), 0) >= 0
}

// sizesOf returns the sizes of files by their hashes; missing ones are left out.
func sizesOf(ctx context.Context, r *Repository, hashes []string) (map[string]int64, error) {
	found := map[string]int64{}
	if len(hashes) == 0 {
		return found, nil
	}
	all, err := objectsOf(ctx, r, len(hashes[0]), hashes)
	for _, o := range all {
		if o.Hash != "" && !o.Folder {
			found[o.Hash] = o.Size
		}
	}
	return found, err
}

// Hunk is a run of lines that occurs on only one side of a difference.
type Hunk struct {
	Line int    // 1-based number of the first line in its file
	Text string // without the last line end
}

// compare finds the lines of before that are not in after, and the reverse. Line ends count as LF. A moved block
// is moved as a whole.
func compare(before, after string) (removed, added []Hunk) {
	_, plain, _ := strings.Cut(string(diff.Diff("", plainLines(before), "", plainLines(after))), "+++ \n") // without its header
	var left, right runs
	for line := range strings.Lines(plain) {
		switch line[0] {
		case '@': // gives the numbers of the next lines
			_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &left.line, new(int), &right.line, new(int))
		case ' ':
			left.line++
			right.line++
		case '-':
			left.add(line[1:])
		case '+':
			right.add(line[1:])
		}
	}
	return left.hunks(), right.hunks()
}

// plainLines ends every line of a text with LF, also the last.
func plainLines(text string) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text)
}

// runs collects the lines that only one side has.
type runs struct {
	line  int   // the number of the next line
	first []int // the first line of each run
	texts []*strings.Builder
	end   int // the line after the last run
}

func (r *runs) add(line string) {
	if len(r.texts) == 0 || r.line != r.end {
		r.first, r.texts = append(r.first, r.line), append(r.texts, &strings.Builder{})
	}
	r.texts[len(r.texts)-1].WriteString(line)
	r.line++
	r.end = r.line
}

func (r *runs) hunks() (out []Hunk) {
	for i, text := range r.texts {
		out = append(out, Hunk{r.first[i], strings.TrimSuffix(text.String(), "\n")})
	}
	return out
}
