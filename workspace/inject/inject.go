// Package inject says what an agent is told that did not ask: at the start of a session, for a prompt, and after an
// edit. Hosts ask at these events (package host); what is told costs tokens in every session, so it is little
// ([DefaultCap]), and nothing where nothing is sure:
//
//   - a prompt gets entries only where the tree's own evidence says that it is about the tree, and code only where that
//     of the code says so ([codebase.Evidence]); then both come as one pack;
//   - an edit gets the entries that it left behind: those that the code no longer fits in the file that was edited;
//   - a session gets the rules that hold everywhere, unless a rule file of package export tells them already.
//
// In one session nothing is told twice as long as it says the same ([Session]); a compaction forgets, and so the
// session tells it again. What files say stands in a frame that it cannot close. A prompt is words to rank by, and
// nothing of it comes back.
package inject

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/export"
)

// DefaultCap is the most tokens (o200k_base) that one event gets.
const DefaultCap = 1200

// maxPrompt is how much of a prompt is read, in bytes; what a search or a ranking reads of it is less.
const maxPrompt = 16 << 10

// Prompt returns the context for a prompt, in at most that many tokens; "" where nothing is sure. waits is how long it
// may take, in milliseconds; 0 for as long as it takes.
func Prompt(ctx context.Context, v *workspace.View, s *Session, prompt string, most, waits int) (string, error) {
	text := strings.TrimSpace(sanitize.Cut(strings.ToValidUTF8(prompt, " "), maxPrompt))
	if text == "" {
		return "", nil
	}
	began, follow, done := time.Now(), ctx, func() {}
	if waits > 0 { // what of the walk takes longer is there for the next prompt
		follow, done = context.WithTimeout(ctx, time.Duration(waits)*time.Millisecond/3)
	}
	_ = v.Workspace().Follow(follow)
	done()
	v = v.Latest()
	include, err := sure(ctx, v, text)
	if err != nil || len(include) == 0 {
		return "", err
	}
	v = v.Latest()
	rest := func() int { // of the time
		if waits == 0 {
			return 0
		}
		return max(1, waits-int(time.Since(began).Milliseconds()))
	}
	room := most - tokens.Count(frame(found, "")) - seam
	req := contextpack.PackRequest{Task: text, BudgetTokens: room, Include: include, DeadlineMs: rest(), Unasked: true}
	p, err := contextpack.Pack(ctx, v, req)
	if err != nil {
		return "", err
	}
	if known := s.told(v); len(known) > 0 {
		req.DeadlineMs, req.Without = rest(), known
		if p, err = remaining(ctx, v, req, p); err != nil {
			return "", err
		}
	}
	if len(p.Items) == 0 {
		return "", nil
	}
	out := frame(found, p.Text)
	if tokens.Count(out) > most {
		return "", nil // only a text made of frames is longer in its frame
	}
	for _, i := range p.Items {
		s.tell(v, i)
	}
	return out, nil
}

// remaining is the pack that is left of one, without what the session was told: that keeps its room, so that nothing
// weaker takes its place. Where nothing else of it was to be shown, it is empty.
func remaining(
	ctx context.Context, v *workspace.View, req contextpack.PackRequest, best *pack.Pack,
) (*pack.Pack, error) {
	var others []string
	all := req.BudgetTokens
	for _, i := range best.Items {
		if slices.Contains(req.Without, i.Path) {
			req.BudgetTokens -= i.Tokens
		} else if shows(i) {
			others = append(others, i.Path)
		}
	}
	if req.BudgetTokens == all {
		return best, nil
	}
	if len(others) == 0 || req.BudgetTokens < 1 {
		return &pack.Pack{}, nil
	}
	p, err := contextpack.Pack(ctx, v, req)
	if err == nil && !slices.ContainsFunc(p.Items, func(i pack.Item) bool { return slices.Contains(others, i.Path) }) {
		p.Items = nil
	}
	return p, err
}

// shows reports whether an item is more than a line that names it.
func shows(i pack.Item) bool { return i.Form != pack.FormSummary && i.Form != pack.FormOutline }

// leastAsked is how many words a prompt has at least whose neighbours count.
const leastAsked = 3

// What a text found for a prompt is called, and what tokens of a text and its frame may count more than by themselves.
const (
	found = "found for this prompt"
	seam  = 4
)

// sure says of which kinds a prompt needs something.
func sure(ctx context.Context, v *workspace.View, text string) (include []string, err error) {
	search, err := v.Search(ctx)
	if err != nil {
		return nil, err
	}
	r, err := search(ctx, retrieval.Query{Text: text, Task: true, Limit: retrieval.DefaultLimit, Now: v.Now()})
	if err != nil {
		return nil, err
	}
	// The tree's own verdict is about questions, which somebody asked of it: of "continue" one word holds all. So the
	// same signs have to say as much as the code's do, or, as a small tree shows little of what its words are, two of
	// three words at least have to be neighbours in one passage too.
	tree := codebase.Evidence{Words: math.Log1p(float64(r.Evidence.Asked)), Theme: r.Evidence.Theme, Part: r.Evidence.Held}
	beside := r.Evidence.Asked >= leastAsked && r.Evidence.Neighbours > 0
	known := r.Evidence.Sure && len(r.Hits) > 0 && (tree.Sure() || beside)
	if !known {
		governing, err := retrieval.Governing(ctx, search, v.Trees(), r)
		if known = len(governing) > 0; err != nil {
			return nil, err
		}
	}
	wait, done := ctx, func() {}
	if end, ok := ctx.Deadline(); ok { // the other half is for the pack
		wait, done = context.WithTimeout(ctx, time.Until(end)/2)
	}
	defer done()
	if !known {
		known, err = contextpack.Governed(wait, v, text) // documents that are not ready are told for the next prompt
	}
	if known {
		include = append(include, "knowledge")
	}
	if err != nil && ctx.Err() != nil {
		return include, err
	}
	if err := v.Workspace().WaitWords(wait); err != nil {
		return include, ctx.Err() // without code there is knowledge
	}
	e, err := codebase.EvidenceOf(ctx, v.Latest().Code(), text)
	if err == nil && e.Sure() {
		include = append(include, "code")
	}
	return include, err
}

// Edit names the entries that edits of files left behind.
func Edit(ctx context.Context, v *workspace.View, s *Session, files []string, most int) (string, error) {
	w := v.Workspace()
	if err := w.WaitCode(ctx); err != nil {
		return "", err
	}
	if err := w.FollowEdit(ctx); err != nil {
		return "", err
	}
	v = w.View()
	about := naming(v, files)
	look := drift.NewLookup(ctx, v)
	look.Expect(about)
	var lines []string
	for _, entry := range about {
		e, _ := v.Entry(entry)
		for _, d := range look.Of(entry) {
			if !slices.Contains(files, d.Path) && !slices.Contains(files, d.To) {
				continue
			}
			line := fmt.Sprintf("- `%s` (%s): %s", v.FilePath(entry), sanitize.Line(e.Title, 100), sanitize.Line(d.Reason, 200))
			key, state := "drift "+entry+" "+d.Path+d.Symbol+string(d.Kind), e.Hash
			if more := append(lines, line); !s.knows(key, state) && tokens.Count(left(more)) <= most {
				lines = more
				s.fresh(key, state)
			}
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return left(lines), nil
}

// naming are the entries that name files, also those that are gone.
func naming(v *workspace.View, files []string) (entries []string) {
	for _, f := range files {
		for _, ref := range v.Links().About(f, "") {
			entries = append(entries, ref.Entry)
		}
	}
	for _, e := range v.Tree().Entries() {
		if slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return slices.Contains(files, f.Path) }) {
			entries = append(entries, e.Path)
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// left names the entries that an edit left behind.
func left(lines []string) string {
	return frame("entries of the context tree that may no longer match the code you edited", strings.Join(lines, "\n")+"\n") +
		"If an entry is still true, confirm it (operation CONFIRM). If not, propose an update with the tool brv_curate or " +
		"`brv-lsp curate --agent NAME`.\n"
}

// Start returns the text for a host's session as it begins.
func Start(ctx context.Context, v *workspace.View, s *Session, host string, most int) (string, error) {
	if v.Trees().Len() == 0 || export.Loaded(v, host) {
		return "", nil
	}
	text, err := export.Always(ctx, v, most-tokens.Count(frame(everywhere, ""))-seam)
	if err != nil || text == "" || !s.fresh("rules", text) {
		return "", err
	}
	return frame(everywhere, text), nil
}

const everywhere = "the rules for the whole project"

// frame puts a text between tags that it cannot write itself, below a line that says what it is.
func frame(what, text string) string {
	return fmt.Sprintf("From brv-lsp, %s. ", what) + sanitize.FrameNote + sanitize.Frame(text)
}

// told are the entries and files that the session was told as they are.
func (s *Session) told(v *workspace.View) (paths []string) {
	for key, hash := range s.said {
		kind, p, _ := strings.Cut(key, " ")
		if k := pack.Kind(kind); (k == pack.KindEntry || k == pack.KindCode) && hash == hashOf(stateOf(v, k, p)) {
			paths = append(paths, p)
		}
	}
	return paths
}

// tell notes an item of a pack; of one that is named in a line alone the text is still to be told.
func (s *Session) tell(v *workspace.View, i pack.Item) {
	if shows(i) {
		s.fresh(string(i.Kind)+" "+i.Path, stateOf(v, i.Kind, i.Path))
	}
}

// stateOf returns a value that is equal while the text of an entry, a section's document or a file is.
func stateOf(v *workspace.View, kind pack.Kind, p string) string {
	if kind == pack.KindEntry {
		if e, ok := v.Entry(p); ok {
			return e.Hash
		}
		p = pack.EntryFile(p)
	}
	text, _ := v.Text(p)
	return text
}
