package format

import (
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// Overview is a caller's description of a new domain, topic or subtopic. Missing parts are left out, unless
// the tree can supply them.
type Overview struct {
	Purpose, Ownership, Usage  string   // of a domain
	Included, Excluded         []string // of a domain
	Overview                   string   // of a topic
	KeyConcepts, RelatedTopics []string
	Focus, ParentRelation      string // of a subtopic
}

// RenderOverview writes the context.md of a folder. The forms follow the specification, "Auto-Generated
// Overview Files"; parts that the caller did not give are left out.
func RenderOverview(dir string, o Overview) string {
	name := path.Base(dir)
	t := template{}
	switch strings.Count(dir, "/") {
	case 0:
		t.title("Domain", name)
		t.text("Purpose", o.Purpose)
		t.scope(o.Included, o.Excluded)
		t.text("Ownership", o.Ownership)
		t.text("Usage", o.Usage)
	case 1:
		t.title("Topic", name)
		t.text("Overview", o.Overview)
		t.list("Key Concepts", o.KeyConcepts)
		t.list("Related Topics", o.RelatedTopics)
	default:
		t.title("Subtopic", name)
		t.text("Focus", o.Focus)
		t.text("Parent Relation", o.ParentRelation)
	}
	return t.String()
}

// Searchable reports whether an entry belongs in a search index: its role is searchable and it has content.
func Searchable(e *Entry) bool {
	return e.Role.Searchable() && !(e.Role == RoleOverview && untold(e.Text))
}

// maxUntold is the largest size, in bytes, of a text that is checked for being an empty overview.
const maxUntold = 2 << 10

// skeleton matches the text that earlier versions wrote for a folder without a description, from its name,
// the title of its first entry and the folder above.
var skeleton = lazyregexp.New(`^# (?:Domain|Topic|Subtopic): (.+)\n\n## (?:Purpose|Overview|Focus)\nKnowledge about (.+)\.\n` +
	`(?:\n## (?:Scope\nIncluded in this domain:|Key Concepts)\n- .+\n|\n## Parent Relation\nPart of .+\.\n)?$`)

// untold reports whether an overview has no information about its folder: it has only headings, or is a
// skeleton.
func untold(text string) bool {
	if len(text) > maxUntold {
		return false
	}
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) + "\n"
	if m := skeleton().FindStringSubmatch(text); m != nil && m[2] == OneLine(inWords(m[1])) {
		return true
	}
	for line := range strings.Lines(text) {
		if line != "\n" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// template writes the sections of an overview, a blank line before each, and
// nothing for those without content.
type template struct{ strings.Builder }

func (t *template) title(kind, name string) {
	t.WriteString("# " + kind + ": " + OneLine(name) + "\n")
}

func (t *template) text(heading, s string) {
	if s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")); s != "" {
		t.WriteString("\n## " + heading + "\n" + s + "\n")
	}
}

func (t *template) list(heading string, items []string) { t.text(heading, bulletLines(items)) }

func (t *template) scope(included, excluded []string) {
	var parts []string
	if s := bulletLines(included); s != "" {
		parts = append(parts, "Included in this domain:\n"+s)
	}
	if s := bulletLines(excluded); s != "" {
		parts = append(parts, "Excluded from this domain:\n"+s)
	}
	t.text("Scope", strings.Join(parts, "\n\n"))
}

// bulletLines writes the items that say something, each on a line.
func bulletLines(items []string) string { return bullets(distinct(items, OneLine)) }
