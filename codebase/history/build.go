package history

import (
	"encoding/hex"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// builder collects commits, newest first.
type builder struct {
	head, prefix, partial, shallow string
	headTime                       int64
	known                          int // number of commits of an older history
	paths                          []string
	ids                            map[string]uint32
	// now maps a name used in older commits to the present name.
	now   map[string]string
	text  []byte       // the subjects
	words []terms.Term // reused between messages
	columns
}

func newBuilder(head, prefix, shallow string) *builder {
	b := &builder{head: head, prefix: prefix, shallow: shallow, ids: map[string]uint32{}, now: map[string]string{}}
	b.hashLen = len(head) / 2
	return b
}

// add takes a commit that is older than all before it.
func (b *builder) add(c git.Commit) {
	defer b.moved(c.Changes)
	hash, err := hex.DecodeString(c.Hash)
	if err != nil || len(hash) != b.hashLen || c.Total > maxFiles || len(c.Changes) == 0 {
		return
	}
	b.hashes = append(b.hashes, hash...)
	b.times = append(b.times, c.Time)
	b.totals = append(b.totals, uint8(c.Total))
	b.text = appendSubject(b.text, c.Message)
	b.subjectEnd = append(b.subjectEnd, uint32(len(b.text)))
	b.addFiles(len(c.Changes), func(i int) string { return c.Changes[i].Path })
	b.addTerms(clean(c.Message))
}

// maxMoved bounds the number of recorded former names.
const maxMoved = 500_000

// moved records the former names of files, for the commits that follow. It comes after the commit's own
// files: in the commit that moves a file, its name is the new one. Moves count in commits of any size: a new
// place for the whole tree is one commit.
func (b *builder) moved(changes []git.Change) {
	for _, change := range changes {
		if change.From != "" && len(b.now) < maxMoved {
			b.now[change.From] = b.today(change.Path)
		}
	}
}

func (b *builder) today(path string) string {
	if now, ok := b.now[path]; ok {
		return now
	}
	return path
}

// id numbers a path of the commit at hand.
func (b *builder) id(path string) uint32 {
	path = b.today(path)
	id, ok := b.ids[path]
	if !ok {
		id = uint32(len(b.paths))
		b.ids[path] = id
		b.paths = append(b.paths, path)
	}
	return id
}

func (b *builder) addFiles(n int, path func(int) string) {
	from := len(b.files)
	for i := range n {
		b.files = append(b.files, b.id(path(i)))
	}
	added := b.files[from:]
	slices.Sort(added)
	b.files = b.files[:from+len(slices.Compact(added))]
	b.fileEnd = append(b.fileEnd, uint32(len(b.files)))
}

func (b *builder) addTerms(message string) {
	b.words = b.words[:0]
	terms.Scan(message, func(t terms.Term, _ int) { b.words = append(b.words, t) })
	slices.Sort(b.words)
	for i, t := range b.words {
		last := len(b.terms) - 1
		if i == 0 || t != b.words[i-1] {
			b.terms = append(b.terms, t)
			b.counts = append(b.counts, 1)
		} else if b.counts[last] < 255 {
			b.counts[last]++
		}
	}
	b.termEnd = append(b.termEnd, uint32(len(b.terms)))
}

// extend adds the commits of an older history that are not aside, up to limit commits in all.
func (b *builder) extend(old *History, aside map[string]bool, limit int) {
	if b.headTime == 0 { // no new commits that count were read
		b.headTime = old.headTime
	}
	c := &old.commits
	for i := range old.Len() {
		if len(b.times) >= limit {
			break
		} else if len(aside) > 0 && aside[old.Hash(i)] {
			continue
		}
		b.known++
		b.hashes = append(b.hashes, c.hashes[i*c.hashLen:(i+1)*c.hashLen]...)
		b.times = append(b.times, c.times[i])
		b.totals = append(b.totals, c.totals[i])
		b.text = append(b.text, old.Subject(i)...)
		b.subjectEnd = append(b.subjectEnd, uint32(len(b.text)))
		files := c.filesOf(i)
		b.addFiles(len(files), func(k int) string { return old.paths[files[k]] })
		words, counts := c.termsOf(i)
		b.terms = append(b.terms, words...)
		b.counts = append(b.counts, counts...)
		b.termEnd = append(b.termEnd, uint32(len(b.terms)))
	}
}

// history copies the collected data, without spare room.
func (b *builder) history() *History {
	c := b.columns
	c.clip()
	c.subjects = string(b.text)
	return &History{head: b.head, headTime: b.headTime, known: b.known, prefix: b.prefix, partial: b.partial, shallow: b.shallow,
		paths: slices.Clone(b.paths), commits: c}
}
