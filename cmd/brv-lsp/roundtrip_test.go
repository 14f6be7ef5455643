package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// roundTrip is a project, the program as processes of its own, and a model that they ask over
// HTTP.
type roundTrip struct {
	*testing.T
	program string
	root    string
	env     []string
	model   *llmtest.Server
}

// password stands in what is drafted from, and nowhere else.
const password = "hunter2hunter2X9"

func newRoundTrip(t *testing.T, script string) *roundTrip {
	turns, err := llmtest.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &roundTrip{T: t, program: filepath.Join(dir, "brv-lsp"), root: filepath.Join(dir, "project"), model: llmtest.Serve(t, turns...)}
	r.env = append(os.Environ(), "XDG_CACHE_HOME="+dir+"/cache", "XDG_CONFIG_HOME="+dir+"/config", "HOME="+dir,
		"MODEL_KEY="+llmtest.Key, "USER=ada",
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=ada", "GIT_COMMITTER_EMAIL=a@example.org")
	if err := os.Symlink(self, r.program); err != nil { // TestMain makes this executable the program
		t.Skipf("SKIPPED: %v", err)
	}
	set, err := json.Marshal(map[string]any{"model": settings.Model{Provider: "openai", Endpoint: r.model.URL, Name: "scripted-1",
		KeyVariable: "MODEL_KEY", PatienceSeconds: 60, ContextTokens: 128_000, Log: "texts"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"../config/brv-lsp/" + settings.UserFile: string(set),
		"go.mod":                                 "module example.org/app\n\ngo 1.26\n",
		"up/queue.go":                            "package up\n\n// Retry tries three times.\nfunc Retry() int { return 3 }\n",
		".brv/context-tree/uploads/retries/budget.md": "---\ntitle: Upload retry budget\n---\nThe retry budget of uploads is " +
			"three attempts, as `Retry` in `up/queue.go` has it.\n",
		".brv/context-tree/downloads/resume/resume.md": "---\ntitle: Downloads resume\n---\nA download goes on where it stopped, " +
			"by a range request.\n",
	} {
		r.write(name, text)
	}
	r.git("init", "-q")
	r.git("add", ".")
	r.git("commit", "-qm", "Uploads")
	r.write(
		"up/queue.go",
		"package up\n\n// Retry tries three times, and waits twice as long before each.\nfunc Retry() int { return 3 }\n\nconst "+
			"DB_PASSWORD = \""+password+"\"\n")
	r.git("commit", "-qam", "Wait twice as long before each retry\n\nThe server sheds load for a minute.")
	r.run("trust")
	return r
}

func (r *roundTrip) write(name, text string) {
	r.Helper()
	file := filepath.Join(r.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

func (r *roundTrip) git(args ...string) {
	r.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.root, r.env
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v %s", args, err, out)
	}
}

func (r *roundTrip) command(args ...string) *exec.Cmd {
	c := exec.Command(r.program, args...)
	c.Dir, c.Env = r.root, r.env
	return c
}

// run is a verb on the command line, and what it prints.
func (r *roundTrip) run(args ...string) string {
	r.Helper()
	out, err := r.command(args...).CombinedOutput()
	if err != nil {
		r.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// read is a verb with --json.
func read[T any](r *roundTrip, args ...string) (v T) {
	r.Helper()
	c := r.command(append(args, "--json")...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		r.Fatalf("%v: %v\n%s%s", args, err, out, errs.String())
	}
	if err := json.Unmarshal(out, &v); err != nil {
		r.Fatalf("%v: %v\n%s", args, err, out)
	}
	return v
}

// server starts the program with arguments and returns its pipes; end waits for it.
func (r *roundTrip) server(args ...string) (in io.WriteCloser, out io.Reader, end func()) {
	r.Helper()
	c := r.command(args...)
	in, out, err := piped(c)
	if err != nil {
		r.Fatal(err)
	}
	return in, out, func() {
		if err := c.Wait(); err != nil {
			r.Errorf("%v: %v", args, err)
		}
	}
}

// proposed checks what was drafted: by the model, held, with nothing changed.
func (r *roundTrip) proposed(p drafting.ProposeResponse) (batch int) {
	r.Helper()
	if p.Model != "scripted-1" || p.Report == nil || p.Report.Batch == 0 || p.Report.Summary.Pending != 1 ||
		!strings.Contains(p.Report.Diff, "by model, model scripted-1") {
		r.Fatalf("proposed: %+v %+v", p, p.Report)
	}
	return p.Report.Batch
}

// answered checks an answer: by the model, from the entry that was just approved.
func (r *roundTrip) answered(a consult.QueryResponse, tier int, entry string) {
	r.Helper()
	if a.Tier != tier || a.Model != "scripted-1" || !strings.Contains(a.Markdown, "["+entry+"]") || len(a.Sources) == 0 ||
		a.Sources[0].Author != string(format.OriginModel) {
		r.Errorf("answered: %+v", a)
	}
}

// TestRoundTrip has a model write knowledge, a person approve it, the model answer from it,
// and an editor go where it leads, on the command line, in an editor and for an agent.
func TestRoundTrip(t *testing.T) {
	script, err := os.ReadFile("testdata/roundtrip.script")
	if err != nil {
		t.Fatal(err)
	}
	r := newRoundTrip(t, string(script))
	r.onTheCommandLine()
	r.inAnEditor()
	r.forAnAgent()
	r.requests()
	r.nothingLeaks()
}

func (r *roundTrip) onTheCommandLine() {
	r.Helper()
	batch := r.proposed(read[drafting.ProposeResponse](r, "propose", "--commit", "HEAD"))
	if show := r.run("review", "show", fmt.Sprint(batch)); !strings.Contains(show, "+- Each retry waits twice as long as the last.") {
		r.Errorf("the review shows\n%s", show)
	}
	r.run("review", "approve", fmt.Sprint(batch))
	r.answered(read[consult.QueryResponse](r, "query", "upload retry wait"), 4, "uploads/retries/backoff_doubles.md")
}

func (r *roundTrip) inAnEditor() {
	r.Helper()
	in, out, end := r.server()
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	e := lsptest.Attach(out, in)
	params := fmt.Sprintf(`{"processId":null,"rootUri":%q,"capabilities":{},"initializationOptions":{"trusted":true}}`,
		lsptest.URI(r.root))
	if _, err := e.Initialize(ctx, lsptest.Session{Params: json.RawMessage(params)}); err != nil {
		r.Fatal(err)
	}
	var p drafting.ProposeResponse
	if err := e.Execute(ctx, "brv.propose", map[string]any{"files": []string{"up/queue.go"}, "instruction": "why it waits"},
		&p); err != nil {
		r.Fatal(err)
	}
	batch := r.proposed(p)
	if err := e.Execute(ctx, "brv.approve", map[string]any{"batch": batch, "author": "ada"}, nil); err != nil {
		r.Fatal(err)
	}
	var a consult.QueryResponse
	if err := e.Call(ctx, "brv/query", map[string]any{"text": "why does the queue wait for load"}, &a); err != nil {
		r.Fatal(err)
	}
	r.answered(a, 3, "uploads/retries/load_shedding.md")
	entry := filepath.Join(r.root, ".brv/context-tree/uploads/retries/load_shedding.md")
	text, err := os.ReadFile(entry)
	if err == nil {
		err = e.Open(entry, "markdown", string(text))
	}
	if err != nil {
		r.Fatal(err)
	}
	for mention, want := range map[string]string{"uploads/retries/backoff_doubles.md": "backoff_doubles.md", "up/queue.go": "queue.go"} {
		at := strings.Index(string(text), mention)
		if at < 0 {
			r.Fatalf("the entry does not mention %s:\n%s", mention, text)
		}
		places, err := e.Definition(ctx, entry, at+2)
		if err != nil || len(places) == 0 || !strings.HasSuffix(places[0].URI, want) {
			r.Errorf("%s leads to %v, %v", mention, places, err)
		}
	}
	if _, err := e.Shutdown(ctx); err != nil {
		r.Error(err)
	}
	e.Close()
	end()
}

func (r *roundTrip) forAnAgent() {
	r.Helper()
	in, out, end := r.server("mcp")
	dec := json.NewDecoder(out)
	id := 0
	ask := func(method string, params any) (result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}) {
		r.Helper()
		id++
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			r.Fatal(err)
		}
		if _, err := fmt.Fprintf(in, "%s\n", line); err != nil {
			r.Fatal(err)
		}
		for {
			var m struct {
				ID     *int
				Method string
				Result json.RawMessage
				Error  json.RawMessage
			}
			if err := dec.Decode(&m); err != nil {
				r.Fatal(err)
			}
			if m.Method == "" && m.ID != nil && *m.ID == id {
				if err := json.Unmarshal(m.Result, &result); m.Error != nil || err != nil {
					r.Fatalf("%s: %s %s %v", method, m.Error, m.Result, err)
				}
				return result
			}
		}
	}
	tool := func(name string, arguments any) string {
		r.Helper()
		return ask("tools/call", map[string]any{"name": name, "arguments": arguments}).Content[0].Text
	}
	ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "agent", "version": "1"}})
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	said := tool("brv_curate", map[string]any{"changes": "HEAD"})
	_, rest, held := strings.Cut(said, "Proposed as review ")
	batch, _, _ := strings.Cut(rest, ";")
	if !held || !strings.Contains(said, "Attempts and waits") {
		r.Fatalf("proposed: %s", said)
	}
	number, _ := strconv.Atoi(batch)
	if said := tool("brv_review", map[string]any{"action": "approve", "review": number}); !strings.Contains(said,
		"brv-lsp review approve "+batch) {
		r.Errorf("an agent approves: %s", said)
	}
	r.run("review", "approve", batch)
	entry := map[string]any{"paths": []string{"uploads/retries/attempts_and_waits.md"}}
	said = tool("brv_read", entry)
	for began := time.Now(); strings.Contains(said, "there is no entry or file") && time.Since(began) < tooLate; said = tool("brv_read",
		entry) { // until the server has seen what the command did
	}
	if !strings.Contains(said, "uploads/retries/budget.md") ||
		!strings.Contains(said, "provenance: [by model, model scripted-1, via agent, ") || !strings.Contains(said, "approved by ada]") {
		r.Errorf("read: %s", said)
	}
	if said := tool("brv_query", map[string]any{"question": "how many attempts", "tier_max": 4}); !strings.Contains(said,
		"uploads/retries/attempts_and_waits.md") || !strings.Contains(said, "Three attempts") {
		r.Errorf("answered: %s", said)
	}
	if err := in.Close(); err != nil {
		r.Error(err)
	}
	end()
}

// requests checks what reached the model: the right key, the paper's limits of an answer
// (section 4.2), and no credential.
func (r *roundTrip) requests() {
	r.Helper()
	asked, once, loop := r.model.Requests(), 0, 0
	for i, q := range asked {
		if !q.KeyRight || q.Path != "/v1/chat/completions" || !strings.Contains(q.Body, `"scripted-1"`) {
			r.Errorf("request %d: %s, right key %v", i+1, q.Path, q.KeyRight)
		}
		if strings.Contains(q.Body, password) || strings.Contains(q.Body, llmtest.Key) {
			r.Errorf("request %d holds a credential", i+1)
		}
		switch {
		case len(q.Request.Tools) == 0 && q.Request.MaxTokens == 1024 && q.Request.Temperature == 0.3:
			once++
		case q.Request.MaxTokens == 2048 && q.Request.Temperature == 0.5:
			loop++
		}
	}
	if once != 1 || loop != 4 {
		r.Errorf("%d questions of tier 3 and %d turns of tier 4, of %d requests", once, loop, len(asked))
	}
}

// nothingLeaks looks for the credential in all that was written.
func (r *roundTrip) nothingLeaks() {
	r.Helper()
	files := 0
	err := filepath.WalkDir(filepath.Dir(r.root), func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(p, "/.git/") || strings.HasSuffix(p, "up/queue.go") {
			return err
		}
		data, err := os.ReadFile(p)
		if files++; strings.Contains(string(data), password) || strings.Contains(string(data), llmtest.Key) {
			r.Errorf("%s holds a credential", strings.TrimPrefix(p, filepath.Dir(r.root)))
		}
		return err
	})
	if err != nil || files < 10 {
		r.Errorf("%d files, %v", files, err)
	}
}
