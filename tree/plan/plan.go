package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Plan is what a batch would do to a snapshot. Planning is pure: it reads no
// disk and writes nothing.
type Plan struct {
	Before, After *tree.Snapshot // before, and with what was planned so far
	Inputs        Inputs
	Usage         map[string]tree.Usage // counters with what was planned so far
	ownUsage      bool                  // usage is the plan's own copy
	Touched       map[string]bool       // files that an operation wrote, removed or moved
	Counted       map[string]bool       // entries whose counters changed
	Moved         map[string]string     // entries of base that are gone, and where what they said is
	Results       []Result
	Summary       Counts
	Held          []Held

	origin           format.Origin // whose text it is
	author, approver string
	Edited           []string // paths whose text another wrote instead
	show             bool     // keep the differences of what is done, too
	Deletes          int      // entries that DELETE and MERGE take away
}

// state is the tree so far, what the next operation is planned on. Planning one changes nothing: it gives an
// [effect], which [Plan.add] takes over or not.
type state struct {
	tree  *tree.Snapshot
	usage map[string]tree.Usage
	now   time.Time
}

func (p *Plan) state() state { return state{p.After, p.Usage, p.Inputs.Now} }

// Held is an operation that waits for a review, with what it was planned on.
type Held struct {
	Index int // in the batch
	Base  map[string]string
	Diff  string
}

// effect is what one operation does.
type effect struct {
	files map[string]*format.Entry // nil: no file
	usage map[string]*tree.Usage   // nil: no counters
	// counted are the signals of entries that the operation wrote; empty where there are none yet.
	counted map[string]format.Signals
	result  Result            // message, paths, losses
	made    bool              // an entry was made new
	own     []string          // the entries that the operation is about, for conflicts of a held one
	went    map[string]string // what became of entries that are gone, but for those that are just deleted
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

// outdated names an entry that is not what the operations were made for; "" if none.
func (b Batch) outdated(s *tree.Snapshot) string {
	for _, at := range slices.Sorted(maps.Keys(b.Base)) {
		if e, ok := s.Entry(at); !ok || b.Base[at] != "" && e.Hash != b.Base[at] {
			return at
		}
	}
	return ""
}

// Refuse plans nothing of a batch.
func (p *Plan) Refuse(b Batch, code Failure, why string) {
	for _, op := range b.Ops {
		r := Result{Type: op.Type, Path: op.Path, Reason: op.Reason, Status: StatusFailed, Code: code, Message: why}
		p.Results = append(p.Results, r)
		p.Summary.count(r, false)
	}
}

// doneNothing takes out of the result of an operation that failed what it would have done.
func (r *Result) doneNothing() { r.AlsoChanged, r.Losses, r.Dangling = nil, nil, nil }

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

// harmless refuses an entry with more links that run something, and pictures from
// elsewhere, than there were: those that its fields alone are not.
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
		for from, to := range st.went {
			if to == at {
				before += len(sanitize.Unsafe(tree.TextAt(s.tree, from)))
			}
		}
		if len(now) > before {
			return Failed(FailInvalid, "%s:%d: %s: write it without", at, 1+strings.Count(e.Text[:now[0].Start], "\n"), now[0].What)
		}
	}
	return nil
}

// gone tells what became of each entry that the operation takes away.
func (st effect) gone() map[string]string {
	out := map[string]string{}
	for at, e := range st.files {
		if e == nil {
			out[at] = st.went[at]
		}
	}
	return out
}

// follow adds an operation's part to what became of the entries.
func (p *Plan) follow(gone map[string]string) {
	for from, at := range p.Moved {
		if to, again := gone[at]; again {
			p.Moved[from] = to
		}
	}
	for from, to := range gone {
		if _, ok := p.Before.Entry(from); ok && p.Moved[from] == "" {
			p.Moved[from] = to
		}
	}
}

// Comments are those of code that the plan strands.
func (p *Plan) Comments() []Comment { return p.Inputs.Stranded(p.Before, p.After, p.Moved) }

// holds reports whether an operation waits for a review. Asking for nothing to
// be held is the user's own right; making a new entry or confirming one is never risky,
// and what changes nothing needs no review.
func (p *Plan) holds(op Op, st effect, hold Hold) bool {
	switch {
	case hold == HoldNone, st.result.Unchanged:
		return false
	case hold == HoldAll, op.Type == OpDelete, op.Type == OpMerge:
		return true
	case op.Type == OpConfirm, op.Type == OpKeep:
		return false
	}
	return slices.ContainsFunc(st.own, func(entry string) bool {
		return p.After.Signals(entry, p.Inputs.Now).Maturity == format.Core
	})
}

// grave reports whether a loss should be looked at: a new title or summary is the
// point of an update, and the journal keeps every reason; a rule that is gone may
// be missed.
func grave(l format.Loss) bool {
	return !l.Kept && l.Part != format.PartTitle && l.Part != format.PartSummary && l.Part != format.PartReason
}

// hashes tells what the entries of an operation were when it was planned; "" for
// those that an operation before it makes.
func (p *Plan) hashes(entries []string) map[string]string {
	out := map[string]string{}
	for _, path := range entries {
		out[path] = ""
		if e, ok := p.Before.Entry(path); ok {
			out[path] = e.Hash
		}
	}
	return out
}

// recount brings the counters of what an operation wrote in line with what it says now.
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

func (p *Plan) count(changed map[string]*tree.Usage) {
	if len(changed) == 0 {
		return
	}
	if !p.ownUsage {
		p.Usage, p.ownUsage = maps.Clone(p.Usage), true
	}
	if p.Usage == nil {
		p.Usage = map[string]tree.Usage{}
	}
	for entry, u := range changed {
		p.Counted[entry] = true
		if u == nil {
			delete(p.Usage, entry)
		} else {
			p.Usage[entry] = *u
		}
	}
	p.After = p.After.WithUsage(p.Usage)
}

// prefix is what callers who think of the project's folder put before a path.
const prefix = ".brv/" + tree.Dir + "/"

// cleanPath brings a path of an operation into the tree's form.
func cleanPath(raw string) (string, error) {
	p := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(raw), "@"), prefix)
	p, ok := tree.InTree(p)
	switch {
	case !ok:
		return "", Failed(FailInvalid, "path %q leaves the context tree", raw)
	case p == "" || p == ".":
		return "", Failed(FailInvalid, "the path is empty; it is domain/topic, domain/topic/subtopic or an entry's path with .md")
	}
	return p, nil
}

// locate finds the entry that an operation's path and title name. Where there is
// none, it returns nil and the path that it would have.
func (s state) locate(raw, title string) (string, *format.Entry, error) {
	at, err := cleanPath(raw)
	if err != nil {
		return "", nil, err
	}
	if strings.HasSuffix(at, ".md") {
		found, e, err := s.existing(at)
		if e == nil && err == nil {
			if dir := format.FolderOf(at); dir != "" {
				found = s.folder(dir) + "/" + path.Base(at)
			}
			return s.existing(found)
		}
		return found, e, err
	}
	if strings.TrimSpace(title) == "" {
		return "", nil, Failed(FailInvalid, "%q is a folder: a title, or the path of an entry with .md, says which entry is meant", raw)
	}
	dir := s.folder(at)
	found, e, err := s.existing(dir + "/" + format.Slug(title) + ".md")
	if err != nil || e != nil && !otherSubject(e.Title, title) {
		return found, e, err
	}
	if e != nil {
		found = s.tree.FreePath(dir, title)
	}
	if n, ok := s.tree.Node(dir); ok {
		for _, entry := range n.Entries { // its file may be named otherwise
			if e, _ := s.tree.Entry(entry); (e.Role == format.RoleEntry || e.Role == format.RoleConflict) && format.Fold(e.Title) == format.Fold(title) {
				return entry, e, nil
			}
		}
	}
	return found, nil, nil
}

// otherSubject reports whether two titles make one file name though they differ in
// what names leave out, as "C++" and "C#" do.
func otherSubject(a, b string) bool {
	said := func(title string) string {
		return strings.TrimRight(strings.Join(strings.Fields(strings.ReplaceAll(format.Fold(title), "_", " ")), " "), "!?.…")
	}
	return format.Slug(a) == format.Slug(b) && said(a) != said(b)
}

// existing finds the entry at a path, in any spelling that is read as that path.
func (s state) existing(at string) (string, *format.Entry, error) {
	if e, ok := s.tree.Entry(at); ok {
		return at, e, nil
	}
	stem := func(p string) string { return format.Fold(strings.TrimSuffix(p, ".md")) }
	r := s.tree.Resolve("", format.FormRelated, at)
	if len(r.Candidates) > 0 && stem(r.Candidates[0]) == stem(at) {
		return "", nil, Failed(FailInvalid, "%q fits several entries: %s", at, strings.Join(r.Candidates, ", "))
	}
	if r.Target != "" && stem(r.Target) == stem(at) {
		e, _ := s.tree.Entry(r.Target)
		return r.Target, e, nil
	}
	return at, nil, nil
}

// folder spells a folder's path as the tree does; parts that are new become
// snake_case.
func (s state) folder(at string) string {
	dir := ""
	for seg := range strings.SplitSeq(at, "/") {
		dir = s.child(dir, seg)
	}
	return dir
}

func (s state) child(dir, seg string) string {
	want := path.Join(dir, seg)
	if _, ok := s.tree.Node(want); ok {
		return want
	}
	if n, ok := s.tree.Node(dir); ok {
		for _, f := range n.Folders {
			if format.Fold(path.Base(f)) == format.Fold(seg) {
				return f
			}
		}
	}
	return path.Join(dir, format.Slug(seg))
}

// mustFind is locate for operations that need an entry.
func (s state) mustFind(op OpType, raw, title string) (string, *format.Entry, error) {
	at, e, err := s.locate(raw, title)
	switch {
	case err != nil:
		return "", nil, err
	case e == nil:
		return "", nil, Failed(FailMissing, "%s: no such entry", at)
	case e.Role == format.RoleConflict:
		return "", nil, e.Unmerged()
	case e.Role == format.RoleOverview && op != OpDelete:
		return "", nil, Failed(FailInvalid, "%s describes its folder; it is changed by hand", at)
	case e.Role != format.RoleEntry && e.Role != format.RoleOverview:
		return "", nil, Failed(FailInvalid, "%s is generated; %s works on entries", at, op)
	}
	return at, e, nil
}

// free says why no entry can be made at a path: nil if one can.
func (s state) free(at string) error {
	if err := format.CheckEntryPath(at); err != nil {
		return Failed(FailInvalid, "%v", err)
	}
	return s.vacant(at)
}

// vacant says what stands at a path, nil if nothing does.
func (s state) vacant(at string) error {
	if e, ok := s.tree.Entry(at); ok {
		return occupied(e, at+": an entry is there already; UPDATE changes it, another title makes a second one")
	}
	if twin, ok := s.twin(at); ok {
		e, _ := s.tree.Entry(twin) // nil for a folder
		return occupied(e, fmt.Sprintf("%s: %s is there, which some systems take for the same file", at, twin))
	}
	for _, k := range s.tree.Skipped() {
		if k.Path == at {
			return Failed(FailExists, "%s: a file is there that the tree cannot read: %s", at, k.Reason)
		}
	}
	return nil
}

// occupied says that something is in the way, with its text where it is an entry and says one thing.
func occupied(e *format.Entry, message string) error {
	if e == nil {
		return Failed(FailExists, "%s", message)
	}
	if err := e.Unmerged(); err != nil {
		return err
	}
	return &failure{FailExists, message, e.Text}
}

// twin is what stands at a path, or on the way to it, that some systems cannot tell
// from it.
func (s state) twin(at string) (string, bool) {
	for ; at != ""; at = format.FolderOf(at) {
		if _, there := s.tree.Node(at); there {
			return "", false
		}
		if twin, ok := s.tree.Twin(at); ok {
			return twin, true
		}
	}
	return "", false
}

// overviews makes the context.md of every folder that is new with the entry at
// path; first is that entry's title.
func (s state) overviews(files map[string]*format.Entry, at, first string, op Op) (made []string) {
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		if _, ok := s.tree.Node(dir); ok {
			break
		}
		file := dir + "/context.md"
		kind := min(format.Kind(1+strings.Count(dir, "/")), format.KindSubtopic)
		if files[file] == nil {
			files[file] = format.Parse(file, format.RenderOverview(dir, op.overview(kind), first))
			made = append(made, file)
		}
	}
	slices.Sort(made)
	return made
}

// emptied removes the overviews and generated files of folders in which no entry
// is left, from the folders of the given paths upwards. Relations to them are
// listed, as they lead nowhere then.
func (s state) emptied(files map[string]*format.Entry, paths []string) (gone, dangling []string) {
	dirs := map[string]bool{}
	for _, at := range paths {
		for dir := path.Dir(at); dir != "." && !format.Archived(dir); dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	after := s.tree.Update(files)
	deepest := slices.SortedFunc(maps.Keys(dirs), func(a, b string) int {
		return cmp.Or(strings.Count(b, "/")-strings.Count(a, "/"), strings.Compare(a, b))
	})
	for _, dir := range deepest {
		n, ok := after.Node(dir)
		if !ok || !hollow(after, dir) {
			continue
		}
		for _, e := range n.Entries {
			if format.RoleOf(e) != format.RoleSummary { // those are not ours to journal: they are made and removed anew
				files[e] = nil
				gone = append(gone, e)
			}
		}
		after = after.Update(files)
	}
	for _, at := range gone {
		for _, b := range s.tree.Backlinks(at) {
			e, ok := after.Entry(b.From)
			for _, r := range after.Relations(b.From) {
				if m := mentionAt(e, r.Mention); ok && r.Target == "" && r.Raw == b.Raw && !slices.Contains(dangling, m) {
					dangling = append(dangling, m)
				}
			}
		}
	}
	return gone, dangling
}

// hollow reports whether a folder and those in it hold no knowledge: only what
// describes or sums up knowledge that is gone.
func hollow(s *tree.Snapshot, dir string) bool {
	n, ok := s.Node(dir)
	if !ok {
		return true
	}
	for _, k := range s.Skipped() {
		if format.FolderOf(k.Path) == dir {
			return false // a file that cannot be read may be knowledge
		}
	}
	for _, e := range n.Entries {
		if r := format.RoleOf(e); r != format.RoleOverview && r != format.RoleSummary && r != format.RoleAbstract {
			return false
		}
	}
	for _, f := range n.Folders {
		if !hollow(s, f) {
			return false
		}
	}
	return true
}

// unresolved lists the relations of a changed entry that lead nowhere.
func (p *Plan) unresolved(r Result) (out []string) {
	e, ok := p.After.Entry(r.FilePath)
	if !ok || r.Status != StatusSuccess || r.Type == OpDelete {
		return nil
	}
	for _, rel := range p.After.Relations(r.FilePath) {
		if rel.Target == "" {
			out = append(out, mentionAt(e, rel.Mention))
		}
	}
	return out
}

// Changed are the files that the plan changes, sorted.
func (p *Plan) Changed() []string {
	var out []string
	for at := range p.Touched {
		old, was := p.Before.Entry(at)
		e, is := p.After.Entry(at)
		if was != is || was && old.Text != e.Text {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return out
}

// Idle reports whether there is nothing to write.
func (p *Plan) Idle() bool { return len(p.Changed()) == 0 && len(p.Held) == 0 && len(p.Counted) == 0 }

// Preview is the diff of everything, held operations included.
func (p *Plan) Preview() string {
	d := diffOf(p.Before, p.After, p.Changed())
	for _, h := range p.Held {
		d += h.Diff
	}
	return secrets.Redact(d, nil)
}

// Report is a report of what was planned, without credentials that stand in entries: it may go
// to whoever proposed, an agent, and into logs.
func (p *Plan) Report() *Report { return &Report{Results: Kept(p.Results), Summary: p.Summary} }
