package describe

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/digest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Kind is the kind of thing that [Place] found.
type Kind string

// The things a hover can be about.
const (
	KindRelation Kind = "relation" // of an entry, or a mark in a comment of code
	KindField    Kind = "field"
	KindCode     Kind = "code" // a symbol, in code or named by an entry
	KindFile     Kind = "file" // a code file that an entry names
)

// Request asks what is known about a place in a file.
type Request struct {
	Path      string        // the path in the folder
	Offset    int           // byte offset
	Selection markdown.Span // the selected text; empty if none
}

// Info holds the tree's knowledge about a place.
type Info struct {
	At      markdown.Span // what in the file it is about
	Kind    Kind
	Name    string // relation, key, symbol or path as written
	Entries []Entry
	Field   *Field
	Folder  *Folder
	Code    *Symbol
	Problem string            // why a relation leads nowhere
	Answer  *retrieval.Answer // a direct answer, if there is one at its confidence
	Pages   []navigate.Explanation
	Stale   []Staleness // of the entries that this shows
	UsedIn  string      // the other repositories that use a symbol, see [elsewhere.UsedIn]
}

// Staleness says how an entry no longer fits the code.
type Staleness struct {
	Entry, Title string
	Line         string // Markdown of our own, which quotes names in backticks
	Changed      bool   // the code only changed: a confirmation that the entry is still true would end it
}

// Entry is one entry in short, its signals as they stand now.
type Entry struct {
	Path       string // the path in the tree
	FilePath   string // in the workspace
	Title      string
	Summary    string
	Lead       string  // its summary, or else its first sentence
	Tier       string  // as shown to people, "" if nothing is known
	Importance float64 // decayed to now
	HasSignals bool    // its importance was counted or is stated, and its start is known
	Tags       []string
	Backlinks  int
	Excerpt    string // first lines of what it knows, markdown
	Reason     string // why it is shown, if that is not obvious
}

// Folder is a domain, topic or subtopic in short.
type Folder struct {
	Path             string // the path in the tree
	Kind             string // "domain", "topic" or "subtopic"
	Overview         string // workspace path of the file that describes it
	Title            string // of that file
	Summary          string // what it says, markdown
	Folders, Entries int    // in it
}

// Field explains a frontmatter key.
type Field struct {
	Key   string
	Doc   string
	Value string // what the value means today, "" if nothing is to add
}

// Symbol is code that an entry names.
type Symbol struct {
	Path      string
	Line      int // 1-based; 0 for a whole file
	Signature string
	Missing   bool // named, but not in the code
}

// aboutRelation shows the entry that a relation leads to, or those that it may mean.
func aboutRelation(v *workspace.View, r tree.Relation, problem string) *Info {
	a := &Info{At: r.At, Kind: KindRelation, Name: r.Raw, Problem: problem}
	if r.Target != "" {
		a.Entries = []Entry{short(v, r.Target, "")}
	}
	reason := "one of several matches"
	if problem == "" { // it means them all
		reason = ""
	}
	for _, c := range r.Candidates[:min(5, len(r.Candidates))] {
		a.Entries = append(a.Entries, short(v, c, reason))
	}
	return a
}

// short describes an entry.
func short(v *workspace.View, p, reason string) Entry {
	e, ok := v.Entry(p)
	if !ok {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: p, Reason: reason}
	}
	e = e.Redacted() // text shown in passing contains no credentials
	if e.Role == format.RoleConflict {
		return Entry{Path: p, FilePath: v.FilePath(p), Title: e.Title, Excerpt: Excerpt(e), Reason: reason}
	}
	s := v.Trees().Signals(p, v.Now())
	counted, at := v.Trees().Counted(p)
	tier := ""
	if counted.Has || s.AccessCount > 0 { // else nothing is known: no need to say draft
		tier = format.TierName(e, s.Maturity)
	}
	return Entry{
		Path: p, FilePath: v.FilePath(p), Title: e.Title, Summary: e.Summary, Lead: digest.Lead(e),
		Tier: tier, Importance: s.Importance, HasSignals: counted.Has && !at.IsZero(),
		Tags: e.Tags, Backlinks: len(v.Trees().Backlinks(p)), Excerpt: Excerpt(e), Reason: reason,
	}
}

// fieldToday returns the present value of a signal, and its meaning for the entry's tier.
func fieldToday(v *workspace.View, e *format.Entry, f format.Field) string {
	s := v.Trees().Signals(e.Path, v.Now())
	switch f.Key {
	case "importance":
		if e.UpdatedAt.IsZero() {
			return tierToday(e, s)
		}
		return strings.TrimSuffix(fmt.Sprintf("%.0f when updated, %.0f today; %s", e.Signals.Importance, s.Importance,
			tierToday(e, s)), "; ")
	case "maturity":
		return tierToday(e, s)
	case "recency", "updatedAt":
		if !e.UpdatedAt.IsZero() {
			return fmt.Sprintf("recency is %.2f today", s.Recency)
		}
	case "accessCount":
		if uses := s.AccessCount - e.Signals.AccessCount; uses > 0 {
			return words.Counted(uses, "use", "uses") + " since the entry was last written"
		}
	}
	return ""
}

// tierToday returns the meaning of the present importance for the tier, "" if there is none.
func tierToday(e *format.Entry, s format.Signals) string {
	var said []string
	tier := format.Tier(s.Maturity, s.Importance)
	if e.Signals.Maturity != "" && tier != e.Signals.Maturity {
		said = append(said, format.TierName(e, tier)+" today")
	}
	switch {
	case tier != format.Draft:
	case s.Importance < derived.ArchiveBelow:
		said = append(said, fmt.Sprintf("can be archived: importance is below %d", derived.ArchiveBelow))
	default:
		said = append(said, fmt.Sprintf("can be archived if importance falls below %d", derived.ArchiveBelow))
	}
	return strings.Join(said, "; ")
}

// fieldAt is the frontmatter field whose key, or single value, holds offset, and the
// bytes of that.
func fieldAt(e *format.Entry, offset int) (format.Field, markdown.Span, bool) {
	for _, f := range e.Fields {
		switch {
		case f.KeyAt.Contains(offset):
			return f, f.KeyAt, true
		case !f.List && f.At.Contains(offset):
			if len(f.Items) == 1 && f.Items[0].At.Contains(offset) {
				return f, f.Items[0].At, true
			}
			return f, f.At, true
		}
	}
	return format.Field{}, markdown.Span{}, false
}

// aboutFolder describes the domain or topic under the cursor in a relation's path. It is nil if there is
// none, or no file describes it.
func aboutFolder(v *workspace.View, text string, r tree.Relation, offset int) *Folder {
	dir := folderAt(text, r, offset)
	n, ok := v.Trees().Node(dir)
	if !ok || dir == "" {
		return nil
	}
	file, ok := overviewOf(v, dir)
	if !ok {
		return nil
	}
	e, _ := v.Entry(file)
	e = e.Redacted()
	return &Folder{
		Path: dir, Kind: n.Kind.Folder(), Overview: v.FilePath(file), Title: e.Title,
		Summary: cmp.Or(e.Summary, Excerpt(e)), Folders: len(n.Folders), Entries: n.Knowledge(),
	}
}

// folderAt is the folder that the name under the cursor in a relation's path stands for,
// "" for none. The names are those of the target's own path, counted from its end: a path
// may be relative, and spelled otherwise.
func folderAt(text string, r tree.Relation, offset int) string {
	if r.Target == "" {
		return ""
	}
	written := r.At.Of(text)
	lead := len(written) - len(strings.TrimPrefix(strings.TrimPrefix(written, tree.MarkSign), "@"))
	written, _, _ = strings.Cut(written[lead:], "#")
	from := r.At.Start + lead
	if offset < from || offset > from+len(written) {
		return ""
	}
	dir := path.Dir(r.Target)
	last := path.Base(strings.TrimRight(written, "/"))
	if strings.EqualFold(last, path.Base(dir)) { // a folder's path, which means its overview
		dir = path.Dir(dir)
	}
	names := strings.Split(written, "/")
	end := from + len(written) - len(names[len(names)-1])
	for i := len(names) - 2; i >= 0 && dir != "."; i-- {
		end-- // the slash
		at := markdown.Span{Start: end - len(names[i]), End: end}
		if !strings.EqualFold(names[i], path.Base(dir)) {
			return ""
		}
		if at.Start <= offset && offset < at.End {
			return dir
		}
		dir, end = path.Dir(dir), at.Start
	}
	return ""
}

// overviewOf is the file that describes a folder: its context.md, else its generated
// summary.
func overviewOf(v *workspace.View, dir string) (string, bool) {
	for _, file := range []string{"context.md", "_index.md"} {
		p := path.Join(dir, file)
		if _, ok := v.Entry(p); ok {
			return p, true
		}
	}
	return "", false
}

// excerptLines is how much of an entry's text stands in [Entry].
const excerptLines = 12

// provenance are the sections about the origin of an entry; an excerpt leaves them out if the entry has other
// text.
var provenance = []string{"Reason", "Raw Concept", "Relations"}

// Excerpt is the beginning of an entry's text, without its title heading, blank lines collapsed. An open code
// fence is closed, and the cut text does not end with a heading.
func Excerpt(e *format.Entry) string {
	if err := e.Unmerged(); err != nil {
		return "Not known: " + err.Error() + "."
	}
	body, from := "", e.Body.Start
	for _, s := range e.Sections {
		if s.Level == 2 && slices.ContainsFunc(provenance, func(name string) bool { return strings.EqualFold(name, s.Title) }) {
			body += e.Text[from:s.At.Start]
			from = s.At.End
		}
	}
	body += e.Text[from:]
	if short := firstLines(body); short != "" {
		return short
	}
	return firstLines(e.Body.Of(e.Text))
}

func firstLines(body string) string {
	var out []string
	fence := "" // that is open
	body = strings.TrimSpace(body)
	for at := range markdown.Lines(body) {
		l := strings.TrimRight(at.At.Of(body), " \t")
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if len(out) == 0 && strings.HasPrefix(l, "# ") {
			continue
		}
		fence = at.Open
		if out = append(out, l); len(out) == excerptLines {
			break
		}
	}
	switch {
	case fence != "":
		out = append(out, fence)
	case len(out) == excerptLines:
		return markdown.WithoutLastHeadings(strings.Join(out, "\n"))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
