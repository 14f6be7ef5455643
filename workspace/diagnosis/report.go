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
	// Documents counts the repository's documents, if all were checked too.
	Documents int    `json:"documents,omitempty"`
	Note      string `json:"note,omitempty"` // what was not looked at, and why

	// Unsure says why a report without findings does not mean that there are none: a shallow clone.
	Unsure string `json:"unsure,omitempty"`

	Base     string    `json:"base,omitempty"`     // with a base: the commit where the work parted from it
	Changed  int       `json:"changed,omitempty"`  // files that are not as they were there
	Read     []Reading `json:"read,omitempty"`     // entries to read before the change is merged, the strongest first
	Unlisted int       `json:"unlisted,omitempty"` // more of them
	// The places of other repositories that use what the work takes away or renames, the first 1,000.
	Elsewhere []elsewhere.Link `json:"elsewhere,omitempty"`

	drifts map[string][]link.Drift // with a base: what it leaves behind, by entry
}

// Finding is one defect with its place.
type Finding struct {
	Path     string `json:"path"`   // workspace path
	Line     int    `json:"line"`   // 1-based
	Column   int    `json:"column"` // 1-based, in characters
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning, info or hint
	Message  string `json:"message"`

	Drift *Drifted `json:"drift,omitempty"` // with a base, and of documents: what became of what is named here
}

// Reading is an entry that speaks of what a change touches, and is not seen to be left behind by
// it: who merges should have read it.
type Reading struct {
	Path     string   `json:"path"` // workspace path
	Title    string   `json:"title"`
	Strength float64  `json:"strength"` // how sure the link is, 0–1
	Touches  []string `json:"touches"`  // files of the change that it speaks of
	Reason   string   `json:"reason"`
}

// Drifted tells of a [Finding] what became of the thing that the entry names.
type Drifted struct {
	Kind    link.DriftKind `json:"kind"`
	Old     string         `json:"old"`               // file, or file and symbol
	New     string         `json:"new,omitempty"`     // likewise, of what moved
	Replace string         `json:"replace,omitempty"` // what to write instead of the place, which is right then
	Was     string         `json:"was,omitempty"`     // what stands there, with Replace
	Diff    string         `json:"diff,omitempty"`    // of what changed, without credentials
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
