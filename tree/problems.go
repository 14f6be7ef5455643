package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Problems lists an entry's defects in order of place: those of its path, its text and its relations, and
// those that it shares with other entries. The cost does not grow with the size of the tree.
func (s *Snapshot) Problems(p string) []format.Problem {
	e, ok := s.Entry(p)
	if !ok {
		return nil
	}
	c := &checker{s: s, e: e}
	c.path()
	if len(e.Conflicts) > 0 {
		return append(c.found, e.UnmergedProblems()...)
	}
	c.found = append(c.found, e.Problems...)
	c.relations()
	c.headings()
	for _, l := range s.lateSaves {
		if l.Path == p {
			c.found = append(c.found, l.Problem())
		}
	}
	if e.Role == format.RoleEntry {
		c.sameTitle()
		c.alone()
	}
	slices.SortStableFunc(c.found, func(a, b format.Problem) int { return a.At.Start - b.At.Start })
	return format.CapProblems(c.found)
}

// checker collects the problems of one entry of a snapshot. Each method collects one kind.
type checker struct {
	s     *Snapshot
	e     *format.Entry
	found []format.Problem
}

func (c *checker) report(code string, severity format.Severity, at markdown.Span, message string) {
	c.found = append(c.found, format.Problem{Code: code, Severity: severity, At: at, Message: message})
}

// path reports the defects of the entry's path; they belong to the whole file.
func (c *checker) path() {
	file, at := markdown.Span{}, c.e.Path
	if twin, ok := c.s.Twin(at); ok {
		c.report(format.CodeTwin, format.SeverityWarning, file,
			at+" and "+twin+" are the same file on systems that ignore letter case or Unicode forms")
	}
	if (c.e.Role == format.RoleEntry || c.e.Role == format.RoleOverview) && strings.Count(at, "/") > 3 && !format.Archived(at) {
		c.report(format.CodeTooDeep, format.SeverityWarning, file, at+" is deeper than domain/topic/subtopic/name.md")
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(at, ".md"), "/") {
		if reason := format.Unportable(name); reason != "" {
			c.report(format.CodeName, format.SeverityHint, file, strconv.Quote(name)+": "+reason)
		}
	}
}

// relations reports relations that lead nowhere.
func (c *checker) relations() {
	for _, r := range c.s.Relations(c.e.Path) {
		message := r.Problem()
		switch {
		case message == "":
			continue
		case len(r.Candidates) == 0:
			if !r.Escapes {
				message += "; correct the path, or create the entry"
			}
			severity := format.SeverityError
			if r.Form == format.FormWiki { // in notes of other programs, wiki links may name pages that are still to be written
				severity = format.SeverityWarning
			}
			c.report(format.CodeBroken, severity, r.At, message)
			continue
		}
		c.report(format.CodeAmbiguous, format.SeverityWarning, r.At, message+"; write the full path")
		p := &c.found[len(c.found)-1]
		p.Candidates = r.Candidates[:min(len(r.Candidates), format.MaxOthers)]
		for _, candidate := range p.Candidates {
			p.Others = append(p.Others, titleOf(c.s, candidate, "did you mean this?"))
		}
	}
}

// target holds the parts of an entry that links may lead to.
type target struct {
	format.Anchors
	blocks map[string]bool // as Obsidian marks them: ^id at the end of a line
}

func targetOf(e *format.Entry) target {
	t := target{e.Anchors(), map[string]bool{}}
	for line := range strings.Lines(e.Text) {
		if i := strings.LastIndexByte(line, '^'); i >= 0 {
			t.blocks[strings.TrimRight(line[i:], " \t\r\n")] = true
		}
	}
	return t
}

// headings reports the entry's links to headings that do not exist, in other entries and in itself. Archived
// entries are skipped: their stubs have no headings.
func (c *checker) headings() {
	e := c.e
	if e.Role != format.RoleEntry && e.Role != format.RoleOverview {
		return
	}
	known := map[string]target{}
	add := func(to *format.Entry, anchor string, at markdown.Span) {
		of, ok := known[to.Path]
		if !ok {
			of = targetOf(to)
			known[to.Path] = of
		}
		if _, ok := of.Place(anchor); ok || of.blocks[anchor] || format.WithoutLines("#"+anchor) == "" {
			return
		}
		c.report(format.CodeHeading, format.SeverityWarning, at, to.Path+" has no heading #"+sanitize.Short(anchor, maxShown)+
			"; correct the heading in the link, or remove it")
	}
	for _, r := range c.s.Relations(e.Path) {
		to, ok := c.s.Entry(r.Target)
		if !ok || r.Heading == "" || to.Role != format.RoleEntry && to.Role != format.RoleOverview {
			continue
		}
		at, ok := r.HeadingAt(e.Text)
		if !ok {
			at = r.At
		}
		add(to, r.Heading, at)
	}
	for _, a := range e.OwnAnchors() {
		add(e, a.At.Of(e.Text), a.At)
	}
}

// titleOf is the place where another entry states its title.
func titleOf(s *Snapshot, p, message string) format.Other {
	o := format.Other{Path: p, Message: message}
	if e, ok := s.Entry(p); ok {
		o.At, _ = e.TitleAt()
	}
	return o
}

// sameTitle reports the other entries with the entry's title.
func (c *checker) sameTitle() {
	all, _ := c.s.titles.Get(format.TitleKey(c.e))
	if len(all) < 2 {
		return
	}
	p := format.Problem{Code: format.CodeDuplicate, Severity: format.SeverityInfo}
	p.At, _ = c.e.TitleAt()
	for _, q := range all {
		if q != c.e.Path && len(p.Candidates) < format.MaxOthers {
			p.Candidates = append(p.Candidates, q)
			p.Others = append(p.Others, titleOf(c.s, q, "has the same title"))
		}
	}
	p.Message = "this title is also used by " + p.Candidates[0]
	if more := len(all) - 2; more > 0 {
		p.Message += fmt.Sprintf(" and %d more", more)
	}
	p.Message += "; explain the difference in each entry, or merge them"
	c.found = append(c.found, p)
}

// alone reports an entry without relations in either direction. It skips the only entry of a tree, and
// entries that cannot be read, which may have relations.
func (c *checker) alone() {
	if len(c.s.Relations(c.e.Path))+len(c.s.Backlinks(c.e.Path)) > 0 || c.s.Len() < 2 {
		return
	}
	if _, _, ok := c.e.Synthesis(); ok {
		return // its sources show where it belongs
	}
	if slices.ContainsFunc(c.e.Problems, func(p format.Problem) bool {
		return p.Code == format.CodeFrontmatter && p.Severity == format.SeverityError
	}) {
		return
	}
	at, _ := c.e.TitleAt()
	c.report(format.CodeOrphan, format.SeverityHint, at,
		"this entry has no relations; link related entries in `related`")
}

// Unanswered lists the relations to entries that have no relation back, each other entry once. Most relations
// need none, so [Snapshot.Problems] does not list them.
func (s *Snapshot) Unanswered(p string) []format.Problem {
	e, ok := s.Entry(p)
	if !ok || e.Role != format.RoleEntry {
		return nil
	}
	answered := map[string]bool{p: true}
	for _, b := range s.Backlinks(p) {
		answered[b.From] = true
	}
	var out []format.Problem
	for _, r := range s.Relations(p) {
		if r.Target == "" || answered[r.Target] || format.RoleOf(r.Target) != format.RoleEntry {
			continue
		}
		answered[r.Target] = true
		out = append(out, format.Problem{
			Code: format.CodeReciprocal, Severity: format.SeverityHint, At: r.At,
			Message:    r.Target + " has no relation back to this entry; add one if its readers should know this entry",
			Candidates: []string{r.Target}, Others: []format.Other{titleOf(s, r.Target, "has no relation back")},
		})
	}
	return out
}

// Problem is a skipped file as a problem.
func (k Skipped) Problem() format.Problem {
	if k.Size > format.MaxFileSize {
		return format.Problem{Code: format.CodeTooLarge, Severity: format.SeverityWarning, Message: format.TooLarge(k.Size)}
	}
	return format.Problem{Code: format.CodeSkipped, Severity: format.SeverityWarning, Message: "not read: " + k.Reason}
}

// WithLate returns the snapshot with other late saves, or itself if they are the same.
func (s *Snapshot) WithLate(late []LateSave) *Snapshot {
	if slices.Equal(late, s.lateSaves) {
		return s
	}
	n := *s
	n.lateSaves = late
	return &n
}

// LateSaves lists the texts that were written into entries' files too late, as of the last refresh.
func (s *Snapshot) LateSaves() []LateSave { return s.lateSaves }
