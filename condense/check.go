package condense

import (
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/grounding"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The checks, in the order in which they are made. A text is prose and lists in the length
// that was asked for, and no refusal; it leads nowhere; it says only what the condensed entries
// do (package grounding), which a text in another language, or about something else, does not; a summary covers most of the
// children, by name or by what their titles say.

// leastCovered is an own choice: over the prompts' rules, and loose enough for what a model says in its
// own words. A refused text costs a call, a false one misleads every reader.
const leastCovered = 0.6

var (
	refusal = lazyregexp.New(
		`(?i)^\W*(i(['’]m| am) (sorry|unable|afraid|not able|an ai)|i (cannot|can['’]?t|can not|won['’]t|do not|don['’]t|apologi[sz]e)` +
			`|(i['’]m )?sorry\b|as an ai\b|unfortunately,? (i|the|there)\b|there is (nothing|no (text|content|material))|no (content|text` +
			`|material)\b|leider kann ich|es tut mir leid|je suis désolée?|je ne peux pas|lo siento|no puedo)`)
	aside = lazyregexp.New(
		`(?i)^\W*(sure|certainly|of course|okay|here (is|['’]s|are)|below is|this (summary|text)|the following is|summary:)`)
	orders = lazyregexp.New(
		`(?i)\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|rules|prompts?)\b|\bsystem prompt\b|\byou are now\b`)
	markup = lazyregexp.New(
		"!\\[|\\]\\(|\\]:|\\[\\[|<[a-zA-Z/!?]|(?m)^\\s*(```|~~~|\\|)|://|(?i)\\b(command|javascript|vscode|data|file|mailto):")
)

// check holds the conditions that a model's text must meet.
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
	if err := c.grounded(); err != nil {
		return err
	}
	return c.covers()
}

// Invents says what a text holds that the entries do not: a path, an address, a number, too many
// names, or mostly other words; nil for a text that says only what they say.
func Invents(text string, from []*format.Entry) error {
	return check{text: text, from: from}.grounded()
}

func (c check) cue() error {
	if strings.Contains(c.text, "\n") {
		return unfit("it is more than one paragraph")
	}
	if err := c.wellFormed(); err != nil {
		return err
	}
	return c.grounded()
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

// grounded compares the text with what the condensed entries hold.
func (c check) grounded() error {
	var b strings.Builder
	for i, e := range c.from {
		fmt.Fprintf(&b, "%s\n\n%s\n\n%s %s\n\n%s\n\n", e.Path, e.Title, strings.Join(e.Tags, " "), strings.Join(e.Keywords, " "), bodyText(e))
		if i < len(c.names) {
			b.WriteString(c.names[i] + "\n\n")
		}
	}
	if err := grounding.In(b.String()).Check(c.text); err != nil {
		return &Unfit{err.Error()}
	}
	return nil
}

// covers looks for each child: its name, its title, or what this says.
func (c check) covers() error {
	spelled, terms := grounding.Plainly(c.text), grounding.Terms(c.text)
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
		name := grounding.Plainly(strings.TrimSuffix(c.names[i], path.Ext(c.names[i])))
		if !strings.Contains(spelled, name) && !says(terms, title) {
			missing = append(missing, c.names[i])
		}
	}
	if covered := children - len(missing); float64(covered) < leastCovered*float64(children) {
		return unfit("it covers %d of %d: not %.80q", covered, children, missing[0])
	}
	return nil
}

// says reports whether terms hold at least half of a title's telling words, and two of them
// where it has two.
func says(terms map[string]bool, title string) bool {
	held, all := 0, 0
	for term := range grounding.Telling(title) {
		if all++; terms[term] {
			held++
		}
	}
	return all > 0 && 2*held >= all && held >= min(2, all)
}
