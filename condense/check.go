package condense

import (
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The checks, in the order in which they are made. A text is prose and lists in the length
// that was asked for, and no refusal; it leads nowhere; each path, file name, address and
// number in it stands in what it condenses, and most names and words do, which a text in
// another language, or about something else, does not keep; a summary covers most of the
// children, by name or by what their titles say.

// The shares are own choices: over the prompts' rules, and loose enough for what a model
// says in its own words. A refused text costs a call, a false one misleads every reader.
const (
	mostUnknownNames = 0.1
	leastKnownWords  = 0.5
	leastCovered     = 0.6
)

var (
	refusal = lazyregexp.New(
		`(?i)^\W*(i(['’]m| am) (sorry|unable|afraid|not able|an ai)|i (cannot|can['’]?t|can not|won['’]t|do not|don['’]t|apologi[sz]e)|(i['’]m )?sorry\b|as an ai\b|unfortunately,? (i|the|there)\b|there is (nothing|no (text|content|material))|no (content|text|material)\b|leider kann ich|es tut mir leid|je suis désolée?|je ne peux pas|lo siento|no puedo)`)
	aside = lazyregexp.New(
		`(?i)^\W*(sure|certainly|of course|okay|here (is|['’]s|are)|below is|this (summary|text)|the following is|summary:)`)
	orders = lazyregexp.New(
		`(?i)\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|rules|prompts?)\b|\bsystem prompt\b|\byou are now\b`)
	markup = lazyregexp.New(
		"!\\[|\\]\\(|\\]:|\\[\\[|<[a-zA-Z/!?]|(?m)^\\s*(```|~~~|\\|)|://|(?i)\\b(command|javascript|vscode|data|file|mailto):")
	number = lazyregexp.New(`\d+(?:[.,:]\d+)*`)
	// A path has a slash and a dot, or two slashes: "and/or" is none. An address has an @.
	place = lazyregexp.New(
		`[\pL\d_.@~-]*/[\pL\d_.@~-]*[./][\pL\d_./@~-]*[\pL\d_]|[\pL\d_-]+\.[\pL\d_-]+/[\pL\d_./@~-]*[\pL\d_]|[\pL\d_]{2}[\pL\d_-]*\.[a-zA-Z]{1,5}\b|\S*[\pL\d]@[\pL\d]\S*[\pL\d]`)
	apart  = lazyregexp.New(`[^\pL\d]+`)
	quoted = lazyregexp.New("`([^`\n]+)`")
)

// check is what a text must be.
type check struct {
	text  string
	limit int             // tokens
	from  []*format.Entry // what it condenses
	names []string        // how these are called; none where there is but one
}

func (c check) summary() error {
	if err := c.wellFormed(); err != nil {
		return err
	}
	k := c.knowledge()
	if err := k.invented(c.text); err != nil {
		return err
	}
	return c.covers()
}

// Invents says what a text holds that the entries do not: a path, an address, a number, too many
// names, or mostly other words; nil for a text that says only what they say.
func Invents(text string, from []*format.Entry) error {
	return check{from: from}.knowledge().invented(text)
}

func (c check) cue() error {
	if strings.Contains(c.text, "\n") {
		return unfit("it is more than one paragraph")
	}
	if err := c.wellFormed(); err != nil {
		return err
	}
	return c.knowledge().invented(c.text)
}

// wellFormed looks at the text alone.
func (c check) wellFormed() error {
	e := format.Parse("a/b/text.md", c.text)
	switch n := tokens.Estimate(c.text); {
	case c.text == "":
		return unfit("it is empty")
	case n > c.limit:
		return unfit("it has %d tokens, of %d", n, c.limit)
	case refusal().MatchString(c.text):
		return unfit("it refuses")
	case aside().MatchString(c.text):
		return unfit("it speaks of itself")
	case orders().MatchString(c.text):
		return unfit("it gives orders")
	case markup().MatchString(c.text):
		return unfit("it holds %q", markup().FindString(c.text))
	case len(e.Relations) > 0:
		return unfit("it leads to %.80q", e.Relations[0].Raw)
	case e.Frontmatter != (markdown.Span{}) || len(e.Sections) > 0:
		return unfit("it has headings")
	}
	return nil
}

// knowledge is what the condensed entries hold.
type knowledge struct {
	text    string // in small letters
	numbers map[string]bool
	terms   map[string]bool
}

func (c check) knowledge() knowledge {
	var b strings.Builder
	for i, e := range c.from {
		fmt.Fprintln(&b, e.Path, e.Title, strings.Join(e.Tags, " "), strings.Join(e.Keywords, " "))
		b.WriteString(bodyText(e) + "\n")
		if i < len(c.names) {
			fmt.Fprintln(&b, c.names[i])
		}
	}
	k := knowledge{strings.ToLower(b.String()), map[string]bool{}, termsOf(b.String())}
	for _, n := range number().FindAllString(k.text, -1) {
		k.numbers[n] = true
	}
	return k
}

// termsOf are the terms of a text, as the search has them.
func termsOf(text string) map[string]bool {
	out := map[string]bool{}
	words.Each(text, func(t words.Token) { out[t.Term] = true })
	return out
}

// invented looks for what the entries do not hold.
func (k knowledge) invented(text string) error {
	small := strings.ToLower(text)
	for _, p := range place().FindAllString(small, -1) {
		if !strings.Contains(k.text, p) {
			return unfit("it names %.80q, which does not stand there", p)
		}
	}
	for _, n := range number().FindAllString(text, -1) {
		if !k.numbers[n] {
			return unfit("it says %.20s, a number that does not stand there", n)
		}
	}
	names, unknown := k.names(text, small)
	if float64(len(unknown)) > mostUnknownNames*float64(names) {
		return unfit("of %d names %d do not stand there: %.80q", names, len(unknown), unknown[0])
	}
	known, all := 0, map[string]bool{}
	words.Each(text, func(t words.Token) {
		if t.Kind != words.Plain || t.Stop || all[t.Term] || words.IsDigits(t.Term) {
			return
		}
		if all[t.Term] = true; k.terms[t.Term] {
			known++
		}
	})
	if len(all) == 0 || float64(known) < leastKnownWords*float64(len(all)) {
		return unfit("of %d words only %d stand there", len(all), known)
	}
	return nil
}

// names counts identifiers and inline code, and lists those that the entries do not hold.
func (k knowledge) names(text, small string) (all int, unknown []string) {
	for _, m := range quoted().FindAllStringSubmatch(small, -1) {
		all++
		if !strings.Contains(k.text, strings.TrimSpace(m[1])) {
			unknown = append(unknown, m[1])
		}
	}
	words.Each(quoted().ReplaceAllString(text, " "), func(t words.Token) {
		if t.Kind != words.Name {
			return
		}
		if all++; !k.terms[t.Term] {
			unknown = append(unknown, t.Term)
		}
	})
	return all, unknown
}

// covers looks for each child: its name, its title, or what this says.
func (c check) covers() error {
	spelled, terms := plainly(c.text), termsOf(c.text)
	children, missing := 0, []string(nil)
	for i, e := range c.from {
		if e.Role == format.RoleOverview { // says what the folder is for, as the summary does
			continue
		}
		children++
		title := e.Title
		if e.Role == format.RoleSummary {
			title = ""
		}
		name := plainly(strings.TrimSuffix(c.names[i], path.Ext(c.names[i])))
		if !strings.Contains(spelled, name) && !says(terms, title) {
			missing = append(missing, c.names[i])
		}
	}
	if covered := children - len(missing); float64(covered) < leastCovered*float64(children) {
		return unfit("it covers %d of %d: not %.80q", covered, children, missing[0])
	}
	return nil
}

// plainly is a text in small letters with single blanks for all that is no letter or digit.
func plainly(s string) string {
	return " " + strings.TrimSpace(apart().ReplaceAllString(strings.ToLower(s), " ")) + " "
}

// says reports whether terms hold at least half of a title's telling words, and two of them
// where it has two.
func says(terms map[string]bool, title string) bool {
	held, all := 0, 0
	for term := range telling(title) {
		if all++; terms[term] {
			held++
		}
	}
	return all > 0 && 2*held >= all && held >= min(2, all)
}

func telling(title string) map[string]bool {
	out := map[string]bool{}
	words.Each(title, func(t words.Token) {
		if t.Kind == words.Plain && !t.Stop {
			out[t.Term] = true
		}
	})
	return out
}
