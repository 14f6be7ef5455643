package documents

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// version matches the number of a release: migrating-to-7.0.0.md.
var version = lazyregexp.New(`[0-9]+(?:\.[0-9]+)+`)

// NamesRelease reports whether a question names a release; changelogs answer such questions.
func NamesRelease(question string) bool { return version().MatchString(question) }

// series returns the pages that exist once for each of several releases: their paths differ only in its number.
func series(paths []string) map[string]bool {
	releases := map[string][]string{}
	for _, p := range paths {
		if version().MatchString(p) {
			key := version().ReplaceAllString(p, "*")
			releases[key] = append(releases[key], p)
		}
	}
	out := map[string]bool{}
	for _, same := range releases {
		for _, p := range same {
			out[p] = len(same) > 1
		}
	}
	return out
}

// onDemand matches skills and commands, which agents read only on request, and forms that people fill in.
var onDemand = lazyregexp.New(`(?i)(?:^|/)(?:skill\.md$|\.claude/commands/|pull_request_template\.)`)

// Aside reports whether a document ranks behind all others. Such documents are changelogs, and those that are not
// about the project itself: forms, pages of other projects and of tests, generated pages, and skills, which often
// come from elsewhere.
func (s *Set) Aside(d *Document) bool { return onDemand().MatchString(d.Path) || s.unkept(d) }

// unkept reports whether the names in a document are not kept up to date.
func (s *Set) unkept(d *Document) bool {
	return d.Kind == Changelog || d.Origin != "" || s.series[d.Path] || ofTests(d)
}

// ofTests reports whether a document is part of tests, examples or demos. Below a folder of documents, such a
// folder is a chapter. The README directly inside such a folder explains it, so it does not count.
func ofTests(d *Document) bool {
	if d.Kind == RuleFile {
		return false
	}
	folders := strings.Split(path.Dir(d.Path), "/")
	for i, name := range folders {
		if pages[strings.ToLower(name)] {
			return false
		}
		if discover.HoldsTests(name) {
			return i+1 < len(folders) || d.Kind != Readme
		}
	}
	return false
}

// foreign reports whether the page at a path is a translation.
func (s *Set) foreign(p string) bool { return s.twins[p].language != "" }

// Shelf is a part of the sections that is searched separately.
type Shelf struct {
	Language string // the language in which translated pages are read; "" for the original
	Aside    bool   // the documents that rank behind the others, instead of those others
	Rules    bool   // only documents on how to work here: rules for agents and for contributors
}

// Searched returns the sections on a shelf. They are collected once for each set.
func (s *Set) Searched(of Shelf) *tree.Snapshot {
	if known, ok := s.searched.Load(of); ok {
		return known.(*tree.Snapshot)
	}
	replaced := map[string]bool{}
	for p, t := range s.twins {
		if _, read := s.Document(p); read && of.Language != "" && t.language == of.Language {
			replaced[t.of] = true
		}
	}
	wants := map[string]bool{}
	for _, d := range s.docs {
		inLanguage := !s.foreign(d.Path) || s.twins[d.Path].language == of.Language
		wants[d.Path] = s.Aside(d) == of.Aside && (!of.Rules || d.saysHow()) && !replaced[d.Path] && inLanguage
	}
	var out []*format.Entry
	for _, e := range s.Snapshot().Entries() {
		if file, _, _ := format.SectionOf(e.Path); wants[file] {
			out = append(out, e)
		}
	}
	made, _ := s.searched.LoadOrStore(of, tree.NewSnapshot(out, nil))
	return made.(*tree.Snapshot)
}

// saysHow reports whether a document explains how to work on the project.
func (d *Document) saysHow() bool { return d.Kind == RuleFile || d.Kind == Contributing }

// Governs reports whether a document explains how to work on some files: a contributor's guide, or a rule that
// agents get in every session or below the folder of one of the files.
func (d *Document) Governs(files []string) bool {
	if d.Kind == Contributing {
		return true
	}
	return d.Kind == RuleFile && (d.Rule.Always || len(d.Rule.Globs) == 0 && agents[strings.ToLower(path.Base(d.Path))] ||
		slices.ContainsFunc(files, d.Rule.Applies))
}

// maxSpoken bounds the text from which [Set.Language] knows a language, in bytes.
const maxSpoken = 64 << 10

// Language returns the language whose translations contain more of a question's words than the originals and all
// other languages; "" if there is none.
func (s *Set) Language(question string) (best string) {
	if len(s.twins) == 0 {
		return ""
	}
	asked, spoken := wordsOf(question), s.spoken()
	known := func(l string) (n int) {
		for w := range asked {
			if spoken[l][w] {
				n++
			}
		}
		return n
	}
	most := known("")
	for _, l := range slices.Sorted(maps.Keys(spoken)) {
		if n := known(l); n > most {
			best, most = l, n
		}
	}
	return best
}

// listen collects the words of the originals ("") and, from some of its pages, those of each language.
func (s *Set) listen(root *jail.Root) map[string]map[string]bool {
	out, room := map[string]map[string]bool{"": {}}, map[string]int{}
	for _, d := range s.docs {
		if !s.foreign(d.Path) {
			maps.Copy(out[""], wordsOf(d.Text))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.twins)) {
		t := s.twins[p]
		if room[t.language] >= maxSpoken {
			continue
		}
		data, err := root.WithoutLinks().ReadFile(p, discover.DefaultMaxFileSize)
		if err != nil {
			continue
		}
		data = data[:min(len(data), maxSpoken)]
		room[t.language] += len(data)
		if out[t.language] == nil {
			out[t.language] = map[string]bool{}
		}
		maps.Copy(out[t.language], wordsOf(string(data)))
	}
	return out
}
