package tree

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Problems lists an entry's defects: those of its path, its own, those of its relations
// and what it has in common with others, in order of place. It costs what concerns the
// entry, however many others there are.
func (s *Snapshot) Problems(p string) []format.Problem {
	e, ok := s.Entry(p)
	if !ok {
		return nil
	}
	if len(e.Conflicts) > 0 {
		return append(s.pathProblems(e), e.UnmergedProblems()...)
	}
	out := append(s.pathProblems(e), e.Problems...)
	for _, r := range s.Relations(p) {
		if problem, ok := s.relationProblem(r); ok {
			out = append(out, problem)
		}
	}
	out = append(out, s.headless(e)...)
	out = append(out, s.lateProblems(p)...)
	switch e.Role {
	case format.RoleEntry:
		out = append(out, s.sameTitle(e)...)
		out = append(out, s.alone(e)...)
	case format.RoleSummary:
		out = append(out, s.edited(e)...)
	}
	slices.SortStableFunc(out, func(a, b format.Problem) int { return a.At.Start - b.At.Start })
	return format.CapProblems(out)
}

// relationProblem says what is wrong with a relation that leads nowhere.
func (s *Snapshot) relationProblem(r Relation) (format.Problem, bool) {
	message := r.Problem()
	switch {
	case message == "":
		return format.Problem{}, false
	case len(r.Candidates) == 0:
		if !r.Escapes {
			message += "; correct the path, or create the entry"
		}
		return format.Problem{Code: format.CodeBroken, Severity: format.SeverityError, Message: message, At: r.At}, true
	}
	p := format.Problem{Code: format.CodeAmbiguous, Severity: format.SeverityWarning, Message: message + "; write the whole path of the one that is meant", At: r.At}
	p.Candidates = r.Candidates[:min(len(r.Candidates), format.MaxOthers)]
	for _, c := range p.Candidates {
		p.Others = append(p.Others, s.other(c, "this may be meant"))
	}
	return p, true
}

// headless reports the links of an entry to headings that are not there, of other entries
// and of itself. What is archived has no headings to lead to.
func (s *Snapshot) headless(e *format.Entry) (out []format.Problem) {
	if e.Role != format.RoleEntry && e.Role != format.RoleOverview {
		return nil
	}
	known := map[string]format.Anchors{}
	add := func(target *format.Entry, anchor string, at markdown.Span) {
		of, ok := known[target.Path]
		if !ok {
			of = target.Anchors()
			known[target.Path] = of
		}
		if _, ok := of.Section(anchor); ok {
			return
		}
		if len(anchor) > maxShown {
			anchor = strings.ToValidUTF8(anchor[:maxShown], "") + "…"
		}
		out = append(out, format.Problem{Code: format.CodeHeading, Severity: format.SeverityWarning, At: at, Message: target.Path + " has no heading #" + anchor + "; correct it, or name the entry alone"})
	}
	for _, r := range s.Relations(e.Path) {
		target, ok := s.Entry(r.Target)
		if !ok || r.Heading == "" || target.Role != format.RoleEntry && target.Role != format.RoleOverview {
			continue
		}
		at, ok := r.HeadingAt(e.Text)
		if !ok {
			at = r.At
		}
		add(target, r.Heading, at)
	}
	for _, a := range e.OwnAnchors() {
		add(e, a.At.Of(e.Text), a.At)
	}
	return out
}

// other is the place where an entry states its title.
func (s *Snapshot) other(p, message string) format.Other {
	o := format.Other{Path: p, Message: message}
	if e, ok := s.Entry(p); ok {
		o.At, _ = e.TitleAt()
	}
	return o
}

// entitle keeps the table of titles.
func (d *draft) entitle(c step) {
	before, after := format.TitleKey(c.old), format.TitleKey(c.now)
	if before == after {
		return
	}
	if before != "" {
		all, _ := d.titles.Get(before)
		if rest := without(slices.Clone(all), c.path); len(rest) > 0 {
			d.titles.Set(before, rest)
		} else {
			d.titles.Remove(before)
		}
	}
	if after != "" {
		all, _ := d.titles.Get(after)
		d.titles.Set(strings.Clone(after), with(slices.Clone(all), c.path))
	}
}

// sameTitle reports the other entries with an entry's title.
func (s *Snapshot) sameTitle(e *format.Entry) []format.Problem {
	all, _ := s.titles.Get(format.TitleKey(e))
	if len(all) < 2 {
		return nil
	}
	p := format.Problem{Code: format.CodeDuplicate, Severity: format.SeverityInfo}
	p.At, _ = e.TitleAt()
	for _, q := range all {
		if q != e.Path && len(p.Candidates) < format.MaxOthers {
			p.Candidates = append(p.Candidates, q)
			p.Others = append(p.Others, s.other(q, "has the same title"))
		}
	}
	p.Message = "the title is also that of " + p.Candidates[0]
	if more := len(all) - 2; more > 0 {
		p.Message += fmt.Sprintf(" and %d more", more)
	}
	p.Message += "; say in each what sets it apart, or merge them"
	return []format.Problem{p}
}

// alone reports an entry without a relation in either direction. The only entry of a
// tree has nothing to be related to, and one that cannot be read may be related.
func (s *Snapshot) alone(e *format.Entry) []format.Problem {
	if len(s.Relations(e.Path))+len(s.Backlinks(e.Path)) > 0 || s.Len() < 2 {
		return nil
	}
	if _, _, ok := e.Synthesis(); ok {
		return nil // its sources say what it belongs to
	}
	if slices.ContainsFunc(e.Problems, func(p format.Problem) bool {
		return p.Code == format.CodeFrontmatter && p.Severity == format.SeverityError
	}) {
		return nil
	}
	at, _ := e.TitleAt()
	return []format.Problem{{Code: format.CodeOrphan, Severity: format.SeverityHint, At: at, Message: "no entry is related to this one, nor this one to any; name what belongs to it in `related`"}}
}

// Unanswered lists the relations of an entry to others that have none back, each other
// entry once. Most relations need none back, so [Snapshot.Problems] does not list them.
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
			Code: format.CodeReciprocal, Severity: format.SeverityHint, At: r.At, Message: r.Target + " has no relation back to this entry; add one where a reader of it should know",
			Candidates: []string{r.Target}, Others: []format.Other{s.other(r.Target, "has no relation back")},
		})
	}
	return out
}

// edited reports a summary whose body was changed after we wrote it: what it says of its
// children is theirs and ours, but not the count of its own tokens. Other programs write
// summaries as well, and count otherwise; those are nobody's edit. A change that keeps
// the count is not seen.
func (s *Snapshot) edited(e *format.Entry) []format.Problem {
	var children []Child
	covered := 0
	dir := format.FolderOf(e.Path)
	n, ok := s.Node(dir)
	if !ok {
		return nil
	}
	add := func(name, p string) {
		if c, ok := s.Entry(p); ok {
			children = append(children, Child{name, c.Hash})
			covered += c.Tokens()
		}
	}
	for _, folder := range n.Folders {
		add(path.Join(path.Base(folder), format.SummaryFile), path.Join(folder, format.SummaryFile))
	}
	for _, p := range n.Entries {
		if c, _ := s.Entry(p); c.Role == format.RoleEntry || c.Role == format.RoleOverview {
			add(path.Base(p), p)
		}
	}
	slices.SortFunc(children, func(a, b Child) int { return strings.Compare(a.Name, b.Name) })
	if format.StatedHash(e) != ChildrenHash(children) || format.StatedNumber(e, "covers_token_total") != covered {
		return nil
	}
	body := strings.TrimSpace(e.Body.Of(e.Text))
	if n := format.StatedNumber(e, "token_count"); n == tokens.Estimate(body) || n == tokens.Estimate(body+"\n") {
		return nil
	}
	return []format.Problem{format.GeneratedEdited(e)}
}

// Problem is a skipped file as a problem.
func (k Skipped) Problem() format.Problem {
	if size, _, ok := strings.Cut(k.Reason, format.OverLimit); ok {
		n, _ := strconv.Atoi(size)
		return format.Problem{Code: format.CodeTooLarge, Severity: format.SeverityWarning, Message: format.TooLarge(n)}
	}
	return format.Problem{Code: format.CodeSkipped, Severity: format.SeverityWarning, Message: "not read: " + k.Reason}
}

// WithLate returns the snapshot with other late saves, or itself if they are the same.
func (s *Snapshot) WithLate(late []LateSave) *Snapshot {
	if slices.Equal(late, s.late) {
		return s
	}
	n := *s
	n.late = late
	return &n
}

// LateSaves lists the texts that were written into entries' files too late, as of the last refresh.
func (s *Snapshot) LateSaves() []LateSave { return s.late }

// lateProblems are the late saves of an entry.
func (s *Snapshot) lateProblems(p string) (out []format.Problem) {
	for _, l := range s.late {
		if l.Path == p {
			out = append(out, l.Problem())
		}
	}
	return out
}
