package consult

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// ExplainRequest asks why an entry ranks where it does for a question.
type ExplainRequest struct {
	Query string `json:"query"` // the question
	Path  string `json:"path"`  // of the entry, in the folder or in the tree
	limits.Limits
}

// ExplainResponse takes an entry's rank and score apart.
type ExplainResponse struct {
	Path     string `json:"path"` // in the tree
	FilePath string `json:"filePath"`
	Title    string `json:"title"`
	Found    bool   `json:"found"` // a word of the question, or a relation, leads to it
	// among the best 32; none if it is not: the score is then that of a search in this entry alone
	Rank  int     `json:"rank,omitempty"`
	Score float64 `json:"score"`         // 0–1: the estimated probability that it is what was asked for
	Raw   float64 `json:"raw"`           // what the order is by: the sum of parts, times lifecycle
	Via   string  `json:"via,omitempty"` // the relation that led here, where no word did

	Parts     []ScorePart `json:"parts"`     // of raw, before lifecycle
	Lifecycle float64     `json:"lifecycle"` // factor of importance, recency and maturity, close to 1
	Coverage  float64     `json:"coverage"`  // share of the question, by rarity, that the entry holds
	Words     []ScoreWord `json:"words"`     // what the first part is made of

	Best        string   `json:"best,omitempty"` // tree path of the entry that ranks first
	OutOfDomain bool     `json:"outOfDomain,omitempty"`
	Evidence    string   `json:"evidence"`           // whether the question is about the tree, and why
	Text        string   `json:"text,omitempty"`     // all of that in a line
	Degraded    []string `json:"degraded,omitempty"` // what is missing because of the deadline or the budget
}

// ScorePart is one summand of a score.
type ScorePart struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// ScoreWord is the part that one word of the question has.
type ScoreWord struct {
	Word   string   `json:"word"`
	Terms  []string `json:"terms"` // what was looked up for it
	IDF    float64  `json:"idf"`   // its rarity
	TF     float64  `json:"tf"`    // how often it stands there, weighted over the fields
	Score  float64  `json:"score"`
	Fields []string `json:"fields"` // where it stands
}

// Explain searches as [Search] does and takes the score of one entry apart.
func Explain(ctx context.Context, v *workspace.View, req ExplainRequest) (*ExplainResponse, error) {
	q, err := question(v, QueryRequest{Text: req.Query, Limit: retrieval.MaxLimit, Limits: req.Limits})
	if err != nil {
		return nil, err
	}
	r, err := explained(v, req.Path)
	if err != nil {
		return nil, err
	}
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	search, err := h.Search(v)
	if err != nil {
		return nil, err
	}
	found, err := search(ctx, q)
	if err != nil {
		return nil, err
	}
	r.OutOfDomain, r.Evidence = found.OutOfDomain, found.Evidence.String()
	if len(found.Hits) > 0 {
		r.Best = found.Hits[0].Path
	}
	of := func(hit retrieval.Hit) bool { return hit.Path == r.Path }
	hits := found.Hits
	at := slices.IndexFunc(hits, of)
	if at >= 0 {
		r.Rank = at + 1
	} else {
		q.Scope = r.Path
		alone, err := search(ctx, q)
		if err != nil {
			return nil, err
		}
		hits = alone.Hits
		at = slices.IndexFunc(hits, of)
	}
	if at >= 0 {
		r.take(hits[at])
	}
	r.fit(req.BudgetTokens, h)
	return r, nil
}

// explained finds the entry that is asked about.
func explained(v *workspace.View, name string) (*ExplainResponse, error) {
	p, err := locate.Locate(v, name)
	if err != nil {
		return nil, err
	}
	entry, ok := v.EntryPath(p)
	if !ok {
		return nil, fmt.Errorf("%s is no entry of the context tree", workspace.Clipped(p))
	}
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil, fmt.Errorf("no entry %s", workspace.Clipped(entry))
	}
	return &ExplainResponse{Path: entry, FilePath: v.FilePath(entry), Title: e.Title, Parts: []ScorePart{}, Words: []ScoreWord{}}, nil
}

// take describes a hit.
func (r *ExplainResponse) take(hit retrieval.Hit) {
	why := hit.Why
	r.Found, r.Score, r.Raw, r.Via = true, hit.Score, hit.Raw, hit.Via
	r.Lifecycle, r.Coverage = why.Lifecycle, why.Coverage
	r.Parts = []ScorePart{{"words", why.BM25}, {"title", why.Title}, {"heading", why.Heading}, {"passage", why.Passage},
		{"near", why.Near}}
	for _, t := range why.Terms {
		r.Words = append(r.Words, ScoreWord{Word: t.Word, Terms: t.Terms, IDF: t.IDF, TF: t.TF, Score: t.Score, Fields: t.Fields})
	}
	r.Text = strings.Join([]string{why.String(), "sure: " + hit.Sure.String()}, "; ")
}

// fit leaves out words, and then the line, that a budget has no room for.
func (r *ExplainResponse) fit(budget int, h *limits.Deadline) {
	if budget > 0 {
		words := limits.Affordable(r.Words, budget)
		if n := len(r.Words) - len(words); n > 0 {
			h.Degraded, r.Words, r.Text = append(h.Degraded, limits.CutOff(n, "words")), words, ""
		} else if room := limits.Affordable([]any{r.Words, r.Text}, budget); len(room) < 2 {
			h.Degraded, r.Text = append(h.Degraded, "the line of text: the budget is used up"), ""
		}
	}
	r.Degraded = h.Degraded
}
