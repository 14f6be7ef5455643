package overlap

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// kind is the kind of a term.
type kind uint8

// The kinds of terms, the less telling first.
const (
	plain    kind = iota
	proper        // a word in capitals within a sentence
	turning       // a word that turns a meaning round: not, never, only
	name          // an identifier
	quantity      // a number, with its unit if that is one of time
	file          // the base name of a file
	kinds
)

func (k kind) telling() bool { return k != plain }

// term is a distinct term of an entry or a statement: its number, and its kind in the lowest
// bits.
type term uint32

const kindBits = 3

func (t term) id() uint32 { return uint32(t >> kindBits) }
func (t term) kind() kind { return kind(t & (1<<kindBits - 1)) }

func termOf(id uint32, k kind) term { return term(id<<kindBits) | term(k) }

// profile holds the features kept for every entry; more is read of those that are compared.
type profile struct {
	entry    *format.Entry // without what it holds of credentials
	terms    []term        // of all it says, distinct, by number
	norm     float32       // length of the vector of rarities
	bodyHash uint64        // tells what its body says, but for its reason; 0 if that is little
}

// detail holds the parts of an entry for a close comparison.
type detail struct {
	title      []term
	statements [][]term // the summary first
}

// reader makes terms of texts.
type reader struct {
	ids     func(string) (uint32, bool)
	words   *words.Scanner
	buf     []term
	surface map[uint32]string // terms that are looked for, as they are written first
}

// terms are the distinct terms of a text, by number.
func (r *reader) terms(text string) []term {
	r.buf = r.buf[:0]
	r.add(text)
	return slices.Clone(distinct(r.buf))
}

// add reads the terms of a text into the buffer.
func (r *reader) add(text string) {
	put := func(s string, k kind, written string) {
		if id, ok := r.ids(s); ok {
			if w, wanted := r.surface[id]; wanted && w == "" {
				r.surface[id] = strings.Clone(written)
			}
			r.buf = append(r.buf, termOf(id, k))
		}
	}
	code := markdown.CodeSpans(text)
	r.words.Scan(text, func(t words.Token) {
		written := text[t.Start:t.End]
		named := code.Holds(t.Start) || marked(text, t.Start)
		switch t.Kind {
		case words.Name, words.Compound:
			if t.Kind == words.Compound {
				if f := fileName(written); f != "" {
					put("f "+f, file, f)
				}
			}
			if strings.Trim(written, "0123456789.:-/") == "" { // numbers only
				return
			}
			put(t.Term, identifier(named, written), written)
		case words.Plain:
			low := strings.ToLower(written)
			switch {
			case turningWords[low]:
				put(t.Term, turning, written)
			case t.Stop:
			case words.IsDigits(written):
			default:
				put(t.Term, kindOf(named, text, t, written), written)
			}
		}
	})
	quantities(text, func(q string) { put("n "+q, quantity, q) })
}

// identifier tells whether a word of several parts is one: read-only is not.
func identifier(named bool, written string) kind {
	if named || strings.ContainsAny(written, "_./:") {
		return name
	}
	for i, r := range written {
		if i > 0 && unicode.IsUpper(r) || r >= '0' && r <= '9' {
			return name
		}
	}
	return plain
}

// fileName is the folded base name of a file that a word names, "" if it names none.
func fileName(written string) string {
	if i := strings.IndexByte(written, ':'); i >= 0 {
		written = written[:i]
	}
	base := written[strings.LastIndexByte(written, '/')+1:]
	dot := strings.LastIndexByte(base, '.')
	if dot < 1 || !fileEndings[base[dot+1:]] {
		return ""
	}
	return strings.ToLower(base)
}

// fileEndings are the endings by which a word is known as a file's name.
var fileEndings = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(
		`go py ts tsx js jsx mjs cjs rs java kt kts swift rb php c h cc cpp hpp cs m mm scala ex exs erl clj lua sql sh bash zsh ps1 bat
		tf hcl yaml yml json toml ini cfg conf env xml html css scss less vue svelte md mdx rst adoc txt csv proto avsc graphql
		lock ejs erb tpl tmpl st
		gradle cmake mk service plist entitlements ipynb r dart zig nix pl pm bazel bzl`) {
		out[w] = true
	}
	return out
}()

// distinct sorts terms by number and keeps one of each, of the most telling kind.
func distinct(ts []term) []term {
	slices.SortFunc(ts, func(a, b term) int {
		if a.id() != b.id() {
			return int(a.id()) - int(b.id())
		}
		return int(b.kind()) - int(a.kind())
	})
	return slices.CompactFunc(ts, func(a, b term) bool { return a.id() == b.id() })
}

// turningWords turn what is said round, or bound it.
var turningWords = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "only": true, "except": true, "unless": true, "none": true,
	"neither": true, "nor": true, "cannot": true,
	"before": true, "after": true, "above": true, "below": true,
}

// kindOf returns the kind of a word.
func kindOf(named bool, text string, t words.Token, written string) kind {
	switch {
	case named, strings.ContainsFunc(written, unicode.IsDigit):
		return name
	case capitalInside(text, t.Start, written):
		return proper
	}
	return plain
}

// marked reports whether a word stands behind a sign that makes it a name: a channel, a person,
// an option.
func marked(text string, i int) bool {
	if i == 0 || strings.IndexByte("#@-$", text[i-1]) < 0 {
		return false
	}
	for i > 0 && text[i-1] == '-' {
		i--
	}
	return i > 0 && (strings.IndexByte("#@$", text[i-1]) >= 0 || strings.IndexByte(" (`\"'", text[i-1]) >= 0)
}

// capitalInside reports whether a word is written with a capital that no beginning of a
// sentence gives it.
func capitalInside(text string, start int, written string) bool {
	first, n := utf8.DecodeRuneInString(written)
	if strings.ContainsFunc(written[n:], unicode.IsUpper) {
		return true
	}
	if !unicode.IsUpper(first) {
		return false
	}
	for start > 0 && strings.IndexByte(" \t\"'(*_`[", text[start-1]) >= 0 {
		start--
	}
	return start > 0 && strings.IndexByte(".!?:-|>\n#", text[start-1]) < 0
}

// statements are the sentences, list items and table rows of a body, without labels and what
// only marks code; headings are those that are not the format's own.
func statements(body string) (out, headings []string) {
	var paragraph strings.Builder
	flush := func() {
		out = append(out, markdown.Sentences(paragraph.String())...)
		paragraph.Reset()
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		item := strings.TrimLeft(line, "-*+> \t0123456789.)")
		switch {
		case strings.HasPrefix(line, "#"):
			flush()
			if h := strings.TrimLeft(line, "# "); !sections[h] {
				headings = append(headings, h)
			}
			continue
		case line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "---"):
			flush()
			continue
		case strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "|") ||
			strings.HasPrefix(line, "**"):
			flush()
			line = item
		case item != line && len(line) > 0 && line[0] >= '0' && line[0] <= '9' && item != "":
			flush()
			line = item
		}
		if label, rest, ok := strings.Cut(strings.TrimPrefix(line, "**"), ":**"); ok && len(label) < 30 {
			line = rest
		}
		paragraph.WriteString(line)
		paragraph.WriteByte('\n')
	}
	flush()
	return out, headings
}

// sections are the headings of the format (specification, "Context Tree Structure").
var sections = map[string]bool{
	"Raw Concept": true, "Narrative": true, "Facts": true, "Relations": true,
	"Structure": true, "Dependencies": true, "Highlights": true, "Rules": true, "Examples": true, "Diagrams": true, "Reason": true,
}

// Statements returns the statements of an entry's body, one by one: its sentences, list items and table
// rows, without headings, labels, marks of lists and what only marks code.
func Statements(body string) []string {
	out, _ := statements(body)
	return trimmed(out)
}

func trimmed(list []string) (out []string) {
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// saysEnough is the share of a line's plain words that another must have to say it; of the
// telling ones it must have all.
const saysEnough = 0.8

// Says reports whether a line says all that another says: the same names, numbers and turns,
// and nearly all its words.
func Says(line, other string) bool {
	if strings.TrimSpace(line) == strings.TrimSpace(other) {
		return true
	}
	x := &Index{ids: map[string]uint32{}}
	r := reader{ids: x.id, words: words.Borrow()}
	defer r.words.Return()
	a, b := r.terms(line), r.terms(other)
	have := map[uint32]bool{}
	turnsA, turnsB := 0, 0
	for _, t := range a {
		have[t.id()] = true
		if t.kind() == turning {
			turnsA++
		}
	}
	plainWords, both := 0, 0
	for _, t := range b {
		switch {
		case t.kind() == turning:
			turnsB++
			if !have[t.id()] {
				return false
			}
		case t.kind().telling():
			if !have[t.id()] {
				return false
			}
		default:
			plainWords++
			if have[t.id()] {
				both++
			}
		}
	}
	return len(b) > 0 && turnsA == turnsB && float64(both) >= saysEnough*float64(plainWords)
}
