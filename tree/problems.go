package tree

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// Problems lists an entry's defects: those of its path, its own, those of its relations
// and what it has in common with others, in order of place. It costs what concerns the
// entry, however many others there are.
func (s *Snapshot) Problems(p string) []Problem {
	e, ok := s.Entry(p)
	if !ok {
		return nil
	}
	if len(e.Conflicts) > 0 {
		return append(s.pathProblems(e), e.unmergedProblems()...)
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
	case RoleEntry:
		out = append(out, s.sameTitle(e)...)
		out = append(out, s.alone(e)...)
	case RoleSummary:
		out = append(out, s.edited(e)...)
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return a.At.Start - b.At.Start })
	return capProblems(out)
}

// relationProblem says what is wrong with a relation that leads nowhere.
func (s *Snapshot) relationProblem(r Relation) (Problem, bool) {
	message := r.Problem()
	switch {
	case message == "":
		return Problem{}, false
	case len(r.Candidates) == 0:
		if !r.Escapes {
			message += "; correct the path, or create the entry"
		}
		return Problem{Code: CodeBroken, Severity: SeverityError, Message: message, At: r.At}, true
	}
	p := Problem{Code: CodeAmbiguous, Severity: SeverityWarning, Message: message + "; write the whole path of the one that is meant", At: r.At}
	p.Candidates = r.Candidates[:min(len(r.Candidates), maxOthers)]
	for _, c := range p.Candidates {
		p.Others = append(p.Others, s.other(c, "this may be meant"))
	}
	return p, true
}

// headless reports the links of an entry to headings that are not there, of other entries
// and of itself. What is archived has no headings to lead to.
func (s *Snapshot) headless(e *Entry) (out []Problem) {
	if e.Role != RoleEntry && e.Role != RoleOverview {
		return nil
	}
	known := map[string]Anchors{}
	add := func(target *Entry, anchor string, at Span) {
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
		out = append(out, Problem{Code: CodeHeading, Severity: SeverityWarning, At: at, Message: target.Path + " has no heading #" + anchor + "; correct it, or name the entry alone"})
	}
	for _, r := range s.Relations(e.Path) {
		target, ok := s.Entry(r.Target)
		if !ok || r.Heading == "" || target.Role != RoleEntry && target.Role != RoleOverview {
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
func (s *Snapshot) other(p, message string) Other {
	o := Other{Path: p, Message: message}
	if e, ok := s.Entry(p); ok {
		o.At, _ = e.TitleAt()
	}
	return o
}

// entitle keeps the table of titles.
func (d *draft) entitle(c step) {
	before, after := titleKey(c.old), titleKey(c.now)
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
func (s *Snapshot) sameTitle(e *Entry) []Problem {
	all, _ := s.titles.Get(titleKey(e))
	if len(all) < 2 {
		return nil
	}
	p := Problem{Code: CodeDuplicate, Severity: SeverityInfo}
	p.At, _ = e.TitleAt()
	for _, q := range all {
		if q != e.Path && len(p.Candidates) < maxOthers {
			p.Candidates = append(p.Candidates, q)
			p.Others = append(p.Others, s.other(q, "has the same title"))
		}
	}
	p.Message = "the title is also that of " + p.Candidates[0]
	if more := len(all) - 2; more > 0 {
		p.Message += fmt.Sprintf(" and %d more", more)
	}
	p.Message += "; say in each what sets it apart, or merge them"
	return []Problem{p}
}

// alone reports an entry without a relation in either direction. The only entry of a
// tree has nothing to be related to, and one that cannot be read may be related.
func (s *Snapshot) alone(e *Entry) []Problem {
	if len(s.Relations(e.Path))+len(s.Backlinks(e.Path)) > 0 || s.Len() < 2 {
		return nil
	}
	if _, _, ok := e.Synthesis(); ok {
		return nil // its sources say what it belongs to
	}
	if slices.ContainsFunc(e.Problems, func(p Problem) bool { return p.Code == CodeFrontmatter && p.Severity == SeverityError }) {
		return nil
	}
	at, _ := e.TitleAt()
	return []Problem{{Code: CodeOrphan, Severity: SeverityHint, At: at, Message: "no entry is related to this one, nor this one to any; name what belongs to it in `related`"}}
}

// Unanswered lists the relations of an entry to others that have none back, each other
// entry once. Most relations need none back, so [Snapshot.Problems] does not list them.
func (s *Snapshot) Unanswered(p string) []Problem {
	e, ok := s.Entry(p)
	if !ok || e.Role != RoleEntry {
		return nil
	}
	answered := map[string]bool{p: true}
	for _, b := range s.Backlinks(p) {
		answered[b.From] = true
	}
	var out []Problem
	for _, r := range s.Relations(p) {
		if r.Target == "" || answered[r.Target] || RoleOf(r.Target) != RoleEntry {
			continue
		}
		answered[r.Target] = true
		out = append(out, Problem{
			Code: CodeReciprocal, Severity: SeverityHint, At: r.At, Message: r.Target + " has no relation back to this entry; add one where a reader of it should know",
			Candidates: []string{r.Target}, Others: []Other{s.other(r.Target, "has no relation back")},
		})
	}
	return out
}

// edited reports a summary whose body was changed after we wrote it: what it says of its
// children is theirs and ours, but not the count of its own tokens. Other programs write
// summaries as well, and count otherwise; those are nobody's edit. A change that keeps
// the count is not seen.
func (s *Snapshot) edited(e *Entry) []Problem {
	var children []child
	covered := 0
	dir := folderOf(e.Path)
	n, ok := s.Node(dir)
	if !ok {
		return nil
	}
	add := func(name, p string) {
		if c, ok := s.Entry(p); ok {
			children = append(children, child{name: name, hash: c.Hash, entry: c})
			covered += c.Tokens()
		}
	}
	for _, folder := range n.Folders {
		add(path.Join(path.Base(folder), summaryFile), path.Join(folder, summaryFile))
	}
	for _, p := range n.Entries {
		if c, _ := s.Entry(p); c.Role == RoleEntry || c.Role == RoleOverview {
			add(path.Base(p), p)
		}
	}
	slices.SortFunc(children, func(a, b child) int { return strings.Compare(a.name, b.name) })
	if statedHash(e) != childrenHash(children) || statedNumber(e, "covers_token_total") != covered {
		return nil
	}
	body := strings.TrimSpace(e.Body.Of(e.Text))
	if n := statedNumber(e, "token_count"); n == tokens.Estimate(body) || n == tokens.Estimate(body+"\n") {
		return nil
	}
	return []Problem{GeneratedEdited(e)}
}

// Problem is a skipped file as a problem.
func (k Skipped) Problem() Problem {
	if size, _, ok := strings.Cut(k.Reason, overLimit); ok {
		n, _ := strconv.Atoi(size)
		return Problem{Code: CodeTooLarge, Severity: SeverityWarning, Message: tooLarge(n)}
	}
	return Problem{Code: CodeSkipped, Severity: SeverityWarning, Message: "not read: " + k.Reason}
}
