package vault

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// note is a file that becomes an entry.
type note struct {
	File
	entry *format.Entry // the author's text, parsed as an entry at its new path
	at    string        // tree path
	was   *format.Entry // the entry from an earlier import, or nil
	same  bool          // the file is unchanged since then, so the note is only a target of links
}

// index finds notes by the links of a vault. All keys are folded as by [format.FoldCase].
type index struct {
	dialect Dialect
	paths   map[string]*note   // path without extension
	names   map[string][]*note // base name without extension; the shortest path first
	aliases map[string]*note
	stems   []string // sorted base names, for links that give only the beginning
}

func newIndex(d Dialect, notes []*note) index {
	x := index{dialect: d, paths: map[string]*note{}, names: map[string][]*note{}, aliases: map[string]*note{}}
	for _, n := range notes {
		key := keyOf(n.Path)
		if page, ok := strings.CutSuffix(key, ".html"); ok {
			x.paths[key], key = n, page
		}
		x.paths[key] = n
		x.names[path.Base(key)] = append(x.names[path.Base(key)], n)
		for _, field := range []string{"aliases", "alias"} {
			f, _ := n.entry.Field(field)
			for _, item := range f.Items {
				for _, alias := range strings.Split(item.Value, ",") {
					if alias = format.FoldCase(strings.TrimSpace(alias)); alias != "" && x.aliases[alias] == nil {
						x.aliases[alias] = n
					}
				}
			}
		}
	}
	for name, all := range x.names {
		slices.SortStableFunc(all, func(a, b *note) int { return len(a.Path) - len(b.Path) })
		x.stems = append(x.stems, name)
	}
	slices.Sort(x.stems)
	return x
}

// keyOf returns a path in the form in which links are compared: without case, Unicode form and the extension of a
// note.
func keyOf(p string) string {
	if ext := strings.ToLower(path.Ext(p)); ext == ".md" || ext == ".markdown" {
		p = p[:len(p)-len(ext)]
	}
	return format.FoldCase(p)
}

// find returns the note to which a link leads, nil if it leads to none.
func (x index) find(from *note, m format.Mention) *note {
	raw := m.Path()
	dir := path.Dir(from.Path)
	key := keyOf(strings.TrimPrefix(raw, "/"))
	if m.Form != format.FormWiki || strings.HasPrefix(raw, ".") {
		if n := x.paths[keyOf(path.Join(dir, raw))]; n != nil && !strings.HasPrefix(raw, "/") && m.Form != format.FormRelated {
			return n
		}
	}
	if n := x.paths[path.Clean(key)]; n != nil {
		return n
	}
	if n := x.paths[path.Clean(key)+"/context"]; n != nil {
		return n
	}
	if m.Form != format.FormWiki {
		return nil
	}
	all := x.names[path.Base(key)]
	if strings.Contains(key, "/") { // the key is the end of a path
		all = slices.DeleteFunc(slices.Clone(all), func(n *note) bool { return !strings.HasSuffix(keyOf(n.Path), "/"+key) })
	}
	for _, n := range all {
		if path.Dir(n.Path) == dir {
			return n
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	if n := x.aliases[format.FoldCase(raw)]; n != nil {
		return n
	}
	return x.begins(key)
}

// begins returns the only note whose name has that prefix, as in links of zk.
func (x index) begins(key string) *note {
	i, _ := slices.BinarySearch(x.stems, key)
	if x.dialect != Zk || key == "" || i == len(x.stems) || !strings.HasPrefix(x.stems[i], key) ||
		i+1 < len(x.stems) && strings.HasPrefix(x.stems[i+1], key) || len(x.names[x.stems[i]]) > 1 {
		return nil
	}
	return x.names[x.stems[i]][0]
}
