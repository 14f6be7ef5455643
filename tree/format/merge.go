package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Merge returns the target's text with the source's content added. The target's title, times and place stay.
// Lists are united, the target's items first; narrative texts are joined by a blank line. If both have a
// scalar, the target's is kept, and the source's is a loss. Unknown sections of the source are appended.
// So is text of its sections that no part holds, below the Narrative.
//
// The header's values are set as [Entry.Revise] sets them. Facts are the same if their subjects, statements
// and values are; a fact without a subject is the same as one that has it. Relations of the source to the
// target are not taken over; those of its Relations section go into `related`. The source's reason, times and
// signals are not losses: the journal keeps them, and the caller decides the merged signals. Relative links
// in the source's text are not rewritten.
func Merge(target, source *Entry, h Header) (text string, losses []Loss) {
	if !editable(target.Text) {
		return target.Text, nil
	}
	target, source = target.exact(), source.exact()
	m := merger{target: target.Content().normal(), source: source.Content().normal(), from: source}
	if h.Summary == "" && target.Summary == "" {
		h.Summary = source.Summary
	}
	m.header(target, h)
	v := &Reviser{E: target, header: h, replace: map[Part]bool{}, merging: true}
	v.content = m.union(target)
	v.revise()
	v.losses = slices.DeleteFunc(v.losses, func(l Loss) bool { return l.Kept })
	m.sections(v)
	m.definitions(target.Text)
	return v.E.Text, append(v.losses, m.losses...)
}

type merger struct {
	target, source Content
	from           *Entry
	losses         []Loss
}

func (m *merger) addLoss(p Part, item string) { m.losses = append(m.losses, Loss{Part: p, Item: item}) }

// header records the losses of the source's header: its title, its summary, and unknown keys that the target
// does not have.
func (m *merger) header(target *Entry, h Header) {
	if m.from.Title != target.Title && m.from.Title != h.Title {
		m.addLoss(PartTitle, m.from.Title)
	}
	if m.from.Summary != "" && m.from.Summary != target.Summary && m.from.Summary != h.Summary {
		m.addLoss(PartSummary, m.from.Summary)
	}
	for _, f := range m.from.Fields {
		_, known := fieldSpecs[f.Key]
		if _, there := target.Field(f.Key); !known && !there {
			m.addLoss(Part(f.Key), f.At.Of(m.from.Text))
		}
	}
}

// union is the content that the target is revised with.
func (m *merger) union(target *Entry) Content {
	c := m.source
	own := map[string]bool{relationKey(target.Path): true, relationKey(m.from.Path): true}
	for _, r := range m.from.layout().bodyRelations(m.from) {
		c.Relations = append(c.Relations, relationPath(r))
	}
	c.Relations = slices.DeleteFunc(slices.Clone(c.Relations), func(r string) bool { return own[relationKey(r)] })
	m.texts(&c)
	said := map[string]bool{}
	for _, f := range m.target.Facts {
		said[factKey(f)] = true
		f.Subject = ""
		said[factKey(f)] = true
	}
	c.Facts = slices.DeleteFunc(slices.Clone(c.Facts), func(f Fact) bool { return said[factKey(f)] })
	return c
}

// factKey is equal for facts that say the same, whatever their category.
func factKey(f Fact) string {
	return strings.ToLower(f.Subject + "\x00" + f.Statement + "\x00" + f.Value)
}

// bodyRelations are the relations of the Relations section.
func (l *layout) bodyRelations(e *Entry) []string {
	b, ok := l.section("Relations")
	var out []string
	for _, r := range e.Relations {
		if ok && b.At.Start <= r.At.Start && r.At.End <= b.At.End && r.Form == FormAt {
			out = append(out, r.Raw)
		}
	}
	return out
}

// texts makes of the source's texts those that the target is revised with.
func (m *merger) texts(c *Content) {
	for _, r := range Parts {
		if r.Text == nil {
			continue
		}
		ours, theirs := r.Text(c), *r.Text(&m.target)
		switch {
		case theirs == "" || *ours == "":
		case r.label != "":
			if *ours != theirs {
				m.addLoss(r.Part, *ours)
			}
			*ours = ""
		case strings.Contains("\n"+theirs+"\n", "\n"+*ours+"\n"):
			*ours = ""
		default:
			*ours = theirs + "\n\n" + *ours
		}
	}
}

// sections appends what the source says outside the known sections: unknown
// sections and parts of the Narrative with their headings, and the text in front
// of the first heading under the source's title.
func (m *merger) sections(v *Reviser) {
	l := m.from.layout()
	chunks := l.unknown(m.from.Title)
	if strays := normalText(strings.Join(l.strays(), "\n\n")); strays != "" {
		chunks = append(chunks, chunk{"### " + OneLine(m.from.Title) + "\n" + strays, true})
	}
	for _, s := range chunks {
		there := v.E.layout()
		if strings.Contains("\n"+UnixLines(v.E.Text)+"\n", "\n"+s.text+"\n") {
			continue
		}
		narrative, ok := there.section("Narrative")
		switch {
		case !s.inNarrative:
			v.apply(there.behindAll(there.end, s.text, v))
		case ok:
			v.apply(there.behind(narrative, v.native("\n\n"+s.text)))
		default:
			v.insertSection(there, "Narrative", s.text)
		}
	}
}

// defined lists the labels of links and footnotes that a text defines, with their lines.
func defined(text string) (out [][2]string) {
	for l := range markdown.Lines(markdown.Said(text, 0)) {
		line := l.At.Of(text)
		label, to, _ := markdown.Definition(strings.Replace(line, "[^", "[\x00", 1)) // a footnote's text is no target with a title
		if l.Prose() && to.Start < to.End {
			out = append(out, [2]string{strings.ToLower(label), OneLine(line)})
		}
	}
	return out
}

// definitions records those of the source whose label means something else in the target.
func (m *merger) definitions(target string) {
	meant := map[string]string{}
	for _, d := range defined(target) {
		meant[d[0]] = cmp.Or(meant[d[0]], d[1])
	}
	for _, d := range defined(m.from.Text) {
		if other := meant[d[0]]; other != "" && other != d[1] {
			m.addLoss(PartText, d[1])
		}
	}
}
