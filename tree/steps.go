package tree

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// addEntry plans ADD. It never overwrites: an entry that exists is a failure
// that carries its text.
func (p *plan) addEntry(op Op) (effect, error) {
	at, e, err := p.locate(op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if e != nil {
		return effect{}, p.vacant(at)
	}
	if err := p.free(at); err != nil {
		return effect{}, err
	}
	title := cmp.Or(strings.TrimSpace(op.Title), strings.TrimSuffix(path.Base(at), ".md"))
	content, err := p.content(at, op.Content)
	if err != nil {
		return effect{}, err
	}
	synthesis, err := p.synthesis(op)
	if err != nil {
		return effect{}, err
	}
	if op.Summary == "" && isEmpty(content) {
		return effect{}, failed(FailInvalid, "ADD needs content: `summary`, or in `content` one of tags, keywords, relations, rawConcept, narrative, facts, snippets (on the command line --summary, --fact, --rules and others)")
	}
	h := Header{Title: title, Summary: op.Summary, Reason: op.Reason, CreatedAt: p.in.Now, Synthesis: synthesis}
	st := effect{files: map[string]*Entry{at: Parse(at, Render(h, content))}, made: true}
	if err := sound(nil, st.files[at]); err != nil {
		return effect{}, err
	}
	st.counted = map[string]Signals{at: {}}
	st.result = Result{FilePath: at, Summary: op.Summary, Message: "Created " + at}
	st.result.AlsoChanged = p.overviews(st.files, at, title, op)
	return st, nil
}

func isEmpty(c Content) bool {
	return len(c.Tags)+len(c.Keywords)+len(c.Relations)+len(c.Facts)+len(c.Snippets) == 0 && c.RawConcept == nil && c.Narrative == nil
}

// content is an operation's content with its relations as the tree writes them:
// full paths with .md. Generated files are no relations.
func (p *plan) content(from string, c Content) (Content, error) {
	var out []string
	for _, raw := range c.Relations {
		raw, head := cutHeading(strings.TrimPrefix(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(raw), "@")), prefix))
		if raw == "" {
			continue
		}
		r := p.tree.Resolve(from, FormRelated, raw)
		target := r.Target
		switch {
		case r.Escapes:
			return c, failed(FailInvalid, "relation %q leaves the context tree", raw)
		case target == "" && strings.HasSuffix(raw, ".md"):
			target = raw
		case target == "":
			target = raw + ".md"
		}
		if role := RoleOf(target); role == RoleSummary || role == RoleArchive || role == RoleAbstract || target == from {
			continue
		}
		if head != "" {
			target += "#" + head
		}
		if !slices.Contains(out, target) {
			out = append(out, target)
		}
	}
	c.Relations = out
	return c, nil
}

// update plans UPDATE: what the operation does not mention stays, and what it
// contradicts is reported.
func (p *plan) update(op Op) (effect, error) {
	at, e, err := p.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	content, err := p.content(at, op.Content)
	if err != nil {
		return effect{}, err
	}
	title := "" // a title beside a folder only says which entry is meant
	if strings.HasSuffix(strings.TrimSpace(op.Path), ".md") {
		title = strings.TrimSpace(op.Title)
	}
	synthesis, err := p.synthesis(op)
	if err != nil {
		return effect{}, err
	}
	if title == "" && op.Summary == "" && isEmpty(content) && len(op.Replace) == 0 && synthesis == nil {
		return effect{}, failed(FailInvalid, "%s of %s says nothing to change", op.Type, at)
	}
	r := Revision{Header: Header{Title: title, Summary: op.Summary}, Content: content, Replace: op.Replace}
	if slices.Contains(op.Replace, PartReason) {
		r.Header.Reason = op.Reason
	}
	if same, _ := e.Revise(r); same == e.Text && synthesis == nil && firstProblem(e, CodeFrontmatter).Code == "" {
		return unchanged(e, at+" says that already; nothing changed"), nil
	}
	text, losses := e.Revise(r)
	revised := Parse(at, text)
	if !op.Upkeep {
		revised = revised.uncounted()
	}
	if synthesis != nil {
		if revised, err = revised.resynthesized(synthesis, p.in.Now); err != nil {
			return effect{}, err
		}
	}
	st := effect{files: map[string]*Entry{at: revised}, own: []string{at}}
	if !op.Upkeep {
		st.counted = map[string]Signals{at: p.tree.Signals(at, p.in.Now).Updated()}
	}
	if r.Header.Reason != "" {
		losses = append(losses, lostReason(e, op.Reason)...)
	}
	if err := sound(e, st.files[at]); err != nil {
		return effect{}, err
	}
	if missing := p.unsaid(st.files[at], op, content); missing != "" {
		return effect{}, failed(FailInvalid, "%s: %s could not be written; mend its frontmatter first (`brv-lsp check`)", at, missing)
	}
	st.result = Result{
		FilePath: at, Summary: cmp.Or(op.Summary, e.Summary), PreviousSummary: e.Summary, Losses: losses, Message: "Updated " + at + addedNote(e.extended(revised)) + lossNote(losses),
	}
	return st, nil
}

// unchanged is an operation with nothing to do.
func unchanged(e *Entry, message string) effect {
	return effect{result: Result{FilePath: e.Path, Summary: e.Summary, PreviousSummary: e.Summary, Unchanged: true, Message: message}}
}

// confirm plans CONFIRM: nothing that the entry says changes.
func (p *plan) confirm(op Op) (effect, error) {
	at, e, err := p.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if e.UpdatedAt.Equal(p.in.Now) || p.usage[at].Updated.Equal(p.in.Now) {
		return unchanged(e, at+" was updated in this moment; nothing changed"), nil
	}
	confirmed := e.confirmed(p.in.Now)
	if confirmed == e {
		return effect{}, failed(FailInvalid, "%s: %s could not be written; mend its frontmatter first (`brv-lsp check`)", at, ConfirmedKey)
	}
	signals, _ := p.tree.Counted(at)
	if signals.Has || p.usage[at].Access > 0 { // else none are counted yet
		signals = p.tree.Signals(at, p.in.Now)
		signals.Recency = 1
	}
	st := effect{files: map[string]*Entry{at: confirmed.uncounted()}, counted: map[string]Signals{at: signals}, own: []string{at}}
	if err := sound(e, st.files[at]); err != nil {
		return effect{}, err
	}
	st.result = Result{FilePath: at, Summary: e.Summary, PreviousSummary: e.Summary, Message: "Confirmed " + at}
	return st, nil
}

// keep plans KEEP.
func (p *plan) keep(op Op) (effect, error) {
	at, e, err := p.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	u := p.usage[at]
	u.KeptAt = p.in.Now
	return effect{
		usage: map[string]*Usage{at: &u}, own: []string{at},
		result: Result{FilePath: at, Summary: e.Summary, PreviousSummary: e.Summary, Message: "Kept " + at},
	}, nil
}

// sound says why an entry cannot be written so: a change that could not be made,
// frontmatter that would not be read again, or characters that hide what a reader
// or a model is told. What was wrong before is no reason, unless it is in the way.
func sound(old, e *Entry) error {
	if len(e.Text) > MaxFileSize {
		return failed(FailInvalid, "%s would have %d bytes, the limit is %d", e.Path, len(e.Text), MaxFileSize)
	}
	before := map[string]int{}
	if old != nil {
		for _, p := range old.Problems {
			before[p.Code]++
		}
		if old.Text == e.Text && before[CodeFrontmatter] > 0 {
			return failed(FailInvalid, "%s cannot be changed before its frontmatter is mended: %s", e.Path, firstProblem(old, CodeFrontmatter).Message)
		}
	}
	for _, code := range []string{CodeConflict, CodeFrontmatter, CodeInvisible} {
		if p := firstProblem(e, code); p.Code != "" && before[code] == 0 {
			return failed(FailInvalid, "%s: %s", e.Path, p.Message)
		}
	}
	return nil
}

func firstProblem(e *Entry, code string) Problem {
	for _, p := range e.Problems {
		if p.Code == code {
			return p
		}
	}
	return Problem{}
}

// lostReason is the Reason section that a change replaces.
func lostReason(e *Entry, reason string) []Loss {
	if old := e.Reason(); old != "" && old != strings.TrimSpace(reason) {
		return []Loss{{Part: PartReason, Item: old}}
	}
	return nil
}

// unsaid names a part of an update that its result does not say, as where odd
// frontmatter could not be edited; "" if it says all.
func (p *plan) unsaid(e *Entry, op Op, c Content) string {
	has := func(list, wanted []string) bool {
		return !slices.ContainsFunc(wanted, func(w string) bool { return strings.TrimSpace(w) != "" && !slices.Contains(list, strings.TrimSpace(w)) })
	}
	related := map[string]bool{}
	for _, r := range e.Relations {
		related[p.tree.Resolve(e.Path, r.Form, r.Raw).Target] = true
	}
	switch {
	case op.Summary != "" && e.Summary != strings.TrimSpace(op.Summary):
		return "the summary"
	case !has(e.Tags, c.Tags):
		return "a tag"
	case !has(e.Keywords, c.Keywords):
		return "a keyword"
	}
	for _, r := range c.Relations {
		raw, _ := cutHeading(r)
		if target := p.tree.Resolve(e.Path, FormRelated, raw).Target; target != "" && !related[target] {
			return "a relation"
		}
	}
	return ""
}

// lossNote says in words what a revision dropped and kept.
func lossNote(losses []Loss) string {
	kept, gone := 0, 0
	for _, l := range losses {
		if l.Kept {
			kept++
		} else {
			gone++
		}
	}
	note := ""
	if kept > 0 {
		note = fmt.Sprintf("; kept %d that it did not mention", kept)
	}
	if gone > 0 {
		note += fmt.Sprintf("; %d replaced or dropped", gone)
	}
	return note
}

// edited are the files of a snapshot after edits, keyed by their present paths.
func edited(t *Snapshot, edits map[string][]Edit, files map[string]*Entry) {
	for at, es := range edits {
		if e, ok := t.Entry(at); ok && len(es) > 0 {
			files[at] = Parse(at, ApplyEdits(e.Text, es))
		}
	}
}

// merge plans MERGE: the source's content goes into the target, which keeps its
// title and place; every relation to the source leads to the target.
func (p *plan) merge(op Op) (effect, error) {
	from, source, err := p.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if op.MergeTarget == "" {
		return effect{}, failed(FailInvalid, "MERGE needs mergeTarget, and mergeTargetTitle where that is a folder")
	}
	to, _, err := p.mustFind(op.Type, op.MergeTarget, op.MergeTargetTitle)
	if err != nil {
		return effect{}, err
	}
	if from == to {
		return effect{}, failed(FailInvalid, "%s cannot be merged into itself", from)
	}
	st := effect{files: map[string]*Entry{}, usage: map[string]*Usage{}, own: []string{from, to}, went: map[string]string{from: to}}
	edited(p.tree, p.tree.Redirect(from, to), st.files)
	target := st.files[to]
	if target == nil {
		target, _ = p.tree.Entry(to)
	}
	source = p.tree.Relocated(source, to)
	st.counted = map[string]Signals{to: mergedSignals(p.tree.Signals(to, p.in.Now), p.tree.Signals(from, p.in.Now)).Updated()}
	reason := cmp.Or(target.Reason(), source.Reason()) // why it was merged stands in the journal, and in a lineage
	text, losses := Merge(target, source, Header{Summary: op.Summary, Reason: reason})
	losses = append(losses, lostReason(source, reason)...)
	merged := p.withoutSelf(Parse(to, text).uncounted().atLeast(source.tier()), from)
	if !isEmpty(op.Content) || len(op.Replace) > 0 {
		content, err := p.content(to, op.Content)
		if err != nil {
			return effect{}, err
		}
		said, lost := merged.Revise(Revision{Content: content, Replace: op.Replace})
		merged, losses = Parse(to, said), append(losses, lost...)
	}
	if op.Lineage {
		var ok bool
		if merged, ok = merged.descended(source, op.Reason, p.in.Now); !ok {
			return effect{}, failed(FailInvalid, "%s: %s could not be written; mend its frontmatter first (`brv-lsp check`)", to, consolidatedFromKey)
		}
	}
	losses = lostFor(losses, merged)
	st.files[to], st.files[from] = merged, nil
	if err := sound(target, st.files[to]); err != nil {
		return effect{}, err
	}
	gone, dangling := p.emptied(st.files, []string{from})
	st.usage[from] = nil
	dangling = append(dangling, p.notRedirected(from, st.files)...)
	st.result = Result{
		FilePath: to, Summary: op.Summary, PreviousSummary: target.Summary, Losses: losses,
		AlsoChanged: slices.Sorted(slices.Values(slices.Concat(besides(st.files, to, gone), gone))),
		Message:     fmt.Sprintf("Merged %s into %s", from, to) + lossNote(losses) + removedNote(gone), Dangling: dangling,
	}
	return st, nil
}

// lostFor are the losses of a merge that an entry really does not say: of a text the lines that do
// not stand in it, since what one step takes out another may have brought in.
func lostFor(losses []Loss, e *Entry) (out []Loss) {
	there := map[string]bool{"": true}
	for line := range strings.Lines(e.Body.Of(e.Text)) {
		there[strings.TrimSpace(line)] = true
	}
	for _, f := range e.Facts {
		there[f.String()] = true
	}
	for _, l := range losses {
		switch {
		case l.Kept:
		case l.Part == PartSummary && strings.Contains(e.Summary, strings.TrimSpace(l.Item)):
			continue
		case l.Part == PartFacts && there[l.Item]:
			continue
		case isText(l.Part):
			lines := slices.DeleteFunc(strings.Split(l.Item, "\n"), func(line string) bool { return there[strings.TrimSpace(line)] })
			if l.Item = strings.Join(lines, "\n"); l.Item == "" {
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// isText reports whether a part is a text of the narrative.
func isText(p Part) bool {
	for _, n := range narrativeParts {
		if n.part == p {
			return true
		}
	}
	return false
}

// notRedirected lists the relations to an entry that is merged away which could
// not be written to lead to its target.
func (p *plan) notRedirected(from string, files map[string]*Entry) (out []string) {
	for _, at := range p.tree.sourcesOf(from) {
		e, changed := files[at]
		if !changed {
			e, _ = p.tree.Entry(at)
		}
		if e == nil || at == from {
			continue
		}
		for _, r := range e.Relations {
			if r.Form != FormConsolidated && p.tree.Resolve(at, r.Form, r.Raw).Target == from {
				out = append(out, mentionAt(e, r))
			}
		}
	}
	return out
}

// withoutSelf drops the items of `related` that name the entry itself, or the
// one that was merged into it.
func (p *plan) withoutSelf(e *Entry, merged string) *Entry {
	for {
		f, ok := e.Field("related")
		if !ok {
			return e
		}
		i := slices.IndexFunc(f.Items, func(s Scalar) bool {
			raw, _ := cutHeading(strings.TrimLeft(s.Value, "@"))
			t := p.tree.Resolve(e.Path, FormRelated, raw).Target
			return t == e.Path || t == merged
		})
		if i < 0 {
			return e
		}
		next := Parse(e.Path, ApplyEdits(e.Text, []Edit{e.RemoveItem(f, i)}))
		if next.Text == e.Text {
			return e // the item's place is not known for certain
		}
		e = next
	}
}

// besides are the changed files beside the main one and those already listed.
func besides(files map[string]*Entry, main string, listed []string) []string {
	known := map[string]bool{main: true}
	for _, at := range listed {
		known[at] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(at string) bool { return known[at] })
}

// remove plans DELETE of an entry, or of a folder with all it holds.
func (p *plan) remove(op Op) (effect, error) {
	main, gone, err := p.toRemove(op)
	if err != nil {
		return effect{}, err
	}
	st := effect{files: map[string]*Entry{}, usage: map[string]*Usage{}, own: gone}
	edits, dangling := p.tree.Detach(gone...)
	edited(p.tree, edits, st.files)
	summary := ""
	for _, at := range gone {
		st.files[at] = nil
		if RoleOf(at) == RoleEntry {
			st.usage[at] = nil
		}
	}
	if e, ok := p.tree.Entry(main); ok {
		summary = e.Summary
	}
	empty, more := p.emptied(st.files, gone)
	note := ""
	if n := len(edits); n > 0 {
		note = fmt.Sprintf("; taken out of the relations of %s", counted(n, "entry", "entries"))
	}
	if n := len(dangling) + len(more); n > 0 {
		note += "; now leading nowhere: " + counted(n, "mention", "mentions")
	}
	st.result = Result{FilePath: main, PreviousSummary: summary, Message: "Deleted " + main + note + removedNote(empty), Dangling: more}
	st.result.AlsoChanged = slices.Sorted(slices.Values(slices.Concat(besides(st.files, main, empty), empty)))
	for _, b := range dangling {
		if e, ok := p.tree.Entry(b.From); ok {
			st.result.Dangling = append(st.result.Dangling, mentionAt(e, b.Mention))
		}
	}
	return st, nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// toRemove is what DELETE takes away: the path it is about, and every file.
func (p *plan) toRemove(op Op) (string, []string, error) {
	at, err := cleanPath(op.Path)
	if err != nil {
		return "", nil, err
	}
	if e, ok := p.tree.Entry(at); ok && e.Role == RoleStub {
		gone := []string{at}
		if _, ok := p.tree.Entry(fullOf(at)); ok {
			gone = append(gone, fullOf(at))
		}
		return at, gone, nil
	}
	if strings.HasSuffix(at, ".md") || strings.TrimSpace(op.Title) != "" {
		at, _, err := p.mustFind(op.Type, op.Path, op.Title)
		return at, []string{at}, err
	}
	dir := p.folder(at)
	if _, ok := p.tree.Node(dir); !ok || archived(dir) {
		return "", nil, failed(FailMissing, "%s: no such domain, topic or subtopic", at)
	}
	for _, k := range p.tree.Skipped() {
		if strings.HasPrefix(k.Path, dir+"/") {
			return "", nil, failed(FailInvalid, "%s holds %s, which is not read (%s): look at it first", dir, k.Path, k.Reason)
		}
	}
	return dir, slices.DeleteFunc(p.tree.pathsIn(dir), func(at string) bool { return RoleOf(at) == RoleSummary }), nil
}

// pathsIn lists the files in a folder and in those below it, sorted.
func (s *Snapshot) pathsIn(dir string) []string {
	var out []string
	for _, e := range s.at(dir) {
		out = append(out, e.Path)
	}
	return out
}

// move plans MOVE of an entry or a folder.
func (p *plan) move(op Op) (effect, error) {
	from, to, err := p.way(op)
	if err != nil {
		return effect{}, err
	}
	m, err := p.tree.Move(from, to)
	if err != nil {
		return effect{}, failed(FailInvalid, "%v", err)
	}
	st := effect{files: map[string]*Entry{}, usage: map[string]*Usage{}, went: map[string]string{}}
	edited(p.tree, m.Edits, st.files)
	var first string
	for _, f := range m.Files {
		if RoleOf(f.From) == RoleSummary {
			continue // made anew in its new place
		}
		e := st.files[f.From]
		if e == nil {
			e, _ = p.tree.Entry(f.From)
		}
		st.files[f.From], st.went[f.From] = nil, f.To
		st.files[f.To] = Parse(f.To, e.Text)
		st.own = append(st.own, f.From)
		if e.Role == RoleEntry {
			st.usage[f.From], st.usage[f.To] = nil, usagePointer(p.usage, f.From)
		}
		if first == "" && e.Role == RoleEntry {
			first = e.Title
		}
	}
	p.overviews(st.files, to, first, op)
	empty, dangling := p.emptied(st.files, st.own)
	rewritten := len(m.Edits)
	for _, f := range m.Files {
		if _, ok := m.Edits[f.From]; ok {
			rewritten--
		}
	}
	st.result = Result{FilePath: to, AlsoChanged: besides(st.files, to, nil), Dangling: dangling, Message: fmt.Sprintf("Moved %s to %s", from, to)}
	if rewritten > 0 {
		st.result.Message += "; relations rewritten in " + counted(rewritten, "entry", "entries")
	}
	st.result.Message += removedNote(empty)
	return st, nil
}

// removedNote names the overviews that go with the last entry of their folder.
func removedNote(gone []string) string {
	if len(gone) == 0 {
		return ""
	}
	return "; no entry is left beside " + strings.Join(gone, ", ") + ", removed too"
}

// way is where MOVE goes from and to.
func (p *plan) way(op Op) (from, to string, err error) {
	if from, err = cleanPath(op.Path); err != nil {
		return "", "", err
	}
	if strings.TrimSpace(op.To) == "" {
		return "", "", failed(FailInvalid, "MOVE needs `to`, the new path (--to on the command line)")
	}
	if to, err = cleanPath(op.To); err != nil {
		return "", "", err
	}
	if i := strings.IndexAny(to, " \t,;()[]{}<>'\"`|"); i >= 0 {
		return "", "", failed(FailInvalid, "%q holds %q: a relation could not mention it", to, to[i])
	}
	if strings.HasSuffix(from, ".md") || strings.TrimSpace(op.Title) != "" {
		if from, _, err = p.mustFind(op.Type, op.Path, op.Title); err != nil {
			return "", "", err
		}
		if !strings.HasSuffix(to, ".md") {
			to = p.folder(to) + "/" + path.Base(from)
		} else if dir := path.Dir(to); dir != "." {
			to = p.folder(dir) + "/" + path.Base(to)
		}
		if from == to {
			return "", "", failed(FailInvalid, "%s is there already", to)
		}
		if e, ok := p.tree.Entry(to); ok {
			return "", "", occupied(e, to+": an entry is there already")
		}
		return from, to, nil
	}
	from = p.folder(from)
	if _, ok := p.tree.Node(from); !ok {
		return "", "", failed(FailMissing, "%s: no such domain, topic or subtopic", from)
	}
	if up := path.Dir(to); up != "." {
		to = p.folder(up) + "/" + path.Base(to)
	}
	return from, to, nil
}

// archive plans ARCHIVE: the entry becomes a searchable stub and a lossless copy.
func (p *plan) archive(op Op) (effect, error) {
	at, e, err := p.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	stub, full := archivePaths(at)
	for _, taken := range []string{stub, full} {
		if old, ok := p.tree.Entry(taken); ok {
			return effect{}, occupied(old, taken+": an older archive is there; restore or delete it first")
		}
	}
	st := effect{own: []string{at}, files: map[string]*Entry{at: nil}, went: map[string]string{at: stub}}
	st.usage = map[string]*Usage{at: nil, stub: usagePointer(p.usage, at)} // an entry made here meanwhile has its own
	st.files[full] = Parse(full, e.Text)
	st.files[stub] = Parse(stub, renderStub(e, op.Cue, p.tree.Signals(at, p.in.Now).Importance, p.in.Now))
	st.result = Result{
		FilePath: at, PreviousSummary: e.Summary, AlsoChanged: []string{full, stub},
		Message: fmt.Sprintf("Archived %s; relations to it lead to its stub", at),
	}
	return st, nil
}

// restore plans RESTORE of an archived entry, by its former path or its stub's.
func (p *plan) restore(op Op) (effect, error) {
	at, err := cleanPath(op.Path)
	if err != nil {
		return effect{}, err
	}
	stub, _ := archivePaths(at)
	if RoleOf(at) == RoleStub {
		stub = at
	}
	e, ok := p.tree.Entry(stub)
	if !ok {
		return effect{}, failed(FailMissing, "%s: not archived", at)
	}
	if err := e.Unmerged(); err != nil {
		return effect{}, err
	}
	s, ok := e.Stub()
	if !ok {
		return effect{}, failed(FailInvalid, "%s: the stub does not say where the full text is", stub)
	}
	if s.PointsTo != fullOf(stub) { // a stub may come from anyone: it must not take another's text
		return effect{}, failed(FailInvalid, "%s: points_to is %q, not %q", stub, s.PointsTo, fullOf(stub))
	}
	full, ok := p.tree.Entry(s.PointsTo)
	if !ok {
		return effect{}, failed(FailMissing, "%s: the full text %s is gone", stub, s.PointsTo)
	}
	taken := p.vacant
	if mirror, _ := archivePaths(s.OriginalPath); mirror != stub || hidden(s.OriginalPath) || RoleOf(s.OriginalPath) != RoleEntry {
		taken = p.free // not where it was archived from: what is right for a new entry
	}
	if err := taken(s.OriginalPath); err != nil {
		return effect{}, err
	}
	back := Parse(s.OriginalPath, full.Text)
	st := effect{files: map[string]*Entry{stub: nil, s.PointsTo: nil, s.OriginalPath: back}, went: map[string]string{stub: s.OriginalPath}}
	st.usage = map[string]*Usage{stub: nil, s.OriginalPath: usagePointer(p.usage, stub)}
	there := p.tree.Update(map[string]*Entry{s.OriginalPath: back})
	edited(there, there.Redirect(stub, s.OriginalPath), st.files) // of those that named the stub itself
	made := p.overviews(st.files, s.OriginalPath, back.Title, op)
	st.result = Result{
		FilePath: s.OriginalPath, Summary: back.Summary, AlsoChanged: slices.Sorted(slices.Values(append(made, besides(st.files, s.OriginalPath, made)...))),
		Message: "Restored " + s.OriginalPath,
	}
	return st, nil
}
