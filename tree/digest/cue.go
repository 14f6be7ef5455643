package digest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// stubTokens is about how long a stub's text is (specification, "Archive Stub").
const stubTokens = 220

// stubProse is the first limit on a stub's sentences. It leaves room for names, which searches need to find
// archived knowledge. If the names leave room, the sentences get it.
const stubProse = stubTokens / 2

// Cue writes a stub's text: the title as heading, what the entry says first, and its names.
func Cue(e *format.Entry) string {
	says := append(markdown.Sentences(clip(plainProse(e.Summary), 2*maxLead)), sentencesOf(e)...)
	names := append(namesIn(e), e.Tags...)
	text := cueProse(titleOf(e), says, stubProse)
	named := nameLines(names, text)
	if left := stubTokens - tokens.Estimate(text+named); left > 0 {
		text = cueProse(titleOf(e), says, stubProse+left)
		named = nameLines(names, text)
	}
	return unlinkedLines(text + named)
}

// cueProse is the heading and the sentences of a stub, in about budget tokens.
func cueProse(title string, says []string, budget int) string {
	text := "# " + title + "\n"
	not := said{}
	not.add(title)
	if taken, _ := inTurn([][]string{says}, budget-tokens.Estimate(title), not); len(taken[0]) > 0 {
		text += "\n" + paragraph(asSentences(taken[0])) + "\n"
	}
	return text
}

// asSentences joins passages and adds a full stop to those that end without a mark.
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
	left := stubTokens - tokens.Estimate(text) - perLine
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

// maxName is the length of the longest listed name, in bytes; longer code is rather a phrase. maxNames is the
// most names of one entry.
const maxName, maxNames = 48, 400

// namesIn lists the names in an entry: subjects of its facts, its files, inline code, keywords, and words of
// its text that have the form of identifiers. Relations are skipped, since their paths name other entries.
func namesIn(e *format.Entry) (names []string) {
	known := map[string]bool{}
	add := func(name string) {
		name = strings.Trim(format.OneLine(name), "`")
		if len(name) < 3 || len(name) > maxName || strings.Contains(name, "`") || known[name] || len(names) == maxNames {
			return
		}
		known[name] = true
		names = append(names, name)
	}
	for _, f := range e.Facts {
		add(f.Subject)
	}
	for _, f := range e.Files {
		add(f.Path)
	}
	for _, c := range e.Code {
		add(c.Of(e.Text))
	}
	for _, k := range e.Keywords {
		add(k)
	}
	at := e.Body.Start
	in := func(text string) {
		words.Each(text, func(t words.Token) {
			if t.Kind == words.Name {
				add(text[t.Start:t.End])
			}
		})
	}
	for _, r := range e.Relations {
		if r.At.Start >= at {
			in(e.Text[at:r.At.Start])
			at = r.At.End
		}
	}
	in(e.Text[at:])
	return names
}

// quotedName puts a name in back-ticks where it would read as a relation or as emphasis.
func quotedName(name string) string {
	if strings.ContainsAny(name, "@[*") {
		return "`" + name + "`"
	}
	return name
}
