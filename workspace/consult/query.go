// Package consult answers questions from the context tree: by the tiers of package retrieval, as a ranked
// list, or as texts. Package limits bounds the answers, and they contain no credentials.
package consult

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// How many sources a question gets, and how many phrasings it may have.
const (
	DefaultSources = 8
	MaxSources     = retrieval.MaxLimit
	MaxPhrasings   = retrieval.MaxPhrasings // beside the question
)

// QueryRequest is a question to the context tree.
type QueryRequest struct {
	Text    string   `json:"text"`
	Also    []string `json:"also,omitempty" flag:"also"`       // the same question in other words, at most 4; each is searched
	Scope   string   `json:"scope,omitempty" flag:"scope"`     // a domain, topic or entry to search in
	Limit   int      `json:"limit,omitempty" flag:"limit"`     // the most sources; 8 if 0, at most 32
	TierMax *int     `json:"tierMax,omitempty"`                // the highest tier that may answer, 0–4; missing: no limit
	Explain bool     `json:"explain,omitempty" flag:"explain"` // show the parts of each score
	limits.Limits
}

// QueryResponse is the answer to a question.
type QueryResponse struct {
	// 0, 1: a stored answer; 2: a search of the tree; 3: one call of a model; 4: a model with tools; 3 or 4 without
	// `model`: passages
	Tier        int      `json:"tier"`
	OutOfDomain bool     `json:"outOfDomain,omitempty"`
	ForReader   bool     `json:"forReader,omitempty"` // the text is passages, not an answer
	Unsure      bool     `json:"unsure,omitempty"`    // the passages may be about something else
	Confidence  float64  `json:"confidence"`          // the score of the best hit, 0–1
	LatencyMS   float64  `json:"latencyMs"`
	Why         string   `json:"why,omitempty"`
	Note        string   `json:"note,omitempty"`     // a note for the reader
	Evidence    string   `json:"evidence,omitempty"` // with `explain`: whether the tree covers the question, and why
	Model       string   `json:"model,omitempty"`
	TokensIn    int      `json:"tokensIn,omitempty"`  // tokens that the model read, as it counts them, or estimated
	TokensOut   int      `json:"tokensOut,omitempty"` // tokens that the model wrote
	Markdown    string   `json:"markdown"`
	Sources     []Source `json:"sources"`            // the hits; those that the text is based on are marked
	Tokens      int      `json:"tokens,omitempty"`   // the tokens of the text, if there is a budget
	Degraded    []string `json:"degraded,omitempty"` // what is missing because of the deadline or the budget
	// this is the answer without the organisation's entries, which come in the next message
	Waiting bool `json:"waiting,omitempty"`
	// Entries of the user's organisation. The answer is not based on them.
	Elsewhere []provider.OrganisationEntry `json:"elsewhere,omitempty"`
}

// FromDocument reports whether the text is based on a document of the folder, and not on the context tree.
func (r *QueryResponse) FromDocument() bool {
	i := slices.IndexFunc(r.Sources, func(s Source) bool { return s.Used })
	return i >= 0 && r.Sources[i].Heading != ""
}

// Source is an entry that a question led to.
type Source struct {
	Path     string  `json:"path"` // the path in the tree
	FilePath string  `json:"filePath"`
	Title    string  `json:"title"`
	Score    float64 `json:"score"`
	Line     int     `json:"line"` // 1-based line of the passage
	Start    int     `json:"start"`
	End      int     `json:"end"`               // the range of the passage in the file, in bytes
	Used     bool    `json:"used,omitempty"`    // the text is based on this passage
	Via      string  `json:"via,omitempty"`     // the relation that led to it, if no word of the question did
	Heading  string  `json:"heading,omitempty"` // the heading of a section of a document at `filePath`; "" for an entry
	Author   string  `json:"author,omitempty"`  // the author of the entry, if it names one: human, agent, model or rules
	Why      string  `json:"why,omitempty"`     // with `explain`

	// Last is the passage's last line, 1-based.
	Last int `json:"-"`
	// Marks warn that the entry is stale.
	Marks []string `json:"marks,omitempty"`
}

// Query answers a question from the context tree by the cheapest tier that can; and
// it says so where the tree does not cover the question.
func Query(ctx context.Context, v *workspace.View, req QueryRequest) (*QueryResponse, error) {
	return QueryTelling(ctx, v, req, nil)
}

// QueryTelling is Query. It reports the hits before a model is asked, and the own answer before it waits for
// the organisation's; found may be nil.
func QueryTelling(ctx context.Context, v *workspace.View, req QueryRequest, found func(*QueryResponse)) (*QueryResponse, error) {
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	q, err := question(h.Prompt, v, req)
	if err != nil {
		return nil, err
	}
	other, stale := provider.AskElsewhere(h.Prompt, v, req.Text, false), drift.NewLookup(h.Prompt, v)
	if found != nil {
		without, most := req, int(retrieval.TierDirect)
		without.TierMax = &most
		q.Found = func(a retrieval.Answer) { found(respond(h, v, without, stale, a)) }
	}
	a, err := answerAll(h, v, q)
	if err != nil && h.Exceeded() {
		a, err = answerNow(h, v, q)
	}
	if err != nil {
		return nil, err
	}
	r := respond(h, v, req, stale, a)
	if found != nil && other.Pending() {
		own := *r
		own.Waiting = true
		found(&own)
	}
	r.Elsewhere = other.Join(&r.Note)
	return r, nil
}

// respond turns an answer into the response of a request.
func respond(h *limits.Deadline, v *workspace.View, req QueryRequest, stale *drift.Lookup, a retrieval.Answer) *QueryResponse {
	evidence := ""
	if req.Explain {
		evidence = a.Evidence.String()
	}
	r := &QueryResponse{
		Evidence: evidence, Degraded: h.Degraded,
		Tier: int(a.Tier), OutOfDomain: a.OutOfDomain, ForReader: a.ForReader, Unsure: a.Unsure, Confidence: a.Confidence,
		LatencyMS: float64(a.Latency.Microseconds()) / 1000, Why: a.Why, Note: a.Note, Model: a.Model,
		TokensIn: a.Usage.Input, TokensOut: a.Usage.Output,
		Markdown: sanitize.Disarm(sanitize.Quote(a.Text)), Sources: sources(v, found(h.Prompt, v), a.Hits, a.Sources, req.Explain),
	}
	if no := provider.StateOf(v.Workspace()).Problem; no != "" && a.ForReader &&
		(req.TierMax == nil || *req.TierMax > int(retrieval.TierDirect)) {
		r.Note = strings.TrimPrefix(r.Note+"; the model was not asked: "+no, "; ")
	}
	if !a.OutOfDomain {
		r.Markdown = sanitize.Disarm(sanitize.Quote(mark(stale, r.Sources))) + r.Markdown
		r.Note = strings.Trim(r.Note+"; "+stale.Unknown(), "; ")
	} else {
		r.Note = strings.Trim(r.Note+"; "+found(h.Prompt, v).LeftOut(v.Files()), "; ")
	}
	if !a.ForReader && !a.OutOfDomain {
		for _, s := range a.Sources {
			drift.Used(v, s.Path)
		}
	}
	if a.Usage.Input > 0 && a.Tier >= retrieval.TierModel { // not of one that is remembered
		r.Why += fmt.Sprintf("; tokens: %d in, %d out", a.Usage.Input, a.Usage.Output)
	}
	r.Note, r.Why = sanitize.Disarm(r.Note), sanitize.Disarm(r.Why)
	r.fit(req.BudgetTokens)
	return r
}

// maxWarnings is how many warnings of one entry are shown, as in packs.
const maxWarnings = 2

// mark adds warnings to sources that no longer fit the code, and returns the warning for the reader of an
// answer that is based on them.
func mark(stale *drift.Lookup, sources []Source) string {
	paths := make([]string, len(sources))
	for i, s := range sources {
		paths[i] = s.Path
	}
	stale.Expect(paths) // at once, where the code is read
	var first strings.Builder
	for i := range sources {
		s := &sources[i]
		if _, _, other := format.CutTree(s.Path); other {
			for _, near := range sources {
				if _, _, far := format.CutTree(near.Path); !far && format.Fold(near.Title) == format.Fold(s.Title) {
					s.Marks = append(s.Marks, "if the entries differ, follow this folder's "+near.Path)
				}
			}
		}
		for _, line := range stale.Warnings(s.Path, maxWarnings) {
			line = sanitize.Line(line, maxMark)
			s.Marks = append(s.Marks, line)
			if s.Used {
				fmt.Fprintf(&first, "> %s: %s\n", s.Path, line)
			}
		}
	}
	if first.Len() == 0 {
		return ""
	}
	return "> **Possibly out of date**: the code has changed since this was written. Check the code first.\n" +
		first.String() + "\n"
}

// maxMark bounds a warning, in bytes.
const maxMark = 240

// answerNow answers without waiting: from searches that are ready (of the tree or an earlier one, and of the
// documents), or from memory.
func answerNow(h *limits.Deadline, v *workspace.View, q retrieval.Query) (retrieval.Answer, error) {
	most, in := retrieval.TierDirect, v.Searchable()
	late := ""
	if _, err := v.Search(h.Prompt); err != nil && v.Trees().Len() > 0 {
		late = limits.FoundBy
		in = retrieval.Searchable{Snapshot: tree.NewSnapshot(nil, nil)}
		if last := v.LastSearch(); last != nil {
			late = limits.NewestEntries
			in = retrieval.Searchable{Snapshot: last.Tree, Open: func(context.Context) (retrieval.Search, error) { return last.Search, nil }}
		}
	}
	all, err := workspace.AddDocuments(h.Prompt, v, in, q.Text)
	if err == nil && all.Documents != nil {
		_, err = all.Open(h.Prompt)
	}
	if err == nil {
		in = all
	} else {
		_ = h.Spare(limits.Documents, h.Prompt.Err())
	}
	switch {
	case late == "" && err == nil: // it was the model that took its time
		_ = h.Spare(modelAnswer, h.Prompt.Err())
	case late != "":
		_ = h.Spare(late, h.Prompt.Err())
	}
	if in.Snapshot.Len() == 0 && in.Documents == nil {
		most, in = retrieval.TierFuzzy, v.Searchable()
	}
	if q.MaxTier == nil || *q.MaxTier > most {
		q.MaxTier = &most
	}
	return ladders.Of(v).Answer(h.Request, in, q)
}

// modelAnswer is the message that a model's answer is missing.
const modelAnswer = "the model did not answer"

// fit cuts the text to a budget, at a line end where there is one.
func (r *QueryResponse) fit(budget int) {
	if budget <= 0 {
		return
	}
	counter, _ := tokens.Named("") // the default is there
	r.Tokens = counter.Count(r.Markdown)
	if r.Tokens <= budget {
		return
	}
	r.Markdown, _ = counter.Prefix(r.Markdown, budget)
	r.Tokens = counter.Count(r.Markdown)
	r.Degraded = append(r.Degraded, "the text was cut: the budget is used up")
}

// SearchResponse lists the hits of a search, best first.
type SearchResponse struct {
	Hits        []Source `json:"hits"`
	OutOfDomain bool     `json:"outOfDomain,omitempty"`
	Scope       string   `json:"scope,omitempty"` // the part that was searched; "" is the whole tree
	Note        string   `json:"note,omitempty"`  // why `scope` differs from the request
	Unknown     []string `json:"unknown,omitempty"`
	Why         string   `json:"why,omitempty"`      // the words that were not found, or found in another spelling
	Evidence    string   `json:"evidence,omitempty"` // with `explain`: whether the tree covers the question, and why
	Degraded    []string `json:"degraded,omitempty"` // what is missing because of the deadline or the budget
	// Entries of the user's organisation.
	Elsewhere []provider.OrganisationEntry `json:"elsewhere,omitempty"`
}

// Search ranks entries for a question. It answers nothing, and what it lists does
// not count as used.
func Search(ctx context.Context, v *workspace.View, req QueryRequest) (*SearchResponse, error) {
	h, done := limits.BeginIn(ctx, v, req.DeadlineMs)
	defer done()
	q, err := question(h.Prompt, v, req)
	if err != nil {
		return nil, err
	}
	other, stale := provider.AskElsewhere(h.Prompt, v, req.Text, false), drift.NewLookup(h.Prompt, v)
	search, err := h.SearchAll(v, q.Text)
	if err != nil {
		return nil, err
	}
	r, err := retrieval.Phrased(search)(ctx, q)
	if err != nil {
		return nil, err
	}
	evidence := ""
	if req.Explain {
		evidence = r.Evidence.String()
	}
	all := sources(v, found(h.Prompt, v), r.Hits, nil, req.Explain)
	hits := limits.Affordable(all, req.BudgetTokens)
	if left := len(all) - len(hits); left > 0 {
		h.Degraded = append(h.Degraded, limits.CutOff(left, "hits"))
	}
	mark(stale, hits)
	notes := []string{r.Note, retrieval.Unsearched(v.Tree()), stale.Unknown()}
	if r.OutOfDomain || len(hits) == 0 {
		notes = append(notes, found(h.Prompt, v).LeftOut(v.Files()))
	}
	notes = slices.DeleteFunc(notes, func(s string) bool { return s == "" })
	out := &SearchResponse{Evidence: evidence, Hits: hits, OutOfDomain: r.OutOfDomain, Scope: r.Scope,
		Note: strings.Join(notes, "; "), Unknown: r.Unknown, Why: r.Remark(), Degraded: h.Degraded}
	out.Elsewhere = other.Join(&out.Note)
	return out, nil
}

// question checks a request and reads it.
func question(ctx context.Context, v *workspace.View, req QueryRequest) (retrieval.Query, error) {
	w := v.Workspace()
	// A credential in a question finds nothing, and an answer that says what was not found would
	// repeat it without the word that gives it away.
	q := retrieval.Query{Text: secrets.Redact(req.Text), Scope: req.Scope, Limit: req.Limit, Now: v.Now(), ByMeaning: true,
		Wait: w.EncoderPatience()}
	if len(req.Also) > retrieval.MaxPhrasings {
		return q, workspace.WrongField("also", "%d phrasings; the limit is %d", len(req.Also), retrieval.MaxPhrasings)
	}
	for _, text := range req.Also {
		q.Also = append(q.Also, secrets.Redact(text))
	}
	if strings.TrimSpace(req.Text) == "" {
		return q, workspace.WrongField("text", "the question is empty")
	}
	if err := req.Check(); err != nil {
		return q, err
	}
	if req.Limit < 0 || req.Limit > MaxSources {
		return q, workspace.WrongField("limit", "must be 1 to %d sources", MaxSources)
	}
	docs := found(ctx, v)
	if !v.HasTree() && docs.Len()+v.Trees().Len() == 0 {
		return q, v.NoTree()
	}
	if q.Limit <= 0 {
		q.Limit = DefaultSources
	}
	if t := req.TierMax; t != nil {
		if *t < 0 || *t > retrieval.LastTier {
			return q, fmt.Errorf("%w: the tier must be 0 to %d, not %d", workspace.ErrRequest, retrieval.LastTier, *t)
		}
		most := retrieval.Tier(*t)
		q.MaxTier = &most
	}
	w.DeriveStale()
	if place, _ := retrieval.FindScope(docs.Snapshot(), req.Scope); place != "" {
		return q, nil
	}
	err := checkScope(v.Trees(), req.Scope)
	if err != nil && v.Reading() {
		err = fmt.Errorf("scope %q: %w", req.Scope, workspace.ErrReading)
	}
	return q, err
}

// found are the documents, none where they cannot be read in time.
func found(ctx context.Context, v *workspace.View) *documents.Set {
	docs, err := v.Documents(ctx)
	if err != nil {
		return documents.Empty()
	}
	return docs
}

// sources describes hits; those that an answer rests on are shown with its part.
func sources(v *workspace.View, docs *documents.Set, hits []retrieval.Hit, rests []retrieval.Source, explain bool) []Source {
	parts := map[string]markdown.Span{}
	for _, s := range rests {
		parts[s.Path] = s.At
	}
	out := []Source{}
	describe := func(p, title string, at markdown.Span) *Source {
		e, ok := v.Entry(p)
		file, heading, section := format.SectionOf(p)
		if section {
			e, ok = docs.Snapshot().Entry(p)
		} else {
			if file = v.FilePath(p); filepath.IsAbs(file) {
				file = p
			}
		}
		if !ok || e.Role == format.RoleConflict { // it was found in an earlier tree
			return nil
		}
		part, used := parts[p]
		if used {
			at = part
			delete(parts, p)
		}
		if at.End > len(e.Text) { // it is of an earlier text
			at = markdown.Span{}
		}
		out = append(out, Source{
			Path: p, FilePath: file, Title: title, Used: used, Heading: heading, Author: authorOf(e),
			Line: 1 + strings.Count(e.Text[:at.Start], "\n"), Start: at.Start, End: at.End,
		})
		s := &out[len(out)-1]
		s.Last = s.Line + strings.Count(strings.TrimRight(at.Of(e.Text), "\n"), "\n")
		return s
	}
	for _, h := range hits {
		if s := describe(h.Path, h.Title, h.Passage); s != nil {
			s.Score, s.Via = h.Score, h.Via
			switch {
			case explain && h.Via != "":
				s.Why = h.Via
			case explain:
				s.Why = h.Why.String() + "; sure: " + h.Sure.String()
			}
		}
	}
	for _, r := range rests { // a model may use entries that no search listed
		if _, left := parts[r.Path]; left {
			describe(r.Path, r.Title, r.At)
		}
	}
	return out
}

// Passage returns the passage of a source, without the text's credentials; "" if the text has changed since.
func Passage(ctx context.Context, v *workspace.View, s Source) string {
	e, ok := v.Entry(s.Path)
	if s.Heading != "" {
		e, ok = found(ctx, v).Snapshot().Entry(s.Path)
	}
	if !ok || s.Start > s.End || s.End > len(e.Text) {
		return ""
	}
	return e.Shown(markdown.Span{Start: s.Start, End: s.End})
}

// checkScope refuses a scope that does not exist, and lists those that do.
func checkScope(t *tree.Snapshot, scope string) error {
	if strings.Trim(scope, "/. ") == "" {
		return nil
	}
	place, nearest := retrieval.FindScope(t, scope)
	if place != "" {
		return nil
	}
	if len(nearest) > 0 {
		return fmt.Errorf("no domain, topic or entry %q in the context tree; similar names: %s", scope, strings.Join(nearest, ", "))
	}
	domains := retrieval.Domains(t)
	if len(domains) == 0 {
		return fmt.Errorf("no domain, topic or entry %q: the context tree is empty", scope)
	}
	return fmt.Errorf("no domain, topic or entry %q in the context tree; the domains are: %s", scope, strings.Join(domains, ", "))
}

// authorOf is who wrote an entry, as its frontmatter says: human, agent, model or rules; "" where it
// does not say.
func authorOf(e *format.Entry) string {
	p, _ := e.Provenance()
	return string(p.Kind)
}

// ladders are the ladders of the open folders.
var ladders = workspace.NewMemory(newLadder)

// Answer asks the tiers about the tree of a view. Its documents are not waited for.
func Answer(ctx context.Context, v *workspace.View, q retrieval.Query) (retrieval.Answer, error) {
	return ladders.Of(v).Answer(ctx, v.Searchable(), q)
}

// answerAll asks the tiers about all text of a view: its tree and its documents.
func answerAll(h *limits.Deadline, v *workspace.View, q retrieval.Query) (retrieval.Answer, error) {
	in, err := workspace.Knowledge(h.Prompt, v, q.Text)
	if h.Prompt.Err() != nil {
		return retrieval.Answer{}, h.Prompt.Err()
	}
	if err != nil {
		h.Degraded = append(h.Degraded, limits.Without(limits.Documents, err))
	}
	return ladders.Of(v).Answer(h.Prompt, in, q)
}

// newLadder wires the tiers to the workspace.
func newLadder(w *workspace.Workspace) *retrieval.Ladder {
	return retrieval.NewLadder(retrieval.LadderOptions{
		Model:   func() llm.Model { return provider.Model(w) },
		Outline: func(ctx context.Context, file string) (string, error) { return outline(ctx, w, file) },
		Code:    func() string { return w.View().Code().Fingerprint() },
		Writing: func(tokens, most int) { writing(w, tokens, most) },
		Now:     w.Now,
	})
}

// writingAnswer is the title of the progress of an answer.
const writingAnswer = "Writing an answer"

// writing reports the length of the answer that a model is writing.
func writing(w *workspace.Workspace, tokens, most int) {
	w.TellProgress(workspace.Progress{Title: writingAnswer, Done: tokens, Total: most, End: tokens == 0})
}

// outline returns the declarations of a code file: its signatures.
func outline(ctx context.Context, w *workspace.Workspace, file string) (string, error) {
	if err := w.WaitCode(ctx); err != nil {
		return "", err
	}
	code := w.View().Code()
	c, ok := code.Chunk(file)
	if !ok {
		return "", fmt.Errorf("there is no code file %q; `brv-lsp map` lists the code files", file)
	}
	text, err := code.Read(file)
	if err != nil {
		return "", err
	}
	return codebase.Skeleton(text, c.Symbols()), nil
}
