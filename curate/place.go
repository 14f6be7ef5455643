package curate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Choice is a topic that a draft may go into.
type Choice struct {
	Topic  string `json:"topic"`         // domain/topic, as a request names it
	New    bool   `json:"new,omitempty"` // it is not there yet
	Reason string `json:"reason"`        // the argument for it
}

// Undecided is a draft that is no operation, because no entry's links say in which topic it
// belongs. It becomes one when somebody names the topic.
type Undecided struct {
	Source  string   `json:"source"`  // what it is drafted from: "commit 1a2b3c4d5e6f", "src/sign.go"
	Title   string   `json:"title"`   // of the entry
	Choices []Choice `json:"choices"` // topics that entries link to it, those the search finds, a new one
}

// maxChoices is the number of existing topics that a draft offers: as many as can be read at a glance.
const maxChoices = 3

// maxRelated is the number of relations that a draft gets automatically.
const maxRelated = 3

// relatedEntries are the entries that list the selected file, or the entry the selection was
// made in.
func relatedEntries(sel Selection, t *tree.Snapshot) []string {
	if sel.Entry != "" {
		return []string{sel.Entry}
	}
	out := listing(t, func(file string) bool { return file == sel.Path })
	return out[:min(len(out), maxRelated)]
}

// listing are the entries with such a file in their list, by path.
func listing(t *tree.Snapshot, is func(file string) bool) (paths []string) {
	for _, e := range t.Entries() {
		if e.Role == format.RoleEntry && slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return is(f.Path) }) {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// folderFor chooses the topic of a selection's draft that somebody sees before it is kept.
func folderFor(sel Selection, related []string, t *tree.Snapshot) string {
	dir := path.Dir(sel.Path)
	if len(related) == 0 && dir != "." {
		related = listing(t, func(file string) bool { return path.Dir(file) == dir })
	}
	for _, p := range related {
		if strings.Contains(p, "/") {
			return path.Dir(p)
		}
	}
	return topicNamed(t, sel.Path)
}

// Topics are where the draft of a selection may stand, the likeliest first: the topics of the entries that list its
// file or files beside it, those that the search finds for the statement, and one that is named after the file.
func Topics(ctx context.Context, p Project, sel Selection) ([]Choice, error) {
	related := relatedEntries(sel, p.Tree)
	dir := path.Dir(sel.Path)
	if len(related) == 0 && dir != "." {
		related = listing(p.Tree, func(file string) bool { return path.Dir(file) == dir })
	}
	var dirs []string
	for _, entry := range related {
		if strings.Contains(entry, "/") {
			dirs = append(dirs, path.Dir(entry))
		}
	}
	d := &drafting{Project: p}
	i := idea{title: sel.Statement, home: sel.Path}
	found, err := d.found(ctx, i)
	if err != nil {
		return nil, err
	}
	return d.choices(i, dirs, found), nil
}

// plumbing are the names of folders that do not describe their files.
var plumbing = map[string]bool{
	"src": true, "lib": true, "internal": true, "pkg": true, "cmd": true, "app": true, "packages": true, "source": true,
	"docs": true, "doc": true, "documentation": true, "site": true, "content": true, "website": true, "main": true,
	"java": true, "com": true, "org": true, "tests": true, "test": true, "testdata": true, "spec": true, ".github": true,
}

// plumbingStems are the names of files that do not describe their content.
var plumbingStems = map[string]bool{
	"index": true, "_index": true, "readme": true, "main": true, "mod": true, "lib": true, "__init__": true, "doc": true,
	"package-info": true,
}

// numbered is the number of a file in a series, or its date: 7, 0007-use-redis, 2026-11-22.
var numbered = lazyregexp.New(`^\d+(?:[-_.]\d+)*(?:[-_. ]+|$)`)

// ownTopic names a domain and a topic after a path: src/auth/jwt.ts → auth/jwt. A file that has
// a number for a name, or before it, goes where its series does, which is its folder:
// docs/adr/0007-use-redis.md → project/adr.
func ownTopic(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	stem = strings.TrimSuffix(strings.TrimPrefix(stem, "test_"), "_test")
	var parts []string
	for seg := range strings.SplitSeq(path.Dir(p), "/") {
		if name := format.Slug(seg); seg != "." && !plumbing[seg] && name != "entry" {
			parts = append(parts, name)
		}
	}
	domain, series := "project", numbered().FindString(stem)
	switch n := len(parts); {
	case n > 1:
		return parts[0] + "/" + parts[n-1]
	case n == 1 && series != "":
		return domain + "/" + parts[0]
	case n == 1:
		domain = parts[0]
	}
	name := format.Slug(stem)
	if rest := format.Slug(stem[len(series):]); rest != "entry" {
		name = rest
	}
	if plumbingStems[strings.ToLower(stem)] || name == "entry" {
		name = "overview"
	}
	return domain + "/" + name
}

// topicNamed is the existing topic with the name of a file, or a new one.
func topicNamed(t *tree.Snapshot, p string) string {
	own := ownTopic(p)
	domain, name, _ := strings.Cut(own, "/")
	there := func(dir string) bool { _, ok := t.Node(dir); return ok }
	switch {
	case name == "overview" || there(own) || domain != "project" && there(domain):
		return own
	case domain == "project" && there(name):
		return name + "/overview"
	}
	found := ""
	for _, e := range t.Entries() {
		dir := path.Dir(e.Path)
		switch in, topic, _ := strings.Cut(dir, "/"); {
		case e.Role != format.RoleEntry || topic != name || dir == found:
		case domain != "project" && !strings.HasPrefix(in, domain): // auth is authentication
		case found != "":
			return own // two topics have that name
		default:
			found = dir
		}
	}
	return cmp.Or(found, own)
}

// linked are the entries that are linked to an idea's files, each with its share of the idea: for each file
// the entries about the definitions in question, or else those about the file. An entry that lists several
// files gets a smaller share of each.
func (d *drafting) linked(i idea) map[string]float64 {
	out := map[string]float64{}
	for _, a := range i.about {
		var refs []link.EntryRef
		for _, name := range a.symbols {
			refs = append(refs, d.about(a.path, name)...)
		}
		if len(refs) == 0 {
			refs = d.about(a.path, "")
		}
		if len(refs) == 0 { // a file that is gone, or is called otherwise now
			for _, p := range listing(d.Tree, func(file string) bool { return file == a.path || file == a.from }) {
				refs = append(refs, link.EntryRef{Entry: p, Strength: 1})
			}
		}
		votes, all := map[string]float64{}, 0.0
		for _, ref := range refs {
			e, ok := d.Tree.Entry(ref.Entry)
			if _, counted := votes[ref.Entry]; ok && !counted && strings.Contains(path.Dir(ref.Entry), "/") {
				votes[ref.Entry] = ref.Strength / float64(max(1, len(e.Files)))
				all += votes[ref.Entry]
			}
		}
		for entry, n := range votes {
			out[entry] += a.share * n / all
		}
	}
	return out
}

// about are the entries that are linked to a file, or to a definition of it.
func (d *drafting) about(file, symbol string) []link.EntryRef {
	if d.links == nil {
		return nil
	}
	return d.links.About(file, symbol)
}

// clear is the share of an idea above which no other topic's entries can have more.
const clear = 0.5

// place chooses the topic of an idea: the requested one, that of the entry that it was selected in, or the
// one whose entries are linked to more than half of it, or to most of it if the search finds it there first.
// Otherwise it returns choices.
func (d *drafting) place(
	ctx context.Context, i idea, linked map[string]float64,
) (dir string, choices []Choice, err error) {
	switch dir := path.Dir(i.entry); {
	case d.topic != "":
		return d.topic, nil, nil
	case strings.Contains(dir, "/"):
		return dir, nil, nil
	}
	shares := map[string]float64{}
	for _, entry := range slices.Sorted(maps.Keys(linked)) { // in order, so that it is always the same sum
		shares[path.Dir(entry)] += linked[entry]
	}
	dirs := slices.Sorted(maps.Keys(shares))
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(shares[b], shares[a]) })
	if len(dirs) > 0 && shares[dirs[0]] > clear {
		return dirs[0], nil, nil
	}
	found, err := d.found(ctx, i)
	if err != nil {
		return "", nil, err
	}
	most := len(dirs) == 1 || len(dirs) > 1 && shares[dirs[0]] > shares[dirs[1]]
	if most && len(found) > 0 && path.Dir(found[0].Path) == dirs[0] {
		return dirs[0], nil, nil
	}
	choices = d.choices(i, dirs, found)
	// Where no other topic speaks for a file, one named after it is right; a change asks.
	if d.anyTopic || len(choices) == 1 && !i.change {
		return choices[0].Topic, nil, nil
	}
	return "", choices, nil
}

// maxHits is the number of search hits that are considered.
const maxHits = 8

// found are the entries that the search finds for an idea, none where it says that the tree knows
// nothing of it.
func (d *drafting) found(ctx context.Context, i idea) (entries []*format.Entry, err error) {
	if d.Search == nil {
		return nil, nil
	}
	r, err := d.Search(ctx, retrieval.Query{Text: i.title + "\n" + i.summary, Limit: maxHits, Now: d.Now})
	if err != nil || r.OutOfDomain {
		return nil, err
	}
	for _, h := range r.Hits {
		e, ok := d.Tree.Entry(h.Path)
		if ok && e.Role == format.RoleEntry && strings.Contains(path.Dir(h.Path), "/") {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// choices are the topics that an idea may stand in: those whose entries are linked to it, those
// that the search finds for it, and a new one.
func (d *drafting) choices(i idea, linked []string, found []*format.Entry) (out []Choice) {
	add := func(dir, reason string) {
		if !slices.ContainsFunc(out, func(c Choice) bool { return c.Topic == dir }) && len(out) < maxChoices {
			out = append(out, Choice{Topic: dir, Reason: reason})
		}
	}
	for _, dir := range linked {
		add(dir, "its entries are linked to this code")
	}
	for _, e := range found {
		add(path.Dir(e.Path), fmt.Sprintf("it has a similar entry, “%s”", oneLine(e.Title)))
	}
	own := Choice{Topic: topicNamed(d.Tree, i.home), Reason: "a new topic, named after " + code(i.home), New: true}
	if _, there := d.Tree.Node(own.Topic); there {
		own.New, own.Reason = false, "it is named like "+code(i.home)
	}
	if !slices.ContainsFunc(out, func(c Choice) bool { return c.Topic == own.Topic }) {
		out = append(out, own)
	}
	return out
}

// related are the entries related to an idea: those that it names, then those that are linked to most of it.
func (d *drafting) related(i idea, linked map[string]float64) []string {
	if i.entry != "" {
		return []string{i.entry}
	}
	paths := slices.Sorted(maps.Keys(linked))
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(linked[b], linked[a]) })
	out := slices.Clone(i.content.Relations)
	for _, p := range paths {
		if len(out) < maxRelated && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out[:min(len(out), maxRelated)]
}

// CheckTopic returns the reason why drafts cannot go into a topic: it must have the form domain/topic or
// domain/topic/subtopic, with names that are valid for entries.
func CheckTopic(topic string) error {
	parts := strings.Split(topic, "/")
	if len(parts) < 2 || len(parts) > 3 {
		return fmt.Errorf("%q is not a topic; write domain/topic", topic)
	}
	for _, p := range parts {
		if err := format.CheckName(p); err != nil {
			if name, _, other := format.CutTree(topic); other {
				err = fmt.Errorf("drafts go into the current tree; for the tree %s add `--tree %s`", name, name)
			}
			return fmt.Errorf("%q is not a topic: %w", topic, err)
		}
	}
	return nil
}

// sameTitle reports whether two titles are equal except for case and signs.
func sameTitle(a, b string) bool {
	return strings.EqualFold(oneLine(a), oneLine(b)) || format.Slug(a) == format.Slug(b) && format.Slug(a) != "entry"
}

// same finds an existing entry for an idea, nil if there is none: one with its title, or one that was drafted
// from the same commit.
func (d *drafting) same(i idea) *format.Entry {
	if i.entry != "" {
		return nil // what was selected in an entry is kept beside it
	}
	for _, e := range d.work.Entries() {
		if e.Role == format.RoleEntry && (sameTitle(i.title, e.Title) || i.commit != "" && strings.Contains(e.Text, "Drafted from "+i.commit)) {
			return e
		}
	}
	return nil
}
