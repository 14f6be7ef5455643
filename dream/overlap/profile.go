package overlap

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
	"github.com/brv-lsp/brv-lsp/tree"
)

// kind is what a term is.
type kind uint8

const (
	plain   kind = iota
	name         // an identifier, a file, a word in capitals within a sentence
	number       // anything with a digit
	turning      // a word that turns a meaning round: not, never, only
)

func (k kind) telling() bool { return k != plain }

// term is a distinct term of an entry or a statement.
type term struct {
	id   uint32
	kind kind
}

// profile is what of an entry is compared.
type profile struct {
	path       string
	terms      []term // of all it says, distinct, by id
	title      []term
	statements [][]term
	files      []string // base names of listed files, sorted
	norm       float64  // sum of the terms' squared rarity
}

// reader makes profiles.
type reader struct {
	x     *Index
	words *words.Scanner
}

func newReader(x *Index) *reader { return &reader{x, words.Borrow()} }

func (r *reader) close() { r.words.Return() }

// read makes the profile of an entry.
func (r *reader) read(e *tree.Entry) *profile {
	e = e.Redacted()
	p := &profile{path: e.Path, title: r.terms(e.Title)}
	if e.Summary != "" {
		p.statements = append(p.statements, r.terms(e.Summary))
	}
	for _, s := range statements(e.Body.Of(e.Text)) {
		if len(p.statements) >= maxStatements {
			break
		}
		if ts := r.terms(s); len(ts) > 0 {
			p.statements = append(p.statements, ts)
		}
	}
	p.terms = slices.Clone(p.title)
	for _, s := range p.statements {
		p.terms = append(p.terms, s...)
	}
	p.terms = append(p.terms, r.terms(strings.Join(append(slices.Clone(e.Tags), e.Keywords...), "\n"))...)
	p.terms = distinct(p.terms)
	for _, f := range e.Files {
		p.files = append(p.files, path.Base(f.Path))
	}
	slices.Sort(p.files)
	p.files = slices.Compact(p.files)
	return p
}

// terms are the distinct terms of a text, by id.
func (r *reader) terms(text string) []term {
	var out []term
	r.words.Scan(text, func(t words.Token) {
		switch t.Kind {
		case words.Plain, words.Name, words.Compound:
			turns := turningWords[strings.ToLower(text[t.Start:t.End])]
			if t.Stop && !turns {
				return
			}
			out = append(out, term{r.x.id(t.Term), kindOf(text, t, turns)})
		case words.Pair:
			if !isASCII(t.Term) { // of scripts without spaces the pairs are the words
				out = append(out, term{r.x.id(t.Term), plain})
			}
		}
	})
	return distinct(out)
}

func (x *Index) id(s string) uint32 {
	id, ok := x.ids[s]
	if !ok {
		id = uint32(len(x.ids))
		s = strings.Clone(s)
		x.ids[s], x.names = id, append(x.names, s)
	}
	return id
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// distinct sorts terms by id and keeps one of each, of the most telling kind.
func distinct(ts []term) []term {
	slices.SortFunc(ts, func(a, b term) int {
		if a.id != b.id {
			return int(a.id) - int(b.id)
		}
		return int(b.kind) - int(a.kind)
	})
	return slices.CompactFunc(ts, func(a, b term) bool { return a.id == b.id })
}

// turningWords turn what is said round, or bound it.
var turningWords = map[string]bool{
	"not": true, "no": true, "never": true, "without": true, "only": true, "except": true, "unless": true, "none": true, "neither": true, "nor": true, "cannot": true,
	"before": true, "after": true, "above": true, "below": true,
}

// kindOf says what a token of a text is.
func kindOf(text string, t words.Token, turns bool) kind {
	written := text[t.Start:t.End]
	switch {
	case turns:
		return turning
	case strings.ContainsFunc(written, unicode.IsDigit):
		return number
	case t.Kind != words.Plain || strings.ContainsAny(written, "_./"):
		return name
	case inCode(text, t.Start, t.End) || capitalInside(text, t.Start, written):
		return name
	}
	return plain
}

// inCode reports whether a word stands in inline code that holds nothing else.
func inCode(text string, start, end int) bool {
	return start > 0 && text[start-1] == '`' && end < len(text) && text[end] == '`'
}

// capitalInside reports whether a word is written with a capital that no beginning of a
// sentence gives it.
func capitalInside(text string, start int, written string) bool {
	for i, r := range written {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	if written == "" || !unicode.IsUpper([]rune(written)[0]) {
		return false
	}
	before := strings.TrimRight(text[:start], " \t\"'(*_`[")
	return before != "" && !strings.ContainsRune(".!?:-•>|\n", rune(before[len(before)-1]))
}

// statements are the sentences, list items and table rows of a body, without headings,
// labels and what only marks code.
func statements(body string) []string {
	var out []string
	var paragraph strings.Builder
	flush := func() {
		out = append(out, sentences(paragraph.String())...)
		paragraph.Reset()
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		item := strings.TrimLeft(line, "-*+> \t0123456789.)")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "---"):
			flush()
			continue
		case strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "**"):
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
	return out
}

// sentences cuts a paragraph.
func sentences(text string) []string {
	var out []string
	from := 0
	for i, r := range text {
		end := r == '。' || r == '！' || r == '？'
		if (r == '.' || r == '!' || r == '?' || r == ';') && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n') {
			end = true
		}
		if end {
			out = append(out, text[from:i+len(string(r))])
			from = i + len(string(r))
		}
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		out = append(out, rest)
	}
	return out
}
