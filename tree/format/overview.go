package format

import (
	"cmp"
	"path"
	"strings"
)

// Overview is a caller's description of a new domain, topic or subtopic. Absent
// parts are left out, except those that can be told from the tree.
type Overview struct {
	Purpose, Ownership, Usage  string   // of a domain
	Included, Excluded         []string // of a domain
	Overview                   string   // of a topic
	KeyConcepts, RelatedTopics []string
	Focus, ParentRelation      string // of a subtopic
}

// RenderOverview writes the context.md of a folder; first is the title of the
// first entry in it. The forms are those of the specification, "Auto-Generated
// Overview Files". What nobody told is said from the names: a purpose, the first
// entry as what is included, the folder above.
func RenderOverview(dir string, o Overview, first string) string {
	name := path.Base(dir)
	about := "Knowledge about " + OneLine(inWords(name)) + "."
	t := template{}
	switch strings.Count(dir, "/") {
	case 0:
		t.title("Domain", name)
		t.text("Purpose", cmp.Or(strings.TrimSpace(o.Purpose), about))
		t.scope(orFirst(o.Included, first), o.Excluded)
		t.text("Ownership", o.Ownership)
		t.text("Usage", o.Usage)
	case 1:
		t.title("Topic", name)
		t.text("Overview", cmp.Or(strings.TrimSpace(o.Overview), about))
		t.list("Key Concepts", orFirst(o.KeyConcepts, first))
		t.list("Related Topics", o.RelatedTopics)
	default:
		t.title("Subtopic", name)
		t.text("Focus", cmp.Or(strings.TrimSpace(o.Focus), about))
		t.text("Parent Relation", cmp.Or(strings.TrimSpace(o.ParentRelation), "Part of "+OneLine(path.Base(path.Dir(dir)))+"."))
	}
	return t.String()
}

func orFirst(items []string, first string) []string {
	if len(items) == 0 {
		return []string{first}
	}
	return items
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
