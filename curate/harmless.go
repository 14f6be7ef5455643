package curate

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
)

// harmless makes of a model's Markdown one that can be shown anywhere: what it writes may
// come from a text that was made to harm, and is shown later in editors, hovers and prompts.
func harmless(text string) string {
	return sanitize.Disarm(secrets.Redact(clean(text), nil))
}

// plainWords is a model's text as a line of plain words.
func plainWords(text string) string { return harmless(strings.Join(strings.Fields(clean(text)), " ")) }

// eachText calls f with each text of an operation.
func eachText(op *tree.Op, f func(s string) string) {
	set := func(s *string) { *s = f(*s) }
	all := func(list []string) []string {
		for i := range list {
			set(&list[i])
		}
		return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	set(&op.Summary)
	set(&op.Reason)
	c := &op.Content
	c.Tags, c.Keywords, c.Snippets = all(c.Tags), all(c.Keywords), all(c.Snippets)
	if r := c.RawConcept; r != nil {
		set(&r.Task)
		set(&r.Flow)
		r.Changes = all(r.Changes)
		for i := range r.Patterns {
			set(&r.Patterns[i].Pattern)
			set(&r.Patterns[i].Flags)
			set(&r.Patterns[i].Description)
		}
	}
	if n := c.Narrative; n != nil {
		for _, s := range []*string{&n.Structure, &n.Dependencies, &n.Highlights, &n.Rules, &n.Examples} {
			set(s)
		}
		for i := range n.Diagrams {
			set(&n.Diagrams[i].Type)
			set(&n.Diagrams[i].Title)
			set(&n.Diagrams[i].Content)
		}
	}
	for i := range c.Facts {
		set(&c.Facts[i].Subject)
		set(&c.Facts[i].Statement)
		set(&c.Facts[i].Value)
	}
}
