package workspace

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// CheckReport lists what is wrong with a context tree.
type CheckReport struct {
	Entries  int       `json:"entries"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`
}

// Finding is one defect with its place.
type Finding struct {
	Path     string `json:"path"`   // workspace path
	Line     int    `json:"line"`   // 1-based
	Column   int    `json:"column"` // 1-based, in characters
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning, info or hint
	Message  string `json:"message"`
}

// Problems lists the defects of one entry, or the comments of a code file that name no
// entry, where the code is read.
//
// How the entry no longer fits the code belongs to them as far as that is known soon
// enough; see [Workspace.DriftSoon].
func (w *Workspace) Problems(ctx context.Context, v *View, p string) ([]tree.Problem, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return w.looseProblems(ctx, v, p), nil
	}
	problems := v.Tree().Problems(entry)
	found, _ := w.DriftSoon(ctx, v, entry)
	if len(found) == 0 {
		return problems, nil
	}
	e, _ := v.Tree().Entry(entry)
	return append(slices.Clip(problems), staleProblems(e, found)...), nil
}

// CheckRequest says what to check.
type CheckRequest struct {
	Code bool `json:"code,omitempty"` // also list the code files that could be read only in part
}

// Check looks at the whole tree: the defects of every entry, also how it no longer
// fits the code, the comments in code that name no entry, and the files that could not
// be read. It waits until the code is read. With Code it lists as well what of the code
// was left out or is known only in part.
func (w *Workspace) Check(ctx context.Context, _ *View, req CheckRequest) (*CheckReport, error) {
	if !w.HasTree() {
		return nil, ErrNoTree
	}
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	w.readHistory(ctx) // and so waits for a read under way
	v := w.View()
	t := v.Tree()
	drifts, err := w.compare(ctx, v, t.Entries()...) // not kept: they may be many
	if err != nil {
		return nil, err
	}
	r := &CheckReport{Findings: []Finding{}}
	for _, e := range t.Entries() {
		if e.Role == tree.RoleEntry {
			r.Entries++
		}
		for _, p := range t.Problems(e.Path) {
			r.add(v.FilePath(e.Path), e.Text, p)
		}
		for _, p := range staleProblems(e, drifts[e.Path]) {
			r.add(v.FilePath(e.Path), e.Text, p)
		}
	}
	for _, l := range v.Links().Loose() {
		text, err := v.Code().Read(l.Path)
		r.add(l.Path, text, looseProblem(v, l, err == nil && l.Mark.At.End <= len(text)))
	}
	for _, s := range t.Skipped() {
		r.add(v.FilePath(s.Path), "", tree.Problem{Code: tree.CodeSkipped, Severity: tree.SeverityWarning, Message: "not read: " + s.Reason})
	}
	if req.Code {
		r.addCode(v.Code())
	}
	return r, nil
}

// looseProblem says what is wrong with a comment that names no entry; placed tells that
// its place is known.
func looseProblem(v *View, l link.Loose, placed bool) tree.Problem {
	p := tree.Problem{Code: tree.CodeBroken, Severity: tree.SeverityWarning, Message: l.Reason}
	if r := v.Tree().Resolve("", tree.FormAt, l.Mark.Target); len(r.Candidates) > 0 && !r.Escapes {
		p.Code = tree.CodeAmbiguous
	}
	if placed {
		p.At = tree.Span{Start: l.Mark.At.Start, End: l.Mark.At.End}
	}
	return p
}

// looseProblems are the comments of a code file, as it is in its buffer, that name no
// entry. It waits for nothing but a short parse, and has none where that is not enough.
func (w *Workspace) looseProblems(ctx context.Context, v *View, p string) (problems []tree.Problem) {
	text, ok := v.Text(p)
	if !ok || !strings.Contains(text, markSign) || !w.HasTree() || !over(w.code.done) || w.code.err != nil {
		return nil
	}
	v = v.quickly(ctx)
	if mapped, err := v.Code().Read(p); err != nil || mapped != text {
		return nil
	}
	for _, l := range v.Links().Loose() {
		if l.Path == p && l.Mark.At.End <= len(text) {
			problems = append(problems, looseProblem(v, l, true))
		}
	}
	return problems
}

// codePartial is the code of a finding about a code file whose symbols are not
// all known.
const codePartial = "code-partial"

func (r *CheckReport) addCode(code *codebase.RepoMap) {
	for _, s := range code.Skipped() {
		r.add(s.Path, "", tree.Problem{Code: tree.CodeSkipped, Severity: tree.SeverityInfo, Message: "not read: " + s.Reason})
	}
	for _, c := range code.Chunks() {
		if c.Partial != "" {
			r.add(c.Path, "", tree.Problem{Code: codePartial, Severity: tree.SeverityInfo, Message: "read in part: " + c.Partial})
		}
	}
}

func (r *CheckReport) add(p, text string, problem tree.Problem) {
	before := text[:problem.At.Start]
	line := strings.LastIndexByte(before, '\n') + 1
	r.Findings = append(r.Findings, Finding{
		Path: p, Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[line:]),
		Code: problem.Code, Severity: problem.Severity.String(), Message: problem.Message,
	})
	switch problem.Severity {
	case tree.SeverityError:
		r.Errors++
	case tree.SeverityWarning:
		r.Warnings++
	}
}
