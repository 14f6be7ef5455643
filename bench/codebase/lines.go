package main

// The first question to a pack: which of the lines that the commit changed does it show?
// And what did the other tokens go to?

import (
	"regexp"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/shown"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// lines measures how much of a commit's changes a pack shows. A change is a run of lines of the parent. Lines
// that are added between two lines count as these two.
type lines struct {
	Changes int     `json:"changes"`
	Lines   float64 `json:"lines"` // mean over the changes, of the share of their lines that is shown
	Any     float64 `json:"any"`   // share of the changes with a line shown
	All     float64 `json:"all"`   // share of the changes with all lines shown
	Lost    lost    `json:"lost"`
}

// lost are the shares of the changes without a line shown, by what the pack has instead.
type lost struct {
	Absent    float64 `json:"absent"`    // nothing of the file
	Named     float64 `json:"named"`     // the file's path in a list
	Signature float64 `json:"signature"` // the file, and the name of the symbol around the change
	Others    float64 `json:"others"`    // the file, and other symbols
	Loose     float64 `json:"loose"`     // the file; the change is in no symbol
}

// add counts the changes of one gold file; mean follows.
func (l *lines) add(g gold, b shown.Block, in, named bool) {
	held := wordsOf(b.Text)
	for n, c := range g.changed {
		l.Changes++
		shown := 0
		for line := c[0]; line <= c[1]; line++ {
			if showsAll(b, [2]int{line, line}) {
				shown++
			}
		}
		switch all := c[1] - c[0] + 1; {
		case shown == all:
			l.All++
			fallthrough
		case shown > 0:
			l.Any++
			l.Lines += float64(shown) / float64(all)
		case in && g.around[n] == "":
			l.Lost.Loose++
		case in && holdsName(held, g.around[n]):
			l.Lost.Signature++
		case in:
			l.Lost.Others++
		case named:
			l.Lost.Named++
		default:
			l.Lost.Absent++
		}
	}
}

// mean divides the sums by the number of changes.
func (l *lines) mean() {
	n := float64(max(1, l.Changes))
	for _, v := range []*float64{&l.Lines, &l.Any, &l.All, &l.Lost.Absent, &l.Lost.Named, &l.Lost.Signature, &l.Lost.Others,
		&l.Lost.Loose} {
		*v /= n
	}
}

// spent divides up a pack: its blocks and sections, and the tokens of some kinds of files. A section is a run
// of lines that is shown word for word.
type spent struct {
	Files    int `json:"files"` // with a block
	Sections int `json:"sections"`
	Small    int `json:"small"` // of these, with at most smallSection lines

	Tests    int `json:"tests"`    // tokens in blocks of tests
	Examples int `json:"examples"` // of examples, demonstrations and documentation
	Vendored int `json:"vendored"` // of code that is kept for others
	Docs     int `json:"docs"`     // in documentation comments, wherever these are
}

const smallSection = 4

// What a path says of a file, independent of what the map makes of it.
var (
	testPath     = regexp.MustCompile(`(?i)(^|/)(tests?|spec|testdata|fixtures?|__tests__)/|_test\.|\.test\.|\.spec\.|(^|/)test_`)
	examplePath  = regexp.MustCompile(`(?i)(^|/)(_?examples?|docs?|docs_src|demos?|samples?|playground|bench\w*)/`)
	vendoredPath = regexp.MustCompile(`(?i)(^|/)(vendor(ed)?|third[_-]?party|node_modules|deps|external)/|\.min\.`)
)

func spentOn(blocks []shown.Block, docs docComments) (s spent) {
	s.Files = len(blocks)
	for _, b := range blocks {
		for _, r := range b.Lines {
			s.Sections++
			if r[1]-r[0] < smallSection {
				s.Small++
			}
		}
		for _, kind := range []struct {
			path *regexp.Regexp
			n    *int
		}{{testPath, &s.Tests}, {examplePath, &s.Examples}, {vendoredPath, &s.Vendored}} {
			if kind.path.MatchString(b.Path) {
				*kind.n += tokens.Count(b.Text)
				break
			}
		}
		s.Docs += docs.in(b)
	}
	return s
}

// docComments finds the documentation comments of the files of a map.
type docComments struct{ code *codebase.RepoMap }

// in counts the tokens of the lines of a block that stand in a documentation comment.
func (d docComments) in(b shown.Block) int {
	if d.code == nil {
		return 0
	}
	c, ok := d.code.Chunk(b.Path)
	if !ok {
		return 0
	}
	text, err := d.code.Read(b.Path)
	if err != nil {
		return 0
	}
	doc := map[string]bool{}
	for _, s := range c.Symbols() {
		if at := s.DocAt; at.Start >= 0 && at.Start < at.End && at.End <= len(text) {
			for line := range strings.Lines(text[at.Start:at.End]) {
				doc[strings.TrimSpace(line)] = true
			}
		}
	}
	delete(doc, "")
	var held strings.Builder
	for line := range strings.Lines(b.Text) {
		if doc[strings.TrimSpace(line)] {
			held.WriteString(line)
		}
	}
	return tokens.Count(held.String())
}
