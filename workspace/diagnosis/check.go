package diagnosis

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
)

// CheckRequest says what to check.
type CheckRequest struct {
	// Base is a branch, tag or commit. Only problems that the work since then adds are reported.
	Base string `json:"base,omitempty" flag:"base,filled"`
	Code bool   `json:"code,omitempty" flag:"code"` // also list code files that could be read only in part
	// Documents asks for names in the repository's documents that are gone since the document was last committed.
	// With `base`, names that the work removed are always reported.
	Documents bool `json:"documents,omitempty" flag:"documents"`
	// the severity by code: error, warning, information, hint or off; without it, an editor's settings apply
	Severity Grades `json:"severity,omitempty"`
}

// Check looks at the whole tree: the defects of every entry, also how it no longer
// fits the code, the comments in code that name no entry, the files that could not
// be read, and the project's settings. It waits until the code is read. With Code it lists
// as well what of the code was left out or is known only in part.
func Check(ctx context.Context, v *workspace.View, req CheckRequest) (*CheckReport, error) {
	w := v.Workspace()
	if err := req.Severity.check(); err != nil {
		return nil, err
	}
	if !v.HasTree() && !req.Documents && req.Base == "" {
		return nil, v.NoTree()
	}
	r := &CheckReport{Findings: []Finding{}}
	switch err := w.WaitCode(ctx); {
	case errors.Is(err, workspace.ErrNoCode):
		r.Note = err.Error()
	case err != nil:
		return nil, err
	default:
		if ok, why := w.Trusted(); !ok {
			r.Note = "git history was not used: " + why
		}
	}
	if err := w.Follow(ctx); err != nil {
		return nil, err
	}
	if req.Base == "" { // the base is all the history that such a check needs
		w.ReadHistory(ctx) // it also waits for a read that is running
	}
	v = w.View()
	t := v.Tree()
	for _, e := range t.Entries() {
		if e.Role == format.RoleEntry {
			r.Entries++
		}
	}
	if req.Base != "" {
		return r, sinceBase(ctx, v, r, req)
	}
	r.Unsure = shallow(v)
	var drifts map[string][]link.Drift
	if v.CodeRead() { // otherwise all files would seem to be missing
		var err error
		if drifts, err = drift.Known(ctx, v, t.Entries()...); err != nil {
			return nil, err
		}
	}
	if req.Documents {
		if _, err := git.Open(w.Root()); err != nil && r.Note == "" {
			r.Note = "documents were not checked for stale names: " + err.Error()
		}
		if err := r.addDocuments(ctx, v, req.Severity); err != nil {
			return nil, err
		}
	}
	files, err := list(ctx, v, drifts, settingsFile(v), req.Severity)
	for _, f := range files {
		for _, p := range f.Problems {
			r.addOf(v, f.Path, f.Text, p)
		}
	}
	if req.Code {
		r.addCode(v.Code(), req.Severity)
	}
	return r, err
}

// addDocuments lists the names in documents of things that are gone.
func (r *CheckReport) addDocuments(ctx context.Context, v *workspace.View, grades Grades) error {
	set, found, err := drift.OfDocuments(ctx, v)
	if err != nil {
		return err
	}
	pages, rules, decisions := set.Count() // as a survey counts them
	r.Documents = pages + rules + decisions
	for _, p := range slices.Sorted(maps.Keys(set.Skipped)) {
		r.addGraded(grades, p, "", about(format.CodeSkipped, "not read: "+set.Skipped[p]))
	}
	for _, d := range set.All() {
		if d.Garbled && set.Counts(d) {
			r.addGraded(grades, d.Path, "", about(format.CodeSkipped, "read in part: some characters are not UTF-8; save the file as "+
				"UTF-8"))
		}
	}
	past := v.Workspace().Past()
	if past == nil || found == nil {
		return nil // what the documents were is not known
	}
	err = drift.Uprooted(ctx, set.Pages().Entries(), past, isThere(v), found)
	if uncommitted, none := readBase(ctx, v, "HEAD"); none == nil && err == nil {
		err = drift.Uprooted(ctx, uncommitted.moved(set), uncommitted, isThere(v), found)
	}
	if err = cmp.Or(err, r.addPages(ctx, set, past, found, grades)); err != nil && ctx.Err() == nil {
		v.Logger().Info("links of documents were not compared with git history", "reason", err)
		err = nil
	}
	return err
}

// addPages reports what documents lost since a moment in the past: links to headings, and what found says of them.
func (r *CheckReport) addPages(ctx context.Context, set *documents.Set, past link.Past, found map[string][]link.Drift, grades Grades,
) error {
	headings, err := lostHeadings(ctx, set, past)
	for _, page := range set.Pages().Entries() {
		r.addGraded(grades, page.Path, page.Text, headings[page.Path]...)
		slices.SortStableFunc(found[page.Path], func(a, b link.Drift) int { return a.At.Start - b.At.Start })
		r.leftBehind(grades, page.Path, page, found[page.Path])
	}
	return err
}

// shallow describes what cannot be known in a shallow clone, "" for a complete one.
func shallow(v *workspace.View) string {
	if ok, _ := v.Workspace().Trusted(); !ok {
		return ""
	}
	if repo, err := git.Open(v.Workspace().Root()); err != nil || repo.Shallow() == "" {
		return ""
	}
	return "this is a shallow clone, so older entries were not checked for staleness;" +
		" run `git fetch --unshallow`, or give --base"
}

func (r *CheckReport) addCode(code *codebase.RepoMap, grades Grades) {
	for _, s := range code.Skipped() {
		r.addGraded(grades, s.Path, "", about(format.CodeSkipped, "not read: "+s.Reason))
	}
	for _, c := range code.Chunks() {
		if c.Partial != "" {
			r.addGraded(grades, c.Path, "", about(codePartial, "read in part: "+c.Partial))
		}
	}
}

// about returns an information about a whole file.
func about(code, message string) format.Problem {
	return format.Problem{Code: code, Severity: format.SeverityInfo, Message: message}
}

// lostHeadings returns, by page, the links to headings that a document had at the page's last commit, or before it,
// and does not have now. Links that never worked are left out.
func lostHeadings(ctx context.Context, set *documents.Set, past link.Past) (map[string][]format.Problem, error) {
	type lost struct {
		page    string
		heading string
		problem format.Problem
	}
	var all []lost
	var asks []history.Ask
	find := func(p string) *documents.Document { d, _ := set.Document(p); return d }
	for _, page := range set.Pages().Entries() {
		for _, f := range page.Files {
			heading := markdown.Unescaped(documents.Fragment(page.Text, f.At.End).Of(page.Text))
			for _, p := range unknownHeading(find, f.Path, heading, f.At) {
				ask := history.Ask{Path: f.Path, Neighbour: page.Path, LineOnly: true}
				before := ask
				before.Before = true
				all, asks = append(all, lost{page.Path, heading, p}), append(asks, ask, before)
			}
		}
	}
	out := map[string][]format.Problem{}
	versions, err := past.At(ctx, asks)
	was := map[history.Ask]*documents.Document{} // many links may lead to one document
	for i, ask := range asks {
		if was[ask] == nil {
			was[ask] = documents.Parse(ask.Path, versions[i].Text)
		}
	}
	for i, l := range all {
		if was[asks[2*i]].Anchored(l.heading) != nil || was[asks[2*i+1]].Anchored(l.heading) != nil {
			out[l.page] = append(out[l.page], l.problem)
		}
	}
	return out, err
}
