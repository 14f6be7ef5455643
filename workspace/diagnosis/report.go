package diagnosis

import (
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
)

// CheckReport lists what is wrong with a context tree.
type CheckReport struct {
	Entries  int       `json:"entries"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []Finding `json:"findings"`
	// Documents is the number of checked documents, if the request asked for them.
	Documents int    `json:"documents,omitempty"`
	Note      string `json:"note,omitempty"` // what was not checked, and why

	// Unsure says why there can be problems even if the report has none, for example because of a shallow clone.
	Unsure string `json:"unsure,omitempty"`

	Base     string    `json:"base,omitempty"`     // with a base: the commit where the work split from it
	Changed  int       `json:"changed,omitempty"`  // the number of files that changed since that commit
	Read     []Reading `json:"read,omitempty"`     // entries to read before you merge, the most relevant first
	Unlisted int       `json:"unlisted,omitempty"` // the number of further such entries
	// Places of other repositories that use what the work removes or renames, at most 1,000.
	Elsewhere []elsewhere.Link `json:"elsewhere,omitempty"`

	drifts map[string][]link.Drift // with a base: what it leaves behind, by entry
}

// Finding is one problem with its place.
type Finding struct {
	Path     string `json:"path"`   // the path in the folder
	Line     int    `json:"line"`   // 1-based
	Column   int    `json:"column"` // 1-based, in characters
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning, info or hint
	Message  string `json:"message"`

	Drift *Drifted `json:"drift,omitempty"` // with a base, and for documents: what happened to the named file or symbol
}

// Reading is an entry about the changed code that is not known to be stale. Read it before you merge.
type Reading struct {
	Path     string   `json:"path"` // the path in the folder
	Title    string   `json:"title"`
	Strength float64  `json:"strength"` // how sure the link is, 0–1
	Touches  []string `json:"touches"`  // changed files that the entry is about
	Reason   string   `json:"reason"`
}

// Drifted says what happened to the file or symbol that a finding is about.
type Drifted struct {
	Kind    link.DriftKind `json:"kind"`
	Old     string         `json:"old"`               // the file, or the file and the symbol
	New     string         `json:"new,omitempty"`     // the new one, if it moved
	Replace string         `json:"replace,omitempty"` // the text to write at the place
	Was     string         `json:"was,omitempty"`     // the text that is there now, if there is a `replace`
	Diff    string         `json:"diff,omitempty"`    // the difference, without credentials
}

// addOf adds a problem of a file in a view. For a relation that leads nowhere, it adds the entry that was meant.
func (r *CheckReport) addOf(v *workspace.View, file, text string, problem format.Problem) {
	if at, ok := v.EntryPath(file); ok && problem.Code == format.CodeBroken {
		for _, rel := range v.Tree().Relations(at) {
			if rel.At != problem.At {
				continue
			}
			if near := drift.MeantEntry(v, at, rel.Raw); near != "" {
				problem.Message += "; did you mean " + near
			}
			break
		}
	}
	r.add(file, text, problem)
}

// addGraded adds problems of a file with the severities that the user chose.
func (r *CheckReport) addGraded(grades Grades, p, text string, problems ...format.Problem) {
	for _, shown := range grades.graded(problems) {
		r.add(p, text, shown)
	}
}

func (r *CheckReport) add(p, text string, problem format.Problem) {
	before := text[:min(problem.At.Start, len(text))]
	line := strings.LastIndexByte(before, '\n') + 1
	r.Findings = append(r.Findings, Finding{
		Path: p, Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[line:]),
		Code: problem.Code, Severity: problem.Severity.String(), Message: problem.Message,
	})
	switch problem.Severity {
	case format.SeverityError:
		r.Errors++
	case format.SeverityWarning:
		r.Warnings++
	}
}
