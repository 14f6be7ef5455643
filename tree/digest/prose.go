package digest

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// plainProse makes one line of text that is safe inside another file's line:
// white space is single blanks, back-ticks pair, and nothing is a relation.
func plainProse(s string) string {
	return withoutMentions(pairedTicks(format.OneLine(s)))
}

// pairedTicks keeps inline code if every back-tick has its partner. Otherwise it turns back-ticks into
// apostrophes, since an odd one would turn the text behind it into code.
func pairedTicks(s string) string {
	if strings.IndexByte(s, '`') < 0 {
		return s
	}
	code, loose := markdown.CodeSpans(s), false
	for i := range len(s) {
		loose = loose || s[i] == '`' && !code.Holds(i)
	}
	if loose {
		return strings.ReplaceAll(s, "`", "'")
	}
	return s
}

// withoutMentions writes relations as plain words: a summary is generated, so it must not count as a backlink
// of the entries that it names. Links that are nested too deeply only lose their brackets.
func withoutMentions(s string) string {
	for range 3 {
		plain, ok := unlinked(s)
		if !ok {
			return s
		}
		s = plain
	}
	return strings.NewReplacer("@", "", "[", "(", "]", ")").Replace(s)
}

// unlinkedLines removes the relations that arise when two clean parts are joined, such as "[x" and "y](z)".
func unlinkedLines(text string) string {
	if !strings.ContainsAny(text, "@[") {
		return text
	}
	ls := strings.Split(text, "\n")
	for i := range ls {
		ls[i] = withoutMentions(ls[i])
	}
	return strings.Join(ls, "\n")
}

// unlinked replaces the relations found in one pass; ok is false if there are none.
func unlinked(s string) (plain string, ok bool) {
	if !strings.ContainsAny(s, "@[") {
		return s, false
	}
	var b strings.Builder
	code, last := markdown.CodeSpans(s), 0
	for i := 0; i < len(s); i++ {
		if s[i] != '@' && s[i] != '[' || code.Holds(i) {
			continue
		}
		r, end, found := format.ScanMention(s, i)
		if !found {
			continue
		}
		words, end := mentionWords(s, i, r, end)
		b.WriteString(strings.TrimSuffix(s[last:i], "!"))
		b.WriteString(words)
		last, i, ok = end, end-1, true
	}
	b.WriteString(s[last:])
	return b.String(), ok
}

// mentionWords returns the visible text of the relation at s[i:end], and where it
// ends with its closing bracket.
func mentionWords(s string, i int, r format.Mention, end int) (string, int) {
	switch r.Form {
	case format.FormAt:
		return strings.TrimLeft(s[i:end], "@"), end
	case format.FormWiki:
		inner := s[i+2 : end-2]
		if _, text, ok := strings.Cut(inner, "|"); ok {
			inner = text
		}
		return strings.TrimLeft(inner, "@"), end
	}
	if !strings.HasSuffix(s[:r.At.Start], "](") {
		return "", len(s) // a reference's definition
	}
	if j := strings.IndexByte(s[end:], ')'); j >= 0 {
		end += j + 1
	}
	text, _, _ := strings.Cut(s[i+1:], "](")
	return text, end
}

// clip shortens a line to at most n bytes: behind a sentence if one ends late
// enough, else between words.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = sanitize.Cut(s, 4*n)
	whole := ""
	for _, part := range markdown.Sentences(s) {
		if len(whole)+1+len(part) > n {
			break
		}
		whole = strings.TrimSpace(whole + " " + part)
	}
	if 2*len(whole) >= n {
		return whole
	}
	short := sanitize.Cut(s, n-len("…"))
	if j := strings.LastIndexByte(short, ' '); 2*j > len(short) {
		short = short[:j]
	}
	if paired := pairedTicks(short); paired != short {
		short = short[:strings.LastIndexByte(short, '`')]
	}
	return strings.TrimRight(short, " ,;:.(-–—`") + "…"
}

// comparableLine is a line as it is compared to find repetitions.
func comparableLine(s string) string {
	return strings.ToLower(strings.TrimRight(format.OneLine(strings.ReplaceAll(s, "`", "")), ".!;: "))
}

// What one part of a text may take, in bytes; a lead of that length has some 60 tokens.
const maxTitle, maxLead = 120, 240

// titleOf is an entry's title in a form that fits a line of another file.
func titleOf(e *format.Entry) string { return clip(plainProse(e.Title), maxTitle) }

// quoted is a name as inline code.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "'") + "`" }

// asides are the headings and labels of the format whose text is not prose or is only about the entry itself:
// who wrote it, when, why, and from which sources.
var asides = map[string]bool{
	"reason": true, "examples": true, "diagrams": true, "relations": true, "related": true, "related topics": true, "ownership": true,
	"changes": true, "files": true, "flow": true, "patterns": true, "timestamp": true, "author": true,
	"facts": true, // are read as such
}

// paragraphs are the paragraphs and list items of a text as lines, without code, tables, headings and asides.
func paragraphs(text string, from int) (out []string) {
	var open []string
	under, aside := false, false // the heading is one, or the label below it
	end := func() {
		if len(open) > 0 && !aside {
			out = append(out, format.OneLine(strings.Join(open, " ")))
		}
		open = open[:0]
	}
	for _, l := range markdown.Split(text, from) {
		s := strings.TrimLeft(strings.TrimSpace(l.At.Of(text)), "> ")
		level, title := markdown.Heading(s)
		name, rest, labelled := format.Label(s)
		switch item := markdown.Item(s); {
		case l.Fence != 0, s == "", s[0] == '|', strings.Trim(s, "-=*_ ") == "":
			end()
			continue
		case level > 0:
			end()
			under = asides[strings.ToLower(title)]
			aside = under
			continue
		case labelled:
			end()
			aside = under || asides[strings.ToLower(name)]
			if aside || strings.EqualFold(name, "task") {
				s = s[rest:]
			}
		case item > 0:
			end()
			s = strings.TrimPrefix(strings.TrimPrefix(s[item:], "[ ] "), "[x] ")
		}
		open = append(open, s)
	}
	end()
	return out
}

// leadOf is the beginning of a text.
func leadOf(paragraphs []string) string {
	if len(paragraphs) == 0 {
		return ""
	}
	return clip(plainProse(sanitize.Cut(paragraphs[0], 8*maxLead)), maxLead)
}

// Limits in bytes on a sentence: a shorter one is not useful, and a longer one is probably a dump.
const minSentence, maxSentence = 12, 600

// sentences returns the sentences of paragraphs as plain lines.
func sentences(paragraphs []string) (out []string) {
	for _, p := range paragraphs {
		for _, s := range markdown.Sentences(p) {
			if len(s) > 2*maxSentence {
				continue
			}
			s = plainProse(s)
			if len(s) >= minSentence && len(s) <= maxSentence && !strings.HasSuffix(s, ":") && markdown.FenceRun(s) == "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// sentencesOf are the sentences of an entry, its facts last.
func sentencesOf(e *format.Entry) []string {
	all := paragraphs(e.Said(), e.Body.Start)
	for _, f := range e.Facts {
		if f.Subject != "" {
			f.Statement = f.Subject + ": " + f.Statement
		}
		all = append(all, f.Statement)
	}
	return sentences(all)
}

// Lead is an entry's summary, or else the beginning of its text, about a sentence.
func Lead(e *format.Entry) string {
	if e.Summary != "" {
		return e.Summary
	}
	all := sentencesOf(e)
	return clip(strings.Join(all[:min(1, len(all))], ""), maxLead)
}

// paragraph keeps the start of a line of prose from being markdown.
func paragraph(s string) string {
	if markdown.Item(s) > 0 || s[0] == '#' || s[0] == '>' || s[0] == '|' || markdown.FenceRun(s) != "" || strings.Trim(s, "-=*_ ") == "" {
		return `\` + s
	}
	return s
}
