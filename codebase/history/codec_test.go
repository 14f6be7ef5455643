package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// synthetic makes a history of n commits without git.
func synthetic(n int, commit func(i int) (message string, files []string)) *History {
	b := newBuilder(hashOf(0), "", "")
	b.headTime = firstDay
	for i := range n {
		message, files := commit(i)
		c := git.Commit{Hash: hashOf(i), Parents: 1, Time: firstDay - int64(i)*3600, Message: message, Total: len(files)}
		for _, path := range files {
			c.Changes = append(c.Changes, git.Change{Path: path})
		}
		b.add(c)
	}
	return b.history()
}

func hashOf(i int) string { return fmt.Sprintf("%040x", i) }

func TestStoredFormHoldsAll(t *testing.T) {
	for name, h := range map[string]*History{"empty": {}, "talk": talk(t), "partial": {head: hashOf(1), partial: "a reason",
		prefix: "sub/", shallow: "ab",
		commits: columns{hashLen: 20}}} {
		got, err := decode(encode(h))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if dump(got) != dump(h) || got.shallow != h.shallow || strings.Join(got.paths, "|") != strings.Join(h.paths, "|") {
			t.Errorf("%s:\n%s\nwant:\n%s", name, dump(got), dump(h))
		}
	}
}

func encode(h *History) []byte { return codec.Append(nil, h.describe) }

func decode(b []byte) (*History, error) {
	h := &History{}
	return h, codec.Decode(b, h.describe)
}

// TestColumnsThatDoNotFitAreRefused: what look-ups rely on is checked when a history is read.
func TestColumnsThatDoNotFitAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(h *History){
		"hash of a head":     func(h *History) { h.head = h.head[:10] },
		"hashes":             func(h *History) { h.commits.hashes = h.commits.hashes[1:] },
		"no files":           func(h *History) { h.commits.totals[0] = 0 },
		"too many files":     func(h *History) { h.commits.totals[0] = maxFiles + 1 },
		"totals":             func(h *History) { h.commits.totals = h.commits.totals[1:] },
		"a path that is not": func(h *History) { h.commits.files[0] = uint32(len(h.paths)) },
		"counts":             func(h *History) { h.commits.counts = nil },
		"ends that fall":     func(h *History) { h.commits.termEnd[0] = 1 << 31 },
		"an end too far":     func(h *History) { h.commits.fileEnd[len(h.commits.fileEnd)-1]++ },
		"an end too few":     func(h *History) { h.commits.subjectEnd = h.commits.subjectEnd[1:] },
	} {
		h := synthetic(3, func(i int) (string, []string) { return fmt.Sprint("word of ", i), []string{"a", fmt.Sprint(i)} })
		spoil(h)
		if _, err := decode(encode(h)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// FuzzDecode: what is accepted can be asked, and is stored as it was read.
func FuzzDecode(f *testing.F) {
	f.Add(encode(synthetic(3, func(i int) (string, []string) { return fmt.Sprint("word of ", i), []string{"a", fmt.Sprint(i)} })))
	f.Add(encode(&History{}))
	f.Fuzz(func(t *testing.T, stored []byte) {
		h, err := decode(stored)
		if err != nil {
			return
		}
		h.Votes(words("word of 1"))
		for _, path := range h.paths {
			h.CoChange(path)
			h.Age(path)
		}
		again, err := decode(encode(h))
		if err != nil || dump(again) != dump(h) {
			t.Errorf("%v\n%s\n%s", err, dump(again), dump(h))
		}
	})
}
