package curate

import (
	"cmp"
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	terms "github.com/brv-lsp/brv-lsp/retrieval/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxRelated is how many entries a draft relates to by itself.
const maxRelated = 3

// relatedEntries are the entries that speak of the selected file, or the entry
// the selection was made in.
func relatedEntries(sel Selection, t *tree.Snapshot) []string {
	if sel.Entry != "" {
		return []string{sel.Entry}
	}
	var out []string
	for _, e := range t.Entries() {
		if e.Role == format.RoleEntry && names(e, func(f string) bool { return f == sel.Path }) {
			out = append(out, e.Path)
		}
	}
	return out[:min(len(out), maxRelated)]
}

func names(e *format.Entry, is func(file string) bool) bool {
	return slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return is(f.Path) })
}

// folderFor chooses the topic of a draft.
func folderFor(sel Selection, title string, related []string, t *tree.Snapshot) string {
	if len(related) > 0 {
		if dir := path.Dir(related[0]); dir != "." {
			return dir
		}
	}
	dir := path.Dir(sel.Path)
	for _, e := range t.Entries() {
		if e.Role == format.RoleEntry && dir != "." && names(e, func(f string) bool { return path.Dir(f) == dir }) && path.Dir(e.Path) != "." {
			return path.Dir(e.Path)
		}
	}
	if f := similarTopic(sel, title, t); f != "" {
		return f
	}
	return ownTopic(sel.Path, "")
}

// similarTopic is the existing topic that shares most words with the title and
// the path; "" if none shares any. Equal topics go by name.
func similarTopic(sel Selection, title string, t *tree.Snapshot) string {
	wanted := map[string]bool{}
	for _, w := range words(title + " " + sel.Path) {
		wanted[w] = true
	}
	best, most := "", 0
	for _, e := range t.Entries() {
		dir := path.Dir(e.Path)
		if e.Role != format.RoleEntry || !strings.Contains(dir, "/") {
			continue
		}
		shared := 0
		for _, w := range words(dir) {
			if wanted[w] && len(w) > 2 {
				shared++
			}
		}
		if shared > most {
			best, most = dir, shared
		}
	}
	return best
}

// plumbing are the folders that say nothing of what a file is about.
var plumbing = map[string]bool{"src": true, "lib": true, "internal": true, "pkg": true, "cmd": true, "app": true, "packages": true, "source": true,
	"docs": true, "doc": true, "documentation": true, "site": true, "content": true, "website": true, "main": true, "java": true, "com": true, "org": true, "tests": true, "test": true, "testdata": true, "spec": true, ".github": true}

// plumbingStems are the names of files that say nothing of what they are about.
var plumbingStems = map[string]bool{"index": true, "_index": true, "readme": true, "main": true, "mod": true, "lib": true, "__init__": true, "doc": true}

// Names of documents that say nothing of what these are about either, and of those that say
// what changed from release to release.
var (
	vagueNames = map[string]bool{"note": true, "notes": true, "todo": true, "draft": true, "untitled": true, "new": true, "misc": true, "document": true, "page": true, "text": true}
	changeLogs = map[string]bool{"changelog": true, "changes": true, "change_log": true, "history": true, "news": true, "releases": true, "release_notes": true}
)

// releases is the topic of what changed from release to release.
const releases = "releases"

// numbered is the number of a file in a series, or its date: 7, 0007-use-redis, rfc-12, 2026-11-22.
var numbered = pattern.Of(`(?i)^(?:(?:adr|rfc|pep)[-_. ]?)?\d+(?:[-_.]\d+)*(?:[-_. :)]+|$)|^v\d+(?:\.\d+)*$`)

// migration is the number before the name of a file that is no document: 0007_add_users.
var migration = pattern.Of(`^\d{3,}[-_]`)

// ownTopic names a domain and a topic after a path: src/auth/jwt.ts → auth/jwt. A file that has
// a number for a name, or before it, goes where its series does, which is its folder:
// docs/adr/0007-use-redis.md → project/adr; one that is no document only with a name behind it. Where neither folder nor name say what a document
// is about, its title does; it is "" for other files.
func ownTopic(p, title string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	stem = strings.TrimSuffix(strings.TrimPrefix(stem, "test_"), "_test")
	var parts []string
	for seg := range strings.SplitSeq(path.Dir(p), "/") {
		name := format.Slug(seg)
		if title != "" && changeLogs[name] {
			name = releases
		}
		if seg != "." && !plumbing[seg] && name != "entry" {
			parts = append(parts, name)
		}
	}
	of := migration
	if title != "" {
		of = numbered
	}
	series := of().FindString(stem)
	name := format.Slug(stem[len(series):])
	domain := "project"
	switch n := len(parts); {
	case n > 1:
		return parts[0] + "/" + parts[n-1]
	case n == 1 && series != "":
		return domain + "/" + parts[0]
	case n == 1:
		domain = parts[0]
	}
	switch {
	case title != "" && changeLogs[name]:
		return domain + "/" + releases
	case plumbingStems[strings.ToLower(stem)], name == "entry" && title == "":
		name = "overview"
	case title != "" && (name == "entry" || vagueNames[name]):
		if name = "overview"; len(parts) == 0 {
			name = topicOf(title)
		}
	}
	return domain + "/" + name
}

// maxTopicWords is how many words of a title that tell something name a topic.
const maxTopicWords = 4

// topicOf is the name of a topic after a title.
func topicOf(title string) string {
	all, telling, end := words(title[len(numbered().FindString(title)):]), 0, 0
	for n, w := range all {
		if len(stems(w)) > 0 && telling < maxTopicWords {
			telling, end = telling+1, n+1
		}
	}
	name := format.Slug(strings.Join(all[:end], " "))
	if name == "entry" || plumbingStems[name] || vagueNames[name] || changeLogs[name] {
		return "overview"
	}
	return name
}

// words splits at everything that is no letter or digit, and inside camelCase.
func words(s string) []string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// known is what the entries of a tree name.
type known struct {
	entries []*format.Entry
	files   map[string][]naming // by the file, or the folder with a slash behind it
	folders map[string][]naming // by the folder that a named file stands in

	headings   []heading          // of topics, once they are asked for
	vocabulary map[string]float64 // their words, with how much of all headings each is
	sorted     []string           // those in order
}

// What counts as common: words in nearly half of the entries. So many entries, taken evenly, show it;
// in a smaller tree half of the entries may be about one thing.
const (
	commonShare = 0.45
	commonFrom  = 8
	sampled     = 64
)

// tells reports whether a word can tell one part of the project from the others.
func (k *known) tells(w string) bool {
	if generic[w] || plumbing[w] || terms.IsGeneral(w) {
		return false
	}
	n, with := min(len(k.entries), sampled), 0
	for at := range n {
		if slices.Contains(stems(k.entries[at*len(k.entries)/n].Text), w) {
			with++
		}
	}
	return n < commonFrom || float64(with) < commonShare*float64(n)
}

// naming is an entry that names a file, with how much of what it is about that file is.
type naming struct {
	entry *format.Entry
	share float64
}

// inCode is how much the mention of a path in the text is worth beside the list of files.
const inCode = 0.5

// read collects what the entries name. An entry that names many files is little about
// each: the square root keeps one that names nine at a third.
func read(t *tree.Snapshot) *known {
	k := &known{files: map[string][]naming{}, folders: map[string][]naming{}}
	for _, e := range t.Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		k.entries = append(k.entries, e)
		share := 1 / math.Sqrt(float64(max(len(e.Files), 1)))
		seen := map[string]bool{}
		name := func(p string, share float64) {
			if p = strings.TrimPrefix(p, "./"); p == "" || seen[p] {
				return
			}
			seen[p] = true
			k.files[p] = append(k.files[p], naming{e, share})
			if dir := path.Dir(p); dir != "." && !seen[dir+"\x00"] {
				seen[dir+"\x00"] = true
				k.folders[dir] = append(k.folders[dir], naming{e, share})
			}
		}
		for _, f := range e.Files {
			name(f.Path, share)
		}
		for _, at := range e.Code {
			if p := at.Of(e.Text); strings.Contains(p, "/") && plainPath.MatchString(p) {
				name(p, share*inCode)
			}
		}
	}
	return k
}

// naming are the entries that name a file or a folder around it.
func (k *known) naming(file string) []naming {
	out := k.files[file]
	// A document may have changed its form.
	if ext := path.Ext(file); len(out) == 0 && documents[ext] {
		out = k.files[strings.TrimSuffix(file, ext)+".md"]
	}
	for dir := path.Dir(file); dir != "." && dir != "/" && !isPlumbing(dir); dir = path.Dir(dir) {
		out = append(out[:len(out):len(out)], k.files[dir+"/"]...)
	}
	return out
}

// found is what the tree has to do with an idea.
type found struct {
	hits  []retrieval.Hit
	odd   bool               // the tree knows nothing of it, says the search
	named map[string]float64 // entries that name its files, with how much of it they name
	told  map[string]float64 // entries that are linked to its symbols, so too
}

// maxHits is how many hits of a search are looked at.
const maxHits = 8

// look searches the tree for an idea: by its title and key words, and by its files.
func (d *drafting) look(ctx context.Context, i idea) (found, error) {
	f := found{named: map[string]float64{}}
	for _, a := range i.about {
		for _, n := range d.known.naming(a.path) {
			f.named[n.entry.Path] += a.share * n.share
		}
	}
	f.told = d.linked(i)
	if d.Search == nil {
		return f, nil
	}
	text := i.title + "\n" + strings.Join(i.content.Keywords, " ") + "\n" + i.summary
	r, err := d.Search(ctx, retrieval.Query{Text: text, Limit: maxHits, Now: d.Now})
	if err != nil {
		return f, err
	}
	for _, h := range r.Hits {
		if e, ok := d.Tree.Entry(h.Path); ok && e.Role == format.RoleEntry {
			f.hits = append(f.hits, h)
		}
	}
	f.odd = r.OutOfDomain
	return f, nil
}

// linked are the entries that are linked to the symbols of an idea, and to those that its
// title names. A symbol of many entries tells little of each; of the symbols of one file
// the most telling counts.
func (d *drafting) linked(i idea) map[string]float64 {
	if d.links == nil {
		return nil
	}
	type part struct{ entry, path string }
	best := map[part]float64{}
	titled := d.titled(i.title)
	for k, s := range slices.Concat(titled, i.symbols) {
		all := d.links.About(s.path, s.name)
		for _, ref := range all {
			if k >= len(titled) && d.known.lists(ref.Entry, s.path) {
				continue // which counts already
			}
			at := part{ref.Entry, s.path}
			best[at] = max(best[at], s.share*ref.Strength/math.Sqrt(float64(len(all))))
		}
	}
	out := map[string]float64{}
	for at, v := range best {
		out[at.entry] += v
	}
	return out
}

// lists reports whether an entry names a file.
func (k *known) lists(entry, file string) bool {
	return slices.ContainsFunc(k.files[file], func(n naming) bool { return n.entry.Path == entry })
}

// titled are the symbols that a title names: what is written as code is and has one
// definition, or few.
func (d *drafting) titled(title string) (out []symbol) {
	if d.Code == nil {
		return nil
	}
	for _, name := range codeName().FindAllString(title, maxKeywords) {
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			name = name[at+1:]
		}
		defs := d.Code.Lookup(name)
		if len(defs) > link.MaxDefined {
			continue
		}
		for _, def := range defs {
			out = append(out, symbol{def.Path, name, 1})
		}
	}
	return out
}

// codeName is a word that is written as names of code are: with an underscore, a capital
// inside, a qualifier, brackets or back-ticks.
var codeName = pattern.Of("[\\pL_][\\pL\\pN]*(?:[._][\\pL\\pN]+)+|\\pL*\\p{Ll}\\p{Lu}[\\pL\\pN]*|\\p{Lu}+\\p{Ll}+(?:\\p{Lu}\\p{Ll}+)+")

// What speaks for a topic, and how much of it is enough.
const (
	byFile   = 1.0 // its entries name the files
	bySymbol = 0.5 // they are linked to the symbols
	byName   = 0.3 // its name shares words with the idea, beside what words are worth at all
	more     = 0.3 // of each further entry of the same topic
	enough   = 0.2 // below it nothing speaks for any topic

	// A document is a subject of its own, and its sections belong together: without a word of
	// its author it goes only to a topic that is named alike or has an entry about it, and to a
	// new one only where none that is there stands out. Of 88 documents of click, httpx and this project
	// 66 land so, 64 in a sensible topic: bench/runs/curate-documents-2026-11-22.md.
	enoughDocument = 0.6
	namedAlike     = 0.4
)

// place chooses the folder of an idea, "" where it says nothing of its own. Where the rules are
// not sure of it, they give choices instead.
func (d *drafting) place(i idea, f found) (dir string, choices []Choice) {
	if d.topic != "" {
		return d.topic, nil
	}
	if dir := path.Dir(i.entry); strings.Contains(dir, "/") {
		return dir, nil
	}
	if dir, ok := d.placed[i.source]; ok && i.document != "" {
		return dir, nil
	}
	s := d.signsOf(i, f)
	all := d.rank(s)
	best, clear := d.likeliest(i, f, all)
	switch {
	case i.wide != "" && (best == "" || s.byName[best] < namedAlike):
		return "", nil
	case clear || d.anyTopic:
		return cmp.Or(best, d.newTopic(i)), nil
	}
	return "", d.choices(i, s, all, best)
}

// likeliest is the topic that an idea stands in if nobody says another, "" for a new one, and
// whether that is clear.
func (d *drafting) likeliest(i idea, f found, all []scored) (dir string, clear bool) {
	if i.document == "" {
		if len(all) == 0 || all[0].score <= enough {
			return "", true
		}
		return all[0].dir, isSure(all, f)
	}
	for _, t := range all {
		if d.leads(t.dir, i.source) {
			return t.dir, true
		}
	}
	for n, t := range all {
		if t.score > enoughDocument && named(t.dir, i) {
			return t.dir, n == 0 && isSure(all, f)
		}
	}
	return "", len(all) == 0 || all[0].score <= enoughDocument || sureness(all) < sureAgreed
}

// rank orders the topics by what speaks for them, equal ones by name.
func (d *drafting) rank(s signs) (all []scored) {
	for _, h := range d.known.topicHeadings() {
		all = append(all, scored{h.dir, d.score(h.dir, s)})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return all
}

// newTopic names a topic after the file of an idea, unless it would only repeat one that is
// there.
func (d *drafting) newTopic(i idea) string {
	dir := ownTopic(i.home, i.document)
	if i.document == "" {
		if there := d.within(dir); there != "" {
			return there
		}
	}
	if folder := path.Dir(i.home); i.document == "" && !isPlumbing(folder) {
		dir = d.inDomain(dir, folder)
	}
	return d.fitted(dir)
}

// named reports whether a document or its title is named as a topic is, or all of it is named
// as the topic's domain.
func named(dir string, i idea) bool {
	domain, topic, _ := strings.Cut(dir, "/")
	own := stems(strings.TrimSuffix(path.Base(i.source), path.Ext(i.source)))
	return !generic[topic] && held(stems(topic), append(stems(i.title), own...)) == 1 || len(own) > 0 && slices.Equal(own, stems(domain))
}

// inDomain is a new topic in the domain whose entries are nearly all that name files of the
// same folder; else as it is.
func (d *drafting) inDomain(dir, folder string) string {
	_, topic, _ := strings.Cut(dir, "/")
	domains, all := map[string]float64{}, 0.0
	for _, n := range d.known.folders[folder] {
		if domain, _, ok := strings.Cut(n.entry.Path, "/"); ok {
			domains[domain], all = domains[domain]+n.share, all+n.share
		}
	}
	for domain, n := range domains {
		if len(d.known.folders[folder]) >= fewNaming && n >= clearDomain*all {
			return domain + "/" + topic
		}
	}
	return dir
}

// A domain is clear where so many entries name a folder's files, and it has so much of them.
const (
	fewNaming   = 2
	clearDomain = 0.65
)

// within is the topic whose name a new one would repeat: completions/bash of
// project/bash_completions. The one of which it repeats most is it, "" if none.
func (d *drafting) within(dir string) (best string) {
	own, most := stems(strings.ReplaceAll(dir, "/", " ")), 0.0
	for _, h := range d.known.topicHeadings() {
		there := h.dir
		domain, name, _ := strings.Cut(there, "/")
		if generic[name] {
			domain, name = "", domain
		}
		if ws := stems(name); len(ws) == 0 || generic[name] || held(ws, own) < 1 {
			continue
		}
		if n := float64(len(stems(name))) + held(stems(domain), own); n > most {
			best, most = there, n
		}
	}
	return best
}

// fitted is a new topic in a domain that is there already under nearly that name, or that is
// named like the topic.
func (d *drafting) fitted(dir string) string {
	root, ok := d.Tree.Node("")
	if !ok {
		return dir
	}
	domain, topic, _ := strings.Cut(dir, "/")
	alike := func(a, b string) bool { return slices.Equal(stems(a), stems(b)) }
	for _, there := range root.Folders {
		switch {
		case alike(there, domain):
			return there + "/" + topic
		case domain == "project" && alike(there, topic):
			return there + "/overview"
		}
	}
	return dir
}

// leads reports whether a topic has an entry that is about a file before all others.
func (d *drafting) leads(dir, file string) bool {
	return slices.ContainsFunc(d.known.files[file], func(n naming) bool {
		return path.Dir(n.entry.Path) == dir && len(n.entry.Files) > 0 && n.entry.Files[0].Path == file
	})
}

// signs are what speaks for topics, by topic.
type signs struct {
	byFile, bySymbol, byWords, byName map[string]float64
}

func (d *drafting) signsOf(i idea, f found) signs {
	s := signs{byFile: strongest(f.named), bySymbol: strongest(f.told)}
	s.byWords, s.byName = d.known.byWords(i)
	if i.upkeep {
		for dir := range s.byFile {
			s.byFile[dir] *= upkeepFiles
		}
	}
	return s
}

// score is how much speaks for a topic.
func (d *drafting) score(dir string, s signs) float64 {
	return byFile*s.byFile[dir] + bySymbol*min(s.bySymbol[dir], 1) + s.byWords[dir] + byName*s.byName[dir]
}

// isPlumbing reports whether no part of a folder's path says what is in it.
func isPlumbing(dir string) bool {
	for seg := range strings.SplitSeq(dir, "/") {
		if seg != "." && !plumbing[seg] {
			return false
		}
	}
	return true
}

// strongest is, by folder, the best of its entries and a part of the others, added in order
// of name so that it is always the same sum.
func strongest(scores map[string]float64) map[string]float64 {
	best, rest := map[string]float64{}, map[string]float64{}
	for _, p := range slices.Sorted(maps.Keys(scores)) {
		dir := path.Dir(p)
		best[dir], rest[dir] = max(best[dir], scores[p]), rest[dir]+scores[p]
	}
	for dir, b := range best {
		best[dir] = b + more*(rest[dir]-b)
	}
	return best
}

// generic are words of names that are in anything.
var generic = map[string]bool{"project": true, "overview": true, "test": true, "code": true, "file": true, "tool": true, "util": true, "command": true, "general": true}

// maxSure is from which probability on a hit is related without naming a file.
const maxSure = 0.6

// related are the entries that an idea has to do with, the surest first.
func (d *drafting) related(i idea, f found) []string {
	if i.entry != "" {
		return []string{i.entry}
	}
	scores := maps.Clone(f.named)
	for _, h := range f.hits {
		if h.Score >= maxSure && !f.odd || scores[h.Path] > 0 {
			scores[h.Path] += h.Score
		}
	}
	paths := slices.Sorted(maps.Keys(scores))
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	out := slices.Clone(i.content.Relations)
	for _, p := range paths {
		if len(out) < maxRelated && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out[:min(len(out), maxRelated)]
}
