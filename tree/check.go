package tree

import (
	"fmt"
	"strings"
)

// MaxProblems is how many problems of one entry are published; an entry with
// more has something wrong as a whole, and editors show lists of hundreds badly.
const MaxProblems = 200

func (e *Entry) report(code string, severity Severity, message string, at Span) {
	e.Problems = append(e.Problems, Problem{Code: code, Severity: severity, Message: message, At: at})
}

// check reports what is readable but not as its author may think.
func (e *Entry) check(l *layout) {
	if len(e.Text) > MaxFileSize { // an open buffer: from the disk it is not read
		e.report(CodeTooLarge, SeverityWarning, tooLarge(len(e.Text)), Span{})
	}
	if e.Role == RoleEntry {
		e.checkFields()
	}
	e.checkTwice(l)
	e.checkInvisible()
	e.checkUnsafe()
	e.Problems = capProblems(e.Problems)
}

// capProblems cuts a list to MaxProblems and says how many more there are.
func capProblems(ps []Problem) []Problem {
	if len(ps) <= MaxProblems {
		return ps
	}
	more, at := len(ps)-MaxProblems+1, ps[MaxProblems-1].At
	return append(ps[:MaxProblems-1:MaxProblems-1], Problem{
		Code: CodeMore, Severity: SeverityInfo, Message: fmt.Sprintf("%d more problems in this entry are not listed", more), At: at,
	})
}

// checkFields reports keys that no specification defines; they are kept. A key
// that is one of the format's but for its spelling is named.
func (e *Entry) checkFields() {
	for _, f := range e.Fields {
		if _, known := fieldSpecs[f.Key]; known {
			continue
		}
		message := "unknown key " + f.Key + " is kept but means nothing here"
		if key := SimilarKey(f.Key); key != "" {
			message = "unknown key " + f.Key + "; did you mean " + key + "?"
		}
		e.report(CodeField, SeverityHint, message, f.KeyAt)
	}
}

// SimilarKey is the written key that differs in case, separators or plural only,
// "" if there is none.
func SimilarKey(key string) string {
	bare := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s)), "s")
	}
	for _, k := range FieldKeys {
		if bare(k) == bare(key) {
			return k
		}
	}
	return ""
}

// sectionNames are the known sections in the order in which they are written.
var sectionNames = []string{"Reason", "Relations", "Raw Concept", "Narrative", "Facts"}

// checkTwice reports the second of two sections, parts of the Narrative or labels
// of one name: only the first is read.
func (e *Entry) checkTwice(l *layout) {
	seen := map[string]bool{}
	first := false // inside the first Narrative
	for _, s := range e.Sections {
		var name string
		switch {
		case s.Level > structural:
			continue
		case s.Level < structural:
			if name = ""; s.Level == 2 {
				name = sectionName(s.Title)
			}
			first = name == "Narrative" && !seen[name]
		case first:
			name = partName(s.Title)
		}
		if name != "" && seen[name] {
			e.report(CodeTwice, SeverityWarning, "second section "+s.Title+": only the first is read", s.Heading)
		}
		seen[name] = true
	}
	for _, at := range l.again {
		name, _, _ := label(at.Of(e.Text))
		e.report(CodeTwice, SeverityWarning, "second label "+name+": only the first is read", at)
	}
}

func sectionName(title string) string {
	for _, name := range sectionNames {
		if strings.EqualFold(name, title) {
			return name
		}
	}
	return ""
}

// partName is the written name of a part of the Narrative.
func partName(title string) string {
	for _, p := range narrativeParts {
		for _, name := range p.names {
			if strings.EqualFold(name, title) {
				return p.names[0]
			}
		}
	}
	if strings.EqualFold(title, "Diagrams") {
		return "Diagrams"
	}
	return ""
}
