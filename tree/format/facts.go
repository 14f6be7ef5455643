package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Categories are the words that a fact's category can be (specification
// "Content Sections").
var Categories = []string{"personal", "project", "preference", "convention", "team", "environment", "other"}

// readFacts reads the Facts section. A word in brackets that is no category stays part of the statement and
// is reported as a hint.
func (p *parser) readFacts() {
	b, ok := p.layout.block(PartFacts)
	if !ok {
		return
	}
	for _, it := range p.layout.facts(b, p.said) {
		f, said := it.fact, strings.TrimRight(it.At.Of(p.said), space)
		if strings.TrimLeft(said, space) == "" {
			continue // a comment
		}
		f.At = markdown.Span{Start: it.Mark, End: it.At.End}
		p.Facts = append(p.Facts, f)
		if word := unknownCategory(said); word != "" && f.Category == "" {
			end := it.At.Start + len(said) - 1
			p.report(CodeCategory, SeverityHint, "["+word+"] is not one of the categories "+strings.Join(Categories, ", ")+
				"; it is read as part of the statement", markdown.Span{Start: end - len(word), End: end})
		}
	}
}

// facts are the items of a list of facts. Text below an item with a subject belongs to that subject, and is its statement if
// the item has none.
func (l *layout) facts(b block, text string) (out []listItem) {
	above := ""
	for _, it := range l.items(b, listFacts) {
		x := listItem{item: it, fact: ParseFact(OneLine(it.At.Of(text)))}
		if c := cells(x.At.Of(text)); it.Row {
			x.fact = ParseFact("**" + OneLine(strings.Trim(c[0], "*_` ")) + "**: " + OneLine(c[1]))
		} else if it.Mark == it.At.Start || l.text[it.Mark] != ' ' && l.text[it.Mark] != '\t' {
			above = x.fact.Subject
		} else if above != "" && x.fact.Subject != "" {
			x.above = above + " "
			x.fact.Subject = x.above + x.fact.Subject
		} else if n := len(out) - 1; n >= 0 && out[n].fact == (Fact{Subject: above}) {
			x.above, x.fact.Subject = above, above
			x.Mark, x.Lines.Start, out = out[n].Mark, out[n].Lines.Start, out[:n]
		}
		out = append(out, x)
	}
	return out
}

// in is a fact as it is written in the place of an item.
func (f Fact) in(x listItem) string {
	if n := len(x.above); len(f.Subject) >= n && strings.EqualFold(f.Subject[:n], x.above) {
		f.Subject = f.Subject[n:]
	}
	if !x.Row {
		return f.String()
	}
	rest := f
	rest.Subject = ""
	return "| " + strings.ReplaceAll(f.Subject, "|", `\|`) + " | " + strings.ReplaceAll(rest.String(), "|", `\|`) + " |"
}

// ParseFact reads the text of one item:
//
//	**subject**: statement = `value` [category]
//
// of which subject, value and category may be absent.
func ParseFact(s string) Fact {
	var f Fact
	if subject, rest, ok := cutSubject(s); ok {
		f.Subject, s = subject, strings.TrimLeft(rest, " ")
	} else if m := plainSubject().FindStringSubmatch(s); m != nil {
		f.Subject, s = m[1], m[2]
	}
	s, f.Category = cutCategory(s)
	s, f.Value = cutValue(s)
	f.Statement = s
	return f
}

// plainSubject is a subject without marks: at most three words.
var plainSubject = lazyregexp.New(`^(\pL[\pL\pN_./-]*(?: [\pL\pN_./-]+){0,2})\s?(?:: +|：\s*|:$)(.*)$`)

// cutCategory splits "text [category]".
func cutCategory(s string) (text, category string) {
	i := strings.LastIndexByte(s, '[')
	if i < 1 || !strings.HasSuffix(s, "]") {
		return s, ""
	}
	category = strings.ToLower(s[i+1 : len(s)-1])
	if !slices.Contains(Categories, category) {
		return s, ""
	}
	return strings.TrimRight(s[:i], " "), category
}

// unknownCategory is the word that stands where a category would.
func unknownCategory(s string) string {
	i := strings.LastIndexByte(s, '[')
	if i < 1 || s[i-1] != ' ' || !strings.HasSuffix(s, "]") || len(s)-i > 34 {
		return ""
	}
	word := s[i+1 : len(s)-1]
	if strings.Trim(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return word
}

// cutValue splits "text = `value`". The value is inline code, so that readers that do not know values show it
// as part of the statement.
func cutValue(s string) (text, value string) {
	inner := strings.TrimRight(s, "`")
	n := len(s) - len(inner)
	start := lastRun(inner, n)
	if n == 0 || start < 0 {
		return s, ""
	}
	value = strings.Trim(inner[start+n:], " ")
	before, equals := strings.CutSuffix(s[:start], "= ")
	if value == "" || !equals || (before != "" && !strings.HasSuffix(before, " ")) {
		return s, "" // "x=`1`" and "x == `1`" are the author's own
	}
	return strings.TrimRight(before, " "), value
}

// lastRun finds the last run of exactly n backticks that no longer one follows.
func lastRun(s string, n int) int {
	for end := len(s); end > 0; end-- {
		if s[end-1] != '`' {
			continue
		}
		start := len(strings.TrimRight(s[:end], "`"))
		switch {
		case end-start == n:
			return start
		case end-start > n:
			return -1
		}
		end = start + 1
	}
	return -1
}

// codeSpan writes inline code that its content cannot end. Content that has
// backticks gets a longer run, and a space on both sides.
func codeSpan(s string) string {
	n := markdown.LongestRun(s, '`')
	if n == 0 {
		return "`" + s + "`"
	}
	run := strings.Repeat("`", n+1)
	return run + " " + s + " " + run
}
