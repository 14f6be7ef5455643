package main

// What a pack shows is read from its text, as an agent would: under a heading that names
// a path stands a fenced block, and a list of bare paths shows nothing.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// budgets are the sizes of packs, in tokens (o200k_base).
var budgets = []int{1024, 4096, 8192}

// packed is what one pack shows of an instance's gold files.
type packed struct {
	Engine string `json:"engine"`
	Budget int    `json:"budget"`
	Tokens int    `json:"tokens"`
	Shown  []bool `json:"shown"`           // of each gold file, at least one signature
	Bodies int    `json:"bodies"`          // gold functions and methods: those whose lines change
	Full   int    `json:"full"`            // of these, with their whole body, or at least with all lines that change
	Wrong  string `json:"wrong,omitempty"` // what it says to show of a gold file and does not
}

// block is what a pack shows of one file.
type block struct {
	lines [][2]int // line ranges that are shown word for word, as the heading says
	text  string
}

var heading = regexp.MustCompile("^### `+ ?(.*?)(?::([0-9]+-[0-9]+(?:,[0-9]+-[0-9]+)*))? ?`+$")

// readPack finds the blocks of a pack's text.
func readPack(text string) map[string]block {
	out := map[string]block{}
	fence, path := "", ""
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch m := heading.FindStringSubmatch(line); {
		case fence != "" && line == fence:
			if b, ok := out[path]; ok {
				b.text = strings.Join(lines, "\n")
				out[path] = b
			}
			fence, path = "", ""
		case fence != "":
			lines = append(lines, line)
		case len(ticks) >= 3:
			fence, lines = ticks, nil
		case m != nil:
			path = m[1]
			out[path] = block{lines: parseRanges(m[2])}
		}
	}
	return out
}

func parseRanges(s string) (out [][2]int) {
	for r := range strings.SplitSeq(s, ",") {
		first, last, ok := strings.Cut(r, "-")
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if ok && err1 == nil && err2 == nil {
			out = append(out, [2]int{a, b})
		}
	}
	return out
}

// gold is a gold file with what of it a pack should show.
type gold struct {
	path   string
	lines  []string          // its text; nil if it is not in the map
	names  []string          // of its symbols
	bodies []span            // functions and methods whose lines change
	spans  map[span][][2]int // of each, the lines in it that change
}

// span is a first and a last line, 1-based.
type span [2]int

func (s span) holds(o [2]int) bool { return s[0] <= o[0] && o[1] <= s[1] }

// goldOf reads a gold file and finds its functions and methods that change, those inside
// another one included.
func goldOf(code *codebase.RepoMap, path string, changed [][2]int) (gold, error) {
	g := gold{path: path, spans: map[span][][2]int{}}
	c, ok := code.Chunk(path)
	if !ok {
		return g, nil
	}
	text, err := code.Read(path)
	if err != nil {
		return g, err
	}
	g.lines = strings.Split(clean(text), "\n")
	for i := range c.Symbols() {
		s := &c.Symbols()[i]
		g.names = append(g.names, s.Name)
		if s.Kind != syntax.Function && s.Kind != syntax.Method {
			continue
		}
		at := linesOf(text, s.Range)
		var inside [][2]int
		for _, l := range changed {
			if first, last := max(l[0], at[0]), min(l[1], at[1]); first <= last {
				inside = append(inside, [2]int{first, last})
			}
		}
		if _, twice := g.spans[at]; len(inside) > 0 && !twice {
			g.bodies = append(g.bodies, at)
			g.spans[at] = inside
		}
	}
	return g, nil
}

// clean is a text as a pack shows it.
func clean(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

func linesOf(text string, at syntax.Span) span {
	first := 1 + strings.Count(text[:at.Start], "\n")
	return span{first, first + strings.Count(strings.TrimRight(text[at.Start:at.End], "\n"), "\n")}
}

// showsSignature reports whether a block holds the name of a symbol of the file; of a
// file without symbols, whether it shows any line.
func (g gold) showsSignature(b block) bool {
	if len(g.names) == 0 {
		return strings.TrimSpace(strings.ReplaceAll(b.text, elision, "")) != ""
	}
	held := map[string]bool{}
	for w := range strings.FieldsFuncSeq(b.text, func(r rune) bool { return !inName(r) }) {
		held[w] = true
	}
	return slices.ContainsFunc(g.names, func(name string) bool {
		parts := strings.FieldsFunc(name, func(r rune) bool { return !inName(r) }) // "a.b", "#c"
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return !held[p] })
	})
}

// elision stands for left out lines.
const elision = "⋮"

// full counts the bodies that a block shows. It says what is wrong if the block does not
// show the lines that its heading names.
func (g gold) full(b block) (n int, wrong string) {
	for _, r := range b.lines {
		if r[0] < 1 || r[1] > len(g.lines) || r[0] > r[1] {
			return 0, fmt.Sprintf("%s has no lines %d-%d", g.path, r[0], r[1])
		}
		if want := strings.TrimRight(strings.Join(g.lines[r[0]-1:r[1]], "\n"), "\n"); !strings.Contains(b.text, want) {
			return 0, fmt.Sprintf("%s: lines %d-%d are named and not shown", g.path, r[0], r[1])
		}
	}
	for _, body := range g.bodies {
		if g.shows(body, b) {
			n++
		}
	}
	return n, ""
}

// shows reports whether a block holds all lines of a body that change.
func (g gold) shows(body span, b block) bool {
	for _, l := range g.spans[body] {
		if !slices.ContainsFunc(b.lines, func(r [2]int) bool { return span(r).holds(l) }) {
			return false
		}
	}
	return true
}

// lookAt judges a pack's text.
func lookAt(text, engine string, budget int, golds []gold) packed {
	p := packed{Engine: engine, Budget: budget, Tokens: tokens.Count(text)}
	blocks := readPack(text)
	for _, g := range golds {
		b, ok := blocks[g.path]
		p.Shown = append(p.Shown, ok && g.showsSignature(b))
		p.Bodies += len(g.bodies)
		n, wrong := g.full(b)
		p.Full += n
		p.Wrong = cmp.Or(p.Wrong, wrong)
	}
	return p
}

// whole packs whole files in the order of a ranking; what does not fit is passed over.
type whole struct {
	counted map[string]int // tokens of each file's block, by path and hash
}

// leastFile is about the smallest file with its heading, in tokens: with less left,
// nothing more is tried.
const leastFile = 15

// slack is how far above the budget an estimate may lie for a file to be counted.
const slack = 1.25

func (w *whole) pack(code *codebase.RepoMap, ranking []string, budget int) (string, error) {
	var blocks []string
	left := budget
	for _, p := range ranking {
		c, _ := code.Chunk(p)
		if left < leastFile {
			break
		}
		if c == nil || c.Type == codebase.Test || float64(c.Tokens) > slack*float64(left) {
			continue
		}
		n, known := w.counted[c.Path+"\x00"+c.Hash]
		if known && n > left {
			continue
		}
		text, err := code.Read(p)
		if err != nil {
			return "", err
		}
		b := wholeBlock(p, string(c.Language), text)
		if !known {
			n = tokens.Count(b)
			w.counted[c.Path+"\x00"+c.Hash] = n
		}
		if n <= left {
			blocks = append(blocks, b)
			left -= n
		}
	}
	return strings.Join(blocks, ""), nil
}

func wholeBlock(path, language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	text = strings.TrimRight(clean(text), "\n")
	return fmt.Sprintf("### `%s:1-%d`\n%s%s\n%s\n%s\n\n", path, 1+strings.Count(text, "\n"), fence, language, text, fence)
}

// inName reports whether a character stands inside identifiers.
func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }
