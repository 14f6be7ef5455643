//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// offline runs the program where there is no network: in a network namespace without an
// interface that is up, with each system call that makes a socket written down.
type offline struct {
	*testing.T
	program string
	root    string   // the folder that is worked in
	env     []string // with keys of models, which nothing may use
	calls   string   // the file that strace writes
}

// newOffline skips the test, and says so, where the system has no such namespaces, or no
// strace.
func newOffline(t *testing.T) *offline {
	for _, tool := range []string{"unshare", "strace", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: what sockets the program opens is NOT known: %v", err)
		}
	}
	if out, err := exec.Command("unshare", "-rn", "strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=socket",
		"true").CombinedOutput(); err != nil {
		t.Skipf(
			"SKIPPED: what sockets the program opens is NOT known: this system lets nobody make a network namespace or trace a "+
				"program in it: %v %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := &offline{T: t, program: filepath.Join(dir, "brv-lsp"), root: filepath.Join(dir, "project")}
	if err := os.Symlink(self, o.program); err != nil { // TestMain makes this executable the program
		t.Fatal(err)
	}
	o.env = append(slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "XDG_") ||
			strings.HasPrefix(s, "BRV_")
	}),
		"XDG_CACHE_HOME="+dir+"/cache", "XDG_CONFIG_HOME="+dir+"/config", "HOME="+dir, "OPENAI_API_KEY=canary",
		"ANTHROPIC_API_KEY=canary",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	for name, text := range map[string]string{
		"go.mod": "module example.org/app\n\ngo 1.26\n",
		"notes.md": "# Uploads\n\nUploads are tried again. See https://example.org/uploads and " +
			"![p](https://example.org/p.png).\n",
		"up/up.go": "package up\n\n// Retry tries three times.\nfunc Retry() int { return 3 }\n",
		".brv/context-tree/net/up/up.md": "---\ntitle: Upload retry budget\n---\nThe retry budget of uploads is three " +
			"attempts, as `Retry` in `up/up.go` has it. See https://example.org and @net/down/down.md.\n",
		".brv/context-tree/net/down/down.md": "---\ntitle: Download retry budget\n---\nThe retry budget of downloads is five " +
			"attempts.\n",
		".brv/context-tree/misc/other/note.md": "---\ntitle: Colours\n---\nThe palette of buttons.\n",
	} {
		o.write(name, text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", "https://example.org/app.git"}, {"add", "."},
		{"commit", "-qm", "Retry uploads"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = o.root, o.env
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return o
}

func (o *offline) write(name, text string) {
	o.Helper()
	file := filepath.Join(o.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		o.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		o.Fatal(err)
	}
}

// command is the program with arguments, without a network if isolated.
func (o *offline) command(isolated bool, args ...string) *exec.Cmd {
	o.calls = filepath.Join(o.TempDir(), "calls")
	line := append([]string{"strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=socket", "-o", o.calls, o.program}, args...)
	if isolated {
		line = append([]string{"unshare", "-rn"}, line...)
	}
	c := exec.Command(line[0], line[1:]...)
	c.Dir, c.Env = o.root, o.env
	return c
}

// unixSocket is a call that makes a socket inside the machine.
var unixSocket = regexp.MustCompile(`socket\((AF_UNIX|AF_LOCAL),`)

// opened are the calls for other sockets than those inside the machine.
func (o *offline) opened() (calls []string) {
	o.Helper()
	data, err := os.ReadFile(o.calls)
	if err != nil {
		o.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "socket(") && !unixSocket.MatchString(line) {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	return calls
}

// checkNone fails where the last command opened a socket to anywhere.
func (o *offline) checkNone(what string) {
	o.Helper()
	if calls := o.opened(); len(calls) > 0 {
		o.Errorf("%s opens sockets:\n%s", what, strings.Join(calls, "\n"))
	}
}

// TestNoSocketsWithoutAModel: without a model the program talks to nobody, whoever starts it.
func TestNoSocketsWithoutAModel(t *testing.T) {
	if sampletest.RaceSlows > 1 {
		t.Skip("./test offline runs it without the race detector, which traced programs bear badly")
	}
	o := newOffline(t)
	o.tracingWorks()
	for _, args := range [][]string{
		{"trust"}, {"status"}, {"check", "--code"}, {"query", "retry budget three"}, {"search", "retry"}, {"map", "--task", "retry"},
		{"deps", "up/up.go"}, {"symbols", "Retry"}, {"graph", "--svg"},
		{"pack", "--task", "retry uploads", "--budget", "2000"}, {"curate", "--dry-run", "--op", "ADD", "--path", "net/up", "--title",
			"New", "--summary", "See https://example.org", "--reason", "r"},
		{"model"}, {"version"},
		{"propose", "--dry-run", "--commit", "HEAD"}, {"propose", "up/up.go", "notes.md"}, {"propose", "--selection", "up/up.go:3-4"},
		{"propose", "--folder", "up", "--dry-run"}, {"propose", "--changes", "worktree", "--dry-run"},
		{"curate", "--agent", "a", "--op", "ADD", "--path", "net/up", "--title", "Held", "--summary", "See https://example.org",
			"--reason", "r"},
		{"review"}, {"review", "show", "1"}, {"review", "approve", "1"}, {"review", "reject", "2"}, {"undo"}, {"log"},
	} {
		c := o.command(true, args...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		o.checkNone(strings.Join(args, " "))
	}
	o.languageServer()
	o.toolServer()
}

// tracingWorks asks a model on this machine: that must be seen.
func (o *offline) tracingWorks() {
	o.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	raw, err := json.Marshal(map[string]any{"model": settings.Model{Provider: "openai", Endpoint: server.URL + "/v1", Name: "m",
		PatienceSeconds: 5, Log: "off"}})
	if err != nil {
		o.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(o.root), "config", "brv-lsp", settings.UserFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		o.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		o.Fatal(err)
	}
	out, err := o.command(false, "model", "--try").CombinedOutput()
	if err == nil || !strings.Contains(strings.Join(o.opened(), "\n"), "AF_INET") {
		o.Errorf("a socket is not noticed: %v\n%s", err, out)
	}
	if err := os.Remove(file); err != nil {
		o.Fatal(err)
	}
}

// languageServer is a session of an editor that says that the folder is trusted.
func (o *offline) languageServer() {
	o.Helper()
	c := o.command(true)
	in, out, err := piped(c)
	if err != nil {
		o.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(o.Context(), time.Minute)
	defer cancel()
	e := lsptest.Attach(out, in)
	params := fmt.Sprintf(
		`{"processId":null,"rootUri":%q,"capabilities":{},"initializationOptions":{"trusted":true,"editorModel":true,"secrets":true}}`, lsptest.URI(o.root))
	if _, err := e.Initialize(ctx, lsptest.Session{Params: json.RawMessage(params)}); err != nil {
		o.Fatal(err)
	}
	entry := filepath.Join(o.root, ".brv/context-tree/net/up/up.md")
	text, err := os.ReadFile(entry)
	if err != nil {
		o.Fatal(err)
	}
	if err := e.Open(entry, "markdown", string(text)); err != nil {
		o.Fatal(err)
	}
	if _, err := e.Hover(ctx, entry, bytes.Index(text, []byte("@net"))+2); err != nil {
		o.Error(err)
	}
	if _, err := e.Links(ctx, entry); err != nil {
		o.Error(err)
	}
	for method, request := range map[string]map[string]any{
		"brv/query": {"text": "retry budget three"}, "brv/search": {"text": "retry"}, "brv/context": {"task": "retry uploads",
			"budgetTokens": 2000},
		"brv/map": {}, "brv/status": {}, "brv/review/list": nil, "brv/curate/propose": {"files": []string{"notes.md"}, "dryRun": true},
	} {
		if err := e.Call(ctx, method, request, nil); err != nil {
			o.Errorf("%s: %v", method, err)
		}
	}
	if _, err := e.Shutdown(ctx); err != nil {
		o.Error(err)
	}
	e.Close()
	if err := c.Wait(); err != nil {
		o.Error(err)
	}
	o.checkNone("the language server")
}

// toolServer is a session of an agent.
func (o *offline) toolServer() {
	o.Helper()
	c := o.command(true, "mcp")
	call := func(id int, name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
	}
	in, out, err := piped(c)
	if err != nil {
		o.Fatal(err)
	}
	dec := json.NewDecoder(out)
	for id, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"raw","version":"1"}}}`,
		call(1, "brv_query", `{"question":"retry budget three","tier_max":4}`), call(2, "brv_context", `{"task":"retry uploads"}`),
		call(
			3, "brv_curate",
			`{"operations":[{"type":"ADD","path":"net/up","title":"New","reason":"r","content":{"narrative":{"highlights":"h"}}}],"dry_run":true}`),
		call(4, "brv_repo_map", `{}`), call(5, "brv_curate", `{"files":["notes.md"],"dry_run":true}`),
		call(6, "brv_review", `{"action":"list"}`),
	} {
		if _, err := fmt.Fprintln(in, line); err != nil {
			o.Fatal(err)
		}
		for answered := false; !answered; {
			var m struct {
				ID     *int
				Method string
				Result struct{ IsError bool }
				Error  json.RawMessage
			}
			if err := dec.Decode(&m); err != nil {
				o.Fatal(err)
			}
			if answered = m.Method == "" && m.ID != nil && *m.ID == id; answered && (m.Error != nil || m.Result.IsError) {
				o.Errorf("%s: %s", line, m.Error)
			}
		}
		if id == 0 {
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		}
	}
	if err := in.Close(); err != nil {
		o.Error(err)
	}
	if err := c.Wait(); err != nil {
		o.Error(err)
	}
	o.checkNone("the tool server")
}
