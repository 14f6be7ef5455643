package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// raw is a client that writes lines.
type raw struct {
	t   testing.TB
	in  *bufio.Reader
	out io.Writer
}

func dialRaw(t *testing.T, o Options) raw {
	in, out := pipes(t, o)
	return raw{t, bufio.NewReader(in), out}
}

func (r raw) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.out, line+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// message is an answer or a notification of the server.
type message struct {
	ID     any
	Method string
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// receive returns the next answer; notifications of the server are left out.
func (r raw) receive() (m message) {
	r.t.Helper()
	for m.ID == nil && m.Error == nil {
		line, err := r.in.ReadString('\n')
		if err != nil {
			r.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			r.t.Fatalf("%q: %v", line, err)
		}
	}
	return m
}

func (r raw) hello(version string) message {
	r.t.Helper()
	r.send(
		fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`, version))
	m := r.receive()
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

const searchCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"brv_search","arguments":{"query":"tokens"}%s}}`

// stateless is what each request of the protocol 2026-07-28 carries.
const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}`

// text is that of a tool's result.
func (m message) text(t *testing.T) string {
	t.Helper()
	if m.Error != nil {
		t.Fatalf("error %d: %s", m.Error.Code, m.Error.Message)
	}
	return m.Result["content"].([]any)[0].(map[string]any)["text"].(string)
}

func TestEveryProtocolVersionIsServed(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	versions := sdk.SupportedProtocolVersions()
	if want := []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}; !slices.Equal(versions, want) {
		t.Fatalf("the SDK serves %v; docs/mcp.md names %v", versions, want)
	}
	for _, version := range versions[1:] {
		t.Run(version, func(t *testing.T) {
			r := dialRaw(t, Options{Root: dir})
			hello := r.hello(version)
			if got := hello.Result["protocolVersion"]; got != version {
				t.Fatalf("the server speaks %v", got)
			}
			if hello.Result["instructions"] != instructions {
				t.Error("no instructions")
			}
			r.send(fmt.Sprintf(searchCall, 2, ""))
			if text := r.receive().text(t); !strings.Contains(text, "Access tokens") {
				t.Errorf("search says %q", text)
			}
		})
	}
	t.Run(versions[0], func(t *testing.T) {
		r := dialRaw(t, Options{Root: dir})
		r.send(fmt.Sprintf(searchCall, 1, ","+stateless)) // without any handshake
		if text := r.receive().text(t); !strings.Contains(text, "Access tokens") {
			t.Errorf("search says %q", text)
		}
		r.send(`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + stateless + `}}`)
		m := r.receive()
		if m.Error != nil || !slices.ContainsFunc(m.Result["supportedVersions"].([]any),
			func(v any) bool { return v == "2026-07-28" }) || m.Result["instructions"] != instructions {
			t.Errorf("discover says %+v", m)
		}
		r.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + stateless + `}}`)
		if m := r.receive(); m.Error != nil || len(m.Result["tools"].([]any)) != 7 {
			t.Errorf("tools/list says %+v", m)
		}
		r.send(`{"jsonrpc":"2.0","id":4,"method":"resources/list","params":{` + stateless + `}}`)
		if m := r.receive(); m.Error != nil || len(m.Result["resources"].([]any)) != 3 {
			t.Errorf("resources/list says %+v", m)
		}
		r.send(`{"jsonrpc":"2.0","id":5,"method":"initialize","params":{` + stateless + `}}`)
		if m := r.receive(); m.Error == nil {
			t.Error("a handshake in the stateless protocol is no error")
		}
	})
}

func TestHostileLinesDoNotEndTheSession(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	r.hello("2025-11-25")
	for _, c := range []struct {
		line string
		code int
	}{
		{`{`, -32700}, {`nonsense`, -32700}, {`{"jsonrpc":"2.0","id":1}}`, -32700}, {"\xff\xfe", -32700},
		{strings.Repeat("[", 20_000), -32700},
		{`[]`, -32600}, {`[1]`, -32600}, {`3`, -32600}, {`"x"`, -32600}, {`null`, -32600}, {`{}`, -32600},
		{`{"jsonrpc":"1.0","id":7,"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":7,"method":4}`, -32600},
		{`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, -32601},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, -32600},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm"}}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"!"}}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"brv://tree/../../../etc/passwd"}}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"file:///etc/passwd"}}`, -32602},
		{`{"jsonrpc":"2.0","id":7,"method":"ping","params":"` + strings.Repeat("x", maxMessage) + `"}`, -32600},
	} {
		r.send(c.line)
		if m := r.receive(); m.Error == nil || m.Error.Code != c.code {
			t.Errorf("%.60s: %+v, want error %d", c.line, m.Error, c.code)
		}
	}
	r.send("")
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
	r.send(`{"jsonrpc":"2.0","id":99,"result":{}}`)         // an answer to nothing
	r.send("\ufeff\ufeff" + fmt.Sprintf(searchCall, 8, "")) // as programs on Windows begin a text
	if text := r.receive().text(t); !strings.Contains(text, "Access tokens") {
		t.Errorf("search says %q", text)
	}
}

func TestBatchesOfTheOldProtocols(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	r.hello("2025-03-26")
	r.send(
		`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"jsonrpc":"2.0","id":3,"method":"tools/list"}]`)
	line, err := r.in.ReadString('\n')
	var answers []message
	if err != nil || json.Unmarshal([]byte(line), &answers) != nil || len(answers) != 2 {
		t.Errorf("got %q, %v; want two answers in a list", line, err)
	}
	r.send(`[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"ping"}]`)
	if m := r.receive(); m.Error == nil {
		t.Error("an id twice in a batch is no error")
	}
}

// sleeper is a tool that does not look at its context.
func sleeper(begun chan<- struct{}, end <-chan struct{}) tool {
	return tool{name: "sleep", run: func(context.Context, *call) (answer, error) {
		begun <- struct{}{}
		<-end
		return answer{words: "slept\n"}, nil
	}}
}

func TestCancelledCallEndsBeforeItsWork(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	begun, end := make(chan struct{}), make(chan struct{})
	r := dialRaw(t, Options{Root: dir, extra: []tool{sleeper(begun, end)}})
	t.Cleanup(func() { close(end) }) // before the server's end, which waits for the work
	r.hello("2025-11-25")
	r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sleep"}}`)
	<-begun
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	// It comes while the tool still sleeps.
	if m := r.receive(); m.ID != 2.0 || m.Error == nil || m.Error.Code != codeCancelled {
		t.Errorf("got %+v", m)
	}
	r.send(fmt.Sprintf(searchCall, 3, ""))
	r.receive().text(t)
}

func TestWhatWasAskedBeforeTheEndIsAnswered(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	var out bytes.Buffer
	var in strings.Builder
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}}}`)
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for id := 2; id < 20; id++ {
		fmt.Fprintf(&in, searchCall+"\n", id, "")
	}
	fmt.Fprintln(&in, `{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"asks","arguments":{}}}`)
	in.WriteString(`{"jsonrpc":"2.0","id":21,"method":"tools/list"}`) // without a line end
	asks := tool{name: "asks", run: func(context.Context, *call) (answer, error) {
		return answer{ask: &question{text: "Really?", none: "nobody answered\n"}}, nil
	}}
	if err := Serve(t.Context(), strings.NewReader(in.String()), &out, Options{Root: dir, extra: []tool{asks}}); err != nil {
		t.Fatal(err)
	}
	answered := map[any]bool{}
	for line := range strings.Lines(out.String()) {
		var m message
		if json.Unmarshal([]byte(line), &m); m.Method != "" {
			continue
		}
		answered[m.ID] = true
		if m.Error != nil || m.ID == 20.0 && m.text(t) != "nobody answered\n" {
			t.Errorf("%s", line)
		}
	}
	if len(answered) != 21 {
		t.Errorf("%d of 21 requests are answered", len(answered))
	}
}

func TestPanicIsAnErrorResult(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	c := dial(
		t, Options{Root: dir, extra: []tool{{name: "panic", run: func(context.Context, *call) (answer, error) { panic("boom") }}}}, nil)
	if r := ask(t, c, "panic", nil); !r.IsError || strings.Contains(textOf(t, r), "boom") {
		t.Errorf("got %+v", textOf(t, r))
	}
	ask(t, c, "brv_search", map[string]any{"query": "tokens"})
}

func TestProgressGrowsAndEndsBeforeTheResult(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	var mu sync.Mutex
	var got []float64
	arrived := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	var s *server
	tells := tool{name: "tell", run: func(context.Context, *call) (answer, error) {
		for _, done := range []int{1, 3, 2, 3, 7} {
			s.progress.tell(workspace.Progress{Title: "Reading", Done: done, Total: 9})
		}
		<-arrived
		s.progress.tell(workspace.Progress{End: true})
		return answer{words: "told\n"}, nil
	}}
	s = newServer(ctx, Options{Root: dir, Log: discard(), Nearest: func(d string) string { return d }, extra: []tool{tells}})
	defer s.close(cancel)
	here, there := sdk.NewInMemoryTransports()
	session, err := s.sdk.Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, r.Params.Progress)
			if r.Params.ProgressToken != "mine" || r.Params.Total != 9 {
				t.Errorf("got %+v", r.Params)
			}
			if r.Params.Progress == 7 {
				arrived <- struct{}{}
			}
		},
	}).Connect(ctx, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	params := &sdk.CallToolParams{Name: "tell"}
	params.SetProgressToken("mine")
	if _, err := client.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) == 0 || !slices.IsSorted(got) || got[len(got)-1] != 7 {
		t.Errorf("progress %v", got)
	}
}

func TestChangesOnDiskAreTold(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	in, out := pipes(t, Options{Root: dir})
	updated, listChanged := make(chan string, 16), make(chan struct{}, 16)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { listChanged <- struct{}{} },
	}).Connect(t.Context(), &sdk.IOTransport{Reader: in, Writer: out}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	read := func() string {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: tokensURI})
		if err != nil {
			t.Fatal(err)
		}
		return r.Contents[0].Text
	}
	if !strings.Contains(read(), "RS256") {
		t.Fatal("not the entry")
	}
	if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: tokensURI}); err != nil {
		t.Fatal(err)
	}
	rewrite(t, dir)
	if got := <-updated; got != tokensURI {
		t.Errorf("updated %s", got)
	}
	<-listChanged
	if text := read(); !strings.Contains(text, "ES256") {
		t.Errorf("still %q", text)
	}
	if text := textOf(t, ask(t, c, "brv_search", map[string]any{"query": "ES256"})); !strings.Contains(text, "Signing keys") {
		t.Errorf("search says %q", text)
	}
}

const tokensURI = "brv://tree/authentication/jwt/tokens.md"

// rewrite changes an entry behind the server's back.
func rewrite(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, ".brv/context-tree/authentication/jwt/tokens.md")
	if err := os.WriteFile(file, []byte("---\ntitle: Signing keys\n---\nES256 now.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestChangesAreToldInTheStatelessProtocol(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	r.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{` + stateless +
		`,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["` + tokensURI + `"]}}}`)
	want := map[string]bool{"notifications/subscriptions/acknowledged": true}
	for _, next := range []func(){func() { rewrite(t, dir) }, func() {}} {
		for len(want) > 0 {
			line, err := r.in.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var m message
			json.Unmarshal([]byte(line), &m)
			if m.ID != nil {
				t.Fatalf("got %s", line)
			}
			delete(want, m.Method)
		}
		want = map[string]bool{"notifications/resources/updated": true, "notifications/resources/list_changed": true}
		next()
	}
}

func TestResources(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	const many = 450
	for i := range many {
		p := filepath.Join(dir, fmt.Sprintf(".brv/context-tree/many/ones/e %03d.md", i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755),
			os.WriteFile(p, fmt.Appendf(nil, "---\ntitle: Entry %d\nsummary: One of many.\n---\nText %d\n", i, i), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, Options{Root: dir}, nil)
	seen := map[string]*sdk.Resource{}
	pages, cursor := 0, ""
	for {
		r, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range r.Resources {
			if seen[one.URI] != nil {
				t.Errorf("%s twice", one.URI)
			}
			seen[one.URI] = one
		}
		pages++
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != many+3 || pages != 3 {
		t.Errorf("%d resources on %d pages", len(seen), pages)
	}
	spaced := seen["brv://tree/many/ones/e%20007.md"]
	if spaced == nil || spaced.Title != "Entry 7" || spaced.Description != "One of many." {
		t.Errorf("got %+v", spaced)
	}
	for uri, want := range map[string]string{
		"brv://tree/many/ones/e%20007.md":         "Text 7",
		"brv://tree/authentication/jwt/tokens.md": "RS256",
		"brv://index": "authentication/jwt/tokens.md: Access tokens. How access tokens are signed.",
	} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) || r.Contents[0].URI != uri {
			t.Errorf("%s: %+v, %v", uri, r, err)
		}
	}
	list, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(list.ResourceTemplates) != 1 {
		t.Errorf("templates %+v, %v", list, err)
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 2 {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall", Arguments: map[string]string{"question": "why RS256"}})
	if err != nil || !strings.Contains(p.Messages[0].Content.(*sdk.TextContent).Text, "why RS256") {
		t.Errorf("recall: %+v, %v", p, err)
	}
}

func TestConcurrentCalls(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	c := dial(t, Options{Root: dir}, nil)
	calls := []struct {
		tool string
		args map[string]any
		want string
	}{
		{"brv_context", map[string]any{"task": "sign tokens", "max_tokens": 400}, "sign.go"},
		{"brv_query", map[string]any{"question": "how are access tokens signed"}, "RS256"},
		{"brv_search", map[string]any{"query": "tokens"}, "Access tokens"},
		{"brv_read", map[string]any{"paths": []string{"src/use.go"}}, "Login"},
		{"brv_repo_map", map[string]any{}, "SignToken"},
		{"brv_curate", map[string]any{"dry_run": true, "operations": []map[string]any{{"type": "DELETE",
			"path": "authentication/jwt/tokens.md", "reason": "x"}}}, "dry run"},
	}
	var done sync.WaitGroup
	for n := range 8 {
		done.Go(func() {
			for i := range 12 {
				one := calls[(n+i)%len(calls)]
				r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: one.tool, Arguments: one.args})
				if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, one.want) {
					t.Errorf("%s: %+v, %v", one.tool, r, err)
				}
			}
		})
	}
	done.Wait()
}

func TestRootIsAskedOfTheClient(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	serve := func(t *testing.T, here string, roots ...string) *sdk.ClientSession {
		in, out := pipes(t, Options{Here: here})
		client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, nil)
		for _, r := range roots {
			//lint:ignore SA1019 see root.go
			client.AddRoots(&sdk.Root{URI: r})
		}
		session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: in, Writer: out},
			&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	reads := func(c *sdk.ClientSession) bool {
		return !ask(t, c, "brv_read", map[string]any{"paths": []string{"src/sign.go"}}).IsError
	}
	gone := "file://" + filepath.ToSlash(filepath.Join(t.TempDir(), "gone"))
	if !reads(serve(t, t.TempDir(), "https://example.org", gone, "file:///Z:/work", "file://"+filepath.ToSlash(dir))) {
		t.Error("the client's first folder that is there is not served")
	}
	if reads(serve(t, t.TempDir(), gone)) {
		t.Error("without a root that is there something else than the working directory is served")
	}
	if !reads(serve(t, dir, "file://"+filepath.ToSlash(t.TempDir()))) {
		t.Error("a working directory with a tree does not go first")
	}
	if reads(serve(t, t.TempDir())) {
		t.Error("without roots something else than the working directory is served")
	}
}

// TestOtherRootsAreNeighbours of the folder that is served, also where the client does not say which that is.
func TestOtherRootsAreNeighbours(t *testing.T) {
	write := func(dir, p, text string) {
		p = filepath.Join(dir, p)
		if err := cmp.Or(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	lib, web := t.TempDir(), t.TempDir()
	write(lib, "go.mod", "module example.org/lib\n")
	write(lib, "sign/token.go", "package sign\n\nfunc Token() {}\n")
	write(web, "go.mod", "module example.org/web\n\nrequire example.org/lib v1.0.0\n")
	write(web, "use.go", "package web\n\nimport \"example.org/lib/sign\"\n\nfunc f() { sign.Token() }\n")
	//lint:ignore SA1019 see root.go
	uri := func(dir string) *sdk.Root { return &sdk.Root{URI: "file://" + filepath.ToSlash(dir)} }
	for name, o := range map[string]Options{
		"first root": {Here: t.TempDir()}, "option": {Root: lib, Here: t.TempDir()}, "context tree": {Here: lib},
	} {
		if name == "context tree" {
			write(lib, ".brv/context-tree/x/a.md", "# A\n")
		}
		moved := make(chan struct{}, 10)
		client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, &sdk.ClientOptions{
			ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { moved <- struct{}{} },
		})
		//lint:ignore SA1019 see root.go
		client.AddRoots(uri(lib))
		in, out := pipes(t, o)
		session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: in, Writer: out},
			&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		used := func() bool {
			r := ask(t, session, "brv_repo_map", map[string]any{"show": "dependents", "file": "sign/token.go"})
			return strings.Contains(textOf(t, r), "use.go")
		}
		if used() {
			t.Errorf("%s: a folder that is no root is a neighbour", name)
		}
		//lint:ignore SA1019 see root.go
		client.AddRoots(uri(web))
		<-moved
		if !used() {
			t.Errorf("%s: a root is no neighbour", name)
		}
		session.Close()
	}
}

// TestRootsMayChange has a client whose only root is gone, and which then names others.
func TestRootsMayChange(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "other.txt"), []byte("here\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	uri := func(dir string) string { return "file://" + filepath.ToSlash(dir) }
	in, out := pipes(t, Options{Here: t.TempDir()})
	moved := make(chan struct{}, 10)
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, &sdk.ClientOptions{
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { moved <- struct{}{} },
	})
	//lint:ignore SA1019 see root.go
	client.AddRoots(&sdk.Root{URI: uri(other) + "/gone"})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: in, Writer: out},
		&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	reads := func(p string) bool { return !ask(t, session, "brv_read", map[string]any{"paths": []string{p}}).IsError }
	if reads("src/sign.go") || reads("other.txt") {
		t.Error("a root that is not there is served")
	}
	for _, step := range []struct{ gone, next, has, lacks string }{
		{uri(other) + "/gone", uri(dir), "src/sign.go", "other.txt"}, {uri(dir), uri(other), "other.txt", "src/sign.go"},
	} {
		//lint:ignore SA1019 see root.go
		client.RemoveRoots(step.gone)
		//lint:ignore SA1019 see root.go
		client.AddRoots(&sdk.Root{URI: step.next})
		<-moved
		if !reads(step.has) || reads(step.lacks) {
			t.Errorf("%s is not served", step.next)
		}
	}
}

func TestEndOfTheServerEndsItsRequests(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	begun := make(chan struct{})
	waits := tool{name: "wait", run: func(ctx context.Context, _ *call) (answer, error) {
		close(begun)
		<-ctx.Done()
		return answer{}, ctx.Err()
	}}
	in, toServer := io.Pipe()
	defer toServer.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, in, io.Discard, Options{Root: dir, extra: []tool{waits}}) }()
	io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",`+stateless+"}}\n")
	<-begun
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The process speaks over its real standard input and output, and ends with its input.
func TestProcess(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVar+"="+dir)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	r := raw{t, bufio.NewReader(out), in}
	r.hello("2025-06-18")
	r.send(fmt.Sprintf(searchCall, 2, ""))
	if text := r.receive().text(t); !strings.Contains(text, "Access tokens") {
		t.Errorf("search says %q", text)
	}
	in.Close()
	rest, err := io.ReadAll(r.in)
	if err != nil || strings.TrimSpace(string(rest)) != "" {
		t.Errorf("behind the last answer: %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process ends with %v", err)
	}
}

func TestNoGoroutineStaysBehind(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	before := runtime.NumGoroutine()
	for range 3 {
		t.Run("session", func(t *testing.T) {
			c := dial(t, Options{Root: dir}, nil)
			ask(t, c, "brv_repo_map", nil)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			c.CallTool(ctx, &sdk.CallToolParams{Name: "brv_repo_map"}) // cancelled before it is sent, or after
		})
	}
	deadline := time.Now().Add(20 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}

// TestRootsBeside: what the client has open beside the first root counts as other repositories.
func TestRootsBeside(t *testing.T) {
	lib, web := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		filepath.Join(lib, "go.mod"):  "module example.org/lib\n",
		filepath.Join(lib, "sign.go"): "package lib\n\nfunc Sign() {}\n",
		filepath.Join(web, "go.mod"):  "module example.org/web\n\nrequire example.org/lib v1.0.0\n",
		filepath.Join(web, "main.go"): "package web\n\nimport \"example.org/lib\"\n\nvar f = lib.Sign\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := dialRaw(t, Options{Here: t.TempDir()})
	r.call(1, false, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{}}}`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	question := r.receive()
	uri := func(dir string) string { return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String() }
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"roots":[{"uri":%q},{"uri":%q}]}}`, question.ID, uri(lib), uri(web)))
	m := r.call(2, false, "tools/call", `{"name":"brv_repo_map","arguments":{"show":"dependents","file":"sign.go"}}`)
	want := filepath.Base(web) + ": main.go:3: package example.org/lib, declared"
	if text := m.text(t); !strings.Contains(text, want) {
		t.Errorf("%q lacks %q", text, want)
	}
}
