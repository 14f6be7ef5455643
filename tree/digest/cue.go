package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// stubTokens is about how long a stub's text is (specification, "Archive Stub").
const stubTokens = 220

// stubProse bounds a stub's sentences at first, so that there is room for
// names, by which archived knowledge is looked for. They get what names leave.
const stubProse = stubTokens / 2

// Cue writes a stub's text: the title as heading, what the entry says in the few
// sentences that say most, and its names.
func Cue(e *format.Entry) string {
	d := &Writer{words: newLexicon(1)}
	src := d.entrySource(e)
	d.sources = []*source{src}
	d.settle()
	names := entityNames(e, maxEntities)
	text := d.cueProse(e, stubProse)
	named := nameLines(append(names, e.Tags...), text)
	if left := stubTokens - tokens.Estimate(text+named); left > 0 {
		text = d.cueProse(e, stubProse+left)
		named = nameLines(append(names, e.Tags...), text)
	}
	return UnlinkedLines(text + named)
}

// cueProse is the heading and the sentences of a stub, in about budget tokens.
func (d *Writer) cueProse(e *format.Entry, budget int) string {
	src, title := d.sources[0], clip(plainProse(e.Title), maxTitle)
	said := d.silence()
	said.add(title, d.words.known(title))
	var prose []string
	if src.lead != "" {
		prose = append(prose, clip(src.lead, 2*maxLead))
		for _, sentence := range markdown.Sentences(src.lead) {
			said.add(sentence, d.words.known(sentence))
		}
	}
	picked, _ := d.pick(said, budget-tokens.Estimate(title+strings.Join(prose, " ")))
	for _, i := range picked[1] {
		prose = append(prose, src.parts[i].text)
	}
	text := "# " + title + "\n"
	if len(prose) > 0 {
		text += "\n" + paragraph(asSentences(prose)) + "\n"
	}
	return text
}

// asSentences joins passages; what ends without a mark gets a full stop.
func asSentences(prose []string) string {
	for i, s := range prose {
		if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".!?:…。！？", last) {
			prose[i] = s + "."
		}
	}
	return strings.Join(prose, " ")
}

// nameLines lists the names that text does not show, as many as fit a stub.
func nameLines(all []string, text string) string {
	left := stubTokens - tokens.Estimate(text) - perPart
	var names []string
	for _, name := range all {
		name = quotedName(format.OneLine(name))
		cost := tokens.Estimate(name) + 1
		if cost > left || strings.Contains(text, name) || slices.Contains(names, name) {
			continue
		}
		left -= cost
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "\nKey entities: " + strings.Join(names, ", ") + ".\n"
}
