package refactor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxRepaired bounds the problems that are examined together. A file with more of them has a different defect, and
// each relation that leads nowhere is compared with all entries.
const maxRepaired = 50

// errUnsafe is the reason why a frontmatter key cannot be edited; see [format.Entry.FieldEdit].
var errUnsafe = errors.New("brv-lsp cannot edit its frontmatter safely; edit it yourself")

// Repairs lists the ways to repair the problems at a place of an entry.
func Repairs(p Project, entry string, at markdown.Span) []Fix {
	e, ok := p.Tree.Entry(entry)
	if !ok {
		return nil
	}
	d := editing{Project: p, entry: e}
	var out []Fix
	looked := 0
	for _, problem := range p.Tree.Problems(entry) {
		if problem.At.End < at.Start || at.End < problem.At.Start {
			continue
		}
		if looked++; looked > maxRepaired {
			break
		}
		found := d.repair(problem)
		for i := range found {
			found[i].Repairs, found[i].At = problem.Code, problem.At
			found[i].ID = fmt.Sprintf("%s@%d", found[i].ID, problem.At.Start)
		}
		out = append(out, found...)
	}
	return out
}

// RepairAll returns one fix for all problems of an entry that have a sure repair. ok is false if there are none.
func RepairAll(p Project, entry string) (f Fix, ok bool) {
	e, known := p.Tree.Entry(entry)
	if !known {
		return Fix{}, false
	}
	var sure []Fix
	for _, f := range Repairs(p, entry, markdown.Span{Start: 0, End: len(e.Text)}) {
		if f.Sure {
			sure = append(sure, f)
		}
	}
	title := fmt.Sprintf("Fix all problems that have one safe fix (%d)", len(sure))
	return Fix{ID: "all", Title: title, Plan: func() (Change, error) {
		var edits []markdown.Edit
		for _, f := range sure {
			c, err := f.Plan()
			if err != nil {
				return Change{}, err
			}
			edits = append(edits, c.Files[0].Edits...)
		}
		return editing{Project: p, entry: e}.change(title, edits...), nil
	}}, len(sure) > 0
}

func (d editing) repair(problem format.Problem) []Fix {
	switch problem.Code {
	case format.CodeBroken, format.CodeAmbiguous:
		for _, r := range d.Tree.Relations(d.entry.Path) {
			if r.At == problem.At && r.Target == "" {
				return d.relation(r)
			}
		}
	case format.CodeHeading:
		return d.heading(problem.At)
	case format.CodeFrontmatter:
		return d.frontmatter(problem)
	case format.CodeField:
		return d.field(problem.At)
	case format.CodeCategory:
		return d.category(problem.At)
	case format.CodeInvisible:
		return d.invisible(problem.At)
	case format.CodeTwice:
		return d.section(problem.At)
	}
	return nil
}

// field repairs an unknown frontmatter key: it replaces it by the key that was meant, or removes it.
func (d editing) field(at markdown.Span) (out []Fix) {
	key := at.Of(d.entry.Text)
	key = strings.Trim(key, `"'`)
	meant := format.SimilarKey(key)
	if _, there := d.entry.Field(meant); meant != "" && !there {
		f := d.edit("rename", "Rename "+key+" to "+meant, markdown.Edit{At: at, New: meant})
		if d.better(f) {
			f.Preferred, f.Sure = true, true
			out = append(out, f)
		}
	}
	if ed := d.entry.FieldEdit(key); ed != (markdown.Edit{}) {
		out = append(out, d.edit("remove", "Remove "+key, ed))
	}
	return out
}

// better reports whether an entry has fewer problems after a fix.
func (d editing) better(f Fix) bool {
	c, err := f.Plan()
	if err != nil {
		return false
	}
	return len(format.Parse(d.entry.Path, markdown.ApplyEdits(d.entry.Text, c.Files[0].Edits)).Problems) < len(d.entry.Problems)
}

// heading repairs a link to a missing heading. It offers the heading with the most similar text.
func (d editing) heading(at markdown.Span) []Fix {
	var target *format.Entry
	if slices.ContainsFunc(d.entry.OwnAnchors(), func(a format.OwnAnchor) bool { return a.At == at }) {
		target = d.entry
	}
	for _, r := range d.Tree.Relations(d.entry.Path) {
		if anchor, ok := r.HeadingAt(d.entry.Text); ok && anchor == at {
			target, _ = d.Tree.Entry(r.Target)
		}
	}
	if target == nil {
		return nil // the heading contains escapes
	}
	said, anchors := at.Of(d.entry.Text), target.Anchors()
	best, score, second := -1, 0.0, 0.0
	for i, s := range target.Sections {
		switch likeness := max(words.Alike(said, anchors.Of(i)), words.Alike(said, s.Title)); {
		case likeness > score:
			best, score, second = i, likeness, score
		case likeness > second:
			second = likeness
		}
	}
	if score < someAlike || anchors.Of(best) == "" {
		return nil
	}
	f := d.edit("heading", "Change #"+said+" to #"+anchors.Of(best), markdown.Edit{At: at, New: anchors.Of(best)})
	f.Preferred = true
	f.Sure = score >= clearlyAlike && score-second >= clearGap
	return []Fix{f}
}

// category repairs the category of a fact. It offers the one with the most similar name.
func (d editing) category(at markdown.Span) (out []Fix) {
	word := strings.ToLower(at.Of(d.entry.Text))
	best, score := "", 0.0
	for _, c := range format.Categories {
		if s := words.Alike(word, c); s > score {
			best, score = c, s
		}
	}
	if score >= clearlyAlike {
		f := d.edit("category", "Change ["+word+"] to ["+best+"]", markdown.Edit{At: at, New: best})
		f.Preferred, f.Sure = true, true
		return []Fix{f}
	}
	return []Fix{d.edit("category", "Change ["+word+"] to [other]", markdown.Edit{At: at, New: "other"})}
}

// invisible removes invisible characters from the line of a problem.
func (d editing) invisible(at markdown.Span) []Fix {
	text := d.entry.Text
	start := strings.LastIndexByte(text[:at.Start], '\n') + 1
	end := len(text)
	if n := strings.IndexByte(text[at.Start:], '\n'); n >= 0 {
		end = at.Start + n
	}
	var edits []markdown.Edit
	for _, s := range format.Invisible(text) {
		if start <= s.Start && s.End <= end {
			edits = append(edits, markdown.Edit{At: s})
		}
	}
	f := d.edit("visible", "Remove the invisible characters from this line", edits...)
	f.Preferred, f.Sure = true, true
	return []Fix{f}
}

// section moves the text below a heading to the end of the first section with the same name.
func (d editing) section(at markdown.Span) []Fix {
	e := d.entry
	i := slices.IndexFunc(e.Sections, func(s markdown.Section) bool { return s.Heading == at })
	if i < 0 {
		return nil
	}
	second := e.Sections[i]
	j := slices.IndexFunc(e.Sections[:i], func(s markdown.Section) bool {
		return s.Level == second.Level && strings.EqualFold(s.Title, second.Title) && s.At.End <= second.At.Start
	})
	if j < 0 {
		return nil
	}
	first := e.Sections[j]
	eol := "\n"
	if strings.Contains(e.Text, "\r\n") {
		eol = "\r\n"
	}
	moved := strings.TrimSpace(e.Text[second.Heading.End:second.At.End])
	behind := first.At.Start + len(strings.TrimRight(first.At.Of(e.Text), " \t\r\n"))
	edits := []markdown.Edit{{At: markdown.Span{Start: behind, End: behind}, New: eol + moved},
		{At: markdown.Span{Start: second.Heading.Start, End: second.At.End}}}
	if moved == "" {
		edits = edits[1:]
	}
	f := d.edit("join", "Move this text into the first section "+first.Title, edits...)
	f.Preferred = true
	if !d.better(f) {
		return nil
	}
	return []Fix{f}
}
