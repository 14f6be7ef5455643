package refactor

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Which entries are offered for a relation that leads nowhere. The likeness of two
// texts is 1 less the share of the longer one's letters that have to be changed. The values are
// what reads right on the cases of nearest_test.go: one wrong letter in a short name is
// clearly that name, two names that share half of their letters are not offered.
const (
	someAlike    = 0.6  // likeness from which an entry is offered
	halfAlike    = 0.5  // likeness of the names without which that of the folders means nothing
	clearlyAlike = 0.75 // likeness from which the best one is taken for what was meant…
	clearGap     = 0.1  // …if it is that much more alike than the next
	maxNearest   = 3

	// What a likeness of something less than the path counts.
	elsewhere = 0.95 // of the name alone, in another folder
	inWords   = 0.85 // of the words that name and title share with what is written
)

// near is an entry that a relation may have meant.
type near struct {
	path  string
	score float64
}

// nearest lists the entries that are written most like what a relation says, the most
// alike first.
func nearest(s *tree.Snapshot, from, raw string) []near {
	w, ok := newWritten(raw)
	if !ok {
		return nil
	}
	var found []near
	least := someAlike
	for _, e := range s.Entries() {
		if e.Role != format.RoleEntry && e.Role != format.RoleOverview || e.Path == from {
			continue
		}
		score := w.likeness(e, least)
		if score < least || score == least && len(found) == maxNearest { // of equals the first by path
			continue
		}
		i, _ := slices.BinarySearchFunc(found, score, func(n near, score float64) int { return cmp.Compare(score, n.score) })
		for i < len(found) && found[i].score == score {
			i++
		}
		found = firstOf(slices.Insert(found, i, near{e.Path, score}), maxNearest)
		if len(found) == maxNearest {
			least = found[maxNearest-1].score
		}
	}
	return found
}

// Nearest is the entry that a relation which leads nowhere clearly meant, "" if none stands out.
func Nearest(s *tree.Snapshot, from, raw string) string {
	if found := nearest(s, from, raw); isClear(found) {
		return found[0].path
	}
	return ""
}

// isClear reports whether the first of the nearest entries is taken for what was meant.
func isClear(found []near) bool {
	return len(found) > 0 && found[0].score >= clearlyAlike && (len(found) == 1 || found[0].score-found[1].score >= clearGap)
}

// written is the text of a relation, ready to be compared with all entries.
type written struct {
	path, name words.Pattern
	words      []string // of the name, in lower case
}

func newWritten(raw string) (w written, ok bool) {
	p := path.Clean(strings.Trim(strings.ReplaceAll(raw, `\`, "/"), "/.~"))
	p = strings.TrimSuffix(p, ".md")
	if p == "." || p == "" {
		return w, false
	}
	name := path.Base(p)
	w.path, w.name = words.NewPattern(p), words.NewPattern(name)
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' }) {
		if len(word) >= 3 { // shorter ones are in every name
			w.words = append(w.words, word)
		}
	}
	return w, true
}

// likeness compares what is written with an entry's path, name and title. What it returns
// under some value is of no account: most entries are told apart by little.
func (w *written) likeness(e *format.Entry, least float64) float64 {
	p := strings.TrimSuffix(e.Path, ".md")
	if e.Role == format.RoleOverview { // a topic is meant by its folder
		p = path.Dir(p)
	}
	name := p[strings.LastIndexByte(p, '/')+1:]
	score := 0.0
	if named := w.name.Likeness(name, halfAlike); named > 0 { // a long folder alone is no likeness
		score = max(w.path.Likeness(p, least), elsewhere*named)
	}
	if score < inWords && least <= inWords && len(w.words) > 0 {
		score = max(score, inWords*w.shared(name, e.Title, least))
	}
	return score
}

// shared is the share of words that a name or title has in common with what is written; 0 if its likeness is
// under least.
func (w *written) shared(name, title string, least float64) float64 {
	n := len(w.words)
	for _, word := range w.words {
		if !containsFold(name, word) && !containsFold(title, word) {
			n--
			if inWords*(float64(n)/float64(len(w.words))) < least {
				return 0
			}
		}
	}
	return float64(n) / float64(max(len(w.words), 1+strings.Count(name, "_")))
}

// containsFold is strings.Contains with ASCII letters of either case; word is in lower
// case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}
