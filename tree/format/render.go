package format

import (
	"slices"
	"strings"
)

// Render writes a whole new entry in the dialect of the reference system: seven
// frontmatter keys in their order (and provenance, where there is any), lists in brackets, quotes only where YAML
// needs them, times in UTC with milliseconds; then Reason, Raw Concept,
// Narrative, Facts, and the snippets between lines of ---. Relations are written
// in `related` only. A time that is zero is left out, and so are parts that say
// nothing. A synthesis has its four keys in front ([Synthesis]). Parse of it gives the same content, in the normal form that
// docs/format.md describes ("Text that would break the structure").
func Render(h Header, c Content) string {
	c = c.normal()
	var b strings.Builder
	b.WriteString("---\n" + h.render(c))
	b.WriteString("---\n")
	if body := renderBody(normalText(h.Reason), c); body != "" {
		b.WriteString(body + "\n")
	}
	return b.String()
}

// render writes the frontmatter's lines.
func (h Header) render(c Content) string {
	var b strings.Builder
	key := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	text, quote, layout := plain, single, timeLayout
	if s := h.Synthesis; s != nil {
		text, quote, layout = double, double, synthesisTime
		key(confidenceKey, number(s.Confidence))
		key(sourcesKey, yamlList(s.Sources))
		key(synthesizedAtKey, doubleQuoted(Later(h.CreatedAt, h.UpdatedAt).UTC().Format(layout)))
		key(typeKey, synthesisType)
	}
	key("title", yamlScalar(OneLine(h.Title), text, false))
	key("summary", yamlScalar(OneLine(h.Summary), text, false))
	key("tags", yamlList(c.Tags))
	key("related", yamlList(c.Relations))
	key("keywords", yamlList(c.Keywords))
	if len(c.Questions) > 0 { // the reference system has none
		key("questions", yamlList(c.Questions))
	}
	if !h.CreatedAt.IsZero() {
		key("createdAt", yamlScalar(h.CreatedAt.UTC().Format(layout), quote, false))
	}
	if !h.UpdatedAt.IsZero() {
		key("updatedAt", yamlScalar(h.UpdatedAt.UTC().Format(layout), quote, false))
	}
	if h.Provenance != nil {
		key(ProvenanceKey, yamlList(h.Provenance.items()))
	}
	return b.String()
}

// renderBody writes a normal content's body without a last line end.
func renderBody(reason string, c Content) string {
	var sections []string
	add := func(name, text string) {
		if text != "" {
			sections = append(sections, "## "+name+"\n"+text)
		}
	}
	add("Reason", escape(reason, false))
	add("Raw Concept", c.RawConcept.render())
	add("Narrative", c.Narrative.render())
	add("Facts", renderFacts(c.Facts))
	for _, s := range c.Snippets {
		sections = append(sections, "---\n\n"+s)
	}
	return strings.Join(sections, "\n\n")
}

func (r *RawConcept) render() string {
	if r == nil {
		return ""
	}
	return joined(withHead(PartTask, escape(r.Task, true)), withHead(PartChanges, bullets(r.Changes)),
		withHead(PartFiles, bullets(r.Files)), withHead(PartFlow, escape(r.Flow, true)),
		withHead(PartTimestamp, r.Timestamp), withHead(PartAuthor, r.Author),
		withHead(PartPatterns, bullets(texts(r.Patterns))))
}

func (n *Narrative) render() string {
	if n == nil {
		return ""
	}
	var parts []string
	for _, p := range NarrativeParts {
		parts = append(parts, withHead(p.Part, escape(*p.Of(n), false)))
	}
	return joined(append(parts, withHead(PartDiagrams, strings.Join(texts(n.Diagrams), "\n\n")))...)
}

// joined are the parts that say something, with a blank line between.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// withHead writes a part of the Raw Concept or the Narrative below its label or heading, or behind the label where it
// is one line; "" without a text.
func withHead(p Part, text string) string {
	label := labelOf(p)
	switch {
	case text == "":
		return ""
	case label == "":
		return "### " + headingsOf(p)[0] + "\n" + text
	case isLine(p):
		return "**" + label + ":** " + text
	}
	return "**" + label + ":**\n" + text
}

func renderFacts(facts []Fact) string { return bullets(texts(facts)) }

// texts writes items that know how.
func texts[T interface{ String() string }](items []T) []string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = x.String()
	}
	return out
}

func bullets(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "- " + strings.Join(items, "\n- ")
}
