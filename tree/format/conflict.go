package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Side is what of a conflict is to stay.
type Side int

// The sides; Both is ours with theirs below.
const (
	Ours Side = iota
	Theirs
	Both
)

// Accept are the edits that leave a side of the conflict and take out the rest, markers and all;
// none where its parts are not certain.
func (c Conflict) Accept(side Side) []markdown.Edit {
	if !c.Certain {
		return nil
	}
	return c.outside(side)
}

// outside deletes what does not belong to a side.
func (c Conflict) outside(side Side) (out []markdown.Edit) {
	at := c.At.Start
	for _, kept := range [][]markdown.Span{Ours: {c.Ours}, Theirs: {c.Theirs}, Both: {c.Ours, c.Theirs}}[side] {
		out = append(out, markdown.Edit{At: markdown.Span{at, kept.Start}})
		at = kept.End
	}
	return append(out, markdown.Edit{At: markdown.Span{at, c.At.End}})
}

// marker tells which marker of a conflict a line is, 0 if none. What git takes for one when it looks
// for the conflicts that it wrote (rerere.c, is_cmarker) is one here: seven of the sign from the
// margin, behind < and > a space, behind the others white space or the line's end.
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
		line, next := CutLine(text, pos)
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
		line, next := CutLine(text, pos)
		switch m := marker(line); {
		case m == '<':
			c, last = Conflict{At: markdown.Span{pos, next}, Ours: markdown.Span{next, next}, Certain: true}, m
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
				c.Ours = markdown.Span{c.Ours.Start, pos}
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

// readSides reads a file that is in conflict: its title, and the tags and relations of either
// side, so that what it names is known. What else it says is not, until somebody has chosen.
func (e *Entry) readSides() {
	e.Role = e.present()
	e.Body = markdown.Span{0, len(e.Text)}
	for _, side := range []Side{Ours, Theirs} {
		read := &Entry{Path: e.Path, Role: RoleOf(e.Path), Text: e.side(side)}
		read.read()
		e.Title = cmp.Or(e.Title, read.Title)
		e.Tags = append(e.Tags, read.Tags...)
		e.Relations = append(e.Relations, read.Relations...)
	}
	slices.SortStableFunc(e.Relations, func(a, b Mention) int { return a.At.Start - b.At.Start })
	e.Relations = slices.CompactFunc(e.Relations, func(a, b Mention) bool { return a.At == b.At })
	what, at := "merge conflict", e.Conflicts[0].At
	if n := len(e.Conflicts); n > 1 {
		what = fmt.Sprintf("%d merge conflicts", n)
	}
	advice := "neither side is searched, and no operation changes this file, until somebody chose: " +
		"accept one side or both, or edit it; where the markers are only shown, indent them"
	if e.Role != RoleConflict {
		advice = "this file is generated: write it as it is generated, or delete it, and it is made again"
	}
	e.report(CodeConflict, SeverityError, what+": "+advice, markdown.Span{at.Start, at.Start + len(firstLine(e.Text[at.Start:]))})
}

// present is an entry's role, given its conflicts. A summary keeps its own: it is made again.
func (e *Entry) present() Role {
	if r := RoleOf(e.Path); len(e.Conflicts) == 0 || r == RoleSummary {
		return r
	}
	return RoleConflict
}

// side is the text as one side has it, with empty lines in the place of all else, so that every
// byte stands where it does in the file.
func (e *Entry) side(side Side) string {
	var edits []markdown.Edit
	for _, c := range e.Conflicts {
		for _, ed := range c.outside(side) {
			ed.New = strings.Repeat("\n", ed.At.End-ed.At.Start)
			edits = append(edits, ed)
		}
	}
	return markdown.ApplyEdits(e.Text, edits)
}

func firstLine(text string) string {
	l, _ := CutLine(text, 0)
	return l
}

// UnmergedProblems are the problems of a file in conflict: one, with the places of its other
// conflicts. What else is wrong with it is known when somebody has chosen.
func (e *Entry) UnmergedProblems() []Problem {
	out := slices.Clone(e.Problems)
	for _, c := range e.Conflicts[1:min(len(e.Conflicts), 1+MaxOthers)] {
		at := markdown.Span{c.At.Start, c.At.Start + len(firstLine(e.Text[c.At.Start:]))}
		out[0].Others = append(out[0].Others, Other{Path: e.Path, At: at, Message: "another conflict"})
	}
	return out
}

// Unmerged says why an entry is not to be changed: it is in conflict; nil if it is not.
func (e *Entry) Unmerged() error {
	if e.Role != RoleConflict {
		return nil
	}
	line := 1 + strings.Count(e.Text[:e.Conflicts[0].At.Start], "\n")
	return fmt.Errorf("%s:%d: in merge conflict: choose a side in the file first, "+
		"by hand or with the quick fixes of an editor", e.Path, line)
}

// UnmergedWith is [Entry.Unmerged] where the entry would have to be changed with one that it names.
func (e *Entry) UnmergedWith(named string) error {
	if err := e.Unmerged(); err != nil {
		return fmt.Errorf("%w; it names %s", err, named)
	}
	return nil
}
