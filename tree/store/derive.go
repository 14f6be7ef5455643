package store

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// manifestFile is the manifest's path in the tree.
const manifestFile = "_manifest.json"

// Gitignore is `.brv/.gitignore`: it keeps generated and personal files out of version control. Entries,
// overviews and archives are shared.
const Gitignore = `# Written by brv-lsp: generated and personal files of the context tree.
_index.md
_manifest.json
/state/
/dream-log/
`

// Derive writes the generated files that are missing or stale: `_index.md` of the
// folders that changed and of those above them, `_manifest.json`, and the
// `.gitignore` that keeps them out of version control. It returns what it wrote or
// removed, as paths inside `.brv`. It is safe beside other
// processes: every file is replaced in one step, and who writes an older state
// leaves it stale, which the next call mends.
func (s *Store) Derive(ctx context.Context) (written []string, err error) {
	if err := s.ignore(&written, ".gitignore", Gitignore); err != nil {
		return written, err
	}
	if info, err := s.root.Stat(tree.StateDir); err == nil && info.IsDir() { // even if the other .gitignore is the user's own
		if err := s.ignore(&written, tree.StateDir+"/.gitignore", "*\n"); err != nil {
			return written, err
		}
	}
	if s.partial() { // files made from a part of the tree would be wrong
		return written, nil
	}
	fresh, gone := derived.Summaries(s.Snapshot())
	for _, f := range fresh {
		if err := ctx.Err(); err != nil {
			return written, err
		}
		if err := s.journal.Replace(tree.Dir+"/"+f.Path, []byte(f.Text)); err != nil {
			return written, err
		}
		written = append(written, tree.Dir+"/"+f.Path)
	}
	for _, p := range gone {
		if err := s.root.Remove(tree.Dir + "/" + p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return written, err
		}
		written = append(written, tree.Dir+"/"+p)
		for dir := format.FolderOf(p); dir != "" && s.root.RemoveDir(tree.Dir+"/"+dir) == nil; dir = format.FolderOf(dir) {
			continue // a folder that held nothing else is removed too
		}
	}
	if changed := inTreePaths(written); len(changed) > 0 {
		if _, err := s.Refresh(ctx, changed...); err != nil {
			return written, err
		}
	}
	if !s.manifestStale() {
		return written, nil
	}
	snap, now := s.Snapshot(), s.now()
	data, err := derived.NewManifest(snap, now, nil).JSON()
	if err != nil {
		return written, err
	}
	if err := s.journal.Replace(tree.Dir+"/"+manifestFile, data); err != nil {
		return written, err
	}
	return append(written, tree.Dir+"/"+manifestFile), nil
}

// Written reports whether this user has already changed the tree through a store. Until then, no files are
// written unasked.
func (s *Store) Written() bool { return s.journal.Used() }

// ignore writes a `.gitignore` if there is none.
func (s *Store) ignore(written *[]string, name, text string) error {
	if _, err := s.root.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	*written = append(*written, name)
	return s.journal.Replace(name, []byte(text))
}

// manifestStale reports whether the manifest on disk is not of this tree.
func (s *Store) manifestStale() bool {
	data, err := s.root.ReadFile(tree.Dir+"/"+manifestFile, maxState)
	var m derived.Manifest
	return err != nil || json.Unmarshal(data, &m) != nil || m.Stale(s.Snapshot())
}

// State says how a tree is.
type State struct {
	Domains    int            `json:"domains"`
	Topics     int            `json:"topics"`    // topics and subtopics
	Entries    int            `json:"entries"`   // without the files that the next keys count
	Overviews  int            `json:"overviews"` // the number of context.md files
	Summaries  int            `json:"summaries"` // the number of _index.md files
	Archived   int            `json:"archived"`
	Skipped    int            `json:"skipped"`          // the number of files that are not read
	Unread     int            `json:"unread,omitempty"` // the skipped files over the limit of a tree
	Conflicts  []string       `json:"conflicts"`        // files in merge conflict
	Bytes      int            `json:"bytes"`            // the size of all entries
	Maturity   map[string]int `json:"maturity"`
	Confirmed  int            `json:"confirmed"`      // the validated entries that a person confirmed
	Archivable []string       `json:"archivable"`     // entries that can be archived, the least important first
	Pending    int            `json:"pending"`        // the number of operations that wait for a review
	Unreviewed int            `json:"unreviewed"`     // the number of operations that are done, and that somebody should check
	Stale      []string       `json:"stale"`          // generated files that are missing or outdated
	Batches    int            `json:"batches"`        // the number of changes and decisions in effect that can be undone, one after the other
	Last       int            `json:"last,omitempty"` // the number of the newest of these
	Unfinished bool           `json:"unfinished"`     // a change was interrupted, or is being made
	Damaged    int            `json:"damaged"`        // the number of records and reviews that cannot be read
	Foreign    []string       `json:"foreign"`        // files of the state without your seal, by their paths in .brv
	Uses       int            `json:"uses"`           // uses that brv-lsp counted
	LateSaves  int            `json:"lateSaves"`      // the number of texts that another program saved during a change
}

// State looks at the whole tree and at the journal. It writes nothing.
func (s *Store) State() (*State, error) {
	snap, now := s.Snapshot(), s.now()
	st := &State{Maturity: map[string]int{}, Conflicts: []string{}, Archivable: []string{}, Stale: []string{},
		Skipped:   len(snap.Skipped()),
		LateSaves: len(snap.LateSaves())}
	st.count(snap)
	for _, e := range snap.Entries() {
		if e.Role == format.RoleEntry {
			tier := snap.Signals(e.Path, now).Maturity
			st.Maturity[string(tier)]++
			if tier == format.Validated && format.StoodFor(e) {
				st.Confirmed++
			}
		}
		st.Uses += snap.Counters()[e.Path].Access
	}
	for _, c := range derived.Archivable(snap, now) {
		st.Archivable = append(st.Archivable, c.Path)
	}
	s.mu.Lock()
	st.Unread = s.quota.unread()
	st.Skipped += st.Unread - len(s.quota.left) // which are listed by their folders
	s.mu.Unlock()
	if st.Unread == 0 {
		st.Stale = s.staleFiles(snap)
	}
	return st, s.journalState(st)
}

func (st *State) count(snap *tree.Snapshot) {
	root, _ := snap.Node("")
	for _, d := range root.Folders {
		if d != format.ArchiveDir {
			st.Domains++
			st.Topics += foldersBelow(snap, d)
		}
	}
	for _, e := range snap.Entries() {
		switch e.Role {
		case format.RoleEntry:
			st.Entries++
			st.Bytes += len(e.Text)
		case format.RoleOverview:
			st.Overviews++
		case format.RoleSummary:
			st.Summaries++
		case format.RoleStub:
			st.Archived++
		case format.RoleConflict:
			st.Conflicts = append(st.Conflicts, e.Path)
		}
	}
}

func foldersBelow(s *tree.Snapshot, dir string) int {
	n, ok := s.Node(dir)
	if !ok {
		return 0
	}
	total := len(n.Folders)
	for _, f := range n.Folders {
		total += foldersBelow(s, f)
	}
	return total
}

func (s *Store) staleFiles(snap *tree.Snapshot) []string {
	out := []string{}
	fresh, gone := derived.Summaries(snap)
	for _, f := range fresh {
		out = append(out, f.Path)
	}
	out = append(out, gone...)
	if s.manifestStale() {
		out = append(out, manifestFile)
	}
	slices.Sort(out)
	return out
}

// foreign lists state files that this user did not write. Their content is not trusted.
func (s *Store) foreign(log []Logged) ([]string, error) {
	records, err := s.journal.Foreign()
	out := append([]string{}, records...)
	if len(records) == 0 && slices.ContainsFunc(log, func(l Logged) bool { return l.foreign }) {
		out = append(out, tree.StateDir+"/audit.jsonl")
	}
	return append(out, s.counters.foreign()...), err
}

func (s *Store) journalState(st *State) error {
	st.Unfinished = s.journal.Interrupted()
	log, err := s.Log(0)
	if err != nil {
		return err
	}
	for _, l := range log {
		if l.ID == 0 && !l.foreign {
			st.Damaged++
		}
	}
	reviews, err := s.Reviews.all()
	for _, r := range reviews {
		for _, item := range r.Items {
			if item.Held {
				st.Pending++
			} else {
				st.Unreviewed++
			}
		}
	}
	if err != nil {
		st.Damaged++
	}
	if st.Foreign, err = s.foreign(log); err != nil {
		return err
	}
	can := undoable(log)
	if st.Batches = len(can); len(can) > 0 {
		st.Last = can[0].id
	}
	return nil
}
