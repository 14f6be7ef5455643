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

// Constants for the entries that are offered for a relation that leads nowhere. The likeness of two texts is 1
// minus the share of the longer one's letters that differ. The values suit the cases of nearest_test.go: a short
// name with one wrong letter is clearly that name, and names that share half of their letters are not offered.
const (
	someAlike    = 0.6  // least likeness of an entry that is offered
	halfAlike    = 0.5  // least likeness of the names; below it, similar folders do not count
	clearlyAlike = 0.75 // least likeness of an entry that was clearly meant…
	clearGap     = 0.1  // …if it exceeds that of the next one by this
	maxNearest   = 3

	// Factors for a likeness that is not about the whole path.
	elsewhere = 0.95 // for the name alone, in another folder
	inWords   = 0.85 // for words that the name or title shares with the relation
)

// near is an entry that a relation may mean.
type near struct {
	path  string
	score float64
}

// nearest lists the entries whose path or title is most similar to a relation's text, most similar first.
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
		if score < least || score == least && len(found) == maxNearest { // of equal ones, the first by path is kept
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

// Nearest returns the entry that a broken relation clearly means, "" if there is no such entry.
func Nearest(s *tree.Snapshot, from, raw string) string {
	if found := nearest(s, from, raw); isClear(found) {
		return found[0].path
	}
	return ""
}

// isClear reports whether the first of the nearest entries was clearly meant.
func isClear(found []near) bool {
	return len(found) > 0 && found[0].score >= clearlyAlike && (len(found) == 1 || found[0].score-found[1].score >= clearGap)
}

// written is the text of a relation, prepared for a comparison with all entries.
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
		if len(word) >= 3 { // shorter ones are too common
			w.words = append(w.words, word)
		}
	}
	return w, true
}

// likeness compares the text with an entry's path, name and title. A result below least need not be exact, which
// makes most comparisons cheap.
func (w *written) likeness(e *format.Entry, least float64) float64 {
	p := strings.TrimSuffix(e.Path, ".md")
	if e.Role == format.RoleOverview { // a topic is named by its folder
		p = path.Dir(p)
	}
	name := p[strings.LastIndexByte(p, '/')+1:]
	score := 0.0
	if named := w.name.Likeness(name, halfAlike); named > 0 { // similar folders alone do not count
		score = max(w.path.Likeness(p, least), elsewhere*named)
	}
	if score < inWords && least <= inWords && len(w.words) > 0 {
		score = max(score, inWords*w.shared(name, e.Title, least))
	}
	return score
}

// shared returns the share of the words that a name or title contains. It is 0 if the likeness would be below
// least.
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

// containsFold is strings.Contains without regard to the case of ASCII letters. word is in lower case.
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
