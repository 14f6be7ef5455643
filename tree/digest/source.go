package digest

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// source is one child of a folder, cut into what a summary may say of it.
type source struct {
	name  string   // how its line begins: **Title** (`file.md`), or **folder/**
	short string   // the same in few tokens
	lead  string   // the sentence behind the name
	heads []string // of a folder: titles of what it holds
	parts []part
	names func() []string // identifiers and files, the most telling first

	leadless bool // an entry without a summary

	perByte float64 // tokens
}

// part is a passage with what the choice needs to know.
type part struct {
	passage
	terms  []int32
	worth  float64
	tokens int
}

// entrySource cuts an entry.
func (d *Writer) entrySource(e *format.Entry) *source {
	title := clip(plainProse(e.Title), maxTitle)
	file := "`" + strings.ReplaceAll(format.OneLine(path.Base(e.Path)), "`", "'") + "`"
	src := &source{
		name: "**" + strings.ReplaceAll(title, "*", "") + "** (" + file + ")", short: file,
		perByte: float64(e.Tokens()) / float64(max(len(e.Text), 1)),
		names:   func() []string { return entityNames(e, enoughNames) },
	}
	d.words.add(title)
	d.addParts(src, passages(e))
	src.lead = plainProse(e.Summary)
	src.leadless = src.lead == ""
	if comparableLine(src.lead) == comparableLine(title) {
		src.lead = ""
	}
	return src
}

// settle follows when all children are read: it weighs their terms, and gives the
// entries without a summary the passage that says most.
func (d *Writer) settle() {
	d.words.weigh()
	for _, s := range d.sources {
		if s.leadless {
			s.lead = d.bestOf(s)
		}
	}
}

func (d *Writer) addParts(src *source, ps []passage) {
	for _, p := range ps {
		n := int(math.Ceil(float64(len(p.text))*src.perByte)) + perPart
		src.parts = append(src.parts, part{passage: p, terms: d.words.add(p.text), worth: passageWorth[p.kind] * standalone(p.text),
			tokens: n})
	}
}

// standalone lowers what a passage is worth that leans on the one before it.
func standalone(s string) float64 {
	first, _, _ := strings.Cut(s, " ")
	switch first {
	case "It", "This", "These", "That", "They", "Those", "Such", "Otherwise", "Then", "Also", "So", "But":
		return 0.6
	}
	return 1
}

// bestOf is the passage of a source that says most in few words, the earlier the
// better.
func (d *Writer) bestOf(src *source) string {
	best, at := 0.0, -1
	for i, p := range src.parts {
		if p.kind == inChanges || p.kind == inPatterns || p.kind == inExcluded {
			continue
		}
		value := 0.0
		for _, t := range p.terms {
			value += d.words.weights[t]
		}
		value *= p.worth / math.Sqrt(float64(p.tokens+8)) / (1 + 0.05*float64(i))
		if value > best {
			best, at = value, i
		}
	}
	if at < 0 {
		return ""
	}
	return src.parts[at].text
}

// entityNames lists what an entry names, the most telling first: subjects of its
// facts, its files, inline code, keywords and, where these are less than enough,
// the words of its text and code in the form of identifiers.
func entityNames(e *format.Entry, enough int) []string {
	var order []string
	scores := make(map[string]float64, 4*enoughNames)
	put := func(name string, score float64) {
		if _, ok := scores[name]; !ok {
			order = append(order, name)
		}
		scores[name] += score
	}
	add := func(name string, score float64) {
		name = strings.Trim(format.OneLine(name), "`")
		if len(name) < 3 || len(name) > maxSourceName || strings.IndexByte(name, '`') >= 0 {
			return
		}
		if !looksNamed(name) {
			score /= 3
		}
		put(name, score)
	}
	for _, f := range e.Facts {
		add(f.Subject, 3)
	}
	for _, f := range e.Files {
		add(f.Path, 2.5)
	}
	for _, c := range e.Code {
		add(c.Of(e.Text), 2)
	}
	for _, k := range e.Keywords {
		add(k, 1.5)
	}
	if len(order) < enough {
		eachOwnWord(e, func(word string, has wordChars) {
			if len(order) < maxEntities && isShaped(word, has) && len(word) <= maxSourceName {
				put(word, 1)
			}
		})
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// eachOwnWord calls f with the words of the body outside relations, whose paths
// name other entries.
func eachOwnWord(e *format.Entry, f func(word string, has wordChars)) {
	at := e.Body.Start
	for _, r := range e.Relations {
		if r.At.Start >= at {
			eachWord(e.Text[at:r.At.Start], f)
			at = r.At.End
		}
	}
	eachWord(e.Text[at:], f)
}

// maxSourceName is the longest name that is listed, in bytes; longer code is a phrase.
const maxSourceName = 48

// looksNamed reports whether a name is more than a plain word: a path, a call, or
// a word in the form of an identifier.
func looksNamed(name string) bool {
	found := strings.ContainsAny(name, "._/:()")
	eachWord(name, func(word string, has wordChars) { found = found || isShaped(word, has) })
	return found
}

// A summary has room for some names of each entry, so one that marks enoughNames
// itself is not searched for more. maxEntities is what one entry can offer.
const enoughNames, maxEntities = 6, 400

// overviewSource cuts a context.md: the paragraph it begins with, and the rest.
func (d *Writer) overviewSource(e *format.Entry) *source {
	src := &source{perByte: float64(e.Tokens()) / float64(max(len(e.Text), 1)), names: func() []string { return nil }}
	ps := passages(e)
	n := leadingProse(ps)
	src.lead = joinedLead(ps[:n])
	d.addParts(src, ps[n:])
	return src
}

// leadingProse counts the passages at the start that are plain prose and fit a lead.
func leadingProse(ps []passage) int {
	n, size := 0, 0
	for n < len(ps) && ps[n].kind == inProse && (n == 0 || size+len(ps[n].text) <= maxLead) {
		size += len(ps[n].text)
		n++
	}
	return n
}

func joinedLead(ps []passage) string {
	var all []string
	for _, p := range ps {
		all = append(all, p.text)
	}
	return clip(strings.Join(all, " "), maxLead)
}

// Beginnings of lines that a summary is written with and, on the level above,
// read by.
const (
	headOpen   = "- **"
	partOpen   = "  - "
	holdsOpen  = "Holds: "
	namesOpen  = "Names: "
	coversOpen = "Covers: "
	notHere    = "Not here: "
)

// scopeLines are the lines of a summary that are whole passages.
var scopeLines = map[string]passageKind{coversOpen: inIncluded, notHere: inExcluded}

// folderSource cuts the summary of a folder, ours or anybody's.
func (d *Writer) folderSource(name, body string) *source {
	name = strings.ReplaceAll(plainProse(name+"/"), "*", "")
	src := &source{name: "**" + name + "**", short: "`" + strings.ReplaceAll(name, "`", "'") + "`",
		perByte: float64(tokens.Estimate(body)) / float64(max(len(body), 1))}
	r := &summaryReader{first: -1}
	for _, l := range markdown.Split(body, 0) {
		r.line(l.At.Of(body), l.Fence != 0)
	}
	r.prose.flush()
	n := min(leadingProse(r.prose.out), max(r.first, 0))
	src.lead = joinedLead(r.prose.out[:n])
	src.heads = append(r.heads, r.held...)
	src.names = func() []string { return r.names }
	d.words.add(name)
	for _, head := range src.heads {
		d.words.add(head)
	}
	d.addParts(src, r.prose.out[n:])
	return src
}

// summaryReader takes a summary apart again. Text in none of our forms is prose.
type summaryReader struct {
	prose passageReader
	first int // passages of the first paragraph; -1 while it may come
	heads []string
	held  []string
	names []string
}

func (r *summaryReader) line(s string, fence bool) {
	switch {
	case fence:
	case r.head(s):
		return
	case strings.HasPrefix(s, partOpen+holdsOpen):
		for title := range strings.SplitSeq(s[len(partOpen+holdsOpen):], "; ") {
			r.held = append(r.held, clip(plainProse(title), maxTitle))
		}
		return
	case strings.HasPrefix(s, partOpen+namesOpen):
		for name := range strings.SplitSeq(s[len(partOpen+namesOpen):], ", ") {
			r.names = append(r.names, format.OneLine(strings.ReplaceAll(name, "`", "")))
		}
		return
	}
	for open, kind := range scopeLines {
		if strings.HasPrefix(s, open) {
			r.prose.flush()
			r.endFirst(true)
			r.prose.add(s, kind)
			return
		}
	}
	r.prose.line(s, fence)
	r.endFirst(len(r.prose.out) > 0)
}

// endFirst notes where the first paragraph ends.
func (r *summaryReader) endFirst(ended bool) {
	if ended && r.first < 0 {
		r.first = len(r.prose.out)
	}
}

// head reads the line of a child: `- **Title** (file): lead`.
func (r *summaryReader) head(s string) bool {
	rest, ok := strings.CutPrefix(s, headOpen)
	if !ok {
		return false
	}
	title, rest, ok := strings.Cut(rest, "**")
	file, isFile := strings.CutPrefix(rest, " (`")
	if !ok || !isFile && !strings.HasSuffix(title, "/") {
		return false
	}
	if isFile {
		_, rest, _ = strings.Cut(file, "`)")
	}
	r.prose.flush()
	r.endFirst(true)
	r.heads = append(r.heads, clip(plainProse(title), maxTitle))
	if lead, ok := strings.CutPrefix(rest, ": "); ok {
		r.prose.line(lead, false)
		r.prose.flush()
	}
	return true
}
