package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval/alike"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The threshold of the ladder, on this package's scale of scores (calibrate.go).
const (
	// promisingScore is the best score from which one call of a model over the hits may be enough (reference
	// system: results at 0.7 are prefetched). Below it the model searches by itself.
	promisingScore = 0.70
)

// Searchable is a snapshot with the function that returns its search. The function
// is cheap for a snapshot that was searched before.
type Searchable struct {
	Snapshot  *tree.Snapshot
	Documents *tree.Snapshot // sections of documents that the search also finds ([Both]); nil: none
	Open      func(context.Context) (Search, error)
}

// In is a snapshot that an engine searches.
func In(e Engine, snap *tree.Snapshot) Searchable {
	return Searchable{Snapshot: snap, Open: func(ctx context.Context) (Search, error) { return e.Open(ctx, snap) }}
}

// with is the asked snapshot extended by the sections of documents that the hits are about.
func (in Searchable) with(hits []Hit) *tree.Snapshot {
	found := map[string]*format.Entry{}
	if in.Documents != nil {
		for _, h := range hits {
			if e, ok := in.Documents.Entry(h.Path); ok {
				found[h.Path] = e
			}
		}
	}
	if len(found) == 0 {
		return in.Snapshot
	}
	return in.Snapshot.Update(found)
}

// named is the beginning of a sentence about the searched sources, up to the verb.
func (in Searchable) named() string {
	switch {
	case in.Documents == nil || in.Documents.Len() == 0:
		return "The context tree does"
	case in.Snapshot.Len() == 0:
		return "The documents of this folder do"
	}
	return "The context tree and the documents of this folder do"
}

// LadderOptions configure a Ladder. All may be left out.
type LadderOptions struct {
	// Model returns the model of tiers 3 and 4, and is called for each answer; it may be nil or return nil if
	// there is no model.
	Model func() llm.Model
	// Outline returns the declarations of a code file, for tier 4; nil without code.
	Outline func(ctx context.Context, file string) (string, error)
	// Code is the fingerprint of the code that Outline describes; nil without code.
	Code func() string
	// Writing is called while a model writes an answer, with the estimated tokens so far and the most that it
	// can have. When the answer ends, in whatever way, it is called once with 0 tokens. The text is not shown
	// before it is checked. nil: not called.
	Writing func(tokens, most int)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Ladder answers each question with the cheapest tier that can. Any number of goroutines may use it.
type Ladder struct {
	options LadderOptions
	answers *alike.Memory[Answer]
	last    atomic.Pointer[tree.Snapshot] // the last snapshot, whose fingerprint is known
}

// NewLadder returns a ladder without remembered answers.
func NewLadder(o LadderOptions) *Ladder {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Ladder{options: o, answers: newAnswers(o.Now)}
}

// Answer climbs the tiers in the order of the paper's Algorithm 1. Where the tree was
// not asked before, the search starts beside the fingerprint.
func (l *Ladder) Answer(ctx context.Context, in Searchable, q Query) (Answer, error) {
	start := l.options.Now()
	a, err := l.answer(ctx, in, q)
	a.Latency = l.options.Now().Sub(start)
	return a, err
}

func (l *Ladder) answer(ctx context.Context, in Searchable, q Query) (Answer, error) {
	ctx, done := context.WithCancel(ctx)
	defer done()
	search := l.search(ctx, in, q)
	asked, now := q.question(), l.basis(in)
	l.last.Store(in.Snapshot)

	if a, ok := l.answers.Same(asked, now); ok && l.stands(a, q) {
		return remembered(a, TierExact, q.Text), nil
	}
	if a, question, ok := l.answers.Like(asked, now); ok && q.allows(TierFuzzy) && l.stands(a, q) {
		return remembered(a, TierFuzzy, question), nil
	}
	if !q.allows(TierDirect) {
		return unanswered(*q.MaxTier), nil
	}
	res, err := search()
	if err != nil {
		return Answer{}, err
	}
	a, err := l.climb(ctx, in, q, res)
	if err == nil && !a.ForReader { // passages are not an answer, and a model may become available
		l.answers.Keep(asked, a.basis(now), a)
	}
	return a, err
}

// climb answers from the hits of the search: tiers 2 to 4.
func (l *Ladder) climb(ctx context.Context, in Searchable, q Query, res Result) (Answer, error) {
	if len(res.Hits) == 0 || res.OutOfDomain && !res.Evidence.Carried {
		return uncovered(in.Snapshot, in.named(), res), nil
	}
	sure, why := isDirect(res)
	in.Snapshot = in.with(res.Hits)
	switch {
	case sure:
		return direct(in.Snapshot, res, why), nil
	case res.OutOfDomain: // the model is not asked
		return passages(in.Snapshot, res, TierDirect, why), nil
	}
	tier, model := TierLoop, l.model()
	if res.Hits[0].Score >= promisingScore || !q.allows(TierLoop) || model != nil && !llm.HoldsTools(model) {
		tier = TierModel
	}
	if model == nil || !q.allows(tier) {
		if !q.allows(tier) {
			tier = TierDirect
		}
		return passages(in.Snapshot, res, tier, why), nil
	}
	if q.Found != nil {
		q.Found(passages(in.Snapshot, res, TierDirect, why))
	}
	a, err := l.reason(ctx, tier, model, in, q, res)
	if err == nil {
		a.Why = join(why, a.Why)
		return a, nil
	}
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	spent := a.Usage
	a = passages(in.Snapshot, res, tier, why)
	a.Note, a.Usage = join(a.Note, err.Error()), spent
	return a, nil
}

// stands reports whether a remembered answer may be used again. A model's answer may be used only while the
// same model is available: a user who switched it off, chose another one, or no longer trusts the folder does
// not want its answers.
func (l *Ladder) stands(a Answer, q Query) bool {
	if !q.accepts(a.Tier) {
		return false
	}
	if a.Model == "" {
		return true
	}
	model := l.model()
	return model != nil && model.Name() == a.Model
}

// search returns a function that waits for the search. For a new tree the search starts at once; otherwise
// remembered answers are checked first.
func (l *Ladder) search(ctx context.Context, in Searchable, q Query) func() (Result, error) {
	find := func() (Result, error) {
		search, err := in.Open(ctx)
		if err != nil {
			return Result{}, err
		}
		return Phrased(search)(ctx, q)
	}
	if !q.allows(TierDirect) || l.last.Load() == in.Snapshot {
		return find
	}
	var res Result
	var err error
	found := make(chan struct{})
	go func() {
		defer close(found)
		defer func() {
			if p := recover(); p != nil { // this goroutine has no caller that would recover
				err = fmt.Errorf("the search failed: %v", p)
			}
		}()
		res, err = find()
	}()
	return func() (Result, error) {
		select {
		case <-found:
			return res, err
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
}

// basis returns the present state, which answers depend on. Only a model looks at code.
func (l *Ladder) basis(in Searchable) alike.Basis {
	b := alike.Basis{Tree: in.Snapshot.Fingerprint()}
	if in.Documents != nil {
		b.Tree += in.Documents.Fingerprint()
	}
	if l.options.Code != nil && l.model() != nil {
		b.Code = l.options.Code()
	}
	return b
}

func (l *Ladder) model() llm.Model {
	if l.options.Model == nil {
		return nil
	}
	return l.options.Model()
}

// reason asks the model.
func (l *Ladder) reason(ctx context.Context, tier Tier, model llm.Model, in Searchable, q Query, res Result) (Answer, error) {
	r := &reasoner{model: model, outline: l.options.Outline, writing: l.options.Writing}
	if r.writing != nil {
		defer r.writing(0, 0)
	}
	search, err := in.Open(ctx)
	if err != nil {
		return Answer{}, err
	}
	how, first, found := reasonTiers[tier], &inquiry{snap: in.Snapshot, query: q}, res
	if how.tools {
		first.search = search
	} else {
		wide := q
		wide.Limit = MaxLimit
		found, err = search(ctx, wide)
	}
	if err != nil {
		return Answer{}, err
	}
	a, err := r.ask(ctx, how, first, found)
	a.Hits, a.Note = res.Hits, join(res.Note, a.Note)
	return a, err
}

// The documents of a repository are searched like the tree, in an index of their own, since a common word of
// one index may be rare in the other. A hit's score is a probability in both, so all hits are put in one
// order by it. An entry is somebody's decision, so it comes before a section with an equal score.

// Both searches entries, and sections of documents, for one answer.
func Both(entries, documents Search) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		var found [2]Result
		var errs [2]error
		var group panics.Group
		for i, search := range []Search{entries, documents} {
			group.Go(func() { found[i], errs[i] = search(ctx, q) })
		}
		group.Wait()
		if err := cmp.Or(errs[0], errs[1]); err != nil {
			return Result{}, err
		}
		return merged(found[0], found[1], q.limit()), nil
	}
}

// merged puts the hits among entries and among sections into one order.
func merged(entries, sections Result, most int) Result {
	switch {
	case len(sections.Hits) == 0 && len(entries.Hits)+len(entries.Unknown) > 0, entries.Scope != "" && sections.Scope == "":
		return entries
	case len(entries.Hits) == 0, sections.Scope != "" && entries.Scope == "", entries.OutOfDomain && !sections.OutOfDomain:
		return sections
	case sections.OutOfDomain && !entries.OutOfDomain:
		return entries
	}
	type ranked struct {
		Hit
		standing float64
		section  bool
	}
	var all []ranked
	direct, _ := isDirect(entries)
	for i, h := range entries.Hits {
		standing := h.Score + clearGap
		if i == 0 && direct {
			standing++
		}
		all = append(all, ranked{h, standing, false})
	}
	for _, h := range sections.Hits {
		all = append(all, ranked{h, h.Score, true})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.standing, a.standing) })
	lead, other := entries, sections
	if all[0].section {
		lead, other = sections, entries
	}
	out := lead
	sure, why := isDirect(lead)
	out.verdict = &verdict{sure, why}
	out.Hits = nil
	for _, h := range all[:min(most, len(all))] {
		out.Hits = append(out.Hits, h.Hit)
	}
	out.Unknown = slices.DeleteFunc(slices.Clone(lead.Unknown), func(w string) bool { return !slices.Contains(other.Unknown, w) })
	return out
}

// NearFirst orders the hits of a search of several trees. An entry of another tree comes first only if it
// fits clearly better than those of the folder's own tree, and never before one of them with the same title.
// Other trees get at most half of the places if the own tree can fill the rest.
func NearFirst(search Search) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		most := q.limit()
		q.Limit = min(2*most, MaxLimit)
		r, err := search(ctx, q)
		near, own := 0, map[string]float64{} // scores of the own hits, by title
		for _, h := range r.Hits {
			if !isFar(h.Path) {
				near++
				own[format.Fold(h.Title)] = h.Score
			}
		}
		standing := func(h Hit) float64 {
			if !isFar(h.Path) {
				return h.Score
			}
			if score, ok := own[format.Fold(h.Title)]; ok {
				return min(h.Score, score) - clearGap
			}
			return h.Score - clearGap
		}
		slices.SortStableFunc(r.Hits, func(a, b Hit) int { return cmp.Compare(standing(b), standing(a)) })
		room := max((most+1)/2, most-near)
		r.Hits = slices.DeleteFunc(r.Hits, func(h Hit) bool {
			if isFar(h.Path) {
				room--
				return room < 0
			}
			return false
		})
		r.Hits = r.Hits[:min(most, len(r.Hits))]
		return r, err
	}
}

// isFar reports whether an entry is of another tree.
func isFar(p string) bool {
	_, _, ok := format.CutTree(p)
	return ok
}

// Phrased searches for a question in all its phrasings.
func Phrased(search Search) Search {
	return func(ctx context.Context, q Query) (Result, error) {
		if len(q.Also) == 0 {
			return search(ctx, q)
		}
		texts := append([]string{q.Text}, q.Also[:min(len(q.Also), MaxPhrasings)]...)
		found, errs := make([]Result, len(texts)), make([]error, len(texts))
		var group panics.Group
		for i, text := range texts {
			group.Go(func() {
				one := q
				one.Text, one.Also, one.Limit = text, nil, MaxLimit
				found[i], errs[i] = search(ctx, one)
			})
		}
		group.Wait()
		if err := cmp.Or(errs...); err != nil {
			return Result{}, err
		}
		return fused(found, q.limit()), nil
	}
}

// fused puts the hits of several phrasings of a question into one order, by the mean of a hit's scores, so
// that hits of several phrasings come first. The median phrasing decides whether the tree knows the answer: a
// single one may share its words with a text about something else.
func fused(found []Result, most int) Result {
	median := slices.SortedStableFunc(slices.Values(found), func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.knows(), b.knows()), cmp.Compare(a.Evidence.Sum, b.Evidence.Sum))
	})[len(found)/2]
	type ranked struct {
		Hit
		best float64
	}
	var all []ranked
	at := map[string]int{}
	for _, r := range found {
		for _, h := range r.Hits {
			i, seen := at[h.Path]
			if !seen {
				i, at[h.Path] = len(all), len(all)
				all = append(all, ranked{})
			}
			mean := all[i].Score + h.Score/float64(len(found))
			if !seen || h.Score > all[i].best {
				all[i] = ranked{h, h.Score}
			}
			all[i].Score = mean
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.Score, a.Score) })
	out := median
	sure, why := isDirect(median)
	out.Hits = nil
	for _, h := range all[:min(most, len(all))] {
		out.Hits = append(out.Hits, h.Hit)
	}
	if sure {
		if first := median.Hits[0]; out.Hits[0].Path == first.Path {
			out.Hits[0].Section = first.Section
		} else {
			sure, why = false, "the phrasings of the question lead to different passages"
		}
	}
	out.verdict = &verdict{sure, why}
	return out
}

// knows grades whether the searched sources contain the answer: 0 no, 1 perhaps, 2 surely.
func (r Result) knows() int {
	switch {
	case r.OutOfDomain:
		return 0
	case r.Evidence.Sure:
		return 2
	}
	return 1
}
