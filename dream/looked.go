package dream

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// looked lists the entries that dreams have examined, by the beginning of their hashes. An entry that is not
// in the list has changed since, or has work left that a limit of the last dream cut off. A consolidation
// adds entries; they count once its steps are done.
type looked struct {
	before map[string]string
	now    map[string]bool // entries that this consolidation looks at
	open   map[string]bool // those of them that need another look
}

// shortHash is the length of a hash that distinguishes two texts of one entry.
const shortHash = 16

func hashOf(e *format.Entry) string { return e.Hash[:min(len(e.Hash), shortHash)] }

// readLooked reads the list of examined entries. A missing or damaged file counts as empty, since looking
// again only costs time.
func readLooked(s *store.Store) (*looked, error) {
	l := &looked{open: map[string]bool{}}
	data, err := s.Sidecar.Read(lookedFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrForeign) {
		return nil, err
	}
	if err != nil || json.Unmarshal(data, &l.before) != nil {
		l.before = nil
	}
	return l, nil
}

// knows reports whether an entry was examined in its present state.
func (l *looked) knows(e *format.Entry) bool { return l.before[e.Path] == hashOf(e) }

// look sets the entries that this consolidation looks at.
func (l *looked) look(paths []string) {
	l.now = make(map[string]bool, len(paths))
	for _, p := range paths {
		l.now[p] = true
	}
}

// leave marks entries that need another look by the next dream.
func (l *looked) leave(paths ...string) {
	for _, p := range paths {
		l.open[p] = true
	}
}

// write writes the new list: the entries of before that have not changed, and the entries that this dream
// looked at and finished, with the hashes that its own steps left.
func (l *looked) write(s *store.Store, planned *tree.Snapshot, own []Step) error {
	mine := map[string]bool{}
	for _, st := range own {
		if st.Status == Done {
			mine[st.Output] = true
		}
	}
	out := map[string]string{}
	after := s.Snapshot()
	for _, e := range planned.Entries() {
		if e.Role != format.RoleEntry || l.open[e.Path] || !l.knows(e) && !l.now[e.Path] {
			continue
		}
		if mine[e.Path] {
			if changed, ok := after.Entry(e.Path); ok {
				e = changed
			}
		}
		out[e.Path] = hashOf(e)
	}
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	return s.Sidecar.Write(lookedFile, append(data, '\n'))
}
