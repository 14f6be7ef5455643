package link

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// path checks a path that the entry names. named holds the files whose symbols the entry names.
func (in *inspection) path(n naming, named map[string]bool) {
	v := in.version(in.askPath(n))
	if whole := in.version(in.ask(n.path)); whole.There && len(n.refs) > 0 && n.refs[0].Path != n.path {
		// It was a whole path, and is now the end of another path, by chance or because the file moved.
		v, n.refs = whole, nil
	}
	if len(n.refs) > 0 {
		if ref := n.refs[0]; !ref.Folder && !named[ref.Path] && !in.links.pages {
			in.changed(n, ref.Path, v)
		}
		return
	}
	if v.There && in.resolver.there(v.Then) {
		return // it is still there: not in the map, or next to another path with that end
	}
	if to := in.cased(n.path); to != "" && !v.There && (in.links.pages || n.form == FormLink) {
		in.add(Drift{Kind: Moved, At: n.at, Path: n.path, To: to, Replace: in.respellPath(n, to),
			Reason: fmt.Sprintf("`%s` does not exist; `%s` differs only in upper and lower case", n.path, to)}, v)
		return
	}
	if in.links.pages && !v.There {
		return // it did not exist then, so nothing is reported
	}
	d := Drift{Kind: Vanished, At: n.at, Path: cmp.Or(v.Then, n.path), Grade: 1, Before: v.Text}
	to, grade, why := in.whereFile(v)
	if to != "" {
		d.Kind, d.To, d.Grade, d.Reason = Moved, to, grade, why
		d.Replace = in.respellPath(n, to)
		if symbol, ok := in.behind(n.at, d.Replace, to); ok && len(symbol.refs) == 0 {
			if _, gone := in.formerFile(symbol); gone {
				return // the other drift reports both
			}
		}
		if now := in.current(to); now == nil {
			d.Before = "" // there is no text to compare with
		} else if d.Before != "" {
			d.After = now.text
		}
		in.add(d, v)
		return
	}
	switch {
	case v.There && v.Event.Hash != "":
		d.Reason = fmt.Sprintf("`%s` was removed (%s)", d.Path, event(v.Event))
	case v.There && v.Now != "":
		d.Reason = fmt.Sprintf("`%s` was deleted, and the deletion is not committed yet", d.Path)
	case v.There:
		d.Reason = fmt.Sprintf("`%s` is gone", d.Path)
	case strings.ContainsAny(n.path, "*?{"): // a pattern is never missing
		return
	case n.form == FormFile && syntax.LanguageOf(n.path) != "":
		d.Unseen, d.Reason = true, fmt.Sprintf("`%s` is listed under Files but does not exist", n.path)
	case n.form == FormPath && !v.Known && in.looksMapped(n.path):
		d.Unseen, d.Reason = true, fmt.Sprintf("`%s` does not exist", n.path)
	default:
		return // it never named a file
	}
	if d.Unseen {
		near := in.resolver.ends[path.Base(n.path)]
		if len(near) != 1 || !in.resolver.files[near[0]] {
			near = words.NearPaths(n.path, maps.Keys(in.resolver.files), 1)
		}
		if len(near) > 0 && sanitize.Plain(near[0]) {
			d.Reason += fmt.Sprintf("; did you mean `%s`?", near[0])
		}
	}
	in.add(d, v)
}

func (in *inspection) looksMapped(p string) bool {
	return syntax.LanguageOf(p) != "" && strings.Contains(p, "/")
}

// whereFile finds the present path of a file that is no longer at its old path.
func (in *inspection) whereFile(v history.Version) (to string, grade float64, why string) {
	if v.There && v.Now != "" && v.Now != v.Then && in.resolver.there(v.Now) {
		why = fmt.Sprintf("`%s` was renamed to `%s` (%s)", v.Then, v.Now, event(v.Event))
		if grade = in.differs(v, v.Now); grade >= ChangedFile {
			why += " and is " + percent(grade) + " different"
		}
		return v.Now, grade, why
	}
	if v.There && !v.Folder && v.Text != "" {
		if to, grade = in.similarFile(v); to != "" {
			return to, grade, fmt.Sprintf("`%s` is gone; `%s` is %s similar", v.Then, to, percent(1-grade))
		}
	}
	return "", 0, ""
}

// differs returns how much a present file differs from a former state of another.
func (in *inspection) differs(v history.Version, file string) float64 {
	now := in.current(file)
	if now == nil || v.Text == "" {
		return 0
	}
	return in.then(v).bag().difference(now.bag())
}

// maxCandidates is how many files of similar size are compared with one that is gone.
const maxCandidates = 400

// similarFile finds the file that continues a vanished one. It has the same language, did not exist at that
// moment, and is the most similar.
func (in *inspection) similarFile(v history.Version) (to string, grade float64) {
	was := in.then(v)
	language := syntax.LanguageFor(v.Then, []byte(v.Text))
	size := len(v.Text)
	short := len(was.bag()) < minRuns // only the same text can be told to be its continuation
	var near []*codebase.Chunk
	for _, c := range in.code.Chunks() {
		if c.Language == language && c.Size*3 >= size && c.Size <= size*3 {
			near = append(near, c)
		}
	}
	base := path.Base(v.Then)
	slices.SortStableFunc(near, func(a, b *codebase.Chunk) int {
		return cmp.Or(compareBool(path.Base(b.Path) == base, path.Base(a.Path) == base), abs(a.Size-size)-abs(b.Size-size))
	})
	type candidate struct {
		path  string
		grade float64
	}
	var fit []candidate
	for _, c := range near[:min(len(near), maxCandidates)] {
		if now := in.current(c.Path); now != nil {
			if g := was.bag().difference(now.bag()); g <= alike && (!short || now.text == v.Text) {
				fit = append(fit, candidate{c.Path, g})
			}
		}
	}
	slices.SortStableFunc(fit, func(a, b candidate) int { return cmp.Compare(a.grade, b.grade) })
	for _, c := range fit[:min(len(fit), 5)] {
		ask := in.ask(c.path)
		in.read([]history.Ask{ask})
		if !in.version(ask).There {
			return c.path, c.grade
		}
	}
	return "", 0
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func abs(n int) int { return max(n, -n) }

// changed reports a file that differs from its former state.
func (in *inspection) changed(n naming, file string, v history.Version) {
	if !v.There || v.Folder || v.Text == "" {
		return
	}
	now := in.current(file)
	if now == nil || now.text == v.Text {
		return
	}
	grade := in.then(v).bag().difference(now.bag())
	if grade < ChangedFile {
		return
	}
	in.add(Drift{
		Kind: Changed, At: n.at, Path: file, Grade: grade, Before: v.Text, After: now.text,
		Reason: in.changeOf(file, "", grade, v),
	}, v)
}

// respellPath writes a new path in the style of the old one: whole, or shortened if that is still unique. Text
// behind the path stays.
func (in *inspection) respellPath(n naming, to string) string {
	if in.links.pages && n.form == FormFile || n.form == FormLink {
		return in.respellLink(n, to)
	}
	old := format.WithoutLines(strings.Trim(n.text, "`\"' "))
	lead := ""
	if strings.HasPrefix(old, "./") {
		lead = "./"
	}
	_, rest, _ := strings.Cut(old, lead+n.path) // a slash of a folder
	whole := strings.Count(n.path, "/")
	parts := strings.Split(to, "/")
	new := to
	if v := in.version(in.askPath(n)); v.There && v.Then != n.path && !in.version(in.ask(n.path)).There { // the path was shortened
		for k := min(whole+1, len(parts)); k <= len(parts); k++ {
			short := strings.Join(parts[len(parts)-k:], "/")
			if found, _ := in.resolver.path(short); found == to {
				new = short
				break
			}
		}
	}
	return strings.Replace(n.text, old, like(old, lead+new+rest), 1)
}

// respellLink writes the target of a page's link in the style of the old one. It leaves the file's extension out
// if the old one did.
func (in *inspection) respellLink(n naming, to string) string {
	page, from, ending := in.entry.Path, n.path, path.Ext(n.path)
	if !in.links.pages {
		page = tree.FromProject + page
	}
	if !strings.HasSuffix(n.text, ending) {
		from, to = strings.TrimSuffix(from, ending), strings.TrimSuffix(to, ending)
	}
	if now, ok := (relink.PageLink{Page: page, Text: in.entry.Text, At: n.at, To: from}).Leading(to); ok {
		return now
	}
	return relink.RelativeTo(path.Dir(page), to)
}
