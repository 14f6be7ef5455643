package contextpack

import (
	"context"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
)

// Whether sections help with a task depends less on its words, which also occur in descriptions of changes
// that documents merely name, than on its style: a task contains stop words, the name of a change does not.
// The weights are a logistic regression on questions about eight repositories and messages of commits of
// nine, none of them among those reported, left out one by one (docs/ranking.md).
const (
	helpBase  = -4.0
	helpHeld  = 5.2  // share of the task that one passage holds
	helpStops = 5.8  // share of its words that are stop words
	helpAsked = 3.0  // it has a question mark
	helpDone  = -2.6 // the best hit is a changelog: the change is done

	maxSections = 5

	// usefulShare is the least score, relative to the best section's, of a section that is shown with it. Of
	// the right sections of 60 questions about four repositories that are among the first five it keeps 46 of
	// 47, and leaves out a quarter of the others.
	usefulShare = 0.6
)

// searched holds the sections found for a task.
type searched struct {
	set *documents.Set
	retrieval.Result
	governing []retrieval.Hit // what stands aside is none of them
}

func searchDocuments(ctx context.Context, v *workspace.View, task string) (s searched, err error) {
	s.set, err = workspace.DocumentsFor(ctx, v, task)
	if err != nil || s.set.Len() == 0 {
		return s, err
	}
	search, err := workspace.SearchDocuments(ctx, v, s.set, task)
	if err != nil {
		return s, err
	}
	s.Result, err = search(ctx, retrieval.Query{Text: task, Limit: retrieval.DefaultLimit, Now: v.Now()})
	if err != nil {
		return s, err
	}
	all, err := retrieval.Governing(ctx, search, s.set.Snapshot(), s.Result)
	all = slices.DeleteFunc(all, func(h retrieval.Hit) bool { return isAside(s.set, h) })
	s.governing = all[:min(len(all), maxSections)]
	return s, err
}

// addDocuments adds the sections that surely apply to a task to the entries of a pack, as further hits.
func addDocuments(ctx context.Context, v *workspace.View, in *pack.Inputs, task pack.Task) (missing string, err error) {
	s, err := searchDocuments(ctx, v, task.Text)
	if err != nil {
		return limits.Documents, err
	}
	set, found := s.set, map[string]*format.Entry{}
	hits := s.governing
	if len(hits) == 0 {
		hits = applying(set, task.Text, s.Result, func() bool { return done(ctx, v, set, task.Text, s.Result) })
	}
	hits = slices.DeleteFunc(hits, func(h retrieval.Hit) bool { // it stands there as a whole
		d, _, ok := set.Section(h.Path)
		if !ok || d.Kind != documents.RuleFile {
			return !ok
		}
		_, there := in.Tree.Entry(d.RuleEntry().Path)
		return there
	})
	for _, h := range hits {
		found[h.Path], _ = set.Snapshot().Entry(h.Path)
	}
	addTo(in, found, hits)
	return "", nil
}

// addTo puts sections into the tree of a pack, and their hits beside those of its entries.
func addTo(in *pack.Inputs, found map[string]*format.Entry, hits []retrieval.Hit) {
	if len(hits) > 0 {
		in.Tree, in.Beside = in.Tree.Update(found), append(in.Beside, hits...)
	}
}

// applying are the hits that are likely to help with a task. Secondary documents are excluded: a changelog,
// for example, has the words of many tasks but helps with none.
func applying(set *documents.Set, task string, r retrieval.Result, done func() bool) (out []retrieval.Hit) {
	if r.OutOfDomain || len(r.Hits) == 0 || !helps(task, r, done) {
		return nil
	}
	for _, h := range r.Hits {
		if !isAside(set, h) && len(out) < maxSections && h.Raw >= usefulShare*r.Hits[0].Raw {
			out = append(out, h)
		}
	}
	return out
}

// helps reports whether the hits for a task are likely to contain something useful. done says whether a
// changelog fits best.
func helps(task string, r retrieval.Result, done func() bool) bool {
	all, stops := 0, 0
	words.Each(task, func(t words.Token) {
		if all++; t.Stop {
			stops++
		}
	})
	sum := helpBase + helpHeld*r.Evidence.Held + helpStops*float64(stops)/float64(max(1, all))
	if strings.Contains(task, "?") {
		sum += helpAsked
	}
	return sum >= 0 && (sum+helpDone >= 0 || !done())
}

// done reports whether a changelog fits a task better than all that was found.
func done(ctx context.Context, v *workspace.View, set *documents.Set, task string, r retrieval.Result) bool {
	search, err := workspace.SearchAside(ctx, v, set, task)
	if err != nil {
		return false
	}
	o, err := search(ctx, retrieval.Query{Text: task, Limit: 1})
	if err != nil || len(o.Hits) == 0 {
		return false
	}
	d, _, ok := set.Section(o.Hits[0].Path)
	return ok && d.Kind == documents.Changelog && o.Hits[0].Score > r.Hits[0].Score
}

func isAside(set *documents.Set, h retrieval.Hit) bool {
	d, _, ok := set.Section(h.Path)
	return ok && set.Aside(d)
}

// Governed reports whether a section of a document or the message of a commit surely decides a task.
func Governed(ctx context.Context, v *workspace.View, task string) (bool, error) {
	s, err := searchDocuments(ctx, v, task)
	if err != nil || len(s.governing) > 0 {
		return err == nil, err
	}
	_, hits, err := governingReasons(ctx, v, task)
	return len(hits) > 0, err
}

// governingReasons finds messages of commits that govern a task.
func governingReasons(ctx context.Context, v *workspace.View, task string) (workspace.Reasons, []retrieval.Hit, error) {
	reasons, err := workspace.ReasonsOf(ctx, v)
	if err != nil || reasons.Search == nil {
		return reasons, nil, err
	}
	r, err := reasons.Search(ctx, retrieval.Query{Text: task, Limit: retrieval.DefaultLimit, Now: v.Now()})
	if err != nil {
		return reasons, nil, err
	}
	hits, err := retrieval.Governing(ctx, reasons.Search, reasons.Tree, r)
	return reasons, hits[:min(len(hits), maxSections)], err
}

// addReasons adds the messages of commits that surely apply to a task to the entries of a pack, as further
// hits.
func addReasons(ctx context.Context, v *workspace.View, in *pack.Inputs, task pack.Task) error {
	reasons, hits, err := governingReasons(ctx, v, task.Text)
	found := map[string]*format.Entry{}
	for _, h := range hits {
		found[h.Path], _ = reasons.Tree.Entry(h.Path)
	}
	addTo(in, found, hits)
	return err
}
