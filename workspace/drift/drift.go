// Package drift tells how entries no longer fit the code. A comparison asks git and takes time: it is kept
// for the entry's text and the map that it is of, and who cannot wait for one is told when it is there.
package drift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// driftPatience is how long an answer that can do without it waits for the drift of
// an entry: below what reads as a delay behind the pause of a typist.
const driftPatience = 100 * time.Millisecond

// Of lists how an entry no longer fits the code, in order of place. It waits until
// the code is read: before that everything would seem to be gone.
func Of(ctx context.Context, v *workspace.View, entry string) ([]link.Drift, error) {
	w := v.Workspace()
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil, nil
	}
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	d := comparisonOf(v, e)
	select {
	case <-d.done:
		return d.found, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Soon is Drift for answers that must not be held up: where the code is not yet
// read, or the comparison takes longer than 100 ms, known is false, and
// [workspace.Options.Changed] is called when it is there.
func Soon(ctx context.Context, v *workspace.View, entry string) (found []link.Drift, known bool) {
	e, ok := v.Tree().Entry(entry)
	if !ok || !NamesCode(e) {
		return nil, true
	}
	if !v.CodeRead() {
		return nil, false // Changed tells of the code
	}
	d := comparisonOf(v, e)
	return await(ctx, v, d, time.After(driftPatience))
}

// await returns what a comparison found, unless ctx or the patience ends first.
func await(ctx context.Context, v *workspace.View, d *comparison, enough <-chan time.Time) (found []link.Drift, known bool) {
	select {
	case <-d.done:
	case <-ctx.Done():
	case <-enough:
	}
	k := comparisons.Of(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	if workspace.Over(d.done) {
		return d.found, d.err == nil
	}
	d.skipped = true
	return nil, false
}

// comparisonOf is comparisonsOf for one entry.
func comparisonOf(v *workspace.View, e *format.Entry) *comparison { return comparisonsOf(v, e)[0] }

// comparisonsOf returns the comparisons of entries with the code that is there. Those that
// are new, because the entry or the code is another than last time, are made together.
// The code has been read.
func comparisonsOf(v *workspace.View, entries ...*format.Entry) []*comparison {
	w := v.Workspace()
	v = v.WithCodeOnDisk()
	k := comparisons.Of(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make([]*comparison, len(entries))
	var fresh []*comparison
	var ask []*format.Entry
	for i, e := range entries {
		d := k.byEntry[e.Path]
		if d == nil || d.of != stateOf(v, e) || d.code != v.Code() || d.failed() {
			d = &comparison{of: stateOf(v, e), code: v.Code(), done: make(chan struct{})}
			fresh, ask = append(fresh, d), append(ask, e)
		}
		all[i] = d
	}
	if k.byEntry == nil || len(k.byEntry)+len(fresh) > maxDrifts {
		k.byEntry = map[string]*comparison{}
	}
	for i, d := range fresh {
		k.byEntry[ask[i].Path] = d
	}
	if len(fresh) > 0 && !w.Go(func() { survey(v, ask, fresh) }) {
		for _, d := range fresh {
			d.err = workspace.ErrClosed
			close(d.done)
		}
	}
	return all
}

// survey makes comparisons, and tells of them if somebody went on without one.
func survey(v *workspace.View, entries []*format.Entry, of []*comparison) {
	w := v.Workspace()
	k := comparisons.Of(v)
	found, keep, err := know(w.Life(), v, entries)
	missed := false
	k.mu.Lock()
	k.look = true
	for i, d := range of {
		d.found, d.err = found[entries[i].Path], err
		missed = missed || d.skipped
		close(d.done)
	}
	k.mu.Unlock()
	if missed {
		w.Tell(workspace.Change{Drift: true})
	}
	keep()
}

// Compare looks at some entries, with the texts before and after. Where git fails, what can be told
// without it is all.
func Compare(ctx context.Context, v *workspace.View, entries ...*format.Entry) (map[string][]link.Drift, error) {
	found, _, err := compare(ctx, v, entries)
	return found, err
}

// patience is how long an answer without a deadline waits, from its beginning, until it is known
// whether its entries are stale: a folder of 1,000 files is read within it, and a process that is
// started for one question has no second try in which the marks could stand.
const patience = 2 * time.Second

// unknown is the note of an answer that could not wait for it.
const unknown = "it is not known yet whether entries are stale"

// Lookup answers one request for what it asks of the drift of entries.
type Lookup struct {
	w   *workspace.Workspace
	v   *workspace.View
	ctx context.Context // ends with the patience

	mu    sync.Mutex // guards the fields below: entries are expected beside other work
	of    map[string]*comparison
	known bool // nothing was left out so far
}

// NewLookup begins an answer that waits until the end of ctx, and no longer than
// patience from now on, for the code too.
func NewLookup(ctx context.Context, v *workspace.View) *Lookup {
	within, done := v.Within(ctx, patience)
	context.AfterFunc(within, done)
	return &Lookup{w: v.Workspace(), v: v, ctx: within, of: map[string]*comparison{}, known: true}
}

// Expect compares entries in one go. Those that name no code fit any.
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
	known := false
	if d != nil {
		found, known = await(a.ctx, a.v, d, nil)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = a.known && known
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

// Left are the entries that the code left behind: that were seen not to fit the code any more, with how. It looks at nothing anew.
func Left(v *workspace.View) map[string][]link.Drift {
	t := v.Tree()
	k := comparisons.Of(v)
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[string][]link.Drift{}
	for p, d := range k.byEntry {
		if e, ok := t.Entry(p); ok && workspace.Over(d.done) && d.of == stateOf(v, e) && len(d.found) > 0 {
			out[p] = d.found
		}
	}
	return out
}

// Worst says in a sentence how an entry no longer fits the code: what is most different, and how much more there is.
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

// Summary says in a line how much of what an entry names is not as it was, "" if
// all is, and where the entry states its title. It counts files: a symbol that changed
// speaks for its file.
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

// Warnings say, in at most so many lines, how an entry no longer fits the code.
func (a *Lookup) Warnings(entry string, most int) []string {
	found := a.Of(entry)
	if len(found) == 0 {
		return nil
	}
	_, at := a.v.Tree().Counted(entry)
	return link.Warnings(found, at, most)
}
