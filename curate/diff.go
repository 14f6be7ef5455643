package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/pattern"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// ChangesOf is a difference that git told, with the definitions that it touches. code is
// the map of the files as they are after the change, nil where it is of another state:
// then only definitions that stand in changed lines are known.
func ChangesOf(name string, g *git.Difference, code *codebase.RepoMap) Changes {
	c := Changes{Name: name, Commit: g.Commit, Message: g.Message}
	var left []string
	for _, f := range g.Files {
		file := FileChange{Path: f.Path, From: f.From, Status: f.Status, Binary: f.Left == "binary", Left: f.Left}
		for _, h := range f.Added {
			file.Added = append(file.Added, Hunk{h.Line, h.Text})
		}
		for _, h := range f.Removed {
			file.Removed = append(file.Removed, Hunk{h.Line, h.Text})
		}
		file.Symbols, file.Within = touched(file, code), within(f)
		c.Files = append(c.Files, file)
		if f.Left != "" && !file.Binary {
			left = append(left, f.Path+" ("+f.Left+")")
		}
	}
	if n := g.Total - len(g.Files); n > 0 {
		left = append(left, fmt.Sprintf("%d more files", n))
	}
	if len(left) > maxLeft {
		left = append(left[:maxLeft], fmt.Sprintf("%d others", len(left)-maxLeft))
	}
	if len(left) > 0 {
		c.Note = "not read: " + strings.Join(left, ", ")
	}
	return c
}

// maxLeft is how many files that were not read a note names.
const maxLeft = 5

// definition is a line that defines a name, in the languages that write it so.
var definition = pattern.Of(`^\s*(?:(?:export|public|private|protected|internal|static|async|pub(?:\([^)]*\))?|abstract|final|default|declare|override|open|sealed|data|unsafe)\s+)*` +
	`(?:func|def|class|type|struct|interface|enum|trait|fn|function|module|object|protocol)\s+(?:\([^)]*\)\s*)?([\pL_][\pL\pN_]*)`)

// within are the definitions whose heads stand above changed lines, the innermost first.
func within(f git.FileDifference) (names []string) {
	if !isCode(f.Path) {
		return nil
	}
	for _, side := range [][]git.Hunk{f.Added, f.Removed} {
		for _, h := range side {
			for _, line := range slices.Backward(h.Around) {
				m := definition().FindStringSubmatch(line)
				if m != nil && len([]rune(m[1])) >= minSymbol && len(names) < maxTouched && !slices.Contains(names, m[1]) {
					names = append(names, m[1])
				}
			}
		}
	}
	return names
}

// touched are the definitions that a change is about: those in lines that were added, the
// definitions around others where the map tells, and those that are gone.
func touched(f FileChange, code *codebase.RepoMap) []string {
	var names []string
	add := func(name string) {
		if len([]rune(name)) >= minSymbol && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	defined := func(hunks []Hunk) {
		for _, h := range hunks {
			for line := range strings.SplitSeq(h.Text, "\n") {
				if m := definition().FindStringSubmatch(line); m != nil {
					add(m[1])
				}
			}
		}
	}
	if !isCode(f.Path) {
		return nil
	}
	defined(f.Added)
	for _, name := range around(f, code) {
		add(name)
	}
	defined(f.Removed)
	return names[:min(len(names), maxTouched)]
}

const (
	minSymbol  = 3  // letters; shorter names are words
	maxTouched = 40 // definitions of one file
)

// around are the innermost definitions that hold an added line, in order of place, as far as
// the file still has it there.
func around(f FileChange, code *codebase.RepoMap) (names []string) {
	if code == nil {
		return nil
	}
	chunk, ok := code.Chunk(f.Path)
	if !ok || len(f.Added) == 0 {
		return nil
	}
	text, err := code.Read(f.Path)
	if err != nil || codebase.HashOf(text) != chunk.Hash {
		return nil
	}
	ends := []int{0} // offset of each line
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	symbols := chunk.Symbols()
	for _, h := range f.Added {
		last := h.Line + strings.Count(h.Text, "\n")
		if h.Line < 1 || last > len(ends) {
			continue
		}
		end := len(text)
		if last < len(ends) {
			end = ends[last]
		}
		if is := strings.ReplaceAll(text[ends[h.Line-1]:end], "\r\n", "\n"); strings.TrimSuffix(is, "\n") != strings.TrimSuffix(h.Text, "\n") {
			continue // the file was changed since
		}
		for n := range last - h.Line + 1 {
			at, best, size := ends[h.Line-1+n], "", 0
			for _, s := range symbols {
				if long := s.Range.End - s.Range.Start; s.Range.Start <= at && at < s.Range.End && (best == "" || long < size) {
					best, size = s.Name, long
				}
			}
			if best != "" && !slices.Contains(names, best) {
				names = append(names, best)
			}
		}
	}
	return names
}

// sort of file: what it says of a change, the most telling first.
type sort int

const (
	sortCode sort = iota
	sortDocument
	sortSettings // configuration, continuous integration
	sortTest
	sortMade // generated, vendored, lock files, change logs, images: never knowledge
	sortTree // the context tree itself
)

// documents are read by people.
var documents = map[string]bool{".md": true, ".rst": true, ".txt": true, ".adoc": true, ".markdown": true, ".mdx": true, ".html": true}

// made are files that say what others say.
var (
	logs   = pattern.Of(`(?i)^(?:change(?:s|log|_log)|history|news|releases?|authors|contributors|licen[cs]e|copying|notice|maintainers|codeowners|release[-_]notes)(?:\.\w+)?$`)
	images = pattern.Of(`(?i)\.(?:png|jpe?g|gif|svg|ico|webp|woff2?|ttf|pdf|mp4|zip|gz|golden|snap|map|min\.js|min\.css)$`)
	// Texts of no form are documents where documents are; elsewhere they are data.
	documentFolder = pattern.Of(`(?i)(?:^|/)(?:docs?|documentation|content)/|(?:^|/)readme`)
	upkeep         = pattern.Of(`(?i)(?:^|/)(?:\.github|\.circleci|\.gitlab|\.travis\.yml|\.gitlab-ci\.yml|\.pre-commit-config\.yaml|\.golangci\.ya?ml|\.gitignore|\.gitattributes|\.editorconfig|\.?renovate\.json|dependabot\.yml|tox\.ini|(?:docs?/)?conf\.py|setup\.(?:py|cfg)|codecov\.yml|\.readthedocs\.ya?ml|go\.mod|go\.work)(?:/|$)|(?:^|/)requirements(?:/|[\w-]*\.(?:txt|in)$)`)
)

func sortOf(p string) sort {
	base, ext := path.Base(p), strings.ToLower(path.Ext(p))
	switch {
	case strings.HasPrefix(p, ".brv/"):
		return sortTree
	case discover.Origin(p, nil) != "" || logs().MatchString(base) || images().MatchString(p) || strings.Contains(p, "/testdata/fuzz/"):
		return sortMade
	case upkeep().MatchString(p):
		return sortSettings
	case codebase.TypeOf(p) == codebase.Test:
		return sortTest
	case documents[ext] && (ext != ".txt" && ext != ".html" || documentFolder().MatchString(p)):
		return sortDocument
	case ext == "" || ext == ".txt" || ext == ".html" || ext == ".jsonl" || ext == ".json" || ext == ".yaml" || ext == ".yml" || ext == ".toml" || ext == ".cfg" || ext == ".ini" || ext == ".mod":
		return sortSettings
	}
	return sortCode
}

func isCode(p string) bool { s := sortOf(p); return s == sortCode || s == sortTest }

// lines counts what a change adds and removes in a file.
func (f *FileChange) lines() int {
	n := 0
	for _, side := range [][]Hunk{f.Added, f.Removed} {
		for _, h := range side {
			n += 1 + strings.Count(h.Text, "\n")
		}
	}
	return n
}

// ranked are the files of a change, the most telling first: code before documents before
// the rest, the most changed first.
func ranked(c Changes) []FileChange {
	files := slices.Clone(c.Files)
	slices.SortStableFunc(files, func(a, b FileChange) int {
		return cmp.Or(cmp.Compare(sortOf(a.Path), sortOf(b.Path)), b.lines()-a.lines(), strings.Compare(a.Path, b.Path))
	})
	return files
}

// fewLines is how many changed lines of documents alone say nothing worth an entry.
const fewLines = 4

// saysNothing is why a change is nothing worth knowing, "" if it may be.
func (k *known) saysNothing(c Changes) string {
	m := readMessage(c.Message)
	subject, empty := strings.TrimSpace(c.Message), emptyWords(m.title)
	body := len(m.bullets)+len(m.said) > 0 || givesReason(c.Message)
	best, changed, data := sortTree+1, 0, 0
	for _, f := range c.Files {
		s := sortOf(f.Path)
		best = min(best, s)
		switch {
		case s <= sortDocument:
			changed += f.lines()
		case s == sortSettings:
			data += f.lines()
		}
	}
	switch {
	case len(c.Files) == 0 && c.Commit == "":
		return "git knows no such change of a file that is read here; a new file counts once it is added (`git add`), or name the file itself"
	case len(c.Files) == 0:
		return "it changes no file that is read here"
	case givesReason(c.Message) && best < sortMade:
		return ""
	case !body && noLines(c.Files) != "":
		return noLines(c.Files)
	case !body && reverts().MatchString(m.title):
		return "it takes an earlier change back, and its message does not say why"
	case subject != "" && empty != "" && !(body && best == sortCode && empty == vague):
		return "its message says: " + empty
	case best == sortTree:
		return "it changes the context tree alone"
	case best == sortMade:
		return "it changes generated or copied files, lock files or change logs alone"
	case best == sortTest && len(m.bullets)+len(m.said) < 2:
		return "it changes tests alone, and its message says little more"
	case upkeepOnly(c.Files):
		return "it changes what builds, tests and checks the project alone"
	case best == sortSettings && (len(m.bullets)+len(m.said) < 2 || choreKinds[m.kind]):
		return "it changes settings and continuous integration alone, and its message says little more"
	case sameTokens(c.Files):
		return "its words and numbers are the same before and after: it changes form, order or places alone"
	case best == sortCode && !body && commentsOnly(c.Files):
		return "it changes comments alone"
	case !body && k.sweeping(c.Files) != "":
		return k.sweeping(c.Files)
	case best == sortDocument && !body && data > changed:
		return "it changes data, and documents a little"
	case best == sortDocument && !body && changed <= fewLines:
		return fmt.Sprintf("it changes %d lines of documents alone, which is too little with any topic%s", changed, nameThem(c))
	}
	return ""
}

// nameThem says how to draft from the documents of a change, "" where none is left.
func nameThem(c Changes) string {
	var paths []string
	for _, f := range c.Files {
		if f.Status != 'D' && f.Left == "" && sortOf(f.Path) == sortDocument && len(paths) < MaxSources {
			paths = append(paths, f.Path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return "; to draft from all that they say: `brv-lsp propose " + strings.Join(paths, " ") + "`"
}

// wholeDocuments are the Markdown documents that a change adds, as many as can be drafted from
// at once.
func wholeDocuments(c Changes) (paths []string) {
	for _, f := range c.Files {
		ext := strings.ToLower(path.Ext(f.Path))
		if f.Status == 'A' && f.Left == "" && sortOf(f.Path) == sortDocument && (ext == ".md" || ext == ".markdown" || ext == ".mdx") && len(paths) < MaxSources {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// bare is why the idea of a change is a title and a list of files and no more, "" if it says
// something.
func bare(c Changes, i idea) string {
	m := readMessage(c.Message)
	if i.content.Narrative != nil || len(i.content.Snippets)+len(m.clauses)+len(m.bullets)+len(m.said) > 0 || givesReason(c.Message) {
		return ""
	}
	whole := wholeDocuments(c)
	if only := !slices.ContainsFunc(c.Files, func(f FileChange) bool { return isCode(f.Path) }); only && len(whole) > 0 {
		return "it adds documents, and their text says more than its message; draft from that: `brv-lsp propose " + strings.Join(whole, " ") + "`"
	}
	if m.title != "" && emptyWords(m.title) == "" {
		return ""
	}
	step := "commit it with a message that says why, and name the commit"
	if there := slices.IndexFunc(c.Files, func(f FileChange) bool { return f.Status != 'D' }); there >= 0 {
		step += ", or name the file: `brv-lsp propose " + c.Files[there].Path + "`"
	}
	return "no message says what it is for, and its lines alone do not; " + step
}

// reasons are the words by which a message says why.
var reasons = pattern.Of(`(?i)\b(?:because|so that|otherwise)\b`)

// givesReason reports whether a message says why: that is worth knowing whatever changed.
func givesReason(text string) bool {
	m := readMessage(text)
	return reasons().MatchString(strings.Join(slices.Concat([]string{m.title}, m.clauses, m.bullets, m.said), "\n"))
}

// noLines is why nothing was seen of what files say before and after, "" where something was.
func noLines(files []FileChange) string {
	var left []string
	renamed := ""
	for _, f := range files {
		switch {
		case len(f.Added)+len(f.Removed) > 0:
			return ""
		case f.Left != "":
			left = append(left, code(f.Path)+" ("+f.Left+")")
		case f.Status == 'R' && renamed == "":
			renamed = code(f.From) + " is " + code(f.Path) + " now"
		}
	}
	switch {
	case len(left) > 0:
		return "none of its lines was read: " + strings.Join(left[:min(len(left), maxLeft)], ", ")
	case renamed != "":
		return "it renames files and changes no line of them: " + renamed
	}
	return "it changes no line of a file: files that are empty, or what may be done with them"
}

// upkeepOnly reports whether all files are those of a project's upkeep.
func upkeepOnly(files []FileChange) bool {
	return !slices.ContainsFunc(files, func(f FileChange) bool { return !upkeep().MatchString(f.Path) && sortOf(f.Path) < sortMade })
}

// tokensOf are the words of a text, and of code its signs, but for the commas that formatters
// put behind the last of a list.
func tokensOf(p, text string) []string {
	out := words(text)
	if sortOf(p) == sortDocument {
		return out
	}
	for _, r := range text {
		if !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ',' {
			out = append(out, string(r))
		}
	}
	return out
}

// sameTokens reports whether what was added and what was removed are the same words, as
// where code is formatted, moved or sorted.
func sameTokens(files []FileChange) bool {
	count, any := map[string]int{}, false
	for _, f := range files {
		if f.Binary || f.Status == 'A' || f.Status == 'D' {
			return false
		}
		for k, side := range [][]Hunk{f.Added, f.Removed} {
			for _, h := range side {
				for _, w := range tokensOf(f.Path, h.Text) {
					count[w] += 1 - 2*k
					any = true
				}
			}
		}
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return any
}

// commentsOnly reports whether all changed lines of code are comments by their first sign.
func commentsOnly(files []FileChange) bool {
	any := false
	for _, f := range files {
		if sortOf(f.Path) > sortTest {
			continue
		}
		if f.Left != "" {
			return false // nobody knows
		}
		any = any || len(f.Added)+len(f.Removed) > 0
		for _, side := range [][]Hunk{f.Added, f.Removed} {
			for _, h := range side {
				for line := range strings.SplitSeq(h.Text, "\n") {
					if bare := strings.TrimSpace(line); bare != "" && !commentLine().MatchString(bare) {
						return false
					}
				}
			}
		}
	}
	return any
}

// commentLine is a line that begins as comments do and no code: a "#" is also C's include.
var commentLine = pattern.Of(`^(?://|/\*|\*(?:[ /]|$)|#(?: |$)|--(?: |$)|<!--|;;)`)

// What makes a change too wide for one entry if its message is one line: so many files of
// code, of which none has so much of it, in folders of which none that tells something has
// half of it.
const (
	wideFiles  = 6
	wideFile   = 0.35
	wideFolder = 0.5
)

// sweeping is why a change is too much for one entry, "" if it is not.
func (k *known) sweeping(files []FileChange) string {
	folders, all := map[string]int{}, map[string]bool{}
	total, n, largest, main := 0, 0, 0, 0
	for _, f := range files {
		if sortOf(f.Path) != sortCode {
			continue
		}
		w, dir := weightOf(f, sortCode), path.Dir(f.Path)
		all[dir] = true
		if !isPlumbing(dir) && (folders[dir] > 0 || k.tells(format.Slug(path.Base(dir)))) {
			folders[dir] += w
		}
		total, n, largest, main = total+w, n+1, max(largest, w), max(main, folders[dir])
	}
	if n < wideFiles || float64(largest) >= wideFile*float64(total) || float64(main) >= wideFolder*float64(total) {
		return ""
	}
	return fmt.Sprintf("it changes a little in each of %d files of code in %d folders, and its message is one line: too much for one entry", n, len(all))
}

// scattered says that a change has its lines in several files of code, none of which has half
// of them; "" if it has not.
func scattered(files []FileChange) string {
	total, n, largest := 0, 0, 0
	for _, f := range files {
		if sortOf(f.Path) == sortCode {
			w := weightOf(f, sortCode)
			total, n, largest = total+w, n+1, max(largest, w)
		}
	}
	if n < scatteredFiles || 2*largest >= total {
		return ""
	}
	return fmt.Sprintf("its message is one line, none of the %d files of code that it changes has half of it", n)
}

// scatteredFiles is from how many files of code on a change is looked at so: two may well be
// one thing.
const scatteredFiles = 3

var reverts = pattern.Of(`^(?i:revert(?:s|ed)?)\b`)

// choreKinds are the kinds of commits by which their authors say that they are upkeep.
var choreKinds = map[string]bool{"ci": true, "build": true, "chore": true, "deps": true, "style": true, "test": true, "tests": true, "release": true}

// vague is the reason of a subject that says nothing while the body may.
const vague = "nothing but that something changed"

// Limits of what an entry takes from a change.
const (
	maxFiles    = 12
	maxKeywords = 8
	maxMoves    = 4
)

// ideaOf is what a change says.
func (d *drafting) ideaOf(c Changes) idea {
	m, files := readMessage(c.Message), ranked(c)
	i := idea{title: d.titleOfChange(m, files), reason: "Drafted from " + c.Name + ".", from: c.Name}
	raw := &format.RawConcept{Task: prose(i.title)}
	for _, clause := range m.clauses {
		raw.Changes = append(raw.Changes, prose(clause))
	}
	for _, b := range m.bullets {
		raw.Changes = append(raw.Changes, prose(b))
	}
	raw.Changes = append(raw.Changes, moves(files)...)
	total := 0
	for _, f := range files {
		s := sortOf(f.Path)
		if s >= sortMade || f.Path == "" {
			continue
		}
		weight := weightOf(f, s)
		i.about, total = append(i.about, weighted{f.Path, float64(weight)}), total+weight
		if f.Status != 'D' && len(raw.Files) < maxFiles && d.exists(f.Path) && (s != sortTest || len(raw.Files) == 0) {
			raw.Files = append(raw.Files, listed(f.Path))
		}
		if s != sortTest {
			for _, name := range slices.Concat(f.Symbols, f.Within) {
				i.symbols = append(i.symbols, symbol{f.Path, name, float64(weight)})
			}
			for _, name := range f.Symbols {
				if len(i.content.Keywords) < maxKeywords && !slices.Contains(i.content.Keywords, name) {
					i.content.Keywords = append(i.content.Keywords, name)
				}
			}
		}
	}
	for k := range i.about {
		i.about[k].share /= float64(max(total, 1))
	}
	for k := range i.symbols {
		i.symbols[k].share /= float64(max(total, 1))
	}
	slices.SortStableFunc(i.about, func(a, b weighted) int { return cmp.Compare(b.share, a.share) })
	i.upkeep = isUpkeep(files)
	i.home = files[0].Path
	if there := slices.IndexFunc(files, func(f FileChange) bool { return f.Status != 'D' }); there > 0 && sortOf(files[there].Path) < sortMade {
		i.home = files[there].Path
	}
	if m.scope != "" && !strings.ContainsAny(m.scope, "*{}") && m.kind != "chore" && len(i.content.Keywords) < maxKeywords {
		i.content.Keywords = append(i.content.Keywords, m.scope)
	}
	if len(m.bullets)+len(m.said) == 0 && !givesReason(c.Message) {
		i.wide = scattered(files)
	}
	rules, others := rulesIn(m.said)
	rules = append(rules, newRules(files)...)
	if len(m.said) > 0 {
		i.summary = shortenTo(m.said[0], maxSummary)
	}
	i.content.RawConcept = raw
	if len(rules)+len(others) > 0 {
		i.content.Narrative = &format.Narrative{Rules: list(rules), Highlights: list(others)}
	}
	if s := snippet(files, i.content.Keywords); s != "" {
		i.content.Snippets = []string{s}
	}
	return i
}

// manyDocuments is from how many documents on, of which none has half of the lines, a change
// is one of the documents' form: labelled commits of httpx, see [inName].
const manyDocuments = 4

// isUpkeep reports whether a change is about the upkeep of a project before anything else:
// half of its lines are settings, or it goes through many documents.
func isUpkeep(files []FileChange) bool {
	settings, all, documents := 0, 0, 0
	for _, f := range files {
		n := min(f.lines(), 200)
		switch s := sortOf(f.Path); s {
		case sortSettings:
			settings += n
		case sortDocument:
			documents++
		case sortMade, sortTree:
			continue
		}
		all += n
	}
	first := files[0]
	return 2*settings >= all || documents >= manyDocuments && sortOf(first.Path) == sortDocument && 2*first.lines() < all
}

// newRules are the rules in comments of code that a change adds, and does not only move.
func newRules(files []FileChange) (rules []string) {
	gone := map[string]bool{}
	for _, f := range files {
		for _, h := range f.Removed {
			for _, rule := range rulesOf(f.Path, h.Text) {
				gone[rule] = true
			}
		}
	}
	for _, f := range files {
		if sortOf(f.Path) != sortCode {
			continue
		}
		for _, h := range f.Added {
			for _, rule := range rulesOf(f.Path, h.Text) {
				if !gone[rule] && !slices.Contains(rules, rule) && len(rules) < maxRules {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules
}

// maxSummary bounds a summary, in runes: one or two lines.
const maxSummary = 200

// weightOf is how much of a change a file is: its lines, bounded, so that one large file
// does not outvote all others; documents and tests a quarter.
func weightOf(f FileChange, s sort) int {
	n := 4 * min(f.lines()+1, 200)
	if s != sortCode {
		n /= 4
	}
	return n
}

// exists reports whether a file is there now, as far as the map of the code tells.
func (d *drafting) exists(p string) bool {
	return d.Code == nil || len(d.Code.Chunks()) == 0 || d.Code.Exists(p)
}

// moves are what became of files, for the most telling ones.
func moves(files []FileChange) (out []string) {
	for _, f := range files {
		if len(out) == maxMoves || sortOf(f.Path) >= sortTest {
			break
		}
		switch {
		case f.Status == 'R' && f.From != "":
			out = append(out, fmt.Sprintf("%s is %s now", code(f.From), code(f.Path)))
		case f.Status == 'D':
			out = append(out, code(f.Path)+" is gone")
		}
	}
	return out
}

// titleOfChange is the cleaned subject, or else what changed most.
func (d *drafting) titleOfChange(m message, files []FileChange) string {
	if m.title != "" && emptyWords(m.title) == "" {
		return shorten(m.title)
	}
	if len(m.bullets) > 0 {
		return shorten(m.bullets[0])
	}
	if len(m.said) > 0 {
		return shorten(strings.TrimRight(m.said[0], "."))
	}
	f := files[0]
	if len(f.Symbols) > 0 {
		return shorten("Changes of " + strings.Join(f.Symbols[:min(len(f.Symbols), 3)], ", ") + " in " + path.Base(f.Path))
	}
	return shorten("Changes of " + f.Path)
}

// Sizes of a hunk that is worth keeping, in lines and bytes.
const (
	leastLines   = 3
	mostLines    = 24
	snippetBytes = 1600
)

// snippet is the most telling added lines, if they are few: those of code that define what
// the change touches and explain it.
func snippet(files []FileChange, symbols []string) string {
	best, most := "", 0.0
	for rank, f := range files {
		if rank == maxFiles || sortOf(f.Path) != sortCode {
			break
		}
		for _, h := range f.Added {
			lines := strings.Split(strings.Trim(h.Text, "\n"), "\n")
			if len(lines) < leastLines || len(lines) > mostLines || len(h.Text) > snippetBytes {
				continue
			}
			score := 1 / float64(1+rank)
			comments := 0
			for _, l := range lines {
				if m := definition().FindStringSubmatch(l); m != nil && slices.Contains(symbols, m[1]) {
					score++
				}
				if first, comment := firstWords(l); comment && strings.Contains(first, " ") {
					comments++
				}
			}
			score += min(float64(comments)/3, 1)
			if score > most {
				most, best = score, markdown.Fenced(languageOf(f.Path), dedent(lines))
			}
		}
	}
	if most < tellingSnippet {
		return ""
	}
	return best
}

// tellingSnippet is the score from which lines are kept: a definition, or comments in one
// of the files that changed most.
const tellingSnippet = 1.3

// dedent takes off the indentation that all lines share.
func dedent(lines []string) string {
	shared := ""
	for k, l := range lines {
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		switch {
		case strings.TrimSpace(l) == "":
		case k == 0:
			shared = indent
		default:
			for !strings.HasPrefix(indent, shared) {
				shared = shared[:len(shared)-1]
			}
		}
	}
	out := make([]string, len(lines))
	for k, l := range lines {
		out[k] = strings.TrimPrefix(l, shared)
		if strings.TrimSpace(l) == "" {
			out[k] = ""
		}
	}
	return strings.Join(out, "\n")
}

// abbreviated is a hash as people write it: the first twelve digits.
func abbreviated(hash string) string { return hash[:min(len(hash), 12)] }
