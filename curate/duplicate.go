package curate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	terms "github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// stems are the distinct terms of a text that tell something.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	terms.Each(text, func(t terms.Token) {
		if !t.Stop && (t.Kind == terms.Plain || t.Kind == terms.Pair) {
			out[t.Term] = true
		}
	})
	return out
}

// figure is a number in a text: a statement with another one is another statement.
var figure = lazyregexp.New(`\d[\d.,:]*\d|\d`)

// statedIn tells whether a text has a statement, or all its telling terms and numbers.
func statedIn(text string) func(statement string) bool {
	has := stems(text)
	for _, n := range figure().FindAllString(text, -1) {
		has[n] = true
	}
	return func(statement string) bool {
		if strings.Contains(text, statement) {
			return true
		}
		for w := range stems(statement) {
			if !has[w] {
				return false
			}
		}
		return !slices.ContainsFunc(figure().FindAllString(statement, -1), func(n string) bool { return !has[n] })
	}
}

// sameTitle reports whether two titles are one, but for case and signs.
func sameTitle(a, b string) bool {
	return strings.EqualFold(oneLine(a), oneLine(b)) || format.Slug(a) == format.Slug(b) && format.Slug(a) != "entry"
}

// same is the entry that says what an idea says, nil if none does: one with its title, or the only
// one that was drafted from the same commit or file before.
func (d *drafting) same(i idea) *format.Entry {
	if i.entry != "" {
		return nil // what was selected in an entry is kept beside it
	}
	reason := strings.TrimSuffix(i.reason, ".")
	var drafted []*format.Entry
	for _, e := range d.work.Entries() {
		switch {
		case e.Role != format.RoleEntry:
		case sameTitle(i.title, e.Title):
			return e
		case i.complete && strings.Contains(e.Text, reason):
			drafted = append(drafted, e)
		}
	}
	if len(drafted) == 1 {
		return drafted[0]
	}
	return nil
}

// bareFile is the path of an item of a list of files.
func bareFile(item string) string {
	item = strings.Trim(item, "`")
	if i := strings.LastIndexByte(item, ':'); i > 0 && strings.Trim(item[i+1:], "0123456789-") == "" {
		item = item[:i]
	}
	return item
}

// update proposes what is new in an idea for the entry that says the rest.
func (d *drafting) update(i idea, e *format.Entry) {
	content, any := d.additions(i, e)
	if !any {
		d.refuse("%s: nothing proposed: %s says it already", i.title, e.Path)
		return
	}
	if d.touched[e.Path] {
		d.refuse("%s: not proposed: %s is changed by another operation of this proposal; draft it again after that",
			i.title, e.Path)
		return
	}
	op := plan.Op{Type: plan.OpUpdate, Path: e.Path, Content: content, Reason: i.reason}
	text, ok := d.revised(&op, e)
	if !ok {
		d.refuse("%s: not proposed: %s could not be updated so that it reads the same", i.title, e.Path)
		return
	}
	if text == e.Text {
		d.refuse("%s: nothing proposed: %s says it already", i.title, e.Path)
		return
	}
	d.work = d.work.With(e.Path, text)
	d.propose(op, e.Path)
}

// revised is an entry's text after an update that gives it no new problem.
func (d *drafting) revised(op *plan.Op, e *format.Entry) (text string, ok bool) {
	before := len(d.work.Problems(e.Path))
	for round := range 2 {
		if round == 1 {
			blunt(op)
		}
		text, _ = e.Revise(format.Revision{Content: op.Content, Replace: op.Replace})
		if len(d.work.With(e.Path, text).Problems(e.Path)) <= before {
			return text, true
		}
	}
	return "", false
}

// additions are the parts of an idea that an entry does not say. Of a narrative these are the
// paragraphs and items that stand nowhere in the entry, and come behind what does: nothing is
// replaced or taken away, since nobody knows here which of it a person wrote.
func (d *drafting) additions(i idea, e *format.Entry) (c format.Content, any bool) {
	has, said := e.Content(), statedIn(e.Text)
	raw, more := cmp.Or(i.content.RawConcept, &format.RawConcept{}), &format.RawConcept{}
	for _, line := range raw.Changes {
		if !said(line) {
			more.Changes = append(more.Changes, line)
		}
	}
	for _, f := range raw.Files {
		if !slices.ContainsFunc(e.Files, func(r format.FileRef) bool { return r.Path == bareFile(f) }) {
			more.Files = append(more.Files, f)
		}
	}
	for _, s := range i.content.Snippets {
		if !said(strings.Trim(s, "`\n")) {
			c.Snippets = append(c.Snippets, s)
		}
	}
	now, was := cmp.Or(i.content.Narrative, &format.Narrative{}), cmp.Or(has.Narrative, &format.Narrative{})
	news := &format.Narrative{
		Structure: joined(said, was.Structure, now.Structure), Highlights: joined(said, was.Highlights, now.Highlights),
	}
	if news.Structure+news.Highlights != "" {
		c.Narrative = news
	}
	if len(more.Changes)+len(more.Files) > 0 {
		c.RawConcept = more
	}
	if any = c.RawConcept != nil || c.Narrative != nil || len(c.Snippets) > 0; !any {
		return c, false
	}
	for _, k := range i.content.Keywords {
		if !slices.Contains(has.Keywords, k) && len(has.Keywords)+len(c.Keywords) < maxKeywords {
			c.Keywords = append(c.Keywords, k)
		}
	}
	return c, true
}

// joined is a text of an entry with the blocks of another behind it that the entry does not say,
// "" if it says all.
func joined(said func(string) bool, was, now string) string {
	text := was
	for _, b := range blocks(now) {
		if !said(b) {
			text = behind(text, b)
		}
	}
	if text == was {
		return ""
	}
	return text
}

// maxKeywords is how many names an entry gets to be found by.
const maxKeywords = 8

// blocks are the paragraphs of a text, each item of a list and each fenced block for itself.
func blocks(text string) (out []string) {
	var now []string
	end := func() {
		if len(now) > 0 {
			out = append(out, strings.Join(now, "\n"))
		}
		now = nil
	}
	for l := range markdown.Lines(text) {
		s := l.At.Of(text)
		switch {
		case l.Fence != markdown.FenceNone:
		case strings.TrimSpace(s) == "":
			end()
			continue
		case bullet().MatchString(s) && strings.TrimLeft(s, " ") == s:
			end()
		}
		now = append(now, s)
	}
	end()
	return out
}

// behind is a text with a block behind it: an item below those of a list, anything else below
// a blank line.
func behind(text, block string) string {
	text = strings.TrimRight(text, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	switch {
	case text == "":
		return block
	case bullet().MatchString(block) && (bullet().MatchString(last) || strings.HasPrefix(last, " ")):
		return text + "\n" + block
	}
	return text + "\n\n" + block
}
