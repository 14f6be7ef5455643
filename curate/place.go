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
		if e.Role == tree.RoleEntry && names(e, func(f string) bool { return f == sel.Path }) {
			out = append(out, e.Path)
		}
	}
	return out[:min(len(out), maxRelated)]
}

func names(e *tree.Entry, is func(file string) bool) bool {
	return slices.ContainsFunc(e.Files, func(f tree.FileRef) bool { return is(f.Path) })
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
		if e.Role == tree.RoleEntry && dir != "." && names(e, func(f string) bool { return path.Dir(f) == dir }) && path.Dir(e.Path) != "." {
			return path.Dir(e.Path)
		}
	}
	if f := similarTopic(sel, title, t); f != "" {
		return f
	}
	return ownTopic(sel.Path)
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
		if e.Role != tree.RoleEntry || !strings.Contains(dir, "/") {
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

// ownTopic names a domain and a topic after a path: src/auth/jwt.ts → auth/jwt.
func ownTopic(p string) string {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	stem = strings.TrimSuffix(strings.TrimPrefix(stem, "test_"), "_test")
	var parts []string
	for seg := range strings.SplitSeq(path.Dir(p), "/") {
		if name := tree.Slug(seg); seg != "." && !plumbing[seg] && name != "entry" {
			parts = append(parts, name)
		}
	}
	domain := "project"
	if len(parts) > 0 {
		domain = parts[0]
	}
	topic := tree.Slug(stem)
	switch {
	case len(parts) > 1:
		topic = parts[len(parts)-1]
	case plumbingStems[strings.ToLower(stem)]:
		topic = "overview"
	}
	return domain + "/" + topic
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
	entries []*tree.Entry
	files   map[string][]naming // by the file, or the folder with a slash behind it
	folders map[string][]naming // by the folder that a named file stands in
	spread  map[string]*spread  // of words, by folder; "" is the whole
}

// What counts as common: words in nearly half of the entries. So many entries, taken evenly, show it;
// in a smaller tree half of the entries may be about one thing.
const (
	commonShare = 0.45
	commonFrom  = 8
	sampled     = 64
)

// spread is in how many entries words are.
type spread struct {
	entries int
	with    map[string]int
}

// spreads are those of the whole tree, with the path "", and of its domains and topics.
func spreads(entries []*tree.Entry) map[string]*spread {
	all := map[string]*spread{"": {with: map[string]int{}}}
	n := min(len(entries), sampled)
	for k := range n {
		e := entries[k*len(entries)/n]
		ws := stems(e.Text)
		for dir := path.Dir(e.Path); ; dir = path.Dir(dir) {
			if dir == "." {
				dir = ""
			}
			s := all[dir]
			if s == nil {
				s = &spread{with: map[string]int{}}
				all[dir] = s
			}
			s.entries++
			for _, w := range ws {
				s.with[w]++
			}
			if dir == "" {
				break
			}
		}
	}
	return all
}

// naming is an entry that names a file, with how much of what it is about that file is.
type naming struct {
	entry *tree.Entry
	share float64
}

// inCode is how much the mention of a path in the text is worth beside the list of files.
const inCode = 0.5

// read collects what the entries name. An entry that names many files is little about
// each: the square root keeps one that names nine at a third.
func read(t *tree.Snapshot) *known {
	k := &known{files: map[string][]naming{}, folders: map[string][]naming{}}
	for _, e := range t.Entries() {
		if e.Role != tree.RoleEntry {
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
	k.spread = spreads(k.entries)
	return k
}

// naming are the entries that name a file or a folder around it.
func (k *known) naming(file string) []naming {
	out := k.files[file]
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
		if e, ok := d.Tree.Entry(h.Path); ok && e.Role == tree.RoleEntry {
			f.hits = append(f.hits, h)
		}
	}
	f.odd = r.OutOfDomain
	return f, nil
}

// linked are the entries that are linked to the symbols of an idea, and to those that its
// title names. A symbol of many entries tells little of each, as does an entry of many
// symbols; of the symbols of one file the most telling counts.
func (d *drafting) linked(i idea) map[string]float64 {
	if d.links == nil {
		return nil
	}
	type part struct{ entry, path string }
	best := map[part]float64{}
	titled := d.titled(i.title)
	for k, s := range slices.Concat(titled, i.symbols) {
		if k >= len(titled) {
			s.share *= d.small(s) * touching
		}
		all := d.links.About(s.path, s.name)
		for _, ref := range all {
			if k >= len(titled) && d.known.lists(ref.Entry, s.path) {
				continue // which counts already
			}
			at := part{ref.Entry, s.path}
			best[at] = max(best[at], s.share*ref.Strength/math.Sqrt(float64(len(all)))*d.focus(ref.Entry))
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

// touching is how much a definition that is changed is worth beside one that the title names.
const touching = 0.6

// small is how much a change in a definition is about it: one that is longer than a page is
// changed for other reasons than what it is as a whole.
func (d *drafting) small(s symbol) float64 {
	if d.Code == nil {
		return 1
	}
	chunk, ok := d.Code.Chunk(s.path)
	if !ok {
		return 1
	}
	for _, def := range chunk.Symbols() {
		if def.Name == s.name {
			return 1 / math.Sqrt(max(float64(def.Range.End-def.Range.Start)/page, 1))
		}
	}
	return 1
}

// page is the length of a definition that is read at once: 40 lines of 40 bytes.
const page = 1600

// focus is how much of an entry one of the symbols that it names is.
func (d *drafting) focus(entry string) float64 {
	names := map[string]bool{}
	for _, ref := range d.links.Of(entry) {
		if ref.Symbol != "" {
			names[ref.Container+"."+ref.Symbol] = true
		}
	}
	return math.Pow(float64(max(len(names), 1)), -0.25)
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
	byFile    = 1.0  // its entries name the files
	bySymbol  = 0.8  // they are linked to the symbols
	byDir     = 0.35 // they name files of the same folders
	byHit     = 0.75 // the search finds them, with the probability that it says
	byName    = 0.45 // its name shares words with the title and the paths
	more      = 0.3  // of each further entry of the same topic
	backed    = 0.2  // of all other signs, from where on a hit counts in full;
	halfTitle = 0.5  // or with more than so much of its title in that of the idea;
	alone     = 0.3  // else so much of it, as where the search says that the tree knows nothing
	enough    = 0.25

	enoughBesideLittle = 0.2 // where a new topic's name would say little

	// A document is a subject of its own, and its sections belong together: only a topic
	// that is named alike, or that has an entry about the document, is another place.
	enoughDocument = 0.6
	namedAlike     = 0.4
)

// place chooses the folder of an idea, "" where it says nothing of its own.
func (d *drafting) place(i idea, f found) (dir string) {
	if i.entry != "" {
		if dir := path.Dir(i.entry); strings.Contains(dir, "/") {
			return dir
		}
	}
	best, most := "", enough
	if i.document {
		if dir, ok := d.placed[i.source]; ok {
			return dir
		}
		most = enoughDocument
		defer func() { d.placed[i.source] = dir }()
	}
	s := d.signsOf(i, f)
	if !i.document && d.saysLittle(ownTopic(i.home)) {
		most = enoughBesideLittle
	}
	for _, dir := range d.topics() {
		if i.document && d.sharedName(dir, s) < namedAlike && !d.leads(dir, i.source) {
			continue
		}
		if score := d.score(dir, s); score > most {
			best, most = dir, score
		}
	}
	if i.wide != "" && (best == "" || d.sharedName(best, s) < namedAlike) {
		return ""
	}
	if best != "" {
		return best
	}
	dir = ownTopic(i.home)
	if !i.document {
		if there := d.within(dir); there != "" {
			return there
		}
	}
	if folder := path.Dir(i.home); !i.document && !isPlumbing(folder) {
		dir = d.inDomain(dir, folder)
	}
	return d.fitted(dir)
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

// saysLittle reports whether the name of a new topic tells nothing of what is in it.
func (d *drafting) saysLittle(dir string) bool {
	domain, topic, _ := strings.Cut(dir, "/")
	return topic == domain || !slices.ContainsFunc(stems(topic), func(w string) bool { return !vagueNames[w] && d.known.tells(w, "") > 0 })
}

// vagueNames are what files are called that hold a bit of everything.
var vagueNames = map[string]bool{"core": true, "base": true, "common": true, "helper": true, "misc": true, "model": true, "type": true, "compat": true, "shared": true, "api": true}

// within is the topic whose name a new one would repeat: completions/bash of
// project/bash_completions. The one of which it repeats most is it, "" if none.
func (d *drafting) within(dir string) (best string) {
	own, most := stems(strings.ReplaceAll(dir, "/", " ")), 0.0
	for _, there := range d.topics() {
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

// topics are the folders that hold entries, at least a topic deep, by name.
func (d *drafting) topics() []string {
	var out []string
	for _, e := range d.known.entries {
		if dir := path.Dir(e.Path); strings.Contains(dir, "/") {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// signs are what speaks for topics, of all signs but the search.
type signs struct {
	byFile, byDir map[string]float64 // by topic
	bySymbol      map[string]float64
	wanted        map[string]float64
	title         []string
	hits          []retrieval.Hit
	odd           bool
}

func (d *drafting) signsOf(i idea, f found) signs {
	near := map[string]float64{}
	for _, a := range i.about {
		if isPlumbing(path.Dir(a.path)) {
			continue
		}
		all := d.known.folders[path.Dir(a.path)]
		for _, n := range all {
			near[n.entry.Path] += a.share / math.Sqrt(float64(len(all)))
		}
	}
	return signs{byFile: strongest(f.named), bySymbol: strongest(f.told), byDir: strongest(near), wanted: i.wanted(), title: stems(i.title), hits: f.hits, odd: f.odd}
}

// score is how much speaks for a topic.
func (d *drafting) score(dir string, s signs) float64 {
	total := byFile*s.byFile[dir] + bySymbol*min(s.bySymbol[dir], 1) + byDir*min(s.byDir[dir], 1) + byName*d.sharedName(dir, s)
	hits := map[string]float64{}
	for _, h := range s.hits {
		if path.Dir(h.Path) != dir {
			continue
		}
		hits[h.Path] = h.Score
		if e, ok := d.Tree.Entry(h.Path); s.odd || total < backed && ok && held(d.known.telling(e.Title), s.title) <= halfTitle {
			hits[h.Path] *= alone
		}
	}
	return total + byHit*min(strongest(hits)[dir], 1)
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

// sharedName is the share of a topic's own words that the title and the paths of an idea
// have; those of its domain count half.
func (d *drafting) sharedName(dir string, s signs) float64 {
	domain, topic, _ := strings.Cut(dir, "/")
	total, sum := 0.0, 0.0
	for k, part := range []string{topic, domain} {
		ws := stems(part)
		for _, w := range ws {
			weight, of := 1.0, dir
			if k == 1 {
				weight, of = 0.5/float64(len(ws)), domain
			}
			tells := d.known.tells(w, of)
			sum += weight * (tells + dullWorth*(1-tells))
			if len(w) > 2 {
				total += weight * tells * s.worth(w)
			}
		}
	}
	if ws := stems(topic); len(ws) > 1 && held(ws, s.title) == 1 {
		return titleWorth // words that tell little tell it together
	}
	if total == 0 {
		return 0
	}
	return min(total/sum, 1)
}

// worth is that of a word of a topic's name: whole, or shortened as names in code are.
func (s signs) worth(w string) float64 {
	if v, ok := s.wanted[w]; ok {
		return v
	}
	best := 0.0
	for n := leastStem; n < len(w); n++ {
		best = max(best, s.wanted[w[:n]+shortened]*stemWorth)
	}
	return best
}

// A name in code that is the beginning of a word means it: auth.py of authentication. It
// needs so many letters, and is worth so much of the word.
const (
	shortened = "…" // behind the words of paths

	leastStem = 4
	stemWorth = 0.8
)

// wanted are the words of an idea that a topic's name may share, with their worth.
func (i idea) wanted() map[string]float64 {
	wanted := map[string]float64{}
	add := func(text string, weight float64) {
		for _, w := range stems(text) {
			wanted[w] = max(wanted[w], weight)
		}
	}
	add(i.title, titleWorth)
	parts := words(i.title) // HTTP/2 is http2
	for k := 1; k < len(parts); k++ {
		add(parts[k-1]+parts[k], titleWorth)
	}
	for _, k := range i.content.Keywords {
		add(k, keywordWorth/float64(max(len(words(k)), 1)))
	}
	for _, a := range i.about {
		p := strings.TrimSuffix(a.path, path.Ext(a.path))
		add(p, pathWorth*a.share)
		for _, w := range stems(p) {
			wanted[w+shortened] = max(wanted[w+shortened], pathWorth*a.share)
		}
	}
	return wanted
}

// What a word is worth that a topic's name shares: of the title, of the path of the only file
// that changed, of a key word such as a symbol, by its parts. A word that tells nothing and is in the name
// makes the others that much less of it.
const (
	titleWorth   = 0.8
	pathWorth    = 1.2
	keywordWorth = 0.4
	dullWorth    = 0.4
)

// tells is how much a word can tell the entries of a folder from the others, 0 to 1: it falls
// with the logarithm of the share of the others that have it, to a half where that is
// [commonShare], and beyond that it tells nothing. The folder "" is none.
func (k *known) tells(w, of string) float64 {
	if generic[w] || plumbing[w] || terms.IsGeneral(w) {
		return 0
	}
	n, with := k.spread[""].entries, k.spread[""].with[w]
	if own := k.spread[of]; own != nil && of != "" {
		n, with = n-own.entries, with-own.with[w]
	}
	if n < commonFrom || with == 0 {
		return 1
	}
	over := commonShare * float64(n) / float64(with)
	if over <= 1 {
		return 0
	}
	return min(0.5+math.Log(over)/2, 1)
}

// telling are the words of a title that can.
func (k *known) telling(title string) []string {
	return slices.DeleteFunc(stems(title), func(w string) bool { return k.tells(w, "") == 0 })
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
