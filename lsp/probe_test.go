package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// long asks for the long versions of tests.
var long = sampletest.Long()

// answerWithin is how long any answer may take in these tests, many times what it takes:
// what has not come by then never will.
const answerWithin = 20 * time.Second

// probe asks a server everything and looks at each string of each answer.
type probe struct {
	t    *testing.T
	e    *lsptest.Editor
	root string // with links resolved: where all places must lie
	name string // of what is asked, for messages

	opened    map[string]bool             // URIs of the documents that the editor itself opened
	echoed    []string                    // what the request names itself
	forbidden string                      // text that no answer may hold
	key       string                      // of the string that is looked at
	command   string                      // that is run now, "" for none
	also      func(method, s, key string) // called with each string, if not nil
	asked     map[string]bool             // methods
	ran       map[string]bool             // commands
	calls     int
	places    int           // URIs and paths seen in answers
	outside   int           // of them outside of root
	slowest   time.Duration // answer
	slowName  string
}

func newProbe(t *testing.T, e *lsptest.Editor, root string) *probe {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	return &probe{t: t, e: e, root: real, forbidden: canaryText, opened: map[string]bool{}, asked: map[string]bool{},
		ran: map[string]bool{}}
}

// call asks, and checks the answer. A refusal is an answer; silence is none.
func (p *probe) call(method string, params any) json.RawMessage {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	var answer json.RawMessage
	p.asked[method] = true
	begin := time.Now()
	err := p.e.Call(ctx, method, params, &answer)
	took := time.Since(begin)
	if p.calls++; took > p.slowest {
		p.slowest, p.slowName = took, method+" "+p.name
	}
	if ctx.Err() != nil {
		p.t.Fatalf("%s, %s: no answer within %v", p.name, method, answerWithin)
	}
	if err != nil {
		if strings.Contains(err.Error(), "panic") || strings.Contains(err.Error(), "-32603") {
			p.t.Errorf("%s, %s: %v", p.name, method, err)
		}
		if len(p.echoed) == 0 && strings.Contains(err.Error(), "unknown key") {
			p.t.Errorf("the probe asks wrongly: %s: %v", method, err)
		}
		p.look(method, err.Error(), "")
		return nil
	}
	p.answer(method, answer)
	return answer
}

// answer looks at each string of a JSON value.
func (p *probe) answer(method string, raw json.RawMessage) {
	p.t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		p.t.Fatalf("%s, %s: %v in %s", p.name, method, err, raw)
	}
	p.each(method, value, "")
}

func (p *probe) each(method string, value any, key string) {
	p.t.Helper()
	switch v := value.(type) {
	case string:
		p.look(method, v, key)
	case []any:
		for _, item := range v {
			p.each(method, item, key)
		}
	case map[string]any:
		for k, item := range v {
			p.each(method, k, "")
			if k != "data" { // the server's own, in its own terms
				p.each(method, item, k)
			} else if raw, err := json.Marshal(item); err == nil && p.also != nil {
				p.also(method, string(raw), k)
			}
		}
	}
}

// linkIn finds what a markdown text makes clickable.
var (
	linkIn  = regexp.MustCompile(`\]\(\s*<?([^)>\s]+)|<([A-Za-z][A-Za-z0-9+.-]*:[^>\s]*)>`)
	imageIn = regexp.MustCompile(`!\[[^\]]*\]\(`)
)

// look checks one string: that it is no place outside of the folder, leads to none, and
// holds nothing that was read there.
func (p *probe) look(method, s, key string) {
	p.t.Helper()
	p.key = key
	if p.also != nil {
		p.also(method, s, key)
	}
	if strings.Contains(s, p.forbidden) {
		p.t.Errorf("%s, %s: the answer holds what lies outside: %.300q", p.name, method, s)
	}
	isPlace := strings.HasSuffix(strings.ToLower(key), "uri") || key == "target"
	if isPlace && strings.HasPrefix(s, "brv://") {
		return
	}
	if isPlace || filepath.IsAbs(s) && !strings.ContainsAny(s, "\n ") && !slices.Contains(quotes, key) {
		p.place(method, s)
	}
	if key == "value" || key == "contents" || key == "documentation" || key == "message" || key == "tooltip" {
		if imageIn.MatchString(s) && key != "newText" {
			p.wrong(method, fmt.Sprintf("an image in %.200q", s))
		}
		for _, m := range linkIn.FindAllStringSubmatch(s, -1) {
			p.clickable(method, m[1]+m[2], s)
		}
	}
}

// quotes are the keys of strings that quote what a file or request says: texts, and
// imports as they are written.
var quotes = []string{"newText", "label", "message", "specs", "detail", "filterText", "insertText", "placeholder", "name"}

// clickable checks the target of a link in markdown.
func (p *probe) clickable(method, target, text string) {
	p.t.Helper()
	u, err := url.Parse(target)
	switch {
	case err != nil:
		p.wrong(method, "a link to "+target+" in "+text)
	case u.Scheme == "file":
		p.place(method, target)
	case u.Scheme != "" && u.Scheme != "brv" && u.Scheme != "http" && u.Scheme != "https": // of the web is what the user has to follow
		p.wrong(method, fmt.Sprintf("a link to %q in %.200q", target, text))
	}
}

// place checks that a URI or path lies in the folder, wherever its links lead.
func (p *probe) place(method, s string) {
	p.t.Helper()
	if method == "workspace/diagnostic" && strings.HasPrefix(s, lsptest.URI(p.root)+"/") && !strings.Contains(s, "..") {
		return // that a name in the folder is a link out of it is what the list says
	}
	if p.places++; p.opened[s] || slices.Contains(p.echoed, s) {
		return // wherever it lies: the editor named it
	}
	path := s
	if !filepath.IsAbs(s) {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "file" || u.Host != "" {
			p.wrong(method, s)
			return
		}
		path = u.Path
	}
	path = filepath.Clean(path)
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			rel, _ := filepath.Rel(at, path)
			path = filepath.Join(real, rel)
			break
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if rel, err := filepath.Rel(p.root, path); err != nil || !filepath.IsLocal(rel) {
		p.wrong(method, s)
	}
}

func (p *probe) wrong(method, what string) {
	p.t.Helper()
	p.outside++
	what += " (in " + p.key + ")"
	p.t.Errorf("%s, %s: outside: %.400s", p.name, method, what)
}

// open opens a document.
func (p *probe) open(file, text string) {
	p.t.Helper()
	p.opened[lsptest.URI(file)] = true
	if err := p.e.Open(file, "", text); err != nil {
		p.t.Fatal(err)
	}
}

// everywhere asks all there is to ask about a document and a place in it.
func (p *probe) everywhere(file, text string, offset int) {
	p.t.Helper()
	at := lsptest.PositionIn(text, offset, p.e.Encoding())
	rng := lsptest.Range{Start: at, End: at}
	place := func(extra map[string]any) map[string]any {
		m := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(file)}, "position": at}
		maps.Copy(m, extra)
		return m
	}
	var diagnostics struct{ Items []json.RawMessage }
	_ = json.Unmarshal(p.call("textDocument/diagnostic", place(nil)), &diagnostics)
	around := diagnostics.Items[:min(len(diagnostics.Items), 20)]
	for _, ask := range []struct {
		method string
		more   map[string]any
	}{
		{"hover", nil}, {"definition", nil},
		{"references", map[string]any{"context": map[string]any{"includeDeclaration": true}}},
		{"completion", map[string]any{"context": map[string]any{"triggerKind": 1}}},
		{"codeAction", map[string]any{"range": rng, "context": map[string]any{"diagnostics": around}}},
		{"inlayHint", map[string]any{"range": rng}}, {"semanticTokens/range", map[string]any{"range": rng}},
		{"prepareRename", nil}, {"rename", map[string]any{"newName": "other_name"}},
	} {
		p.follow(ask.method, p.call("textDocument/"+ask.method, place(ask.more)))
	}
	for _, command := range []string{"brv.reviewEntry", "brv.openEntry", "brv.curateSelection", "brv.showReferences", "brv.showReview"} {
		p.execute(command, map[string]any{"uri": lsptest.URI(file), "position": at, "range": rng})
	}
}

// whole asks all there is to ask about a document as a whole.
func (p *probe) whole(file string) {
	p.t.Helper()
	uri := lsptest.URI(file)
	m := map[string]any{
		"textDocument": map[string]any{"uri": uri}, "options": map[string]any{"tabSize": 2, "insertSpaces": true},
		"previousResultId": "1",
		"range":            lsptest.Range{End: lsptest.Position{Line: 1000}},
	}
	for _, method := range []string{
		"diagnostic", "documentLink", "codeLens", "documentSymbol", "foldingRange", "semanticTokens/full",
		"inlayHint",
	} {
		p.follow(method, p.call("textDocument/"+method, m))
	}
	p.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": uri, "newUri": uri + ".moved.md"}}})
	p.call("workspace/willDeleteFiles", map[string]any{"files": []any{map[string]any{"uri": uri}}})
	p.call("brv/context", map[string]any{"uri": uri, "task": "sign", "budgetTokens": 1000})
}

// further are the questions that a client asks about the items of an answer.
var further = map[string][]string{
	"codeAction": {"codeAction/resolve"}, "completion": {"completionItem/resolve"},
}

// follow asks for the rest of the items of a list.
func (p *probe) follow(method string, list json.RawMessage) {
	p.t.Helper()
	var items []json.RawMessage
	var inside struct{ Items []json.RawMessage }
	if json.Unmarshal(list, &inside) == nil {
		items = inside.Items
	} else if json.Unmarshal(list, &items) != nil {
		return
	}
	for _, then := range further[method] {
		for _, item := range items[:min(len(items), followed)] {
			p.call(then, item)
		}
	}
}

// followed is how many items of an answer are asked about.
const followed = 8

// folder asks all there is to ask about the folder.
func (p *probe) folder() {
	p.t.Helper()
	for _, q := range []string{"", "secret", "sign"} {
		p.follow("symbol", p.call("workspace/symbol", map[string]any{"query": q}))
	}
	p.call("workspace/diagnostic", map[string]any{"previousResultIds": []any{}})
	for name, argument := range reading {
		p.execute(name, argument)
	}
	for method, name := range map[string]string{
		"brv/query": "query", "brv/search": "search", "brv/expand": "expand", "brv/read": "read", "brv/frame": "frame",
		"brv/map": "map", "brv/graph": "graph",
		"brv/status": "status", "brv/curate/plan": "draft", "brv/curate/propose": "propose",
		"brv/review/list": "reviews", "brv/review/proposed": "proposed", "brv/knowledge": "knowledge", "brv/here": "here",
		"brv/curate/promote": "promote",
	} {
		p.call(method, reading["brv."+name])
	}
	for _, kind := range []string{"pack", "answer", "review"} {
		p.call("workspace/textDocumentContent", map[string]any{"uri": "brv://" + kind + "/1"})
	}
}

// reading are the commands that write nothing, and what they are asked.
var reading = map[string]map[string]any{
	"brv.check": {}, "brv.status": {}, "brv.map": {}, "brv.reviews": {}, "brv.log": {},
	"brv.import":  {"dir": "."}, // of the process: there are no notes in it
	"brv.promote": {"path": "plain.md", "topic": "notes/plain", "dryRun": true},
	"brv.reindex": {}, "brv.knowledge": {"filter": "e"}, "brv.here": {"path": "auth.go", "offset": 40},
	"brv.pack":  {"task": "secret sign token", "budgetTokens": 4000},
	"brv.query": {"text": "secret token"}, "brv.search": {"text": "secret token"}, "brv.symbols": {"query": "SignToken"},
	"brv.frame":  {"text": "what a file says"},
	"brv.read":   {"paths": []string{tokens, "auth.go", "evil.go", ".brv/context-tree/evil.md"}, "budgetTokens": 4000},
	"brv.deps":   {"path": "auth.go"},
	"brv.graph":  {"svg": true},
	"brv.expand": {"paths": []string{"auth.go", "evil.go"}, "budgetTokens": 4000}, "brv.draft": {"path": "auth.go", "start": 0,
		"end": 12},
	"brv.propose": {"folder": ".", "dryRun": true}, "brv.proposed": {"batch": 1, "path": "auth/jwt/tokens.md"},
	"brv.dream": {"dryRun": true}, "brv.dreams": {},
}

func (p *probe) execute(command string, argument map[string]any) json.RawMessage {
	p.t.Helper()
	p.command = command
	answer := p.call("workspace/executeCommand", map[string]any{"command": command, "arguments": []any{argument}})
	p.command = ""
	p.ran[command] = p.ran[command] || p.also == nil || answer != nil
	return answer
}

// complete checks that each call of the server's table was asked, and each command.
func (p *probe) complete(commands []string) {
	p.t.Helper()
	calls, _ := lsp.Methods()
	for _, name := range calls {
		if !p.asked[name] && name != "initialize" && name != "shutdown" {
			p.t.Errorf("%s was never asked: add it to one of the questions of probe_test.go", name)
		}
	}
	for _, name := range commands {
		if !p.ran[name] && !slices.Contains(writing, name) {
			p.t.Errorf("%s was never run: add it to one of the questions of probe_test.go", name)
		}
	}
}

// writing are the commands that change the tree; they are sent with forged arguments only.
var writing = []string{"brv.init", "brv.curate", "brv.approve", "brv.reject", "brv.undo", "brv.dreamUndo", "brv.archive"}

// received checks what the server sent by itself.
func (p *probe) received() {
	p.t.Helper()
	for _, m := range p.e.Received("") {
		p.answer(m.Method, m.Params)
	}
}

// add counts what another probe asked.
func (p *probe) add(q *probe) {
	p.calls, p.places, p.outside = p.calls+q.calls, p.places+q.places, p.outside+q.outside
	if q.slowest > p.slowest {
		p.slowest, p.slowName = q.slowest, q.slowName
	}
}

// report prints what was asked.
func (p *probe) report() {
	p.t.Logf("%d calls, %d places in the answers, %d outside; slowest %v (%s)", p.calls, p.places, p.outside,
		p.slowest.Round(time.Millisecond), p.slowName)
}
