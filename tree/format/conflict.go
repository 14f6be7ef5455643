package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Side is the side of a conflict that stays.
type Side int

// The sides; Both is ours with theirs below.
const (
	Ours Side = iota
	Theirs
	Both
)

// Accept returns the edits that keep one side of the conflict and delete the rest with the markers. It
// returns none if the conflict's parts are not certain.
func (c Conflict) Accept(side Side) []markdown.Edit {
	if !c.Certain {
		return nil
	}
	return c.outside(side)
}

// outside deletes the text that does not belong to a side.
func (c Conflict) outside(side Side) (out []markdown.Edit) {
	at := c.At.Start
	for _, kept := range [][]markdown.Span{Ours: {c.Ours}, Theirs: {c.Theirs}, Both: {c.Ours, c.Theirs}}[side] {
		out = append(out, markdown.Edit{At: markdown.Span{Start: at, End: kept.Start}})
		at = kept.End
	}
	return append(out, markdown.Edit{At: markdown.Span{Start: at, End: c.At.End}})
}

// marker returns the kind of conflict marker that a line is, 0 if none. It follows git's own rule (rerere.c,
// is_cmarker): seven of the sign at the start of the line; behind < and > a space, behind the others white
// space or the line's end.
func marker(line string) byte {
	const size = 7
	if len(line) < size || strings.IndexByte("<|=>", line[0]) < 0 || strings.Trim(line[:size], line[:1]) != "" {
		return 0
	}
	rest := line[size:]
	switch {
	case strings.HasPrefix(rest, " "):
		return line[0]
	case line[0] == '<' || line[0] == '>':
		return 0
	case rest == "" || rest[0] == '\t' || rest[0] == '\r':
		return line[0]
	}
	return 0
}

// WithoutMarkers is a text none of whose lines is a marker of a conflict: those are indented by a
// space, which changes nothing of how Markdown reads them.
func WithoutMarkers(text string) string {
	var b strings.Builder
	for pos := 0; pos < len(text); {
		line, next := markdown.CutLine(text, pos)
		if marker(line) != 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text[pos:next])
		pos = next
	}
	return b.String()
}

// Conflicts finds the merge conflicts of a text in one pass: each sequence of <<<<<<<, perhaps
// |||||||, ======= and >>>>>>>. Git writes its markers wherever the sides differ, in frontmatter and
// in fenced code too, so no place is exempt; markers that are indented, quoted or without the others are
// text. Of conflicts inside one another the innermost counts, until it is resolved.
func Conflicts(text string) (out []Conflict) {
	if !strings.Contains(text, "<<<<<<< ") {
		return nil
	}
	var c Conflict
	last := byte(0) // marker of the part that the line is in; 0 outside
	for pos := 0; pos < len(text); {
		line, next := markdown.CutLine(text, pos)
		switch m := marker(line); {
		case m == '<':
			c, last = Conflict{At: markdown.Span{Start: pos, End: next}, Ours: markdown.Span{Start: next, End: next}, Certain: true}, m
		case m == 0 || last == 0:
		case m == '|' && last == '<':
			c.Ours.End, last = pos, m
		case m == '=' && last != '=':
			if last == '<' {
				c.Ours.End = pos
			}
			c.Theirs.Start, last = next, m
		case m == '>' && last == '=':
			c.Theirs.End, c.At.End, last = pos, next, 0
			if !c.Certain {
				c.Ours = markdown.Span{Start: c.Ours.Start, End: pos}
				c.Theirs = c.Ours
			}
			out = append(out, c)
		case m == '>':
			last = 0 // not a whole sequence
		default:
			c.Certain = false
		}
		pos = next
	}
	return out
}

// readSides reads a file that is in conflict: its title, and the tags and relations of both sides, so that
// the entries it names are known. The rest is read once the conflict is resolved.
func (p *parser) readSides() {
	p.Role = roleWith(p.Conflicts, p.Path)
	p.Body = markdown.Span{Start: 0, End: len(p.Text)}
	for _, side := range []Side{Ours, Theirs} {
		read := &parser{Entry: &Entry{Path: p.Path, Role: RoleOf(p.Path), Text: p.side(side)}}
		read.read()
		p.Title = cmp.Or(p.Title, read.Title)
		p.Tags = append(p.Tags, read.Tags...)
		p.Relations = append(p.Relations, read.Relations...)
	}
	slices.SortStableFunc(p.Relations, func(a, b Mention) int { return a.At.Start - b.At.Start })
	p.Relations = slices.CompactFunc(p.Relations, func(a, b Mention) bool { return a.At == b.At })
	what, at := "merge conflict", p.Conflicts[0].At
	if n := len(p.Conflicts); n > 1 {
		what = fmt.Sprintf("%d merge conflicts", n)
	}
	advice := "brv-lsp does not search or change this file while it is in conflict: accept one side or both, or edit it. " +
		"If the markers are an example, indent them"
	if p.Role != RoleConflict {
		advice = "this file is generated: delete it, and brv-lsp writes it again"
	}
	p.report(CodeConflict, SeverityError, what+": "+advice, markdown.Span{Start: at.Start,
		End: at.Start + len(firstLine(p.Text[at.Start:]))})
}

// roleWith is the role of a file with conflicts. A summary keeps its own: it is made again.
func roleWith(conflicts []Conflict, path string) Role {
	if r := RoleOf(path); len(conflicts) == 0 || r == RoleSummary {
		return r
	}
	return RoleConflict
}

// side is the text as one side has it, with empty lines in the place of all else, so that every
// byte stands where it does in the file.
func (p *parser) side(side Side) string {
	var edits []markdown.Edit
	for _, c := range p.Conflicts {
		for _, ed := range c.outside(side) {
			ed.New = strings.Repeat("\n", ed.At.End-ed.At.Start)
			edits = append(edits, ed)
		}
	}
	return markdown.ApplyEdits(p.Text, edits)
}

func firstLine(text string) string {
	l, _ := markdown.CutLine(text, 0)
	return l
}

// UnmergedProblems returns the problems of a file in conflict: a single one, with the places of its other
// conflicts. Other problems are reported once the conflict is resolved.
func (e *Entry) UnmergedProblems() []Problem {
	out := slices.Clone(e.Problems)
	for _, c := range e.Conflicts[1:min(len(e.Conflicts), 1+MaxOthers)] {
		at := markdown.Span{Start: c.At.Start, End: c.At.Start + len(firstLine(e.Text[c.At.Start:]))}
		out[0].Others = append(out[0].Others, Other{Path: e.Path, At: at, Message: "another conflict"})
	}
	return out
}

// Unmerged returns the reason why an entry must not be changed while it is in conflict; nil if it is not.
func (e *Entry) Unmerged() error {
	if e.Role != RoleConflict {
		return nil
	}
	line := 1 + strings.Count(e.Text[:e.Conflicts[0].At.Start], "\n")
	return fmt.Errorf("%s:%d: merge conflict: choose a side in the file first, "+
		"by hand or with the quick fixes of an editor", e.Path, line)
}

// UnmergedWith is [Entry.Unmerged] for an entry that would have to be changed together with another one.
func (e *Entry) UnmergedWith(named string) error {
	if err := e.Unmerged(); err != nil {
		return fmt.Errorf("%w; it names %s", err, named)
	}
	return nil
}
