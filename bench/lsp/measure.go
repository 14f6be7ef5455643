package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

const (
	tabs       = 20 // documents that are open beside the one typed in
	warmWithin = 3 * time.Minute
	// settles is the longest time that work may go on after typing ends: debounced work, and a syntax worker
	// that stays for ten seconds.
	settles = 12 * time.Second
	idleFor = 10 * time.Second
)

// kind is one kind of request. params makes the next request, or none at a moment that does not fit; right
// reports whether an answer is correct.
type kind struct {
	name, method string
	needs        string // the server's capability, "" for none
	params       func(*session) (params object, right func(json.RawMessage) bool)
}

// kinds are all requests, in the order of the report.
var kinds = []kind{
	{"hover on a relation", "textDocument/hover", "hoverProvider", (*session).onLink},
	{"hover on a symbol", "textDocument/hover", "brv", (*session).onSymbol},
	{"definition", "textDocument/definition", "definitionProvider", (*session).onLink},
	{"documentLink, typed in", "textDocument/documentLink", "documentLinkProvider", (*session).links},
	{"references", "textDocument/references", "referencesProvider", (*session).references},
	{"completion, typed in", "textDocument/completion", "completionProvider", (*session).completion},
	{"workspace/symbol", "workspace/symbol", "workspaceSymbolProvider", (*session).symbol},
	{"codeAction", "textDocument/codeAction", "codeActionProvider", (*session).action},
	{"documentSymbol, typed in", "textDocument/documentSymbol", "documentSymbolProvider", (*session).typedIn},
	{"foldingRange, typed in", "textDocument/foldingRange", "foldingRangeProvider", (*session).typedIn},
	{"semanticTokens, typed in", "textDocument/semanticTokens/full", "semanticTokensProvider", (*session).typedIn},
	{"diagnostic, typed in", "textDocument/diagnostic", "diagnosticProvider", (*session).typedIn},
}

// session is one long session with a server.
type session struct {
	*client
	ctx  context.Context
	p    *project
	who  contender
	can  map[string]json.RawMessage
	o    options
	open []document // the tabs: half entries, half code
	t    *typist
	rand *rand.Rand
	out  *server
}

// measure starts a server as often as needed, types and asks.
func measure(ctx context.Context, p *project, who contender, o options) (*server, error) {
	out := &server{Name: who.name, Ours: who.ours}
	starts := o.starts
	if !who.ours {
		starts = min(starts, 5)
	}
	for range starts {
		c, err := start(ctx, who.command)
		if err != nil {
			return nil, err
		}
		took, _, err := c.initialize(p.root, !o.blind)
		if err == nil {
			err = c.leave(who)
		}
		c.Kill()
		if err != nil {
			return nil, err
		}
		out.took("initialize, from the start of the process", process.Milliseconds(took), false, true)
	}
	c, err := start(ctx, who.command)
	if err != nil {
		return nil, err
	}
	defer c.Kill()
	s := &session{client: c, ctx: ctx, p: p, who: who, o: o, rand: rand.New(rand.NewPCG(1, 2)), out: out}
	if err := s.all(); err != nil {
		return nil, errors.Join(err, c.Said())
	}
	return out, nil
}

// all is the session.
func (s *session) all() error {
	var err error
	if _, s.can, err = s.initialize(s.p.root, !s.o.blind); err != nil {
		return err
	}
	if s.who.ours {
		s.can["brv"] = nil
	}
	if err := s.openTabs(); err != nil {
		return err
	}
	if err := s.warm(); err != nil {
		return err
	}
	if s.o.each {
		if err := s.each(); err != nil {
			return err
		}
		return s.leave(s.who)
	}
	entry := s.p.linked[len(s.p.linked)/3]
	to := path.Dir(entry.path) + "/" + entry.wants
	if err := s.phase("entry", newTypist(entry, " see [x]("+entry.wants+") and @"+to+" now.")); err != nil {
		return err
	}
	if len(s.p.code) > 0 && s.who.ours {
		if err := s.phase("code", newTypist(s.p.code[len(s.p.code)/3], "// see @brv:"+to+" for the reasons.")); err != nil {
			return err
		}
	}
	s.idle()
	return s.leave(s.who)
}

// each asks for a hover about each place, once.
func (s *session) each() error {
	for _, d := range slices.Concat(s.p.linked, s.p.code) {
		k := kinds[0]
		if d.language != "markdown" {
			k = kinds[1]
		}
		k.params = func(*session) (object, func(json.RawMessage) bool) { return d.at(), holds(d.wants) }
		if err := s.ask("", k, false); err != nil {
			return err
		}
	}
	return nil
}

// leave ends a session. How a peer ends is not what is measured.
func (c *client) leave(who contender) error {
	if err := c.close(); who.ours {
		return err
	}
	return nil
}

// openTabs opens what is asked about besides the document that is typed in.
func (s *session) openTabs() error {
	for i := range tabs {
		from := s.p.linked
		if i%2 == 1 && len(s.p.code) > 0 && s.who.ours {
			from = s.p.code
		}
		d := from[i*len(from)/tabs]
		s.open = append(s.open, d)
		n := (&typist{d: d}).open()
		if err := s.notify(n.method, n.params); err != nil {
			return err
		}
	}
	return nil
}

// whole waits until our server has read all and indexed it, and is at rest: until then it
// answers from a part, and says so.
func (s *session) whole(began time.Time) error {
	if _, _, err := s.call("workspace/executeCommand", object{"command": "brv.symbols",
		"arguments": []object{{"query": "main"}}}); err != nil {
		return err
	}
	for {
		raw, _, err := s.call("workspace/executeCommand", object{"command": "brv.query",
			"arguments": []object{{"text": "window message"}}})
		if err != nil {
			return err
		}
		if !bytes.Contains(raw, []byte(`"degraded"`)) {
			break
		}
		if time.Since(began) > warmWithin {
			return fmt.Errorf("brv.query answers from a part after %s: %.200s", warmWithin, raw)
		}
	}
	for { // the history, the comparison with the code and the caches come behind it
		used, since := s.Tree().CPU, time.Now()
		select {
		case <-time.After(restful):
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
		if share := (s.Tree().CPU - used).Seconds() / time.Since(since).Seconds(); share < rest || time.Since(began) > warmWithin {
			return nil
		}
	}
}

// A server is at rest that uses less than this share of a core for so long.
const (
	rest    = 0.02
	restful = 2 * time.Second
)

// warm asks until links and symbols are answered: a server reads its project first.
func (s *session) warm() error {
	began, used := time.Now(), s.Tree().CPU
	for _, k := range kinds {
		if k.name != "references" && k.needs != "brv" {
			continue
		}
		if !s.has(k) {
			continue
		}
		for {
			params, right := k.params(s)
			raw, _, err := s.call(k.method, params)
			if err == nil && right(raw) {
				break
			}
			if time.Since(began) > warmWithin {
				return fmt.Errorf("%s: no right answer within %s: %.200s %v", k.name, warmWithin, raw, err)
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-s.ctx.Done():
				return s.ctx.Err()
			}
		}
	}
	s.out.FirstMS = process.Milliseconds(time.Since(began))
	if s.who.ours {
		if err := s.whole(began); err != nil {
			return err
		}
	}
	s.out.WarmMS, s.out.WarmCPU = process.Milliseconds(time.Since(began)), (s.Tree().CPU - used).Seconds()
	return nil
}

func (s *session) has(k kind) bool {
	raw, ok := s.can[k.needs]
	return k.needs == "" || ok && string(raw) != "false" && string(raw) != "null" || k.needs == "brv" && s.who.ours
}

// phase types into one document and asks meanwhile, one request after the other; the
// first ones come directly behind a key.
func (s *session) phase(name string, t *typist) error {
	s.t = t
	if err := s.notify(t.open().method, t.open().params); err != nil {
		return err
	}
	used, began := s.Tree().CPU, time.Now()
	next, turn := began, 0
	for time.Since(began) < s.o.typing {
		key := t.key()
		if err := s.change(key); err != nil {
			return err
		}
		next = next.Add(pause)
		for first := true; time.Now().Before(next) || first; first = false {
			k := kinds[turn%len(kinds)]
			turn++
			if err := s.ask(name, k, first); err != nil {
				return err
			}
			if turn%(4*len(kinds)) == 0 && s.who.ours {
				if err := s.cancel(name); err != nil {
					return err
				}
			}
			s.rest(next)
		}
		time.Sleep(time.Until(next))
		s.out.sample(s.Tree())
	}
	s.out.Typing = append(s.out.Typing, typed{name, (s.Tree().CPU - used).Seconds() / time.Since(began).Seconds()})
	return s.notify("textDocument/didClose", t.d.identity())
}

// rest waits a moment between two requests, as an editor's user does, but not beyond the
// next key.
func (s *session) rest(next time.Time) {
	d := time.Duration(s.rand.IntN(15)) * time.Millisecond
	time.Sleep(min(d, max(0, time.Until(next))))
}

// change sends one edit, followed by a request that no server knows.
func (s *session) change(key notification) error {
	p, err := s.begin("bench/unknown", object{}, key)
	if err != nil {
		return err
	}
	r, err := s.wait(p)
	if err != nil {
		return err
	}
	s.out.took("didChange", process.Milliseconds(r.at.Sub(p.sent)), true, r.Error != nil)
	return nil
}

// ask sends one request, if the moment fits it, and books the answer.
func (s *session) ask(phase string, k kind, behindKey bool) error {
	if !s.has(k) {
		return nil
	}
	params, right := k.params(s)
	if params == nil {
		return nil
	}
	raw, took, err := s.call(k.method, params)
	if err != nil && (!errors.Is(err, errAnswer) || s.who.ours) {
		return err
	}
	ok := err == nil && right(raw)
	s.out.took(k.name, process.Milliseconds(took), behindKey, ok)
	if !ok {
		s.out.missed(k.name, params)
	}
	return nil
}

// cancel asks for a pack and takes it back.
func (s *session) cancel(string) error {
	p, err := s.begin("brv/context", object{"task": "change how " + s.title() + " works", "budgetTokens": 8000 + s.rand.IntN(1000)})
	if err != nil {
		return err
	}
	time.Sleep(2 * time.Millisecond) // so that the work has begun
	asked := time.Now()
	if err := s.notify("$/cancelRequest", object{"id": p.id}); err != nil {
		return err
	}
	r, err := s.wait(p)
	if err != nil {
		return err
	}
	const cancelled = -32800
	s.out.took("cancel to answer", process.Milliseconds(r.at.Sub(asked)), false, r.Error == nil || r.Error.Code == cancelled)
	return nil
}

// idle sends no requests for a while, and records the server's processor time and memory.
func (s *session) idle() {
	time.Sleep(settles)
	before := s.Tree()
	time.Sleep(idleFor)
	after := s.Tree()
	s.out.sample(after)
	s.out.IdleCPU = (after.CPU - before.CPU).Seconds() / idleFor.Seconds()
	s.out.RestMiB = float64(after.PSS) / (1 << 20)
}

func (s *session) tab(entry bool) document {
	for {
		d := s.open[s.rand.IntN(len(s.open))]
		if (d.language == "markdown") == entry {
			return d
		}
	}
}

func holds(want string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool { return bytes.Contains(raw, []byte(want)) }
}

func (s *session) onLink() (object, func(json.RawMessage) bool) {
	d := s.tab(true)
	return d.at(), holds(d.wants)
}

func (s *session) onSymbol() (object, func(json.RawMessage) bool) {
	if !s.who.ours || len(s.p.code) == 0 {
		return nil, nil
	}
	d := s.tab(false)
	return d.at(), holds(d.wants)
}

func (s *session) links() (object, func(json.RawMessage) bool) {
	want := s.t.d.wants
	if s.t.d.language != "markdown" {
		want = "" // a code file may have none
	}
	return s.t.d.identity(), holds(want)
}

func (s *session) references() (object, func(json.RawMessage) bool) {
	d := s.tab(true)
	p := d.at()
	p["context"] = object{"includeDeclaration": false}
	return p, holds(path.Base(d.file))
}

// completion asks at the cursor, where a link is being typed.
func (s *session) completion() (object, func(json.RawMessage) bool) {
	place, typed := s.t.cursor()
	_, inLink, _ := strings.Cut(typed, "](")
	_, inRelation, _ := strings.Cut(typed, "@")
	linking := inLink != "" && !strings.Contains(inLink, ")")
	relating := strings.Contains(inRelation, "/") && !strings.Contains(inRelation, " ")
	if !linking && (!relating || !s.who.ours) {
		return nil, nil
	}
	p := s.t.d.identity()
	p["position"] = place
	return p, holds(`"label"`)
}

func (s *session) title() string { return s.p.titles[s.rand.IntN(len(s.p.titles))] }

func (s *session) symbol() (object, func(json.RawMessage) bool) {
	word := s.title()
	return object{"query": word[:3+s.rand.IntN(len(word)-2)]}, holds(`"name"`)
}

// action asks what can be done at the cursor, or about the line of a link.
func (s *session) action() (object, func(json.RawMessage) bool) {
	p := s.t.d.identity()
	place, _ := s.t.cursor()
	at := object{"start": place, "end": place}
	if s.rand.IntN(2) == 0 {
		d := s.tab(true)
		p = d.identity()
		at = object{"start": object{"line": d.line, "character": 0}, "end": object{"line": d.line, "character": d.column}}
	}
	p["range"], p["context"] = at, object{"diagnostics": []any{}, "triggerKind": 2}
	return p, func(json.RawMessage) bool { return true }
}

func (s *session) typedIn() (object, func(json.RawMessage) bool) {
	return s.t.d.identity(), func(json.RawMessage) bool { return true }
}
