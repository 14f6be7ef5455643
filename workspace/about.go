package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// answerBudget is how long a hover waits for a direct answer. What is linked is
// shown in any case; the answer comes with the next hover.
const answerBudget = 250 * time.Millisecond

// excerptLines is how much of an entry's text stands in [AboutEntry].
const excerptLines = 12

// AboutKind says what [Workspace.About] found at a place.
type AboutKind string

// The things a hover can be about.
const (
	AboutRelation AboutKind = "relation" // of an entry, or a mark in a comment of code
	AboutField    AboutKind = "field"
	AboutCode     AboutKind = "code" // a symbol, in code or named by an entry
	AboutFile     AboutKind = "file" // a code file that an entry names
)

// AboutRequest asks what is known about a place in a file.
type AboutRequest struct {
	Path      string    // workspace path
	Offset    int       // byte offset
	Selection tree.Span // the selected text; empty if none
}

// About is what the tree knows about a place.
type About struct {
	At      tree.Span // what in the file it is about
	Kind    AboutKind
	Name    string // relation, key, symbol or path as written
	Entries []AboutEntry
	Field   *AboutFieldValue
	Code    *AboutSymbol
	Problem string            // why a relation leads nowhere
	Answer  *retrieval.Answer // a direct answer, if there is one at its confidence
}

// AboutEntry is one entry in short, its signals as they stand now.
type AboutEntry struct {
	Path       string // in the tree
	FilePath   string // in the workspace
	Title      string
	Summary    string
	Maturity   tree.Maturity
	Importance float64 // decayed to now
	Recency    float64
	HasSignals bool // the entry states an importance, and when it counts from
	Tags       []string
	Backlinks  int
	Excerpt    string // first lines of what it knows, markdown
	Reason     string // why it is shown, where that is not evident
}

// AboutFieldValue explains a frontmatter key.
type AboutFieldValue struct {
	Key   string
	Doc   string
	Value string // what the value means today, "" if nothing is to add
}

// AboutSymbol is code that an entry names.
type AboutSymbol struct {
	Path      string
	Line      int // 1-based; 0 for a whole file
	Signature string
	Missing   bool // named, but not in the code
}

// About decides what a hover shows: the target of the relation, or of the mark in a
// comment of code, under the cursor, the meaning of a frontmatter key, the code an entry names, or the
// entries linked to a code symbol. A retrieved answer is added only where
// retrieval is sure of it. nil means that there is nothing to say; it never
// guesses, and never asks a model.
func (w *Workspace) About(ctx context.Context, v *View, req AboutRequest) (*About, error) {
	if entry, ok := v.EntryPath(req.Path); ok {
		a := w.aboutEntry(ctx, v, entry, req.Offset)
		w.usedIn(a)
		return a, nil
	}
	if v.Tree().Len() == 0 || isTreePath(req.Path) {
		return nil, nil
	}
	a, err := w.aboutCode(ctx, v, req)
	w.usedIn(a)
	return a, err
}

// usedIn notes the entries that a hover's answer is made of.
func (w *Workspace) usedIn(a *About) {
	if a == nil {
		return
	}
	if len(a.Entries) == 1 { // of several none is the answer
		w.used(a.Entries[0].Path)
	}
	if a.Answer != nil && len(a.Answer.Hits) > 0 {
		w.used(a.Answer.Hits[0].Path)
	}
}

func (w *Workspace) aboutEntry(ctx context.Context, v *View, entry string, offset int) *About {
	e, ok := v.Tree().Entry(entry)
	if !ok {
		return nil
	}
	if r, ok := relationAt(v, entry, offset); ok {
		return w.aboutRelation(v, r, r.Problem())
	}
	if f, ok := fieldAt(e, offset); ok {
		if doc := tree.FieldDoc(f.Key); doc != "" {
			return &About{At: f.KeyAt, Kind: AboutField, Name: f.Key, Field: &AboutFieldValue{Key: f.Key, Doc: doc, Value: w.fieldToday(v, e, f)}}
		}
		return nil
	}
	return w.aboutNamedCode(v.quickly(ctx), entry, e, offset)
}

// aboutRelation shows the entry that a relation leads to, or those that fit.
func (w *Workspace) aboutRelation(v *View, r tree.Relation, problem string) *About {
	a := &About{At: r.At, Kind: AboutRelation, Name: r.Raw, Problem: problem}
	if r.Target != "" {
		a.Entries = []AboutEntry{w.short(v, r.Target, "")}
	}
	reason := "one of several that fit"
	if problem == "" { // it means them all
		reason = ""
	}
	for _, c := range r.Candidates[:min(5, len(r.Candidates))] {
		a.Entries = append(a.Entries, w.short(v, c, reason))
	}
	return a
}

// aboutNamedCode explains the code file or symbol that an entry names at offset.
func (w *Workspace) aboutNamedCode(v *View, entry string, e *tree.Entry, offset int) *About {
	for _, c := range v.Links().Of(entry) {
		if !c.Span.Contains(offset) {
			continue
		}
		a := &About{At: c.Span, Kind: AboutFile, Name: c.Span.Of(e.Text), Code: &AboutSymbol{Path: c.Path, Missing: !c.Exists}}
		if c.Symbol != "" {
			a.Kind = AboutCode
			if d, ok := definitionIn(v, c.Path, fullName(c)); ok {
				a.Code.Line, a.Code.Signature = d.Line, d.Signature
			}
		}
		return a
	}
	return nil
}

func (w *Workspace) aboutCode(ctx context.Context, v *View, req AboutRequest) (*About, error) {
	text, ok := v.Text(req.Path)
	if !ok {
		return nil, nil
	}
	v = v.quickly(ctx)
	if m, ok := v.markAt(req.Path, text, req.Offset); ok {
		return w.aboutRelation(v, m.Relation, m.problem), nil
	}
	at := identifierAt(text, req.Offset)
	name := at.Of(text)
	query := name
	if sel := req.Selection; sel.End > sel.Start && sel.End <= len(text) {
		at, query = sel, sel.Of(text)
	}
	if query == "" {
		return nil, nil
	}
	a := &About{At: at, Kind: AboutCode, Name: query}
	for _, r := range w.linkedEntries(v, req.Path, name) {
		a.Entries = append(a.Entries, w.short(v, r.entry, r.reason))
	}
	if worthAsking(v, query) {
		answer, err := w.directAnswer(ctx, v, query)
		if err != nil {
			return nil, err
		}
		if answer != nil && !listed(a.Entries, answer.Hits) {
			a.Answer = answer
		}
	}
	if len(a.Entries) == 0 && a.Answer == nil {
		return nil, nil
	}
	return a, nil
}

// listed reports whether the entry that an answer comes from is shown already.
func listed(entries []AboutEntry, hits []retrieval.Hit) bool {
	return len(hits) > 0 && slices.ContainsFunc(entries, func(e AboutEntry) bool { return e.Path == hits[0].Path })
}

type linkedEntry struct{ entry, reason string }

// linkedEntries lists the entries about a symbol: those that name it wherever it
// is defined, and, on the name of an exported definition of this file, those
// that name the file; on every local name they would only be in the way.
func (w *Workspace) linkedEntries(v *View, p, name string) []linkedEntry {
	var out []linkedEntry
	seen := map[string]bool{}
	add := func(file, symbol string) {
		for _, r := range v.Links().About(file, symbol) {
			if !seen[r.Entry] && (symbol != "" || lists(v, r.Entry, file)) {
				seen[r.Entry] = true
				out = append(out, linkedEntry{r.Entry, r.Reason})
			}
		}
	}
	defs := v.Code().Lookup(name)
	if len(defs) > link.MaxDefined { // too common a name to mean one thing; only this file's own counts
		defs = nil
	}
	for _, d := range defs {
		add(d.Path, name)
	}
	if d, ok := definitionIn(v, p, name); ok {
		add(p, name)
		if d.Exported {
			add(p, "")
		}
	}
	return out[:min(len(out), 3)]
}

// lists reports whether an entry is about a file as a whole, and not only names
// something in it.
func lists(v *View, entry, file string) bool {
	return slices.ContainsFunc(v.Links().Of(entry), func(c link.CodeRef) bool {
		return c.Path == file && c.Form == link.FormFile
	})
}

// worthAsking reports whether a text can be a question: several words, or a name
// that someone coined (compound, or defined in the code). "err" is neither.
func worthAsking(v *View, query string) bool {
	if len(query) < 4 || len(query) > 200 {
		return false
	}
	if strings.ContainsAny(query, " _-") {
		return true
	}
	for i, r := range query {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return len(v.Code().Lookup(query)) > 0
}

// directAnswer asks the index and keeps only an answer it is sure of (tier 2).
func (w *Workspace) directAnswer(ctx context.Context, v *View, query string) (*retrieval.Answer, error) {
	short, cancel := context.WithTimeout(ctx, answerBudget)
	defer cancel()
	most := retrieval.TierDirect // a hover never waits for a model
	q := retrieval.Query{Text: query, Limit: 3, Now: w.opts.Now(), MaxTier: &most}
	answer, err := w.ladder.Answer(short, v.searchable(), q)
	if err != nil || answer.OutOfDomain || answer.ForReader {
		return nil, ctx.Err()
	}
	return &answer, nil
}

// short describes an entry.
func (w *Workspace) short(v *View, p, reason string) AboutEntry {
	e, ok := v.Tree().Entry(p)
	if !ok {
		return AboutEntry{Path: p, FilePath: v.FilePath(p), Title: p, Reason: reason}
	}
	s := v.Tree().Signals(p, w.opts.Now())
	_, valued := e.Field("importance")
	if !e.Signals.Has && s.AccessCount == 0 {
		s.Maturity = "" // nothing is known: no need to say draft
	}
	return AboutEntry{
		Path: p, FilePath: v.FilePath(p), Title: e.Title, Summary: e.Summary,
		Maturity: s.Maturity, Importance: s.Importance, Recency: s.Recency, HasSignals: valued && !e.UpdatedAt.IsZero(),
		Tags: e.Tags, Backlinks: len(v.Tree().Backlinks(p)), Excerpt: excerpt(e), Reason: reason,
	}
}

// provenance are the sections that say where an entry comes from, not what it
// knows; an excerpt leaves them out where there is anything else.
var provenance = []string{"Reason", "Raw Concept", "Relations"}

// excerpt is the beginning of what an entry knows, without its title heading,
// blank lines collapsed. An open code fence is closed.
func excerpt(e *tree.Entry) string {
	body, from := "", e.Body.Start
	for _, s := range e.Sections {
		if s.Level == 2 && slices.ContainsFunc(provenance, func(name string) bool { return strings.EqualFold(name, s.Title) }) {
			body += e.Text[from:s.At.Start]
			from = s.At.End
		}
	}
	body += e.Text[from:]
	if short := firstLines(body); short != "" {
		return short
	}
	return firstLines(e.Body.Of(e.Text))
}

func firstLines(body string) string {
	var out []string
	fence := "" // that is open
	body = strings.TrimSpace(body)
	for at := range tree.Lines(body) {
		l := strings.TrimRight(at.At.Of(body), " \t")
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if len(out) == 0 && strings.HasPrefix(l, "# ") {
			continue
		}
		switch at.Fence {
		case tree.FenceOpen:
			fence, _ = tree.Fence(l)
		case tree.FenceClose:
			fence = ""
		}
		if out = append(out, l); len(out) == excerptLines {
			break
		}
	}
	if fence != "" {
		out = append(out, fence)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// fieldToday says what a signal's value has become by now.
func (w *Workspace) fieldToday(v *View, e *tree.Entry, f tree.Field) string {
	if e.UpdatedAt.IsZero() {
		return ""
	}
	s := v.Tree().Signals(e.Path, w.opts.Now())
	switch f.Key {
	case "importance":
		return fmt.Sprintf("%.0f when updated, %.0f today", e.Signals.Importance, s.Importance)
	case "recency", "updatedAt":
		return fmt.Sprintf("recency is %.2f today", s.Recency)
	}
	return ""
}

func relationAt(v *View, entry string, offset int) (tree.Relation, bool) {
	for _, r := range v.Tree().Relations(entry) {
		if r.At.Contains(offset) {
			return r, true
		}
	}
	return tree.Relation{}, false
}

// fieldAt is the frontmatter field whose key, or single value, holds offset.
func fieldAt(e *tree.Entry, offset int) (tree.Field, bool) {
	for _, f := range e.Fields {
		if f.KeyAt.Contains(offset) || (!f.List && f.At.Contains(offset)) {
			return f, true
		}
	}
	return tree.Field{}, false
}

// identifierAt is the identifier that holds or ends at a byte offset; empty if
// there is none.
func identifierAt(text string, offset int) tree.Span {
	offset = min(max(offset, 0), len(text))
	part := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	start, end := offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !part(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !part(r) {
			break
		}
		end += size
	}
	if start < end && text[start] >= '0' && text[start] <= '9' {
		return tree.Span{Start: offset, End: offset}
	}
	return tree.Span{Start: start, End: end}
}
