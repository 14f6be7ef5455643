package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
)

// impact is the effect of a change on the tree.
type impact struct {
	*base
	report *CheckReport
	grades Grades
}

// sinceBase reports the effects of the work since a commit on the tree: entries that it leaves behind, new
// problems, and entries to read before it is merged.
func sinceBase(ctx context.Context, v *workspace.View, r *CheckReport, req CheckRequest) error {
	b, err := readBase(ctx, v, req.Base)
	if err != nil {
		return err
	}
	i := &impact{b, r, req.Severity}
	r.Base, r.Changed = b.commit.Hash, len(b.files)
	if v.CodeRead() {
		entries, written := b.concerned()
		found, err := v.Links().Drifts(ctx, entries, v.Code(), b)
		if err != nil {
			return err
		}
		own, err := drift.Known(ctx, v, written...) // they are compared with the time when they were written
		if err != nil {
			return err
		}
		if err := b.recall(ctx, written, own); err != nil {
			return err
		}
		for p, drifts := range own {
			found[p] = slices.DeleteFunc(slices.Clone(drifts), func(d link.Drift) bool { return !b.touches(d) && !b.namesNow(d) })
		}
		r.drifts = found
		for _, e := range v.Tree().Entries() {
			r.leftBehind(i.grades, v.FilePath(e.Path), e, found[e.Path])
		}
		i.readings(found)
		if err := i.documents(ctx); err != nil {
			return err
		}
		gone, unread, err := elsewhere.Gone(ctx, v, b.texts)
		if r.Elsewhere = gone; err != nil {
			return err
		}
		if len(unread) > 0 {
			r.Note = "other repositories were not read: " + strings.Join(unread, ", ")
		}
	}
	i.sources()
	return i.problems(ctx)
}

// recall asks the base for things that entries name and that were not seen at the moments of the entries.
func (b *base) recall(ctx context.Context, entries []*format.Entry, own map[string][]link.Drift) error {
	unseen := func(d link.Drift) bool { return d.Unseen }
	entries = slices.DeleteFunc(entries, func(e *format.Entry) bool { return !slices.ContainsFunc(own[e.Path], unseen) })
	known, err := b.v.Links().Drifts(ctx, entries, b.v.Code(), b)
	for p, drifts := range known {
		own[p] = slices.Clone(own[p])
		for i, d := range own[p] {
			if j := slices.IndexFunc(drifts, func(o link.Drift) bool { return o.At == d.At && o.Kind == link.Moved }); d.Unseen && j >= 0 {
				own[p][i] = drifts[j]
			}
		}
	}
	return err
}

// sources reports the entries made from a document that the change altered.
func (i *impact) sources() {
	for _, e := range i.v.Tree().Entries() {
		im, ok := format.ImportedBy(e)
		file, _ := im.Source()
		if _, touched := i.text(file); !ok || !touched || i.writes(i.v.FilePath(e.Path)) || len(sourceProblems(i.text, e)) > 0 {
			continue
		}
		i.report.addGraded(i.grades, i.v.FilePath(e.Path), e.Text, sourceProblems(i.v.Text, e)...)
	}
}

// documents reports the documents that name something that the change removed or renamed.
func (i *impact) documents(ctx context.Context) error {
	set, err := i.v.Documents(ctx)
	if err != nil {
		return err
	}
	pages := i.pages(set)
	found, err := link.Pages(tree.NewSnapshot(pages, nil), i.v.Code()).Drifts(ctx, pages, i.v.Code(), i.base)
	if err == nil {
		err = drift.Uprooted(ctx, i.moved(set), i.base, isThere(i.v), found)
	}
	return cmp.Or(err, i.report.addPages(ctx, set, i.base, found, i.grades))
}

// leftBehind reports how an entry, or a document, no longer fits the code.
func (r *CheckReport) leftBehind(grades Grades, file string, e *format.Entry, found []link.Drift) {
	diffs := map[[4]string]string{} // of each thing, since many links may lead to one
	for k, p := range staleProblems(e, found) {
		before := len(r.Findings)
		if r.addGraded(grades, file, e.Text, p); len(r.Findings) > before {
			r.Findings[before].Drift = drifted(e, found[k], diffs)
		}
	}
}

// maxShownDiff bounds the difference of one finding, in bytes.
const maxShownDiff = 4 << 10

func drifted(e *format.Entry, d link.Drift, diffs map[[4]string]string) *Drifted {
	x := &Drifted{Kind: d.Kind, Old: placed(d.Path, d.Symbol)}
	if d.To != "" {
		x.New = placed(d.To, d.ToSymbol)
	}
	if was := d.At.Of(e.Text); d.Replace != "" && d.Replace != was {
		x.Replace, x.Was = d.Replace, was
	}
	thing := [4]string{d.Path, d.Symbol, d.To, d.ToSymbol}
	if _, known := diffs[thing]; !known && d.Kind != link.Vanished {
		diffs[thing] = d.Diff()
	}
	if x.Diff = diffs[thing]; len(x.Diff) > maxShownDiff {
		x.Diff = x.Diff[:strings.LastIndexByte(x.Diff[:maxShownDiff], '\n')+1] + "…\n"
	}
	return x
}

func placed(file, symbol string) string {
	if symbol == "" {
		return file
	}
	return file + " " + symbol
}

// maxReadings bounds the entries to read that a report lists.
const maxReadings = 100

// readings lists the entries that refer to changed files, without those that are left behind.
func (i *impact) readings(left map[string][]link.Drift) {
	by := map[string]*Reading{}
	for _, f := range i.files {
		for _, ref := range i.v.Links().About(f.Path, "") {
			e, ok := i.v.Tree().Entry(ref.Entry)
			if !ok || len(left[ref.Entry]) > 0 || e.Role != format.RoleEntry || i.writes(i.v.FilePath(ref.Entry)) {
				continue
			}
			r := by[ref.Entry]
			if r == nil {
				r = &Reading{Path: i.v.FilePath(ref.Entry), Title: e.Redacted().Title}
				by[ref.Entry] = r
			}
			if r.Touches = append(r.Touches, f.Path); ref.Strength > r.Strength {
				r.Strength, r.Reason = ref.Strength, ref.Reason
			}
		}
	}
	for _, r := range by {
		slices.Sort(r.Touches)
		r.Strength = math.Round(100*r.Strength) / 100
		i.report.Read = append(i.report.Read, *r)
	}
	slices.SortFunc(i.report.Read, func(a, b Reading) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(len(b.Touches), len(a.Touches)), cmp.Compare(a.Path, b.Path))
	})
	if all := i.report.Read; len(all) > maxReadings {
		i.report.Read = all[:maxReadings]
		i.report.Unlisted = len(all) - maxReadings
	}
}

// problems reports problems that did not exist at the base: of entries, compared by their messages in the same
// file, and of comments in code.
func (i *impact) problems(ctx context.Context) error {
	changed, former := i.former()
	was, there := i.v.Tree().Update(changed), isThere(i.v)
	stood := func(p string) bool { _, gone := i.gone[p]; return gone || there(p) }
	for _, e := range i.v.Tree().Entries() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var now []format.Problem
		switch {
		case i.writes(i.v.FilePath(e.Path)):
			now = ofEntry(i.v, e, nil, i.grades)
		case len(changed)+len(i.gone) == 0:
			continue // neither the entry nor the others changed
		default:
			now = ofTree(i.v, e)
		}
		old := cmp.Or(former[e.Path], e.Path)
		known := map[string]int{}
		if before, ok := was.Entry(old); ok && len(now) > 0 {
			for _, p := range slices.Concat(was.Problems(old), secretProblems(before.Text), deadLinks(was, before, stood)) {
				known[p.Code+"\x00"+p.Message]++
			}
		}
		for _, p := range now {
			if isStale(p, i.report.drifts[e.Path]) {
				continue
			}
			if key := p.Code + "\x00" + p.Message; known[key] > 0 {
				known[key]--
				continue
			}
			for _, shown := range i.grades.graded([]format.Problem{p}) {
				if shown.Severity != format.SeverityHint {
					i.report.addOf(i.v, i.v.FilePath(e.Path), e.Text, shown)
				}
			}
		}
	}
	for _, l := range i.v.Links().Loose() {
		if i.markStood(l.Path, l.Mark.Target) && was.Resolve("", format.FormAt, l.Mark.Target).Target == "" {
			continue // it led nowhere at the base
		}
		text, _ := i.v.Code().Read(l.Path)
		i.report.addGraded(i.grades, l.Path, text, looseProblem(i.v, l, l.Mark.At.End <= len(text)))
	}
	return nil
}

// former returns the entries that the change edits, as they were at the base; nil for new ones. names holds the
// former paths of moved entries.
func (i *impact) former() (changed map[string]*format.Entry, names map[string]string) {
	changed, names = map[string]*format.Entry{}, map[string]string{}
	entry := i.v.EntryPath
	for _, f := range i.files {
		if at, ok := entry(f.Path); ok && f.Status != 'D' {
			changed[at] = nil
		}
	}
	for _, f := range i.files {
		old := cmp.Or(f.From, f.Path)
		at, ok := entry(old)
		if !ok || f.Status == 'A' {
			continue
		}
		changed[at] = format.Parse(at, i.texts[old])
		if now, moved := entry(f.Path); moved && f.From != "" {
			names[now] = at
		}
	}
	return changed, names
}

// RepairRequest names the base of the change that entries are to follow, and the author of the batch.
type RepairRequest struct {
	Base   string `json:"base"`
	Author string `json:"author,omitempty"`
}

// Repair updates the names of things that the work since a base renamed, in all entries that use them, as one
// batch that can be undone. If an entry has other drift too, the names in its text stay, since a new text would
// confirm that the rest is true. Then only its list of files and its links are updated. left describes what stays,
// and why. The report is nil if there is nothing to write.
func Repair(ctx context.Context, w *workspace.Workspace, req RepairRequest) (done *plan.Report, left []string, err error) {
	r, err := Check(ctx, w.View(), CheckRequest{Base: req.Base})
	if err != nil {
		return nil, nil, err
	}
	b, v := plan.Batch{Author: req.Author}, w.View()
	for _, e := range v.Tree().Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		files, names, rest := link.Followed(e, r.drifts[e.Path])
		upkeep := len(names) == 0 || len(rest) > 0
		if !upkeep {
			files = append(files, names...)
		} else if len(names) > 0 {
			left = append(left, fmt.Sprintf("%s: %s was not written because the entry has another problem to check first: %s",
				v.FilePath(e.Path), arrows(e, names), rest[0].Reason))
		}
		if len(files) > 0 {
			b.Ops = append(b.Ops, plan.Op{Type: plan.OpUpdate, Path: e.Path, Reason: "updated names: " + arrows(e, files),
				Upkeep: upkeep, Renames: link.Renames(e, files)})
		}
	}
	if len(b.Ops) > 0 {
		done, err = curation.Curate(ctx, w, b)
	}
	return done, left, err
}

// arrows lists old names with their new ones.
func arrows(e *format.Entry, drifts []link.Drift) string {
	var said []string
	for _, r := range link.Renames(e, drifts) {
		said = append(said, r.From+" → "+r.To)
	}
	return strings.Join(said, "; ")
}
