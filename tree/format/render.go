package format

import "strings"

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
	b.WriteString("---\n")
	if h.Synthesis != nil {
		b.WriteString(h.Synthesis.render(h, c))
	} else {
		b.WriteString(h.render(c))
	}
	if h.Provenance != nil {
		b.WriteString(ProvenanceKey + ": " + yamlList(h.Provenance.items()) + "\n")
	}
	b.WriteString("---\n")
	if body := renderBody(normalText(h.Reason), c); body != "" {
		b.WriteString(body + "\n")
	}
	return b.String()
}

// render writes the frontmatter's lines up to the times.
func (h Header) render(c Content) string {
	var b strings.Builder
	key := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	key("title", yamlScalar(OneLine(h.Title), plain, false))
	key("summary", yamlScalar(OneLine(h.Summary), plain, false))
	key("tags", yamlList(c.Tags))
	key("related", yamlList(c.Relations))
	key("keywords", yamlList(c.Keywords))
	if !h.CreatedAt.IsZero() {
		key("createdAt", yamlScalar(formatTime(h.CreatedAt), single, false))
	}
	if !h.UpdatedAt.IsZero() {
		key("updatedAt", yamlScalar(formatTime(h.UpdatedAt), single, false))
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

// part writes one part of a normal raw concept with its label, "" if it is empty.
func (r *RawConcept) part(p Part) string {
	switch p {
	case PartTask:
		return under("**Task:**", escape(r.Task, true))
	case PartChanges:
		return under("**Changes:**", bullets(r.Changes))
	case PartFiles:
		return under("**Files:**", bullets(r.Files))
	case PartFlow:
		return under("**Flow:**", escape(r.Flow, true))
	case PartTimestamp:
		return beside("**Timestamp:**", r.Timestamp)
	case PartAuthor:
		return beside("**Author:**", r.Author)
	case PartPatterns:
		return under("**Patterns:**", bullets(texts(r.Patterns)))
	}
	return ""
}

func (r *RawConcept) render() string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, n := range labelNames {
		if s := r.part(n.part); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (n *Narrative) render() string {
	if n == nil {
		return ""
	}
	var parts []string
	for _, p := range NarrativeParts {
		if s := under("### "+p.names[0], escape(*p.of(n), false)); s != "" {
			parts = append(parts, s)
		}
	}
	if s := under("### Diagrams", strings.Join(texts(n.Diagrams), "\n\n")); s != "" {
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n\n")
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

func under(head, text string) string {
	if text == "" {
		return ""
	}
	return head + "\n" + text
}

func beside(head, text string) string {
	if text == "" {
		return ""
	}
	return head + " " + text
}
