package format

import (
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
	for _, r := range fieldRows {
		if !r.Ours || r.Says(&c) {
			key(r.key(), yamlList(*r.List(&c)))
		}
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
	add("Raw Concept", renderParts(&c, func(r PartRow) bool { return r.label != "" }))
	add("Narrative", renderParts(&c, func(r PartRow) bool { return r.Headings != nil }))
	add("Facts", renderFacts(c.Facts))
	for _, s := range c.Snippets {
		sections = append(sections, "---\n\n"+s)
	}
	return strings.Join(sections, "\n\n")
}

// renderParts writes the parts of a section that say something, with a blank line between.
func renderParts(c *Content, in func(PartRow) bool) string {
	var parts []string
	for _, r := range Parts {
		if !in(r) {
			continue
		}
		var text string
		switch {
		case r.line:
			text = *r.Text(c)
		case r.Text != nil:
			text = escape(*r.Text(c), r.label != "")
		case r.Part == PartDiagrams:
			text = strings.Join(r.items(c), "\n\n")
		case r.List != nil:
			text = bullets(*r.List(c))
		default:
			text = bullets(r.items(c))
		}
		if text != "" {
			parts = append(parts, r.withHead(text))
		}
	}
	return strings.Join(parts, "\n\n")
}

// withHead writes a part of the Raw Concept or the Narrative below its label or heading, or behind the label
// if it is a single line.
func (r PartRow) withHead(text string) string {
	switch {
	case r.label == "":
		return "### " + r.Headings[0] + "\n" + text
	case r.line:
		return "**" + r.label + ":** " + text
	}
	return "**" + r.label + ":**\n" + text
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
