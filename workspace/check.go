package workspace

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
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

// Problems lists the defects of one entry, none for other files.
func (w *Workspace) Problems(_ context.Context, v *View, p string) ([]tree.Problem, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil, nil
	}
	return v.Tree().Problems(entry), nil
}

// CheckRequest says what to check.
type CheckRequest struct {
	Code bool `json:"code,omitempty"` // also list the code files that could be read only in part
}

// Check looks at the whole tree: the defects of every entry, and the files that
// could not be read. With Code it waits until the code is read and lists what of
// it was left out or is known only in part.
func (w *Workspace) Check(ctx context.Context, v *View, req CheckRequest) (*CheckReport, error) {
	if !w.HasTree() {
		return nil, ErrNoTree
	}
	if req.Code {
		if err := w.WaitCode(ctx); err != nil {
			return nil, err
		}
		v = w.View()
	}
	t := v.Tree()
	r := &CheckReport{Findings: []Finding{}}
	for _, e := range t.Entries() {
		if e.Role == tree.RoleEntry {
			r.Entries++
		}
		for _, p := range t.Problems(e.Path) {
			r.add(v.FilePath(e.Path), e.Text, p)
		}
	}
	for _, s := range t.Skipped() {
		r.add(v.FilePath(s.Path), "", tree.Problem{Code: tree.CodeSkipped, Severity: tree.SeverityWarning, Message: "not read: " + s.Reason})
	}
	if req.Code {
		r.addCode(v.Code())
	}
	return r, nil
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
