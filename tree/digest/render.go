package digest

import (
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// render writes a choice: the folder's purpose, then a line for each child with
// what was chosen of it below.
func (d *Writer) render(c choice) string {
	var b strings.Builder
	if d.intro != nil {
		d.renderIntro(&b, c.intro)
	}
	if b.Len() > 0 && c.listed > 0 {
		b.WriteByte('\n')
	}
	if !c.detailed {
		d.renderList(&b, c.listed)
	} else {
		d.renderSources(&b, &c)
	}
	return UnlinkedLines(b.String())
}

func (d *Writer) renderSources(b *strings.Builder, c *choice) {
	for i, s := range d.sources {
		d.renderSource(b, s, c, i)
		if len(c.names[i]) == 0 {
			continue
		}
		names := make([]string, len(c.names[i]))
		for k, name := range c.names[i] {
			names[k] = quotedName(name)
		}
		fmt.Fprintf(b, "%s%s%s\n", partOpen, namesOpen, strings.Join(names, ", "))
	}
}

// renderIntro writes what the folder's context.md says, the chosen parts in its
// order.
func (d *Writer) renderIntro(b *strings.Builder, chosen []int) {
	prose := d.intro.lead
	var covers, not []string
	for _, i := range chosen {
		switch p := d.intro.parts[i]; p.kind {
		case inIncluded:
			covers = append(covers, p.text)
		case inExcluded:
			not = append(not, p.text)
		default:
			prose = strings.TrimSpace(prose + " " + p.text)
		}
	}
	if prose != "" {
		fmt.Fprintln(b, paragraph(prose))
	}
	if len(covers) > 0 {
		fmt.Fprintf(b, "%s%s\n", coversOpen, strings.Join(covers, "; "))
	}
	if len(not) > 0 {
		fmt.Fprintf(b, "%s%s\n", notHere, strings.Join(not, "; "))
	}
}

// renderSource writes a child's line and its chosen passages.
func (d *Writer) renderSource(b *strings.Builder, s *source, c *choice, i int) {
	b.WriteString("- " + s.name)
	if c.leads[i] != "" {
		b.WriteString(": " + c.leads[i])
	}
	b.WriteByte('\n')
	if n := c.heads[i]; n > 0 {
		fmt.Fprintf(b, "%s%s%s\n", partOpen, holdsOpen, strings.Join(s.heads[:n], "; "))
	}
	for _, k := range c.parts[i] {
		fmt.Fprintf(b, "%s%s\n", partOpen, s.parts[k].text)
	}
}

func (d *Writer) renderList(b *strings.Builder, n int) {
	for i, s := range d.sources[:n] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.short)
	}
	if rest := len(d.sources) - n; rest > 0 {
		fmt.Fprintf(b, " and %d more", rest)
	}
	b.WriteByte('\n')
}

// paragraph keeps the start of a line of prose from being markdown.
func paragraph(s string) string {
	if strings.IndexByte("#>-+*=|~`0123456789", s[0]) < 0 {
		return s
	}
	if _, marked := cutMarker(s); marked || s[0] == '#' || s[0] == '>' || s[0] == '|' || markdown.FenceRun(s) != "" ||
		strings.Trim(s, "-=*_ ") == "" {
		return `\` + s
	}
	return s
}

// quotedName puts a name in back-ticks where it would read as a relation or as
// emphasis.
func quotedName(name string) string {
	if strings.ContainsAny(name, "@[*") {
		return "`" + name + "`"
	}
	return name
}
