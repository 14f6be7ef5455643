package drift

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxDrifts bounds the entries whose drift is kept, with the texts before and after: the open ones, and those
// of recent packs.
const maxDrifts = 256

// cache keeps how entries no longer fit the code. The zero value is empty.
type cache struct {
	mu      sync.Mutex // guards the fields below
	byEntry map[string]*comparison
	byPage  map[string]*comparison // of documents, by path

	looked  atomic.Bool       // the history was waited for, whether there is one or not
	keeping sync.Mutex        // guards kept, held while its file is read
	writing sync.Mutex        // held while it is written
	kept    map[string]record // by [keeper.key]; nil: the file was not read yet
	used    map[string]bool   // the keys of them that this process asked for
}

// comparisons are the comparisons of the open folders.
var comparisons = workspace.NewMemory(func(*workspace.Workspace) *cache { return &cache{} })

// state has the parts of an entry that determine its comparison: its text, and the time from which it counts.
// A confirmation, or its undo, changes only the time while an editor still shows the text from before.
type state struct {
	hash  string
	since int64 // in Unix nanoseconds; see [tree.Snapshot.Changed]
	exact bool
}

func stateOf(v *workspace.View, e *format.Entry) state {
	at, exact := v.Tree().Changed(e.Path)
	return state{e.Hash, at.UnixNano(), exact}
}

// comparison is one comparison of an entry with the code: running or done. It is valid for the entry's state
// and for one map, which has its own state of the history. A failed one is tried again.
type comparison struct {
	path string
	of   state
	code *codebase.RepoMap
	*made
}

// made is a group of comparisons that are made together.
type made struct {
	*workspace.Stage
	found map[string][]link.Drift // by path; valid once that is over
}

// holds reports whether a comparison is of the given state and map. d may be nil.
func (d *comparison) holds(of state, code *codebase.RepoMap) bool {
	return d != nil && d.of == of && d.code == code && !d.Failed()
}

// NamesCode reports whether an entry may name code.
func NamesCode(e *format.Entry) bool {
	links := func(m format.Mention) bool { return m.Form == format.FormMarkdown }
	return len(e.Files)+len(e.Code) > 0 || slices.ContainsFunc(e.Relations, links)
}

// Results of comparisons are kept in the user's cache, without the texts: in a process that is started for
// one question, git takes longer than everything else.
const (
	keptKind    = "drift"
	keptVersion = "7" // also of what is found: another measure of drift needs another
	maxKept     = 64 << 20

	// maxOthers is how many records of other working trees, and of earlier commits, are kept at least: 1,000 are read in
	// some 5 ms.
	maxOthers = 1_000
)

// record is the drift of an entry, keyed by the entry, HEAD's commit and the files that the entry names. It
// is valid as long as its code is unchanged.
type record struct {
	// Code is the fingerprint of all files if something was gone or moved: it may now be in any of them.
	Code  string `json:",omitempty"`
	Found []link.Drift
}

// keeper recalls and keeps records for one state of a folder.
type keeper struct {
	v     *workspace.View
	links *link.Links // of the entries that it is asked about
	file  cachefile.File
	head  string
	files func() string // the fingerprint of all files of the map
}

// newKeeper is nil where nothing can be kept: without git or a cache.
func newKeeper(v *workspace.View, links *link.Links) *keeper {
	w := v.Workspace()
	if trusted, _ := w.Trusted(); !trusted || w.Cache() == "" || !v.CodeRead() {
		return nil
	}
	repo, err := git.Open(w.Root())
	if err != nil {
		return nil
	}
	head := repo.HeadAndCut()
	if head == "" {
		return nil
	}
	return &keeper{v, links, cachefile.Of(w.Cache(), keptKind, w.Shared()), head, sync.OnceValue(func() string {
		h := sha256.New()
		for _, c := range v.Code().Chunks() {
			fmt.Fprintf(h, "%q %s %q\n", c.Path, c.Hash, c.Partial)
		}
		fmt.Fprintf(h, "%q", v.Code().Skipped())
		return hex.EncodeToString(h.Sum(nil))
	})}
}

// key has everything that determines the drift of an entry whose files and symbols are all in place: its
// text, its time, and the content of the files that it names.
func (k *keeper) key(e *format.Entry) string {
	h := sha256.New()
	of := stateOf(k.v, e)
	fmt.Fprintf(h, "%s %q %s %d %t\n", k.head, e.Path, of.hash, of.since, of.exact)
	for _, ref := range k.links.Of(e.Path) {
		content := ""
		if c, ok := k.v.Code().Chunk(ref.Path); ok {
			content = c.Hash
		}
		fmt.Fprintf(h, "%q %q %q %d %t %s\n", ref.Path, ref.Symbol, ref.Container, ref.Span.Start, ref.Exists, content)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// keep adds results to the kept ones, for this process and the next.
func (k *keeper) keep(c *cache, entries []*format.Entry, found map[string][]link.Drift) {
	c.keeping.Lock()
	if len(c.used) > 2*k.v.Disk().Len()+maxOthers { // most are of past states
		clear(c.used)
		clear(c.kept)
	}
	for _, e := range entries {
		if onDisk, ok := k.v.Disk().Entry(e.Path); !ok || onDisk.Hash != e.Hash {
			continue // it is being edited
		}
		r, key := record{}, k.key(e)
		for _, d := range found[e.Path] {
			d.Before, d.After = "", ""
			r.Found = append(r.Found, d)
			if d.Kind != link.Changed {
				r.Code = k.files()
			}
		}
		c.kept[key], c.used[key] = r, true
	}
	c.keeping.Unlock() // the next hover waits for no file
	c.writing.Lock()
	defer c.writing.Unlock()
	all := k.read() // with what other working trees added
	c.keeping.Lock()
	maps.Copy(all, c.kept)
	others := max(len(c.used), maxOthers)
	for key := range all {
		if !c.used[key] {
			if others--; others < 0 {
				delete(all, key)
			}
		}
	}
	c.keeping.Unlock()
	text, err := json.Marshal(all)
	if err == nil {
		err = k.file.Write(keptVersion, cachefile.Block{text})
	}
	if err != nil {
		k.v.Logger().Debug("drift cache not written", "err", err)
	}
}

// read reads the records in the file.
func (k *keeper) read() map[string]record {
	kept := map[string]record{}
	if blocks, err := k.file.Read(keptVersion, maxKept); err == nil && len(blocks) == 1 {
		_ = json.Unmarshal(blocks[0], &kept) // what does not decode is found again
	}
	return kept
}

// recall returns the known drift of entries, and the entries without a known result.
func (k *keeper) recall(c *cache, entries []*format.Entry) (known map[string][]link.Drift, missing []*format.Entry) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if c.kept == nil {
		c.kept, c.used = k.read(), map[string]bool{}
	}
	known = map[string][]link.Drift{}
	for _, e := range entries {
		key := k.key(e)
		if r, ok := c.kept[key]; !ok || r.Code != "" && r.Code != k.files() {
			missing = append(missing, e)
		} else if c.used[key] = true; len(r.Found) > 0 {
			known[e.Path] = r.Found
		}
	}
	return known, missing
}

// know finds the drift of entries, from kept results if they are valid; keep stores the new ones, and is
// called when no caller waits any more.
func know(ctx context.Context, v *workspace.View, entries []*format.Entry,
) (known map[string][]link.Drift, keep func(), err error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e *format.Entry) bool { return !NamesCode(e) })
	links := workspace.LinksOf(v, entries...)
	c, k := comparisons.Of(v), newKeeper(v, links)
	known, missing := map[string][]link.Drift{}, entries
	if k != nil {
		known, missing = k.recall(c, entries)
	}
	keep = func() {}
	if len(missing) == 0 {
		return known, keep, nil
	}
	if w := v.Workspace(); w.Past() == nil && !c.looked.Load() {
		w.ReadHistory(ctx) // and so waits for a read under way
	}
	found, complete, err := compare(ctx, v, links, missing)
	if k != nil && complete {
		keep = func() { k.keep(c, missing, found) }
	}
	maps.Copy(known, found)
	return known, keep, err
}

// compare is Compare, and reports whether git answered everything.
func compare(ctx context.Context, v *workspace.View, links *link.Links, entries []*format.Entry,
) (found map[string][]link.Drift, complete bool, err error) {
	past := v.Workspace().Past()
	found, err = driftsOf(ctx, v, links, entries, past)
	if err != nil && ctx.Err() == nil {
		v.Logger().Info("entries were not compared with git history", "reason", err)
		return found, false, nil
	}
	return found, err == nil && past != nil, err
}

// few is how many entries are compared unseen: those of an answer.
const few = 64

// driftsOf is [link.Links.Drifts], and tells how far it is where there are many entries.
func driftsOf(ctx context.Context, v *workspace.View, links *link.Links, entries []*format.Entry, past link.Past,
) (map[string][]link.Drift, error) {
	if w := v.Workspace(); past != nil && len(entries) > few {
		const title = "Comparing entries with git history"
		place := map[string]int{}
		for i, e := range entries {
			place[e.Path] = i
		}
		past = telling{past, func(at history.Ask) {
			done := place[strings.TrimPrefix(at.Neighbour, tree.FromProject)]
			w.TellProgress(workspace.Progress{Title: title, Done: done, Total: len(entries)})
		}}
		defer w.TellProgress(workspace.Progress{Title: title, End: true})
	}
	return links.Drifts(ctx, entries, v.Code(), past)
}

// telling is a past that reports which names are requested from it.
type telling struct {
	link.Past
	tell func(history.Ask)
}

func (t telling) Naming(ctx context.Context, at history.Ask, words []string, limit int) ([]string, error) {
	t.tell(at)
	return t.Past.Naming(ctx, at, words, limit)
}
