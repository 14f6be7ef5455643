package pack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// The signs from the editor: the chance that a change touches the excerpt around a place, and that the task
// needs the file.
const (
	atCursor    = 0.9
	atProblem   = 0.8
	atEdit      = 0.7 // of an edit a moment ago
	atReference = 0.35
	onScreen    = 0.3

	openFile      = 0.5
	openBeside    = 0.12
	fileOfPlace   = 0.6 // of a place's chance
	editsHalfLife = 10 * time.Minute
)

// spot is a place whose surroundings matter.
type spot struct {
	span      syntax.Span
	chance    float64
	reason    string
	cursor    bool // the cursor of the open file
	wholeFile bool // the whole file
	beside    bool // a file that is open beside, and nothing in it
	pinned    bool // by the user
}

// look turns the editor's places into spots and into hints for the ranking.
func (b *maker) look() {
	b.spots = map[string][]spot{}
	b.query = codebase.Query{Task: b.task.Text, File: b.task.File, Offset: -1, Boost: b.task.Boost}
	if b.task.File != "" && b.task.Offset >= 0 {
		b.query.Offset = b.cursorSymbolStart()
		b.spots[b.task.File] = append(b.spots[b.task.File], spot{
			span: syntax.Span{Start: b.task.Offset, End: b.task.Offset}, chance: atCursor, reason: "at the cursor", cursor: true})
	}
	if v := b.task.Visible; v.Start < v.End && b.task.File != "" {
		b.spots[b.task.File] = append(b.spots[b.task.File], spot{span: v, chance: onScreen, reason: "on the screen"})
	}
	for _, p := range b.task.Places {
		s := spotOf(p)
		if p.Kind == PlacePinned {
			b.spots[p.Path] = append(b.spots[p.Path], pinnedSpot(b.in.Code, p))
			continue // a pin only decides what to show, not what else is relevant
		}
		b.spots[p.Path] = append(b.spots[p.Path], s)
		b.query.Hints = append(b.query.Hints, codebase.Hint{Path: p.Path, Weight: s.chance, Reason: s.reason})
	}
	slices.SortStableFunc(b.query.Hints, func(x, y codebase.Hint) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(y.Weight, x.Weight))
	})
	b.query.Hints = slices.CompactFunc(b.query.Hints, func(x, y codebase.Hint) bool { return x.Path == y.Path })
}

// cursorSymbolStart is the start of the smallest symbol around the cursor: the words around it are used to
// rank other files, so moves inside the symbol change nothing.
func (b *maker) cursorSymbolStart() int {
	c, ok := b.in.Code.Chunk(b.task.File)
	if !ok {
		return b.task.Offset
	}
	at := symbolAt(c.Symbols(), b.task.Offset)
	if at == nil {
		return b.task.Offset
	}
	return at.NameAt.Start
}

// symbolAt is the smallest symbol around an offset.
func symbolAt(symbols []syntax.Symbol, offset int) (at *syntax.Symbol) {
	for i := range symbols {
		s := &symbols[i]
		if s.Range.Start <= offset && offset <= s.Range.End && (at == nil || s.Range.Len() < at.Range.Len()) {
			at = s
		}
	}
	return at
}

func spotOf(p Place) spot {
	s := spot{span: syntax.Span{Start: p.Offset, End: p.Offset}, wholeFile: p.Offset < 0}
	switch p.Kind {
	case PlaceProblem:
		s.chance, s.reason = atProblem, "has a problem: "+oneLine(p.Text, maxTitle)
	case PlaceEdit:
		s.chance = atEdit * math.Exp2(-float64(max(0, p.Age))/float64(editsHalfLife))
		s.reason = "edited " + age(p.Age)
	case PlaceReference:
		s.chance, s.reason = atReference, "uses the symbol at the cursor"
	default:
		s.chance, s.reason, s.wholeFile, s.beside = openBeside, "open beside", true, true
	}
	return s
}

// age says how long ago something was.
func age(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h ago", int(d.Hours()))
}

// editor raises the open file, the files of places, and the entries about them.
func (b *maker) editor(entries, files scores) {
	if c, ok := b.in.Code.Chunk(b.task.File); ok {
		b.speaks(files, b.task.File, openFile, "open in the editor")
		for _, r := range b.in.Links.About(b.task.File, "") {
			entries.add(KindEntry, r.Entry, openFile*r.Strength*fileToEntry, r.Reason)
		}
		if at := symbolAt(c.Symbols(), b.task.Offset); at != nil {
			name := at.Name
			if at.Container != "" {
				name = at.Container + "." + name
			}
			for _, r := range b.in.Links.About(b.task.File, name) {
				entries.add(KindEntry, r.Entry, symbolToItem*r.Strength, name+": "+r.Reason)
			}
		}
	}
	for path, spots := range b.spots {
		for _, s := range spots {
			if s.span.Len() > 0 || s.cursor {
				continue // the open file itself
			}
			chance := s.chance
			if !s.beside {
				chance *= fileOfPlace
			}
			b.speaks(files, path, chance, s.reason)
		}
	}
}

// speaks raises the chance of a file that the map knows.
func (b *maker) speaks(files scores, path string, chance float64, why string) {
	if _, ok := b.in.Code.Chunk(path); ok && b.task.wants(KindCode) {
		files.get(KindCode, path).atLeast(chance, why)
	}
}

// maxProblemWords bounds what problems add to the search.
const maxProblemWords = 12

// problemWords are the names in the problems' messages: words with a capital, a digit, a dot or an underscore
// inside, and quoted ones.
func (b *maker) problemWords() string {
	var out []string
	for _, p := range b.task.Places {
		if p.Kind != PlaceProblem {
			continue
		}
		for _, w := range strings.FieldsFunc(p.Text, func(r rune) bool {
			return unicode.IsSpace(r) ||
				strings.ContainsRune("(),;:[]{}<>", r)
		}) {
			name := strings.Trim(w, "'\"`“”‘’.*&")
			if len(name) > 2 && (name != strings.TrimSuffix(w, ".") || strings.IndexFunc(name[1:], isNameSign) >= 0) &&
				!slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return strings.Join(out[:min(len(out), maxProblemWords)], " ")
}

func isNameSign(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '_' || r == '.' || r == '/'
}

// pinnedSpot is the symbol that a pinned place lies in.
func pinnedSpot(code *codebase.RepoMap, p Place) spot {
	s := spot{span: syntax.Span{Start: p.Offset, End: p.Offset}, chance: atPin, reason: "pinned", pinned: true}
	if c, ok := code.Chunk(p.Path); ok {
		if at := symbolAt(c.Symbols(), p.Offset); at != nil {
			s.span = at.Range
		}
	}
	return s
}
