package navigate

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Item is a thing of one of the two hierarchies: who mentions whom, and what belongs to
// which topic.
type Item struct {
	Ref
	Name   string
	Detail string
	Extent markdown.Span // of the thing, in Place's file
	Place  Target        // where it says its name; At lies in Extent
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
// is named there or is the file itself, or the symbol at a place of code.
func Mentioned(ctx context.Context, v *workspace.View, p string, offset int) (Item, bool) {
	v = v.ForFile(ctx, p)
	if s, ok := subjectAt(v, p, offset); ok {
		return entryItem(v, s.entry)
	}
	text, ok := v.Text(p)
	if _, inTree := v.EntryPath(p); inTree || !ok {
		return Item{}, false
	}
	name := IdentifierAt(text, offset).Of(text)
	files := DefiningFiles(v, p, name)
	switch {
	case name == "" || len(files) == 0:
		return Item{}, false
	case slices.Contains(files, p):
		return codeItem(v, p, name)
	}
	return codeItem(v, files[0], name)
}

// MentionedBy lists who mentions an item: of an entry the entries with relations to it and
// the code files with marks of it, of code the entries that name it. It has what [Mentions] of
// those has.
func MentionedBy(ctx context.Context, v *workspace.View, ref Ref) (out []Call) {
	v = v.ForFile(ctx, fileOf(v, ref))
	item, ok := lookUp(v, ref)
	if !ok {
		return nil
	}
	for _, p := range mentioning(v, item.Ref) {
		from, ok := FileItem(v, p)
		if !ok {
			continue
		}
		var at []markdown.Span
		for m := range mentionsIn(v, from) {
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
func mentioning(v *workspace.View, ref Ref) (files []string) {
	var found []Target
	switch ref.Kind {
	case ItemEntry:
		found = MentionPlaces(v, ref.Path, "", false)
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
func Mentions(ctx context.Context, v *workspace.View, ref Ref) []Call {
	v = v.ForFile(ctx, fileOf(v, ref))
	item, ok := lookUp(v, ref)
	if !ok {
		return nil
	}
	calls := calls{text: item.Place.Text, index: map[Ref]int{}}
	for m := range mentionsIn(v, item) {
		to, ok := lookUp(v, m.of)
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
func mentionsIn(v *workspace.View, item Item) iter.Seq[mention] {
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
				if named && !yield(mention{codeRef(v, c.Path, FullName(c)), c.Span}) {
					return
				}
			}
		case ItemCodeFile:
			for _, m := range MarksIn(v, item.Path, item.Place.Text) {
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
// is named there or is the file itself; if that describes a folder, the folder.
func Kin(ctx context.Context, v *workspace.View, p string, offset int) (Item, bool) {
	s, ok := subjectAt(v.ForFile(ctx, p), p, offset)
	if !ok {
		return Item{}, false
	}
	if dir := path.Dir(s.entry); isOverview(s.entry, dir) {
		return folderItem(v, dir)
	}
	return entryItem(v, s.entry)
}

// Above is the folder that an entry or a folder lies in; a domain lies in none.
func Above(v *workspace.View, ref Ref) (Item, bool) {
	if _, ok := lookUp(v, ref); !ok {
		return Item{}, false
	}
	return folderItem(v, path.Dir(ref.Path))
}

// Below are the folders and entries of a folder.
func Below(v *workspace.View, ref Ref) (out []Item) {
	if _, ok := lookUp(v, ref); !ok || ref.Kind != ItemDomain && ref.Kind != ItemTopic {
		return nil
	}
	n, _ := v.Tree().Node(ref.Path)
	for _, dir := range n.Folders {
		if item, ok := folderItem(v, dir); ok {
			out = append(out, item)
		}
	}
	for _, p := range n.Entries {
		if item, ok := entryItem(v, p); ok && format.RoleOf(p) == format.RoleEntry {
			out = append(out, item)
		}
	}
	return out
}

// fileOf is the workspace path of what a reference names.
func fileOf(v *workspace.View, ref Ref) string {
	if ref.Kind == ItemCodeFile || ref.Kind == ItemSymbol {
		return ref.Path
	}
	return v.FilePath(ref.Path)
}

// lookUp finds what a reference names.
func lookUp(v *workspace.View, ref Ref) (Item, bool) {
	switch ref.Kind {
	case ItemEntry:
		return entryItem(v, ref.Path)
	case ItemDomain, ItemTopic:
		return folderItem(v, ref.Path)
	case ItemCodeFile:
		return codeItem(v, ref.Path, "")
	case ItemSymbol:
		if ref.Name != "" {
			return codeItem(v, ref.Path, ref.Name)
		}
	}
	return Item{}, false
}

// FileItem is the item of an entry's or a code file's workspace path.
func FileItem(v *workspace.View, p string) (Item, bool) {
	if entry, ok := v.EntryPath(p); ok {
		return entryItem(v, entry)
	}
	return codeItem(v, p, "")
}

func entryItem(v *workspace.View, p string) (Item, bool) {
	e, ok := v.Tree().Entry(p)
	if !ok {
		return Item{}, false
	}
	detail := path.Dir(p)
	if s, _ := v.Tree().Counted(p); s.Maturity != "" {
		detail += " · " + format.TierName(e, s.Maturity)
	}
	return Item{
		Ref: Ref{Kind: ItemEntry, Path: p}, Name: e.Title, Detail: detail,
		Place: EntryTarget(v, p, ""), Extent: markdown.Span{End: len(e.Text)},
	}, true
}

// folderItem is a folder at the place that describes it best: its overview, its summary,
// or the first entry below, since an editor can show no folder. The root is no item.
func folderItem(v *workspace.View, dir string) (Item, bool) {
	n, ok := v.Tree().Node(dir)
	if !ok || n.Kind == 0 || strings.HasPrefix(dir, "_") {
		return Item{}, false
	}
	file, ok := OverviewOf(v, dir)
	if !ok {
		if file, ok = firstBelow(v, n); !ok {
			return Item{}, false
		}
	}
	item, ok := entryItem(v, file)
	item.Ref = Ref{Kind: ItemTopic, Path: dir}
	if n.Kind == format.KindDomain {
		item.Kind = ItemDomain
	}
	item.Name = path.Base(dir)
	item.Detail = FolderKind(n.Kind) + ": " + tree.Counted(len(n.Folders), "folder", "folders") + ", " +
		tree.Counted(EntriesOf(n), "entry", "entries")
	return item, ok
}

// firstBelow is the first entry in a folder or, if there is none, in the folders below.
func firstBelow(v *workspace.View, n *tree.Node) (string, bool) {
	for _, p := range n.Entries {
		if format.RoleOf(p) == format.RoleEntry {
			return p, true
		}
	}
	for _, dir := range n.Folders {
		if below, ok := v.Tree().Node(dir); ok {
			if p, ok := firstBelow(v, below); ok {
				return p, true
			}
		}
	}
	return "", false
}

// codeRef identifies a file, or a symbol of it by the name that its item has.
func codeRef(v *workspace.View, p, symbol string) Ref {
	if symbol == "" {
		return Ref{Kind: ItemCodeFile, Path: p}
	}
	if d, ok := DefinitionIn(v, p, symbol); ok {
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
func codeItem(v *workspace.View, p, symbol string) (Item, bool) {
	c, ok := v.Code().Chunk(p)
	if !ok {
		return Item{}, false
	}
	t, ok := codeTarget(v, p, symbol)
	if !ok {
		return Item{}, false
	}
	if symbol == "" {
		return Item{Ref: Ref{Kind: ItemCodeFile, Path: p}, Name: path.Base(p), Detail: p, Place: t,
			Extent: markdown.Span{End: len(t.Text)}}, true
	}
	d, ok := DefinitionIn(v, p, symbol)
	if !ok || d.Range.End > len(t.Text) {
		return Item{}, false
	}
	name := symbolName(d)
	return Item{
		Ref: Ref{Kind: ItemSymbol, Path: p, Name: name}, Name: name, Detail: c.Path,
		Place: t, Extent: markdown.Span(d.Range), Symbol: d.Kind,
	}, true
}

// EntriesOf is how many entries a folder holds, without its overview and summary.
func EntriesOf(n *tree.Node) (count int) {
	for _, p := range n.Entries {
		if format.RoleOf(p) == format.RoleEntry {
			count++
		}
	}
	return count
}

// FolderKind returns the usual name of a kind of folder.
func FolderKind(k format.Kind) string {
	switch k {
	case format.KindDomain:
		return "domain"
	case format.KindTopic:
		return "topic"
	}
	return "subtopic"
}
