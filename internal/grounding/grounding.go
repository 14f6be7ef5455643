// Package grounding checks that a text states only what its sources state. The text of a model is shown to a
// person, or kept, only if it passes.
//
//	from := grounding.In(shown)
//	err := from.Check(said) // `it says 40, a number that is not in the source`
//
// Each path, address, number and name of the text must occur in the source, and so must most of its words and
// some words of each sentence. A sentence with a negation must match one with a negation. This is no proof,
// since words of the source can be combined wrongly. It keeps out inventions, other languages and other
// subjects without a second model. [Source.Quotes] finds the copied parts.
package grounding

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

var (
	number = lazyregexp.New(`\d+(?:[.,:]\d+)*`)
	// A path has a slash and a dot, or two slashes: "and/or" is none. An address has an @.
	place = lazyregexp.New(
		`[\pL\d_.@~-]*/[\pL\d_.@~-]*[./][\pL\d_./@~-]*[\pL\d_]|[\pL\d_-]+\.[\pL\d_-]+/[\pL\d_./@~-]*[\pL\d_]` +
			`|[\pL\d_]{2}[\pL\d_-]*\.[a-zA-Z]{1,5}\b|\S*[\pL\d]@[\pL\d]\S*[\pL\d]`)
	apart  = lazyregexp.New(`[^\pL\d]+`)
	quoted = lazyregexp.New("`([^`\n]+)`")
)

// Source holds the statements that a text may make.
type Source struct {
	text       string // in lower case
	plain      string // normalised by plainly
	numbers    map[string]bool
	terms      map[string]bool
	statements []statement
}

// statement is a sentence, its significant words, and whether it has a negation.
type statement struct {
	terms   map[string]bool
	negated bool
}

// In is a source of statements.
func In(text string) *Source {
	s := &Source{text: strings.ToLower(text), plain: plainly(text), numbers: map[string]bool{}, terms: termsOf(text)}
	for _, n := range number().FindAllString(s.text, -1) {
		s.numbers[n] = true
	}
	for _, sentence := range Sentences(text) {
		s.statements = append(s.statements, statement{Telling(sentence), words.Negated(sentence)})
	}
	return s
}

// Check returns an error for the first part of a text that is not in the source, nil if everything is.
func (s *Source) Check(text string) error {
	if err := s.CheckNames(text); err != nil {
		return err
	}
	known, all := 0, 0
	for _, sentence := range Sentences(text) {
		telling := Telling(sentence)
		here := shared(telling, s.terms)
		if known, all = known+here, all+len(telling); here == 0 && len(telling) > 0 {
			return fmt.Errorf("none of these words occurs in the source: %.80q", sentence)
		}
		if !s.agrees(telling, words.Negated(sentence)) {
			return fmt.Errorf("a negation makes this sentence differ from the source: %.80q", sentence)
		}
	}
	if 2*known < all {
		return fmt.Errorf("only %[2]d of %[1]d words are in the source", all, known)
	}
	if all == 0 {
		return fmt.Errorf("it says nothing that can be checked: %.80q", strings.TrimSpace(text))
	}
	return nil
}

// CheckNames is Check for the paths, addresses, numbers and names only.
func (s *Source) CheckNames(text string) error {
	small := strings.ToLower(text)
	for _, p := range place().FindAllString(small, -1) {
		if !strings.Contains(s.text, p) {
			return fmt.Errorf("it names %.80q, which is not in the source", p)
		}
	}
	for _, n := range number().FindAllString(text, -1) {
		if !s.numbers[n] {
			return fmt.Errorf("it says %.20s, a number that is not in the source", n)
		}
	}
	for _, m := range quoted().FindAllStringSubmatch(small, -1) {
		if !strings.Contains(s.text, strings.TrimSpace(m[1])) {
			return fmt.Errorf("it names %.80q, which is not in the source", m[1])
		}
	}
	for _, sentence := range Sentences(text) {
		if name, ok := s.unknownName(sentence); ok {
			return fmt.Errorf("it names %.80q, which is not in the source", name)
		}
	}
	return nil
}

// unknownName finds an identifier, or a capitalised word that looks like a name, that is not in the source. A
// word at the beginning of a sentence, or in a title in which all words are capitalised, is taken for a name
// only if English does not have it.
func (s *Source) unknownName(sentence string) (name string, ok bool) {
	opens := true
	text := quoted().ReplaceAllString(sentence, " ")
	title := capitalised(text)
	words.Each(text, func(t words.Token) {
		capital := t.Kind == words.Plain && !t.Stop && isCapital(text[t.Start:]) &&
			(!opens && !title || words.Frequency(t.Term) <= words.Rarest)
		if opens = false; !ok && (t.Kind == words.Name || capital) && !s.terms[t.Term] {
			name, ok = text[t.Start:t.End], true
		}
	})
	return name, ok
}

// titleWords is the number of capitalised words from which they are taken for a title; fewer may be a name.
const titleWords = 3

// capitalised reports whether all words of a text that tell something have capitals.
func capitalised(text string) bool {
	capitals, all := 0, 0
	words.Each(text, func(t words.Token) {
		if t.Kind == words.Plain && !t.Stop && !words.IsDigits(t.Term) {
			if all++; isCapital(text[t.Start:]) {
				capitals++
			}
		}
	})
	return all >= titleWords && capitals == all
}

func isCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// agrees reports whether one of the statements nearest to a sentence has a negation if and only if the
// sentence has one.
func (s *Source) agrees(telling map[string]bool, negated bool) bool {
	most, agrees := 0, true
	for _, other := range s.statements {
		n := shared(telling, other.terms)
		if n > most {
			most, agrees = n, false
		}
		if n == most && n > 0 {
			agrees = agrees || other.negated == negated
		}
	}
	return agrees
}

// Quotes reports whether a text occurs in the source word for word, except for signs and letter case. Fewer
// than three words are no quotation.
func (s *Source) Quotes(text string) bool {
	plain := plainly(text)
	return strings.Count(plain, " ") > 3 && strings.Contains(s.plain, plain)
}

// Sentences returns the sentences of a Markdown text. Lines of a paragraph belong together; headings, items,
// rows and code stand by themselves.
func Sentences(text string) []string {
	var out []string
	var paragraph []string // lines
	end := func() {
		out = append(out, markdown.Sentences(strings.Join(paragraph, " "))...)
		paragraph = paragraph[:0]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		level, _ := markdown.Heading(line)
		item := markdown.Item(line)
		switch {
		case line == "", level > 0, strings.HasPrefix(line, "|"):
			end()
		case item > 0:
			end()
			line = line[item:]
		}
		if line = strings.TrimSpace(strings.TrimLeft(line, "> ")); line != "" {
			paragraph = append(paragraph, line)
		}
		if level > 0 {
			end()
		}
	}
	end()
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// termsOf are the terms of a text, as in the search.
func termsOf(text string) map[string]bool {
	out := map[string]bool{}
	words.Each(text, func(t words.Token) { out[t.Term] = true })
	return out
}

// Telling are the terms of a text without stop words, numbers, and identifiers as a whole.
func Telling(text string) map[string]bool {
	out := map[string]bool{}
	words.Each(text, func(t words.Token) {
		if t.Kind == words.Plain && !t.Stop && !words.IsDigits(t.Term) {
			out[t.Term] = true
		}
	})
	return out
}

// plainly is a text in lower case with single blanks in place of everything that is no letter or digit.
func plainly(s string) string {
	return " " + strings.TrimSpace(apart().ReplaceAllString(strings.ToLower(s), " ")) + " "
}

func shared(a, b map[string]bool) (n int) {
	for term := range a {
		if b[term] {
			n++
		}
	}
	return n
}
