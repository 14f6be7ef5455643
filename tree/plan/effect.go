package plan

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// effect is the effect of one operation.
type effect struct {
	files map[string]*format.Entry // nil: no file
	usage map[string]*tree.Usage   // nil: no counters
	// counted are the signals of entries that the operation wrote; empty where there are none yet.
	counted map[string]format.Signals
	result  Result            // message, paths, losses
	made    bool              // an entry was made new
	own     []string          // the entries that the operation is about, for conflicts of a held one
	fate    map[string]string // new paths of the entries that are gone, except those that are simply deleted
}

// texts are the files that an operation writes; "" for those that it removes.
func (st effect) texts() map[string]string {
	out := make(map[string]string, len(st.files))
	for at, e := range st.files {
		out[at] = ""
		if e != nil {
			out[at] = e.Text
		}
	}
	return out
}

// readable returns an error for a file that would be too large to be read again, including overviews and
// files with changed relations.
func (st effect) readable() error {
	for _, at := range slices.Sorted(maps.Keys(st.files)) {
		if e := st.files[at]; e != nil && len(e.Text) > format.MaxFileSize {
			return Failed(FailInvalid, "%s would have %d bytes (limit: %d)", at, len(e.Text), format.MaxFileSize)
		}
	}
	return nil
}

// deletes is how many entries an operation deletes.
func (st effect) deletes(op Op) (n int) {
	switch op.Type {
	case OpMerge:
		return 1
	case OpDelete:
		for _, at := range st.own {
			if format.RoleOf(at) == format.RoleEntry {
				n++
			}
		}
	}
	return n
}

// harmless refuses an entry that would get more unsafe links and pictures than it had before. The fields of
// an operation are screened one by one, but together they can make a link that none of them makes alone.
func (s state) harmless(st effect) error {
	for _, at := range slices.Sorted(maps.Keys(st.files)) {
		e := st.files[at]
		if e == nil {
			continue
		}
		now := sanitize.Unsafe(e.Text)
		if len(now) == 0 {
			continue
		}
		before := len(sanitize.Unsafe(tree.TextAt(s.tree, at)))
		for from, to := range st.fate {
			if to == at {
				before += len(sanitize.Unsafe(tree.TextAt(s.tree, from)))
			}
		}
		if len(now) > before {
			return Failed(FailInvalid, "%s:%d: the text contains %s; remove it", at, 1+strings.Count(e.Text[:now[0].Start], "\n"), now[0].What)
		}
	}
	return nil
}

// removed returns the entries that the operation removes, each with the path of its new place, "" if it is
// deleted.
func (st effect) removed() map[string]string {
	out := map[string]string{}
	for at, e := range st.files {
		if e == nil {
			out[at] = st.fate[at]
		}
	}
	return out
}

// recount updates the counters of the entries that an operation wrote.
func (s state) recount(st *effect) {
	if st.usage == nil && len(st.counted) > 0 {
		st.usage = map[string]*tree.Usage{}
	}
	for at, signals := range st.counted {
		u := s.usage[at]
		if st.made {
			u = tree.Usage{} // of an entry that was here before
		}
		st.usage[at] = u.Counted(st.files[at], signals, s.now)
	}
}

// unmerged returns an error if a merge conflict blocks an effect: a file that it changes is in conflict, or
// an entry in conflict names a file that it removes and would have to be changed too.
func (s state) unmerged(st effect) error {
	next := sync.OnceValue(func() *tree.Snapshot { return s.tree.Update(st.files) })
	paths := slices.Sorted(maps.Keys(st.files))
	for _, at := range paths {
		if st.files[at] != nil {
			continue
		}
		for _, b := range s.tree.Backlinks(at) {
			e, _ := s.tree.Entry(b.From)
			if now := next().Resolve(b.From, b.Form, b.Raw).Target; now == "" || now != st.fate[at] {
				if err := e.UnmergedWith(at); err != nil {
					return err
				}
			}
		}
	}
	for _, at := range paths {
		if e, ok := s.tree.Entry(at); ok && e.Unmerged() != nil {
			return e.Unmerged()
		}
	}
	return nil
}
