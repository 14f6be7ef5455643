package workspace

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// completePaths offers the folders and entries under the typed prefix, and then the
// entries that are called so, what fits best first. In Markdown links, which are relative, it
// offers entries only: those beside the entry where nothing is typed yet.
func (w *Workspace) completePaths(v *View, c typing) []Completion {
	text := strings.TrimPrefix(c.text, "@")
	dir, last := path.Split(text)
	if c.form == format.FormMarkdown {
		dir = path.Join(path.Dir(c.self.Path), dir)
	}
	var out []Completion
	seen := map[string]bool{}
	if n, ok := v.Tree().Node(strings.Trim(dir, "/")); ok {
		for _, f := range n.Folders {
			if c.form != format.FormMarkdown && hasPrefixFold(path.Base(f), last) && !strings.HasPrefix(f, "_") {
				out = append(out, c.folder(v, f))
			}
		}
		for _, p := range n.Entries {
			if e, ok := v.Tree().Entry(p); ok && hasPrefixFold(path.Base(p), last) && c.offers(p) {
				seen[p] = true
				out = append(out, c.entry(e))
			}
		}
	}
	for _, e := range w.called(v.Tree(), text, maxCompletions+len(seen)+1) {
		if !seen[e.Path] && c.offers(e.Path) {
			out = append(out, c.entry(e))
		}
	}
	return out[:min(len(out), maxCompletions)]
}

// minFit is the fit (see [card.fit]) under which the letters of a word stand in a name by
// chance.
const minFit = 0.16

// fitsEach is how well terms fit a card if each of them does by itself, else 0.
func (c *card) fitsEach(terms []nameText) float64 {
	sum := 0.0
	for i := range terms {
		fit := c.fit(terms[i : i+1])
		if fit < minFit {
			return 0
		}
		sum += fit
	}
	return sum / float64(len(terms))
}

// called returns at most limit entries that are called as is typed, what fits best first;
// none where nothing is typed. Generated and archived files have no place in it.
func (w *Workspace) called(t *tree.Snapshot, typed string, limit int) []*format.Entry {
	words := strings.FieldsFunc(typed, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	terms := nameTerms(strings.Join(words, " "))
	if len(terms) == 0 {
		return nil
	}
	type fitting struct {
		entry *format.Entry
		fit   float64
	}
	var found []fitting
	var needs letters
	for i := range terms {
		needs |= terms[i].has
	}
	names := w.catalogue.of(t)
	for i, has := range names.has {
		if needs&^has != 0 {
			continue
		}
		c := names.entries[i]
		if fit := c.fitsEach(terms); fit > 0 && linkable(c.entry.Path) {
			found = append(found, fitting{c.entry, fit})
		}
	}
	slices.SortStableFunc(found, func(a, b fitting) int { return cmp.Compare(b.fit, a.fit) })
	var out []*format.Entry
	for _, f := range found[:min(len(found), limit)] {
		out = append(out, f.entry)
	}
	return out
}

// linkable reports whether entries may name a file: those that people write.
func linkable(p string) bool {
	r := format.RoleOf(p)
	return r == format.RoleEntry || r == format.RoleOverview
}

// offers reports whether the entry at p may stand here: not itself.
func (c typing) offers(p string) bool { return linkable(p) && (c.self == nil || p != c.self.Path) }

func (c typing) folder(v *View, f string) Completion {
	n, _ := v.Tree().Node(f)
	kind := "topic"
	if n.Kind == format.KindDomain {
		kind = "domain"
	}
	return Completion{
		Label: f + "/", Kind: kind, Insert: f + "/", Replace: c.at, Filter: filter(c.text, f+"/"),
		Detail: counted(len(n.Folders), "folder", "folders") + ", " + counted(len(n.Entries), "entry", "entries"),
	}
}

func (c typing) entry(e *format.Entry) Completion {
	out := Completion{
		Label: e.Path, Kind: "entry", Detail: e.Title, Insert: e.Path, Replace: c.at,
		Filter: filter(c.text, e.Path+" "+e.Title), Entry: e.Path,
	}
	switch c.form {
	case format.FormMarkdown:
		out.Kind, out.Insert = "link", format.Mention{Form: c.form}.Spelled("", relativeTo(c.self.Path, e.Path))
	case format.FormWiki:
		if c.open {
			out.Insert += "]]"
		}
	}
	out.Relates = c.self != nil && c.form != format.FormRelated
	return out
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
