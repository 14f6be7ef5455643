// Package drift finds out how entries no longer fit the code. A comparison needs git and takes time: it is
// kept, keyed by the entry's text and the code's map, and callers that cannot wait are notified when it is
// ready.
package drift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Of lists the drift of an entry, in order of place. It waits until the code is read, since unread code would
// seem to be gone.
func Of(ctx context.Context, v *workspace.View, entry string) ([]link.Drift, error) {
	w := v.Workspace()
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil, nil
	}
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	return comparisonOf(v, e).await(ctx)
}

// Soon is [Of] for answers that must not be delayed: if the code is not yet read, or the comparison takes
// longer than a [workspace.Glance], known is false, and [workspace.Options.Changed] is called when the result
// is ready.
func Soon(ctx context.Context, v *workspace.View, entry string) (found []link.Drift, known bool) {
	e, ok := v.Tree().Entry(entry)
	if !ok || !NamesCode(e) {
		return nil, true
	}
	if !v.CodeRead() {
		return nil, false // Changed tells of the code
	}
	short, cancel := v.Within(ctx, workspace.Glance)
	defer cancel()
	found, err := comparisonOf(v, e).await(short)
	return found, err == nil
}

// await returns the result of a comparison, unless ctx ends first.
func (d *comparison) await(ctx context.Context) ([]link.Drift, error) {
	if err := d.Wait(ctx); err != nil {
		return nil, err
	}
	return d.found[d.path], nil
}

// comparisonOf is comparisonsOf for one entry.
func comparisonOf(v *workspace.View, e *format.Entry) *comparison { return comparisonsOf(v, e)[0] }

// comparisonsOf returns the comparisons of entries with the present code. New ones, for which the entry or
// the code has changed, are made together. The code has been read.
func comparisonsOf(v *workspace.View, entries ...*format.Entry) []*comparison {
	w := v.Workspace()
	v = v.WithCodeOnDisk()
	k := comparisons.Of(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]*comparison, len(entries))
	fresh := &made{Stage: workspace.NewStage()}
	var ask []*format.Entry
	for i, e := range entries {
		of := stateOf(v, e)
		if all[i] = k.byEntry[e.Path]; !all[i].holds(of, v.Code()) {
			all[i] = &comparison{e.Path, of, v.Code(), fresh}
			ask = append(ask, e)
		}
	}
	if k.byEntry == nil || len(k.byEntry)+len(ask) > maxDrifts {
		k.byEntry = map[string]*comparison{}
	}
	for _, d := range all {
		if d.made == fresh {
			k.byEntry[d.path] = d
		}
	}
	if len(ask) > 0 && !w.Go(func() { fresh.survey(v, ask) }) {
		fresh.End(workspace.ErrClosed)
	}
	return all
}

// survey makes comparisons, and reports them if a caller went on without one.
func (m *made) survey(v *workspace.View, entries []*format.Entry) {
	w := v.Workspace()
	found, keep, err := know(w.Life(), v, entries)
	comparisons.Of(v).looked.Store(true)
	if m.found = found; m.End(err) {
		w.Tell(workspace.Change{Drift: true})
	}
	keep()
}

// Compare compares some entries, with the texts before and after. If git fails, the result has only what is
// known without it.
func Compare(ctx context.Context, v *workspace.View, entries ...*format.Entry) (map[string][]link.Drift, error) {
	found, _, err := compare(ctx, v, workspace.LinksOf(v, entries...), entries)
	return found, err
}

// Known is [Compare] without the texts before and after, from valid results of this or an earlier process.
// The code has been read.
func Known(ctx context.Context, v *workspace.View, entries ...*format.Entry) (map[string][]link.Drift, error) {
	known := map[string][]link.Drift{}
	for _, d := range comparisonsOf(v, entries...) {
		found, err := d.await(ctx)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			known[d.path] = found
		}
	}
	return known, nil
}

// unknown is the note of an answer that could not wait for it.
const unknown = "entries were not checked for staleness yet"

// Lookup answers one request's questions about the drift of entries.
type Lookup struct {
	w   *workspace.Workspace
	v   *workspace.View
	ctx context.Context // ends when it waited long enough

	mu    sync.Mutex // guards the fields below: entries are expected beside other work
	of    map[string]*comparison
	known bool // complete so far
}

// NewLookup begins an answer that waits until the end of ctx, and at most as long as a [workspace.Answer]
// from now on, also for the code.
func NewLookup(ctx context.Context, v *workspace.View) *Lookup {
	within, done := v.Within(ctx, workspace.Answer)
	context.AfterFunc(within, done)
	if w := v.Workspace(); !w.Serves() && slices.ContainsFunc(v.Tree().Entries(), NamesCode) {
		w.Go(w.BeginCode) // a command has nothing else to do
	}
	return &Lookup{w: v.Workspace(), v: v, ctx: within, of: map[string]*comparison{}, known: true}
}

// Expect compares entries in one go. Entries that name no code fit any code.
func (a *Lookup) Expect(entries []string) {
	if !a.v.CodeRead() {
		return // known only by their not being there
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var ask []*format.Entry
	for _, p := range entries {
		if e, ok := a.v.Tree().Entry(p); ok && NamesCode(e) && a.of[p] == nil {
			ask = append(ask, e)
		}
	}
	for i, d := range comparisonsOf(a.v, ask...) {
		a.of[ask[i].Path] = d
	}
}

// Of returns the drift of an entry, none if it is not known in time.
func (a *Lookup) Of(entry string) []link.Drift {
	e, ok := a.v.Tree().Entry(entry)
	if !ok || !NamesCode(e) {
		return nil
	}
	if errors.Is(a.w.WaitCode(a.ctx), workspace.ErrNoCode) {
		return nil // it never will be known
	}
	a.Expect([]string{entry})
	a.mu.Lock()
	d := a.of[entry]
	a.mu.Unlock()
	var found []link.Drift
	err := context.DeadlineExceeded
	if d != nil {
		found, err = d.await(a.ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = a.known && err == nil
	return found
}

// Counts says in two numbers how a folder's tree is, from what is known without looking:
// its entries as all faces count them, without overviews and what is generated, and those
// that were seen not to fit the code any more.
func Counts(w *workspace.Workspace) (entries, stale int) {
	v := w.View()
	for _, e := range v.Tree().Entries() {
		if e.Role == format.RoleEntry {
			entries++
		}
	}
	return entries, len(Left(v))
}

// Left are the entries that are known not to fit the code any more, with their drift. It makes no new
// comparisons.
func Left(v *workspace.View) map[string][]link.Drift {
	t := v.Tree()
	k := comparisons.Of(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[string][]link.Drift{}
	for p, d := range k.byEntry {
		if e, ok := t.Entry(p); ok && d.Reached() && d.of == stateOf(v, e) && len(d.found[p]) > 0 {
			out[p] = d.found[p]
		}
	}
	return out
}

// Worst describes in one sentence how an entry no longer fits the code: the largest difference, and how many
// more there are.
func Worst(found []link.Drift) string {
	if len(found) == 0 {
		return ""
	}
	worst := slices.MaxFunc(found, func(a, b link.Drift) int { return cmp.Compare(a.Grade, b.Grade) })
	if len(found) == 1 {
		return worst.Reason
	}
	return fmt.Sprintf("%s; and %d more", worst.Reason, len(found)-1)
}

// Summary describes in one line how many of the files in an entry are no longer as they were, "" if all are,
// with the place of the entry's title. A changed symbol counts for its file.
func Summary(v *workspace.View, entry string, found []link.Drift) (summary string, at markdown.Span) {
	e, ok := v.Tree().Entry(entry)
	if !ok || len(found) == 0 {
		return "", at
	}
	at, _ = e.TitleAt()
	named, drifted := map[string]bool{}, map[string]bool{}
	for _, ref := range v.Links().Of(entry) {
		named[ref.Path] = true
	}
	for _, d := range found {
		named[d.Path], drifted[d.Path] = true, true
	}
	since := ""
	if i := slices.IndexFunc(found, func(d link.Drift) bool { return !d.Since.IsZero() }); i >= 0 {
		since = " since " + found[i].Since.Format("2006-01-02")
	}
	if len(named) == 1 {
		return "The named file changed" + since, at
	}
	return fmt.Sprintf("%d of %d named files changed%s", len(drifted), len(named), since), at
}

// Unknown says that it was not known in time of all entries that were asked for, "" if it was.
func (a *Lookup) Unknown() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known {
		return ""
	}
	return unknown
}

// Warnings describes, in at most so many lines, how an entry no longer fits the code.
func (a *Lookup) Warnings(entry string, most int) []string {
	found := a.Of(entry)
	if len(found) == 0 {
		return nil
	}
	_, at := a.v.Tree().Counted(entry)
	return link.Warnings(found, at, most)
}

// Used records uses of entries; see [workspace.View.Used]. Entries that no longer fit the code gain nothing.
// If that is not known yet, it is found out in the background; a process that ends before then counts
// nothing.
func Used(v *workspace.View, entries ...string) {
	w := v.Workspace()
	if trusted, _ := w.Trusted(); !trusted {
		return
	}
	var ask []*format.Entry
	for _, p := range entries {
		if e, ok := v.Tree().Entry(p); ok && NamesCode(e) {
			ask = append(ask, e)
		} else {
			v.Used(p)
		}
	}
	switch {
	case len(ask) == 0:
	case v.CodeRead():
		noteFitting(v, ask)
	default:
		w.Go(func() {
			switch err := w.WaitCode(w.Life()); {
			case errors.Is(err, workspace.ErrNoCode): // it never will be known
				for _, e := range ask {
					v.Used(e.Path)
				}
			case err == nil:
				noteFitting(w.View(), ask)
			}
		})
	}
}

// noteFitting notes the use of those entries that fit the code, at once where that is known. The code has been read.
func noteFitting(v *workspace.View, entries []*format.Entry) {
	for i, d := range comparisonsOf(v, entries...) {
		note := func() {
			if found, err := d.await(v.Workspace().Life()); err == nil && len(found) == 0 {
				v.Used(entries[i].Path)
			}
		}
		if d.Over() {
			note()
		} else {
			v.Workspace().Go(note)
		}
	}
}
