package history

import (
	"context"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// expected searches the files of several states for some words, as git grep finds words, reading each text
// once.
type expected struct {
	ids    map[string]int // of the words
	starts map[string][]string
	trees  *lru.Cache[string, []git.File] // by commit
	held   map[string][]int               // by the hash of a text that was read: the words in it
}

// Limits of the reading for expected words; beyond them git searches itself.
const (
	maxUnread = 256 << 20   // bytes of one state that were not read before: half of what git may hand over
	maxListed = 4 * maxTree // files of states whose lists are kept, some 60 MB
	maxHeld   = 10 * maxTree
)

func newExpected(words []string) *expected {
	e := &expected{
		ids: map[string]int{}, starts: map[string][]string{}, trees: lru.New[string, []git.File](maxListed), held: map[string][]int{},
	}
	for _, w := range words {
		n := 0
		for n < len(w) && inWord(w[n]) {
			n++
		}
		if _, known := e.ids[w]; !known && n > 0 {
			e.ids[w] = len(e.ids)
			e.starts[w[:n]] = append(e.starts[w[:n]], w)
		}
	}
	return e
}

// inWord reports whether a byte belongs to a word, by git's rule.
func inWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// naming is [git.Repository.Grep]; ok is false for words that are not expected, and if there is too much to
// read.
func (e *expected) naming(ctx context.Context, repo *git.Repository, commit string, words []string, limit int,
) (found []string, ok bool, err error) {
	if e == nil {
		return nil, false, nil
	}
	wanted := make([]bool, len(e.ids))
	for _, w := range words {
		id, known := e.ids[w]
		if !known {
			return nil, false, nil
		}
		wanted[id] = true
	}
	files, known := e.trees.Get(commit)
	if !known {
		if files, err = repo.Files(ctx, commit, maxTree); err != nil {
			return nil, false, err
		}
		e.trees.Add(commit, files, max(1, len(files)))
	}
	if len(files) == maxTree {
		return nil, false, nil
	}
	if ok, err = e.read(ctx, repo, files); !ok {
		return nil, false, err
	}
	for _, f := range files {
		for _, id := range e.held[f.Hash] {
			if wanted[id] && f.Size >= 0 && len(found) < limit {
				found = append(found, f.Path)
				break
			}
		}
	}
	return found, true, nil
}

// read reads the texts that were not read yet.
func (e *expected) read(ctx context.Context, repo *git.Repository, files []git.File) (ok bool, err error) {
	if len(e.held) > maxHeld {
		clear(e.held)
	}
	var ask []string
	unread, asked := int64(0), map[string]bool{}
	for _, f := range files {
		if _, known := e.held[f.Hash]; !known && f.Size >= 0 && !asked[f.Hash] {
			asked[f.Hash], ask, unread = true, append(ask, f.Hash), unread+f.Size
		}
	}
	if unread > maxUnread {
		return false, nil
	}
	seen := make([]int, len(e.ids)) // by word: the number of the last text with it
	n := 0
	err = repo.Contents(ctx, ask, maxUnread, func(hash string, text []byte) {
		n++
		e.held[hash] = e.in(text, seen, n)
	})
	return err == nil, err
}

// in finds the whole words in a text.
func (e *expected) in(text []byte, seen []int, n int) (held []int) {
	if git.IsBinary(text) {
		return nil
	}
	for at := 0; at < len(text); at++ {
		start := at
		for at < len(text) && inWord(text[at]) {
			at++
		}
		if start == at {
			continue
		}
		for _, w := range e.starts[string(text[start:at])] {
			end := start + len(w)
			if id := e.ids[w]; seen[id] != n && end <= len(text) && string(text[start:end]) == w && (end == len(text) || !inWord(text[end])) {
				seen[id], held = n, append(held, id)
			}
		}
	}
	return held
}
