package pack

import (
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxMarks is how many warnings of one entry are worth their tokens.
const maxMarks = 3

// What a warning leaves of an entry's chance to be needed.
const (
	keptIfStale    = 0.8
	keptIfOutdone  = 0.7 // something else says otherwise, and counts more
	keptIfArchived = 0.5
)

// warning is a warning to the reader of an entry.
type warning struct {
	marks   []string
	stale   bool
	outdone []opponent // what contradicts the entry and counts more
}

// warnings returns the marks of an entry: whether it is archived, stale or contradicted.
func (b *maker) warnings(e *format.Entry) warning {
	w, ok := b.warned[e.Path]
	if ok {
		return w
	}
	if e.Role == format.RoleStub {
		w.marks = append(w.marks, archived(e))
	}
	stale := b.stale(e)
	w.stale = len(stale) > 0
	for _, o := range b.against(e) {
		if o.wins {
			w.outdone = append(w.outdone, o)
		}
		w.marks = append(w.marks, o.mark())
	}
	w.marks = append(w.marks[:min(len(w.marks), maxMarks-1)], stale...)
	w.marks = w.marks[:min(maxMarks, len(w.marks))]
	for i, m := range w.marks {
		w.marks[i] = oneLine(m, maxSummary)
	}
	b.warned[e.Path] = w
	return w
}

// mark sets the warnings of entries. If an entry contradicts a candidate and counts more, it becomes a
// candidate too. It is at least as likely to be needed, and stands before the other one.
func (b *maker) mark(entries []*candidate) []*candidate {
	if b.outOfTime(noMarks) {
		return entries
	}
	of := map[string]*candidate{}
	for _, c := range entries {
		of[c.path] = c
	}
	b.ahead(maps.Keys(of))
	for i := 0; i < len(entries) && i < 2*maxHits; i++ {
		c := entries[i]
		w := b.warnings(c.entry)
		c.marks = w.marks
		for _, o := range w.outdone {
			better := of[o.entry.Path]
			if better == nil {
				better = &candidate{kind: KindEntry, path: o.entry.Path, entry: o.entry, rank: -1}
				of[better.path] = better
				entries = append(entries, better)
			}
			if better.behind == nil {
				c.behind = better
			}
			better.atLeast(c.chance, "contradicts "+c.path)
		}
	}
	for _, c := range entries {
		switch {
		case c.entry.Role == format.RoleStub:
			c.chance *= keptIfArchived
		case c.behind != nil:
			c.chance *= keptIfOutdone
		case b.warnings(c.entry).stale:
			c.chance *= keptIfStale
		}
	}
	b.latestFirst(entries)
	slices.SortStableFunc(entries, byChance)
	return entries
}

// archived returns the warning for a stub.
func archived(e *format.Entry) string {
	if s, ok := e.Stub(); ok {
		return "archived and no longer updated; its former path is " + s.OriginalPath
	}
	return "archived and no longer updated"
}

// stale says how an entry no longer fits the code.
func (b *maker) stale(e *format.Entry) []string {
	if b.in.Drift == nil {
		return nil
	}
	_, at := b.in.Tree.Counted(e.Path)
	return link.Warnings(b.in.Drift(e.Path), at, maxMarks-1)
}
