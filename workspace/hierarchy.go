package workspace

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Item is a thing of one of the two hierarchies: who mentions whom, and what belongs to
// which topic.
type Item struct {
	Ref
	Name   string
	Detail string
	Whole  markdown.Span // of the thing, in Place's file
	Place  Target        // where it says its name; At lies in Whole
	Symbol syntax.Kind
}

// Ref identifies an item. It comes back from clients, which may send anything: what it
// names is only looked up among what the tree and the map know.
type Ref struct {
	Kind ItemKind `json:"kind"`
	Path string   `json:"path"`           // of entries and folders in the tree, else in the workspace
	Name string   `json:"name,omitempty"` // of a symbol, with its container
}

// ItemKind says what an item is.
type ItemKind string

// The kinds of items.
const (
	ItemEntry    ItemKind = "entry"
	ItemDomain   ItemKind = "domain"
	ItemTopic    ItemKind = "topic" // and subtopic
	ItemCodeFile ItemKind = "file"
	ItemSymbol   ItemKind = "symbol"
)

// Call is an item that mentions another, or is mentioned by it, and where. The places lie
// in the file of the one that mentions.
type Call struct {
	Item
	From []markdown.Span
	Text string // that From refers to
}

// Mentioned is the item whose mentions can be followed from a place: the entry that
// [Workspace.Declaration] means, or the symbol at a place of code.
func (w *Workspace) Mentioned(ctx context.Context, v *View, p string, offset int) (Item, bool) {
	v = v.ForFile(ctx, p)
	if s, ok := v.subjectAt(p, offset); ok {
		return v.entryItem(s.entry)
	}
	text, ok := v.Text(p)
	if _, inTree := v.EntryPath(p); inTree || !ok {
		return Item{}, false
	}
	name := identifierAt(text, offset).Of(text)
	files := definingFiles(v, p, name)
	switch {
	case name == "" || len(files) == 0:
		return Item{}, false
	case slices.Contains(files, p):
		return v.codeItem(p, name)
	}
	return v.codeItem(files[0], name)
}

// MentionedBy lists who mentions an item: of an entry the entries with relations to it and
// the code files with marks of it, of code the entries that name it. It has what [Workspace.Mentions] of
// those has.
func (w *Workspace) MentionedBy(ctx context.Context, v *View, ref Ref) (out []Call) {
	v = v.ForFile(ctx, v.fileOf(ref))
	item, ok := v.item(ref)
	if !ok {
		return nil
	}
	for _, p := range v.mentioning(item.Ref) {
		from, ok := v.fileItem(p)
		if !ok {
			continue
		}
		var at []markdown.Span
		for m := range v.mentionsIn(from) {
			if m.of == item.Ref {
				at = append(at, m.at)
			}
		}
		if len(at) > 0 {
			out = append(out, Call{Item: from, From: at, Text: from.Place.Text})
		}
	}
	return out
}

// mentioning are the files that may mention an item.
func (v *View) mentioning(ref Ref) (files []string) {
	var found []Target
	switch ref.Kind {
	case ItemEntry:
		found = mentions(v, ref.Path, "", false)
	case ItemCodeFile, ItemSymbol:
		found = namedBy(v, ref.Path, ref.Name)
	}
	for _, t := range found {
		files = append(files, t.Path)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Mentions lists what an item mentions: an entry its relations, and the code that it
// names; a code file the entries of its marks. A symbol mentions nothing here, calls within code are
// the business of the language's own server.
func (w *Workspace) Mentions(ctx context.Context, v *View, ref Ref) []Call {
	v = v.ForFile(ctx, v.fileOf(ref))
	item, ok := v.item(ref)
	if !ok {
		return nil
	}
	calls := calls{text: item.Place.Text, index: map[Ref]int{}}
	for m := range v.mentionsIn(item) {
		to, ok := v.item(m.of)
		calls.add(to, m.at, ok)
	}
	return calls.list
}

// mention is a place that mentions something, and what.
type mention struct {
	of Ref
	at markdown.Span
}

// mentionsIn are the mentions in the file of an item.
func (v *View) mentionsIn(item Item) iter.Seq[mention] {
	return func(yield func(mention) bool) {
		switch item.Kind {
		case ItemEntry:
			for _, r := range v.Tree().Relations(item.Path) {
				if !yield(mention{Ref{Kind: ItemEntry, Path: r.Target}, r.At}) {
					return
				}
			}
			for _, c := range v.Links().Of(item.Path) {
				named := c.Form != link.FormComment && c.Exists && !c.Folder
				if named && !yield(mention{v.codeRef(c.Path, fullName(c)), c.Span}) {
					return
				}
			}
		case ItemCodeFile:
			for _, m := range v.marksIn(item.Path, item.Place.Text) {
				if !yield(mention{Ref{Kind: ItemEntry, Path: m.Target}, m.At}) {
					return
				}
			}
		}
	}
}

// calls groups places by the item that they mention.
type calls struct {
	text  string
	list  []Call
	index map[Ref]int
}

func (c *calls) add(item Item, at markdown.Span, ok bool) {
	if !ok {
		return
	}
	if i, known := c.index[item.Ref]; known {
		c.list[i].From = append(c.list[i].From, at)
		return
	}
	c.index[item.Ref] = len(c.list)
	c.list = append(c.list, Call{Item: item, From: []markdown.Span{at}, Text: c.text})
}

// Kin is the item whose place in the tree can be followed from a place: the entry that
// [Workspace.Declaration] means; if that describes a folder, the folder.
func (w *Workspace) Kin(ctx context.Context, v *View, p string, offset int) (Item, bool) {
	s, ok := v.ForFile(ctx, p).subjectAt(p, offset)
	if !ok {
		return Item{}, false
	}
	if dir := path.Dir(s.entry); isOverview(s.entry, dir) {
		return v.folderItem(dir)
	}
	return v.entryItem(s.entry)
}

// Above is the folder that an entry or a folder lies in; a domain lies in none.
func (w *Workspace) Above(v *View, ref Ref) (Item, bool) {
	if _, ok := v.item(ref); !ok {
		return Item{}, false
	}
	return v.folderItem(path.Dir(ref.Path))
}

// Below are the folders and entries of a folder.
func (w *Workspace) Below(v *View, ref Ref) (out []Item) {
	if _, ok := v.item(ref); !ok || ref.Kind != ItemDomain && ref.Kind != ItemTopic {
		return nil
	}
	n, _ := v.Tree().Node(ref.Path)
	for _, dir := range n.Folders {
		if item, ok := v.folderItem(dir); ok {
			out = append(out, item)
		}
	}
	for _, p := range n.Entries {
		if item, ok := v.entryItem(p); ok && format.RoleOf(p) == format.RoleEntry {
			out = append(out, item)
		}
	}
	return out
}

// fileOf is the workspace path of what a reference names.
func (v *View) fileOf(ref Ref) string {
	if ref.Kind == ItemCodeFile || ref.Kind == ItemSymbol {
		return ref.Path
	}
	return v.FilePath(ref.Path)
}

// item finds what a reference names.
func (v *View) item(ref Ref) (Item, bool) {
	switch ref.Kind {
	case ItemEntry:
		return v.entryItem(ref.Path)
	case ItemDomain, ItemTopic:
		return v.folderItem(ref.Path)
	case ItemCodeFile:
		return v.codeItem(ref.Path, "")
	case ItemSymbol:
		if ref.Name != "" {
			return v.codeItem(ref.Path, ref.Name)
		}
	}
	return Item{}, false
}

// fileItem is the item of an entry's or a code file's workspace path.
func (v *View) fileItem(p string) (Item, bool) {
	if entry, ok := v.EntryPath(p); ok {
		return v.entryItem(entry)
	}
	return v.codeItem(p, "")
}

func (v *View) entryItem(p string) (Item, bool) {
	e, ok := v.Tree().Entry(p)
	if !ok {
		return Item{}, false
	}
	detail := path.Dir(p)
	if s, _ := v.Tree().Counted(p); s.Maturity != "" {
		detail += " · " + string(s.Maturity)
	}
	return Item{
		Ref: Ref{Kind: ItemEntry, Path: p}, Name: e.Title, Detail: detail,
		Place: entryTarget(v, p, ""), Whole: markdown.Span{End: len(e.Text)},
	}, true
}

// folderItem is a folder at the place that describes it best: its overview, its summary,
// or the first entry below, since an editor can show no folder. The root is no item.
func (v *View) folderItem(dir string) (Item, bool) {
	n, ok := v.Tree().Node(dir)
	if !ok || n.Kind == 0 || strings.HasPrefix(dir, "_") {
		return Item{}, false
	}
	file, ok := v.overviewOf(dir)
	if !ok {
		if file, ok = v.firstBelow(n); !ok {
			return Item{}, false
		}
	}
	item, ok := v.entryItem(file)
	item.Ref = Ref{Kind: ItemTopic, Path: dir}
	if n.Kind == format.KindDomain {
		item.Kind = ItemDomain
	}
	item.Name = path.Base(dir)
	item.Detail = folderKind(n.Kind) + ": " + counted(len(n.Folders), "folder", "folders") + ", " + counted(entriesOf(n), "entry", "entries")
	return item, ok
}

// firstBelow is the first entry in a folder or, if there is none, in the folders below.
func (v *View) firstBelow(n *tree.Node) (string, bool) {
	for _, p := range n.Entries {
		if format.RoleOf(p) == format.RoleEntry {
			return p, true
		}
	}
	for _, dir := range n.Folders {
		if below, ok := v.Tree().Node(dir); ok {
			if p, ok := v.firstBelow(below); ok {
				return p, true
			}
		}
	}
	return "", false
}

// codeRef identifies a file, or a symbol of it by the name that its item has.
func (v *View) codeRef(p, symbol string) Ref {
	if symbol == "" {
		return Ref{Kind: ItemCodeFile, Path: p}
	}
	if d, ok := definitionIn(v, p, symbol); ok {
		symbol = symbolName(d)
	}
	return Ref{Kind: ItemSymbol, Path: p, Name: symbol}
}

// symbolName is the name of a definition with its container.
func symbolName(d syntax.Symbol) string {
	if d.Container == "" {
		return d.Name
	}
	return d.Container + "." + d.Name
}

// codeItem is a file of the map, or a symbol of it.
func (v *View) codeItem(p, symbol string) (Item, bool) {
	c, ok := v.Code().Chunk(p)
	if !ok {
		return Item{}, false
	}
	t, ok := codeTarget(v, p, symbol)
	if !ok {
		return Item{}, false
	}
	if symbol == "" {
		return Item{Ref: Ref{Kind: ItemCodeFile, Path: p}, Name: path.Base(p), Detail: p, Place: t, Whole: markdown.Span{End: len(t.Text)}}, true
	}
	d, ok := definitionIn(v, p, symbol)
	if !ok || d.Range.End > len(t.Text) {
		return Item{}, false
	}
	name := symbolName(d)
	return Item{
		Ref: Ref{Kind: ItemSymbol, Path: p, Name: name}, Name: name, Detail: c.Path,
		Place: t, Whole: markdown.Span(d.Range), Symbol: d.Kind,
	}, true
}

// entriesOf is how many entries a folder holds, without its overview and summary.
func entriesOf(n *tree.Node) (count int) {
	for _, p := range n.Entries {
		if format.RoleOf(p) == format.RoleEntry {
			count++
		}
	}
	return count
}

// folderKind is what people call a kind of folder.
func folderKind(k format.Kind) string {
	switch k {
	case format.KindDomain:
		return "domain"
	case format.KindTopic:
		return "topic"
	}
	return "subtopic"
}
