package plan

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
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

// diffOf is the unified diff between two snapshots, as `patch -p1` takes it inside
// the context tree; among names the files to look at.
func diffOf(before, after *tree.Snapshot, among []string) string {
	var b strings.Builder
	for _, at := range among {
		oldName, newName := "a/"+at, "b/"+at
		if strings.Contains(at, " ") { // a tab ends the name
			oldName, newName = oldName+"\t", newName+"\t"
		}
		var oldText, newText string
		if e, ok := before.Entry(at); ok {
			oldText = e.Text
		} else {
			oldName = markdown.NoFile
		}
		if e, ok := after.Entry(at); ok {
			newText = e.Text
		} else {
			newName = markdown.NoFile
		}
		b.WriteString(markdown.Unified(oldName, oldText, newName, newText))
	}
	return b.String()
}

// Moved returns the new path of each file that is gone, "" for a file that was removed. A new file with the
// same text counts as its new place.
func Moved(before, after *tree.Snapshot, files []string) map[string]string {
	come, out := map[string]string{}, map[string]string{}
	for _, at := range files {
		if _, was := before.Entry(at); !was {
			come[tree.TextAt(after, at)] = at
		}
	}
	for _, at := range files {
		if _, is := after.Entry(at); !is {
			out[at] = come[tree.TextAt(before, at)]
		}
	}
	return out
}

// NowDangling lists the relations that led to one of the files and lead nowhere
// now that it is gone.
func NowDangling(before, after *tree.Snapshot, files []string) (out []string) {
	for _, at := range files {
		if _, there := after.Entry(at); there {
			continue
		}
		for _, b := range before.Backlinks(at) {
			e, ok := after.Entry(b.From)
			if ok && e.Text == tree.TextAt(before, b.From) && after.Resolve(b.From, b.Form, b.Raw).Target == "" {
				out = append(out, mentionAt(e, b.Mention))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
