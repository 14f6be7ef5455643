package pack

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// How many of each are looked at. At 1,000 tokens a list of 40 paths holds 98 %
// of the files that an issue's fix touches (own measurement, SWE-bench Lite).
const (
	maxHits  = 32
	maxFiles = 60
)

// maker is one pack in the making.
type maker struct {
	ctx      context.Context
	in       Inputs
	task     Task
	query    codebase.Query
	memory   *Memory
	clock    func() time.Time
	spots    map[string][]spot      // what the editor says, by file
	counts   map[string]int         // tokens of texts
	texts    map[string]currentFile // of files, as they are read
	warned   map[string]warning     // of entries
	degraded []string
}

func newMaker(ctx context.Context, in Inputs, task Task) *maker {
	b := &maker{ctx: ctx, in: in, task: task, memory: in.Memory, clock: in.Clock, counts: map[string]int{},
		texts: map[string]currentFile{}, warned: map[string]warning{}}
	if b.memory == nil {
		b.memory = NewMemory()
	}
	if b.clock == nil {
		b.clock = time.Now
	}
	b.memory.renew(in.own(), in.Code)
	b.look()
	return b
}

// What the last steps of a pack take, before which the others stop: a pack of n tokens
// is counted at some 6 million tokens a second (internal/tokens), twice. What stands
// beside covers the candidates' lines and links, and the step under way.
const (
	reserve         = 8 * time.Millisecond
	reservePerToken = 400 * time.Nanosecond
)

// left is the time until the deadline, less what the last steps need.
func (b *maker) left() time.Duration {
	if b.task.Deadline.IsZero() {
		return time.Hour
	}
	return b.task.Deadline.Sub(b.clock()) - reserve - time.Duration(b.task.Budget)*reservePerToken
}

// outOfTime reports whether the deadline leaves no time for a stage, and notes what is left
// out for it.
func (b *maker) outOfTime(without string) bool {
	if b.left() > 0 {
		return false
	}
	b.without(without)
	return true
}

// past is late for what nobody misses.
func (b *maker) past() bool { return b.left() <= 0 }

func (b *maker) without(what string) {
	if !slices.Contains(b.degraded, what) {
		b.degraded = append(b.degraded, what)
	}
}

// What a pack can be without.
const (
	noEntries    = "entries were not searched"
	noRanking    = "code was ranked by paths only"
	noMarks      = "entries were not checked for stale or contradicting text"
	noEntryForms = "some entries are shown as one line each"
	noForms      = "some files are shown as one line each"
	noBodies     = "no excerpts were made from some files"
	noFill       = "the budget was not filled completely"
)

// gather finds the candidates with all their forms, best first, entries before files.
// Each stage can be cut off by the deadline; the end of ctx is an error.
func (b *maker) gather() ([]*candidate, error) {
	entries, files := scores{}, scores{}
	hits, err := b.search(files)
	if err != nil {
		return nil, err
	}
	b.addHits(entries, hits)
	b.editor(entries, files)
	b.connect(entries, files)
	pin(b.in, b.task.Pinned, entries, files)

	found := b.entries(entries, hits)
	code, err := b.files(files)
	found = append(found, code...)
	if b.task.Reasons {
		for _, c := range found {
			giveReasons(c, b.in.Estimate)
		}
	}
	return found, err
}

// search asks for entries and ranks files at the same time.
func (b *maker) search(files scores) (hits []retrieval.Hit, err error) {
	ctx, cancel := context.WithTimeout(b.ctx, max(b.left(), 0))
	defer cancel()
	var (
		wait   panics.Group
		failed error
	)
	if b.task.wants(KindEntry) && !b.outOfTime(noEntries) {
		wait.Go(func() { hits, failed = b.searchAll(ctx) })
	}
	if b.task.wants(KindCode) {
		err = b.rank(ctx, files)
	}
	wait.Wait()
	if b.ctx.Err() != nil {
		return nil, b.ctx.Err()
	}
	if failed != nil && ctx.Err() != nil {
		b.without(noEntries)
		failed = nil
	}
	if failed != nil {
		return nil, failed
	}
	return hits, err
}

// byProblem is the weight of a hit for a problem's words, beside 1 for the task's.
const byProblem = 0.5

// searchAll finds entries for the task, and for what problems say.
func (b *maker) searchAll(ctx context.Context) ([]retrieval.Hit, error) {
	hits, err := b.hits(ctx, b.task.Text, maxHits)
	if len(b.in.Beside) > 0 {
		hits = append(slices.Clone(hits), b.in.Beside...)
		slices.SortStableFunc(hits, func(x, y retrieval.Hit) int { return cmp.Compare(y.Score, x.Score) })
	}
	b.ahead(func(yield func(string) bool) {
		for _, h := range hits {
			if !yield(h.Path) {
				return
			}
		}
	})
	words := b.problemWords()
	if err != nil || words == "" {
		return hits, err
	}
	more, err := b.hits(ctx, words, maxHits/4)
	if err != nil {
		return hits, err
	}
	hits = slices.Clone(hits)
	for _, h := range more {
		if !slices.ContainsFunc(hits, func(o retrieval.Hit) bool { return o.Path == h.Path }) {
			h.Score *= byProblem
			h.Via = "a problem's message"
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// ahead tells of entries whose drift will be asked for.
func (b *maker) ahead(entries iter.Seq[string]) {
	if b.in.Ahead != nil {
		b.in.Ahead(slices.Collect(entries))
	}
}

// rank scores files by relevance, or by their place in the order that another strategy
// gives. Where there is no time for that, paths speak alone.
func (b *maker) rank(ctx context.Context, files scores) error {
	ranked, err := b.ranked(ctx)
	if err != nil && b.ctx.Err() == nil {
		b.without(noRanking)
		ranked, err = b.rankPaths(), nil
	}
	for i, r := range ranked {
		chance := codebase.FileChance(i, r.Score)
		files[r.Path] = &candidate{kind: KindCode, path: r.Path, chance: chance, rank: i, score: r.Score,
			reasons: []reason{{r.Reason, chance}}}
	}
	return err
}

// certain is the score of the best file; scores of chances were fitted below 1.
const certain = 0.95

// ranked are the best files that may be candidates, best first.
func (b *maker) ranked(ctx context.Context) (out []codebase.Ranked, err error) {
	if b.left() <= 0 {
		return nil, context.DeadlineExceeded
	}
	if b.task.Strategy != "" && b.task.Strategy != codebase.RelevanceFirst {
		ordered := b.in.Code.Order(codebase.SelectRequest{
			Query: b.query, Strategy: b.task.Strategy, IncludeTypes: !b.task.ExcludeTypes, IncludeTests: b.task.IncludeTests,
		})
		for i, c := range ordered[:min(maxFiles, len(ordered))] {
			out = append(out, codebase.Ranked{Path: c.Path, Score: certain / (1 + float64(i)/10), Reason: string(b.task.Strategy)})
		}
		return out, nil
	}
	key := fmt.Sprint(b.task.IncludeTests, b.task.ExcludeTypes)
	all, err := b.memory.ranking(key, b.query, func() ([]codebase.Ranked, error) {
		return b.in.Code.RankSome(ctx, b.query, maxFiles, b.wants)
	})
	out = slices.Clone(all) // the kept ones stay as they are
	for i := range out {
		out[i].Score *= certain
	}
	return out, err
}

// wanted leaves out tests and types that nobody asked for and that are not open.
func (b *maker) wanted(path string) bool {
	c, ok := b.in.Code.Chunk(path)
	return ok && b.wants(c)
}

func (b *maker) wants(c *codebase.Chunk) bool {
	return c.Path == b.task.File || (c.Type != codebase.Test || b.task.IncludeTests) && (c.Type != codebase.Types || !b.task.ExcludeTypes)
}

// addHits makes candidates of what was found.
func (b *maker) addHits(entries scores, hits []retrieval.Hit) {
	for rank, h := range hits {
		why := "found by the task's words"
		if h.Via != "" {
			why = "found by " + h.Via
		}
		entries.add(KindEntry, h.Path, hitChance(rank, h.Score), why)
		c := entries[h.Path]
		c.sure = max(c.sure, h.Score)
		if h.Governs {
			c.atLeast(atGoverning, "shares far more words with the task than other entries do")
			c.governs, c.sure = true, 1
		}
	}
}

// ofOverview is the factor for the chance of a folder's description: mostly it names
// what the entries say.
const ofOverview = 0.3

// entries gives the best entries their marks and forms.
func (b *maker) entries(all scores, hits []retrieval.Hit) (out []*candidate) {
	if !b.task.wants(KindEntry) {
		return nil
	}
	for _, c := range all.best(maxHits + len(b.task.Pinned)) {
		e, ok := b.in.Tree.Entry(c.path)
		if !ok || c.chance < minChance || !c.pinned && !format.Searchable(e) || slices.Contains(b.task.Without, c.path) {
			continue
		}
		c.entry = e
		if e.Role == format.RoleOverview && !c.pinned {
			c.chance *= ofOverview
		}
		out = append(out, c)
	}
	out = b.mark(out)
	for _, c := range out {
		var hit retrieval.Hit
		if i := slices.IndexFunc(hits, func(h retrieval.Hit) bool { return h.Path == c.path }); i >= 0 {
			hit = hits[i]
		}
		b.entryForms(c, hit)
	}
	if !b.past() {
		overlaps(out)
	}
	return out
}

// files gives the best files their forms.
func (b *maker) files(all scores) (out []*candidate, err error) {
	if !b.task.wants(KindCode) {
		return nil, nil
	}
	for rank, c := range all.best(maxFiles + len(b.task.Pinned)) {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		if slices.Contains(b.task.Without, c.path) {
			continue
		}
		b.fileForms(c, rank)
		out = append(out, c)
	}
	return out, nil
}
