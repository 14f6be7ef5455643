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
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/ipc"
	"github.com/brv-lsp/brv-lsp/internal/panics"
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
		} else if !i.Form.OneLine() {
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
	if !i.Form.OneLine() {
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

// Session records the texts that an agent's session was given. It is kept in the user's cache and never in the project; where it is
// lost something is told twice.
type Session struct {
	file cachefile.File
	said map[string]string // by what it was about: the state in which it was told
	new  bool
}

// The bounds of a session: one that is told more begins to hear things again.
const (
	maxSaid      = 1000
	maxSession   = 1 << 20 // bytes
	sessionsForm = "session 1"
)

// OpenSession reads what the session of that name in a folder was told. Without a name nothing is known of it and
// nothing kept.
func OpenSession(cache, root, name string) *Session {
	s := &Session{said: map[string]string{}}
	if cache == "" || name == "" {
		return s
	}
	s.file = cachefile.Of(cache, "session", root+"\x00"+name)
	blocks, err := s.file.Read(sessionsForm, maxSession)
	if err != nil || len(blocks) != 1 {
		return s
	}
	for line := range strings.Lines(string(blocks[0])) {
		if hash, key, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			s.said[key] = hash
		}
	}
	return s
}

// knows reports whether something was told in this state.
func (s *Session) knows(key, state string) bool {
	return s.said[strings.ReplaceAll(key, "\n", " ")] == hashOf(state)
}

// fresh reports whether something is to be told: it was not, or said something else then. It is noted as told.
func (s *Session) fresh(key, state string) bool {
	if s.knows(key, state) {
		return false
	}
	if len(s.said) >= maxSaid {
		clear(s.said)
	}
	s.said[strings.ReplaceAll(key, "\n", " ")], s.new = hashOf(state), true
	return true
}

// Forget lets the session be told all again: what it was told is no longer before it.
func (s *Session) Forget() {
	s.new = s.new || len(s.said) > 0
	clear(s.said)
}

// Keep keeps what is new.
func (s *Session) Keep() error {
	if !s.new || s.file == (cachefile.File{}) {
		return nil
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.said)) {
		b.WriteString(s.said[key] + " " + key + "\n")
	}
	return s.file.Write(sessionsForm, cachefile.Block{[]byte(b.String())})
}

func hashOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:8])
}

// Request is an event of a session: it begins in a host, there is a prompt, or files were edited.
type Request struct {
	Begins string   `json:"begins,omitempty"`
	Prompt string   `json:"prompt,omitempty"`
	Files  []string `json:"files,omitempty"` // paths of the folder
	Max    int      `json:"max"`             // tokens
	WaitMs int      `json:"waitMs"`          // how long it may take
}

// Answer returns the text for the agent at an event; "" where there is none.
func (r Request) Answer(ctx context.Context, v *workspace.View, s *Session) (string, error) {
	switch {
	case !v.HasTree(): // a hook of a user's own runs in every folder
		return "", nil
	case r.Begins != "":
		return Start(ctx, v, s, r.Begins, r.Max)
	case r.Prompt != "":
		return Prompt(ctx, v, s, r.Prompt, r.Max, r.WaitMs)
	}
	return Edit(ctx, v, s, r.Files, r.Max)
}

// exchange is a question to a process that has the folder open, and its answer.
type exchange struct {
	Request Request           `json:"request"`
	Said    map[string]string `json:"said"` // of the session, before and then
	Text    string            `json:"text"`
}

// Serve answers events for other processes of this user, which keep the session, until ctx ends.
func Serve(ctx context.Context, w *workspace.Workspace, cache string) error {
	return ipc.Listen(ctx, cache, w.Root(), func(ctx context.Context, question []byte) (answer []byte) {
		var x exchange
		_ = panics.Try(func() error { // of an event that cannot be answered nothing is told
			if err := json.Unmarshal(question, &x); err != nil {
				return err
			}
			if x.Request.WaitMs > 0 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, time.Duration(x.Request.WaitMs)*time.Millisecond)
				defer cancel()
			}
			s := OpenSession("", "", "")
			for key, state := range x.Said {
				s.said[key] = state
			}
			text, err := x.Request.Answer(ctx, w.View(), s)
			if err == nil && ctx.Err() == nil {
				answer, err = json.Marshal(exchange{Said: s.said, Text: text})
			}
			return err
		})
		return answer
	})
}

// askedShare is how much of the time, in percent, is for others: the rest is for opening the folder, where they hang.
const askedShare = 75

// AskServed asks a process that has the folder open; ok is false where none answers.
func AskServed(ctx context.Context, cache, root string, r Request, s *Session) (text string, ok bool) {
	r.WaitMs = r.WaitMs * askedShare / 100
	ctx, done := ctx, func() {}
	if r.WaitMs > 0 {
		ctx, done = context.WithTimeout(ctx, time.Duration(r.WaitMs)*time.Millisecond)
	}
	defer done()
	question, err := json.Marshal(exchange{Request: r, Said: s.said})
	if err != nil {
		return "", false
	}
	answer, ok := ipc.Ask(ctx, cache, root, question)
	var x exchange
	if !ok || json.Unmarshal(answer, &x) != nil {
		return "", false
	}
	if x.Text != "" && x.Said != nil {
		s.said, s.new = x.Said, true
	}
	return x.Text, true
}
