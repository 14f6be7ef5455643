package plan

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// effect plans one operation on the tree so far.
func (s state) effect(op Op) (effect, error) {
	if err := op.check(); err != nil {
		return effect{}, err
	}
	switch op.Type {
	case OpAdd:
		return s.addEntry(op)
	case OpUpdate:
		return s.update(op)
	case OpUpsert:
		if _, e, err := s.locate(op.Path, op.Title); err != nil || e != nil {
			return s.update(op)
		}
		return s.addEntry(op)
	case OpMerge:
		return s.merge(op)
	case OpDelete:
		return s.remove(op)
	case OpMove:
		return s.move(op)
	case OpConfirm:
		return s.confirm(op)
	case OpArchive:
		return s.archive(op)
	case OpKeep:
		return s.keep(op)
	}
	return s.restore(op)
}

// addEntry plans ADD. It never overwrites: an entry that exists is a failure
// that carries its text.
func (s state) addEntry(op Op) (effect, error) {
	at, e, err := s.locate(op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if e != nil {
		return effect{}, s.vacant(at)
	}
	if op.Text != "" {
		return s.addText(at, op)
	}
	if err := s.free(at); err != nil {
		return effect{}, err
	}
	title := cmp.Or(strings.TrimSpace(op.Title), strings.TrimSuffix(path.Base(at), ".md"))
	content, err := s.content(at, op.Content)
	if err != nil {
		return effect{}, err
	}
	synthesis, err := s.synthesis(op)
	if err != nil {
		return effect{}, err
	}
	if op.Summary == "" && len(content.Parts()) == 0 {
		return effect{},
			Failed(
				FailInvalid,
				"ADD needs content: `summary`, or at least one of these in `content`: tags, keywords, questions, relations, rawConcept, "+
					"narrative, facts, "+
					"snippets (on the command line --summary, --fact, --rules and others)")
	}
	h := format.Header{Title: title, Summary: op.Summary, Reason: op.Reason, CreatedAt: s.now, Synthesis: synthesis}
	st := effect{files: map[string]*format.Entry{at: format.Parse(at, format.Render(h, content))}, made: true}
	if err := checkWritable(nil, st.files[at]); err != nil {
		return effect{}, err
	}
	st.counted = map[string]format.Signals{at: {}}
	st.result = Result{FilePath: at, Summary: op.Summary, Message: "Created " + at}
	st.result.AlsoChanged = s.overviews(st.files, at, op)
	return st, nil
}

// addText plans an ADD with the whole file, that of an entry or the description of a folder.
func (s state) addText(at string, op Op) (effect, error) {
	free := s.free
	if format.RoleOf(at) == format.RoleOverview && format.CheckFolderPath(format.FolderOf(at)) == nil {
		free = s.vacant
	}
	if err := free(at); err != nil {
		return effect{}, err
	}
	e := format.Parse(at, op.Text)
	st := effect{files: map[string]*format.Entry{at: e}, made: true}
	if err := checkWritable(nil, e); err != nil {
		return effect{}, err
	}
	if e.Role == format.RoleEntry {
		st.counted = map[string]format.Signals{at: {}}
	}
	st.result = Result{FilePath: at, Summary: e.Summary, Message: "Created " + at}
	st.result.AlsoChanged = s.overviews(st.files, at, op)
	return st, nil
}

// updateText plans an UPDATE with the whole file.
func (s state) updateText(at string, e *format.Entry, op Op) (effect, error) {
	if e.Text == op.Text {
		return unchanged(e, at+" already has this text; nothing changed"), nil
	}
	next := format.Parse(at, op.Text)
	if err := checkWritable(e, next); err != nil {
		return effect{}, err
	}
	st := effect{files: map[string]*format.Entry{at: next}, own: []string{at}}
	st.counted = map[string]format.Signals{at: s.tree.Signals(at, s.now).Updated()}
	st.result = Result{FilePath: at, Summary: next.Summary, PreviousSummary: e.Summary, Message: "Updated " + at}
	return st, nil
}

// content is an operation's content with its relations in the tree's spelling: full paths with .md. Relations
// to generated files are dropped.
func (s state) content(from string, c format.Content) (format.Content, error) {
	var out []string
	for _, raw := range c.Relations {
		if raw = strings.TrimSpace(raw); strings.HasPrefix(raw, "[") { // written as a link
			if m, _, ok := format.ScanMention(raw, 0); ok {
				raw = strings.TrimSuffix(m.Path()+"#"+m.Heading, "#")
			}
		}
		raw, head := format.CutHeading(tree.GivenPath(raw))
		if raw == "" {
			continue
		}
		r := s.tree.Resolve(from, format.FormRelated, raw)
		target := r.Target
		switch {
		case r.Escapes:
			return c, Failed(FailInvalid, "relation %q is not a path from the root of the tree; write domain/topic/name.md", raw)
		case target == "" && strings.HasSuffix(raw, ".md"):
			target = raw
		case target == "":
			target = raw + ".md"
		}
		if role := format.RoleOf(target); role == format.RoleSummary || role == format.RoleArchive || role == format.RoleAbstract ||
			target == from {
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

// update plans UPDATE: parts that the operation does not mention stay, and statements that it drops are
// reported.
func (s state) update(op Op) (effect, error) {
	at, e, err := s.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if op.Text != "" {
		return s.updateText(at, e, op)
	}
	content, err := s.content(at, op.Content)
	if err != nil {
		return effect{}, err
	}
	title := "" // a title beside a folder only names the entry
	if strings.HasSuffix(strings.TrimSpace(op.Path), ".md") {
		title = strings.TrimSpace(op.Title)
	}
	synthesis, err := s.synthesis(op)
	if err != nil {
		return effect{}, err
	}
	if title == "" && op.Summary == "" && len(content.Parts())+len(op.Replace)+len(op.Renames) == 0 && synthesis == nil {
		return effect{}, Failed(FailInvalid, "%s of %s has no content: give at least one field to change", op.Type, at)
	}
	r := format.Revision{Header: format.Header{Title: title, Summary: op.Summary}, Content: content, Replace: op.Replace}
	if slices.Contains(op.Replace, format.PartReason) {
		r.Header.Reason = op.Reason
	}
	names := map[string]string{}
	for _, n := range op.Renames {
		names[n.From] = n.To
	}
	text, losses := format.Renamed(e, names, op.Upkeep).Revise(r)
	if text == e.Text && synthesis == nil && firstProblem(e, format.CodeFrontmatter).Code == "" {
		return unchanged(e, at+" already has this text; nothing changed"), nil
	}
	revised := format.Parse(at, text)
	if !op.Upkeep {
		revised = revised.Uncounted()
	}
	if synthesis != nil {
		if revised, err = synthesis.Into(revised, s.now); err != nil {
			return effect{}, err
		}
	}
	st := effect{files: map[string]*format.Entry{at: revised}, own: []string{at}}
	if !op.Upkeep {
		st.counted = map[string]format.Signals{at: s.tree.Signals(at, s.now).Updated()}
	}
	if r.Header.Reason != "" {
		losses = append(losses, lostReason(e, op.Reason)...)
	}
	if err := checkWritable(e, st.files[at]); err != nil {
		return effect{}, err
	}
	if missing := s.unsaid(st.files[at], op, content); missing != "" {
		return effect{}, Failed(FailInvalid, "%s: %s could not be written; correct its frontmatter first (`brv-lsp check`)", at, missing)
	}
	st.result = Result{
		FilePath: at, Summary: cmp.Or(op.Summary, e.Summary), PreviousSummary: e.Summary, Losses: losses, Message: "Updated " + at +
			format.AddedNote(e, revised) + lossNote(losses),
	}
	return st, nil
}

// unchanged is the effect of an operation that changes nothing.
func unchanged(e *format.Entry, message string) effect {
	return effect{result: Result{FilePath: e.Path, Summary: e.Summary, PreviousSummary: e.Summary, Unchanged: true, Message: message}}
}

// confirm plans CONFIRM: the entry's content does not change.
func (s state) confirm(op Op) (effect, error) {
	at, e, err := s.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if e.UpdatedAt.Equal(s.now) || s.usage[at].Updated.Equal(s.now) {
		return unchanged(e, at+" was just updated; nothing changed"), nil
	}
	confirmed := e.ConfirmedAt(s.now)
	if confirmed == e {
		return effect{}, Failed(FailInvalid, "%s: %s could not be written; correct its frontmatter first (`brv-lsp check`)", at,
			format.ConfirmedKey)
	}
	signals, _ := s.tree.Counted(at)
	if signals.Has || s.usage[at].Access > 0 { // otherwise no signals are counted yet
		signals = s.tree.Signals(at, s.now)
		signals.Recency = 1
	}
	st := effect{files: map[string]*format.Entry{at: confirmed.Uncounted()}, counted: map[string]format.Signals{at: signals},
		own: []string{at}}
	if err := checkWritable(e, st.files[at]); err != nil {
		return effect{}, err
	}
	st.result = Result{FilePath: at, Summary: e.Summary, PreviousSummary: e.Summary, Message: "Confirmed " + at}
	return st, nil
}

// keep plans KEEP.
func (s state) keep(op Op) (effect, error) {
	at, e, err := s.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	u := s.usage[at]
	u.KeptAt = s.now
	return effect{
		usage: map[string]*tree.Usage{at: &u}, own: []string{at},
		result: Result{FilePath: at, Summary: e.Summary, PreviousSummary: e.Summary, Message: "Kept " + at},
	}, nil
}

// checkWritable returns the reason why an entry cannot be written: the change could not be made, its
// frontmatter could not be read again, or it has characters that hide text from a reader or a model. Old
// defects are no reason, unless they are in the way.
func checkWritable(old, e *format.Entry) error {
	before := map[string]int{}
	if text, ok := format.OriginalOf(e); ok && old == nil { // what its author wrote
		if p := firstProblem(format.Parse(e.Path, text), format.CodeFrontmatter); p.Code != "" {
			before[p.Code]++
		}
	}
	if old != nil {
		for _, p := range old.Problems {
			before[p.Code]++
		}
		if old.Text == e.Text && before[format.CodeFrontmatter] > 0 {
			return Failed(FailInvalid, "%s cannot be changed until its frontmatter is corrected: %s", e.Path,
				firstProblem(old, format.CodeFrontmatter).Message)
		}
	}
	for _, code := range []string{format.CodeConflict, format.CodeFrontmatter, format.CodeInvisible} {
		if p := firstProblem(e, code); p.Code != "" && before[code] == 0 {
			return Failed(FailInvalid, "%s: %s", e.Path, p.Message)
		}
	}
	return nil
}

func firstProblem(e *format.Entry, code string) format.Problem {
	for _, p := range e.Problems {
		if p.Code == code {
			return p
		}
	}
	return format.Problem{}
}

// lostReason is the Reason section that a change replaces.
func lostReason(e *format.Entry, reason string) []format.Loss {
	if old := e.Reason(); old != "" && old != strings.TrimSpace(reason) {
		return []format.Loss{{Part: format.PartReason, Item: old}}
	}
	return nil
}

// unsaid names a part of an update that is missing in the result, for example because odd frontmatter could
// not be edited; "" if none is.
func (s state) unsaid(e *format.Entry, op Op, c format.Content) string {
	has := func(list, wanted []string) bool {
		return !slices.ContainsFunc(wanted, func(w string) bool {
			w = format.OneLine(w)
			return w != "" && !slices.Contains(list, w)
		})
	}
	related := map[string]bool{}
	for _, r := range e.Relations {
		related[s.tree.Resolve(e.Path, r.Form, r.Raw).Target] = true
	}
	if op.Summary != "" && e.Summary != format.OneLine(op.Summary) {
		return "the summary"
	}
	for _, r := range format.WordLists {
		if !has(*r.Words(&e.Lists), *r.List(&c)) {
			return "one of the " + string(r.Part)
		}
	}
	for _, r := range c.Relations {
		raw, _ := format.CutHeading(r)
		if target := s.tree.Resolve(e.Path, format.FormRelated, raw).Target; target != "" && !related[target] {
			return "a relation"
		}
	}
	return ""
}

// lossNote describes the statements that a revision dropped and kept.
func lossNote(losses []format.Loss) string {
	kept := 0
	for _, l := range losses {
		if l.Kept {
			kept++
		}
	}
	note := ""
	if kept > 0 {
		note = "; kept " + words.Counted(kept, "statement", "statements") + " that the update did not mention"
	}
	if gone := len(losses) - kept; gone > 0 {
		note += "; " + words.Counted(gone, "statement", "statements") + " replaced or removed"
	}
	return note
}

// edited returns the files of a snapshot after edits; the edits are keyed by present path.
func edited(t *tree.Snapshot, edits map[string][]markdown.Edit, files map[string]*format.Entry) {
	for at, es := range edits {
		if e, ok := t.Entry(at); ok && len(es) > 0 {
			files[at] = format.Parse(at, markdown.ApplyEdits(e.Text, es))
		}
	}
}

// merge plans MERGE: the source's content goes into the target, which keeps its
// title and place; every relation to the source leads to the target.
func (s state) merge(op Op) (effect, error) {
	from, source, err := s.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	if op.MergeTarget == "" {
		return effect{}, Failed(FailInvalid, "MERGE needs `mergeTarget`, and `mergeTargetTitle` if mergeTarget is a folder")
	}
	to, _, err := s.mustFind(op.Type, op.MergeTarget, op.MergeTargetTitle)
	if err != nil {
		return effect{}, err
	}
	if from == to {
		return effect{}, Failed(FailInvalid, "%s cannot be merged into itself", from)
	}
	st := effect{files: map[string]*format.Entry{}, usage: map[string]*tree.Usage{}, own: []string{from, to},
		fate: map[string]string{from: to}}
	edited(s.tree, relink.Redirect(s.tree, from, to), st.files)
	target := st.files[to]
	if target == nil {
		target, _ = s.tree.Entry(to)
	}
	source = relink.Relocated(s.tree, source, to)
	st.counted = map[string]format.Signals{to: tree.MergedSignals(s.tree.Signals(to, s.now), s.tree.Signals(from, s.now)).Updated()}
	reason := cmp.Or(target.Reason(), source.Reason()) // the reason for the merge goes into the journal, and into a lineage
	text, losses := format.Merge(target, source, format.Header{Summary: op.Summary, Reason: reason})
	losses = append(losses, lostReason(source, reason)...)
	merged := s.withoutSelf(format.Parse(to, text).Uncounted().AtLeast(source.Tier()), from)
	if len(op.Content.Parts()) > 0 || len(op.Replace) > 0 {
		content, err := s.content(to, op.Content)
		if err != nil {
			return effect{}, err
		}
		said, lost := merged.Revise(format.Revision{Content: content, Replace: op.Replace})
		merged, losses = format.Parse(to, said), append(losses, lost...)
	}
	if op.Lineage {
		var ok bool
		if merged, ok = merged.Descended(source, op.Reason, s.now); !ok {
			return effect{}, Failed(FailInvalid, "%s: %s could not be written; correct its frontmatter first (`brv-lsp check`)", to,
				format.ConsolidatedFromKey)
		}
	}
	losses = lostFor(losses, merged)
	st.files[to], st.files[from] = merged, nil
	if err := checkWritable(target, st.files[to]); err != nil {
		return effect{}, err
	}
	gone, dangling := s.emptied(st.files, []string{from})
	st.usage[from] = nil
	dangling = append(dangling, s.notRedirected(from, st.files)...)
	st.result = Result{
		FilePath: to, Summary: op.Summary, PreviousSummary: target.Summary, Losses: losses,
		AlsoChanged: slices.Sorted(slices.Values(slices.Concat(besides(st.files, to, gone), gone))),
		Message:     fmt.Sprintf("Merged %s into %s", from, to) + lossNote(losses) + removedNote(gone), Dangling: dangling,
	}
	return st, nil
}

// lostFor returns the losses of a merge that are really missing in the result. Of a text these are the lines
// that are not in it, since a later step may bring back a line that an earlier one removed.
func lostFor(losses []format.Loss, e *format.Entry) (out []format.Loss) {
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
		case l.Part == format.PartSummary && strings.Contains(e.Summary, strings.TrimSpace(l.Item)):
			continue
		case l.Part == format.PartFacts && there[l.Item]:
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
func isText(p format.Part) bool {
	return slices.ContainsFunc(format.NarrativeParts, func(r format.PartRow) bool { return r.Part == p })
}

// notRedirected lists the relations to a merged entry that could not be rewritten to lead to the target.
func (s state) notRedirected(from string, files map[string]*format.Entry) (out []string) {
	for _, at := range relink.SourcesOf(s.tree, from) {
		e, changed := files[at]
		if !changed {
			e, _ = s.tree.Entry(at)
		}
		if e == nil || at == from {
			continue
		}
		for _, r := range e.Relations {
			if r.Form != format.FormConsolidated && s.tree.Resolve(at, r.Form, r.Raw).Target == from {
				out = append(out, mentionAt(e, r))
			}
		}
	}
	return out
}

// withoutSelf drops the items of `related` that name the entry itself, or the
// one that was merged into it.
func (s state) withoutSelf(e *format.Entry, merged string) *format.Entry {
	f, _ := e.LastField("related")
	var own []int
	for _, r := range e.Relations {
		i, _ := slices.BinarySearchFunc(f.Items, r.At.Start, func(item format.Scalar, at int) int { return item.At.End - at })
		inRelated := i < len(f.Items) && f.Items[i].At.Contains(r.At.Start)
		if t := s.tree.Resolve(e.Path, r.Form, r.Raw).Target; inRelated && (t == e.Path || t == merged) {
			own = append(own, i)
		}
	}
	edits := e.RemoveItems(f, own...)
	if len(edits) == 0 {
		return e // or their places are not known for certain
	}
	return format.Parse(e.Path, markdown.ApplyEdits(e.Text, edits))
}

// besides lists the changed files other than the main one and those already listed.
func besides(files map[string]*format.Entry, main string, listed []string) []string {
	known := map[string]bool{main: true}
	for _, at := range listed {
		known[at] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(at string) bool { return known[at] })
}

// remove plans DELETE of an entry, or of a folder with all it holds.
func (s state) remove(op Op) (effect, error) {
	main, gone, err := s.toRemove(op)
	if err != nil {
		return effect{}, err
	}
	st := effect{files: map[string]*format.Entry{}, usage: map[string]*tree.Usage{}, own: gone}
	edits, dangling := relink.Detach(s.tree, gone...)
	edited(s.tree, edits, st.files)
	summary := ""
	for _, at := range gone {
		st.files[at] = nil
		if format.RoleOf(at) == format.RoleEntry {
			st.usage[at] = nil
		}
	}
	if e, ok := s.tree.Entry(main); ok {
		summary = e.Summary
	}
	empty, more := s.emptied(st.files, gone)
	note := ""
	if n := len(edits); n > 0 {
		note = fmt.Sprintf("; removed the relations to it from %s", words.Counted(n, "entry", "entries"))
	}
	if n := len(dangling) + len(more); n > 0 {
		note += "; now broken: " + words.Counted(n, "mention", "mentions")
	}
	st.result = Result{FilePath: main, PreviousSummary: summary, Message: "Deleted " + main + note + removedNote(empty), Dangling: more}
	st.result.AlsoChanged = slices.Sorted(slices.Values(slices.Concat(besides(st.files, main, empty), empty)))
	for _, b := range dangling {
		if e, ok := s.tree.Entry(b.From); ok {
			st.result.Dangling = append(st.result.Dangling, mentionAt(e, b.Mention))
		}
	}
	return st, nil
}

// toRemove lists the paths that DELETE takes away: the path it is about, and every file.
func (s state) toRemove(op Op) (string, []string, error) {
	at, err := cleanPath(op.Path)
	if err != nil {
		return "", nil, err
	}
	if e, ok := s.tree.Entry(at); ok && e.Role == format.RoleStub {
		gone := []string{at}
		if _, ok := s.tree.Entry(format.FullOf(at)); ok {
			gone = append(gone, format.FullOf(at))
		}
		return at, gone, nil
	}
	if strings.HasSuffix(at, ".md") || strings.TrimSpace(op.Title) != "" {
		at, _, err := s.mustFind(op.Type, op.Path, op.Title)
		return at, []string{at}, err
	}
	dir := s.folder(at)
	if _, ok := s.tree.Node(dir); !ok || format.Archived(dir) {
		return "", nil, Failed(FailMissing, "%s: no such folder in the tree; write its path from the tree's root: domain/topic", at)
	}
	for _, k := range s.tree.Skipped() {
		if strings.HasPrefix(k.Path, dir+"/") {
			return "", nil, Failed(FailInvalid, "%s was not deleted because %s was not read (%s); check that file first",
				dir, k.Path, k.Reason)
		}
	}
	var gone []string
	for _, e := range s.tree.At(dir) {
		if format.RoleOf(e.Path) != format.RoleSummary {
			gone = append(gone, e.Path)
		}
	}
	return dir, gone, nil
}

// move plans MOVE of an entry or a folder.
func (s state) move(op Op) (effect, error) {
	from, to, err := s.way(op)
	if err != nil {
		return effect{}, err
	}
	m, err := relink.PlanMove(s.tree, from, to, func(p string) bool { return s.beside[p] })
	if err != nil {
		return effect{}, Failed(FailInvalid, "%v", err)
	}
	if len(m.Left) > 0 {
		return effect{}, Failed(FailInvalid, "%s", m.Left[0])
	}
	st := effect{files: map[string]*format.Entry{}, usage: map[string]*tree.Usage{}, fate: map[string]string{}}
	edited(s.tree, m.Edits, st.files)
	for _, f := range m.Files {
		if format.RoleOf(f.From) == format.RoleSummary {
			continue // made anew in the new folder
		}
		e := st.files[f.From]
		if e == nil {
			e, _ = s.tree.Entry(f.From)
		}
		st.files[f.From], st.fate[f.From] = nil, f.To
		st.files[f.To] = format.Parse(f.To, e.Text)
		st.own = append(st.own, f.From)
		if e.Role == format.RoleEntry {
			st.usage[f.From], st.usage[f.To] = nil, tree.UsagePointer(s.usage, f.From)
		}
	}
	s.overviews(st.files, to, op)
	empty, dangling := s.emptied(st.files, st.own)
	rewritten := len(m.Edits)
	for _, f := range m.Files {
		if _, ok := m.Edits[f.From]; ok {
			rewritten--
		}
	}
	st.result = Result{FilePath: to, AlsoChanged: besides(st.files, to, nil), Dangling: dangling,
		Message: fmt.Sprintf("Moved %s to %s", from, to)}
	if rewritten > 0 {
		st.result.Message += "; relations updated in " + words.Counted(rewritten, "entry", "entries")
	}
	st.result.Message += removedNote(empty)
	return st, nil
}

// removedNote names the overviews that go with the last entry of their folder.
func removedNote(gone []string) string {
	if len(gone) == 0 {
		return ""
	}
	return "; also removed the empty folder's files: " + strings.Join(gone, ", ")
}

// way returns the source and the destination of MOVE.
func (s state) way(op Op) (from, to string, err error) {
	if from, err = cleanPath(op.Path); err != nil {
		return "", "", err
	}
	if strings.TrimSpace(op.To) == "" {
		return "", "", Failed(FailInvalid, "MOVE needs `to` with the new path (--to on the command line)")
	}
	if to, err = cleanPath(op.To); err != nil {
		return "", "", err
	}
	if i := strings.IndexAny(to, " \t,;()[]{}<>'\"`|"); i >= 0 {
		return "", "", Failed(FailInvalid, "%q contains %q, which relations cannot contain; choose another name", to, to[i])
	}
	if strings.HasSuffix(from, ".md") || strings.TrimSpace(op.Title) != "" {
		if from, _, err = s.mustFind(op.Type, op.Path, op.Title); err != nil {
			return "", "", err
		}
		if !strings.HasSuffix(to, ".md") {
			to = s.folder(to) + "/" + path.Base(from)
		} else if dir := path.Dir(to); dir != "." {
			to = s.folder(dir) + "/" + path.Base(to)
		}
		if from == to {
			return "", "", Failed(FailInvalid, "%s is already there", to)
		}
		if e, ok := s.tree.Entry(to); ok {
			return "", "", occupied(e, to+" already exists")
		}
		return from, to, nil
	}
	from = s.folder(from)
	if _, ok := s.tree.Node(from); !ok {
		return "", "", Failed(FailMissing, "%s: no such folder in the tree; write its path from the tree's root: domain/topic", from)
	}
	if up := path.Dir(to); up != "." {
		to = s.folder(up) + "/" + path.Base(to)
	}
	return from, to, nil
}

// archive plans ARCHIVE: the entry becomes a searchable stub and a lossless copy.
func (s state) archive(op Op) (effect, error) {
	at, e, err := s.mustFind(op.Type, op.Path, op.Title)
	if err != nil {
		return effect{}, err
	}
	stub, full := format.ArchivePaths(at)
	for _, taken := range []string{stub, full} {
		if old, ok := s.tree.Entry(taken); ok {
			return effect{}, occupied(old, taken+" already exists as an older archived version; restore or delete it first")
		}
	}
	st := effect{own: []string{at}, files: map[string]*format.Entry{at: nil}, fate: map[string]string{at: stub}}
	st.usage = map[string]*tree.Usage{at: nil, stub: tree.UsagePointer(s.usage, at)} // an entry made here meanwhile has its own counters
	st.files[full] = format.Parse(full, e.Text)
	st.files[stub] = format.Parse(stub, derived.RenderStub(e, s.tree.Signals(at, s.now).Importance, s.now))
	st.result = Result{
		FilePath: at, PreviousSummary: e.Summary, AlsoChanged: []string{full, stub},
		Message: fmt.Sprintf("Archived %s; relations to it lead to its stub", at),
	}
	return st, nil
}

// restore plans RESTORE of an archived entry, by its former path or its stub's.
func (s state) restore(op Op) (effect, error) {
	at, err := cleanPath(op.Path)
	if err != nil {
		return effect{}, err
	}
	stub, _ := format.ArchivePaths(at)
	if format.RoleOf(at) == format.RoleStub {
		stub = at
	}
	e, ok := s.tree.Entry(stub)
	if !ok {
		return effect{}, Failed(FailMissing, "%s: not archived", at)
	}
	if err := e.Unmerged(); err != nil {
		return effect{}, err
	}
	archived, ok := e.Stub()
	if !ok {
		return effect{}, Failed(FailInvalid, "%s: the stub does not name the archived text", stub)
	}
	if archived.PointsTo != format.FullOf(stub) { // a stub may be forged: it must not take another entry's text
		return effect{}, Failed(FailInvalid, "%s: points_to is %q, not %q", stub, archived.PointsTo, format.FullOf(stub))
	}
	full, ok := s.tree.Entry(archived.PointsTo)
	if !ok {
		return effect{}, Failed(FailMissing, "%s: the archived text %s is gone; restore it with git, or delete the stub", stub, archived.PointsTo)
	}
	taken := s.vacant
	if mirror, _ := format.ArchivePaths(archived.OriginalPath); mirror != stub || format.Hidden(archived.OriginalPath) ||
		format.RoleOf(archived.OriginalPath) != format.RoleEntry {
		taken = s.free // not its original place: the rules for a new entry apply
	}
	if err := taken(archived.OriginalPath); err != nil {
		return effect{}, err
	}
	back := format.Parse(archived.OriginalPath, full.Text)
	st := effect{files: map[string]*format.Entry{stub: nil, archived.PointsTo: nil, archived.OriginalPath: back},
		fate: map[string]string{stub: archived.OriginalPath}}
	st.usage = map[string]*tree.Usage{stub: nil, archived.OriginalPath: tree.UsagePointer(s.usage, stub)}
	there := s.tree.Update(map[string]*format.Entry{archived.OriginalPath: back})
	edited(there, relink.Redirect(there, stub, archived.OriginalPath), st.files) // relations that named the stub itself
	made := s.overviews(st.files, archived.OriginalPath, op)
	st.result = Result{
		FilePath: archived.OriginalPath, Summary: back.Summary,
		AlsoChanged: slices.Sorted(slices.Values(append(made, besides(st.files, archived.OriginalPath, made)...))),
		Message:     "Restored " + archived.OriginalPath,
	}
	return st, nil
}
