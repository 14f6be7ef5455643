package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// serveVar makes the test binary a server on standard input and output.
const serveVar = "BRV_MCP_SERVE"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	if root := os.Getenv(serveVar); root != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout,
			Options{Version: "test", Root: root, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var now = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)

// folder unpacks the files of an archive below in/.
func folder(t testing.TB, name string) (dir string, archive *txtar.Archive) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, err = filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := &txtar.Archive{}
	for _, f := range archive.Files {
		if p, ok := strings.CutPrefix(f.Name, "in/"); ok {
			files.Files = append(files.Files, txtar.File{Name: p, Data: f.Data})
		}
	}
	if err := txtar.Write(files, dir); err != nil {
		t.Fatal(err)
	}
	return dir, archive
}

// dial serves and connects a client of the SDK, which speaks the newest protocol.
func dial(t testing.TB, o Options, client *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	in, out := pipes(t, o)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, client).Connect(t.Context(),
		&sdk.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// pipes runs a server; its end is waited for, and must be without an error.
func pipes(t testing.TB, o Options) (fromServer io.ReadCloser, toServer io.WriteCloser) {
	t.Helper()
	o.Now = func() time.Time { return now }
	o.Version = "test"
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Serve(context.Background(), serverIn, serverOut, o)
		serverOut.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		toServer.Close()
		go io.Copy(io.Discard, fromServer)
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return fromServer, toServer
}

// ask calls a tool.
func ask(t testing.TB, c *sdk.ClientSession, name string, arguments any) *sdk.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	of := slices.IndexFunc(tools(), func(t tool) bool { return t.name == name })
	if parts, _ := r.StructuredContent.(map[string]any); of >= 0 && tools()[of].lists && !r.IsError {
		if sources, ok := parts["sources"].([]any); !ok {
			t.Errorf("%s: the result has no list of sources: %v", name, sources)
		}
	}
	return r
}

// said is the one text of a result.
func textOf(t testing.TB, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d blocks of content, want 1", len(r.Content))
	}
	return r.Content[0].(*sdk.TextContent).Text
}

// pretty is JSON for goldens.
func pretty(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestToolsCostAtMost1500Tokens(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	list, err := dial(t, Options{Root: dir}, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "tools.json", pretty(t, list.Tools))
	wire, err := json.Marshal(map[string]any{"tools": list.Tools})
	if err != nil {
		t.Fatal(err)
	}
	n := tokens.Count(string(wire))
	t.Logf("%d tools, %d tokens", len(list.Tools), n)
	if len(list.Tools) != 7 || n > 1500 {
		t.Errorf("%d tools in %d tokens, want 7 in at most 1,500", len(list.Tools), n)
	}
	if words := len(strings.Fields(instructions)); words > 120 {
		t.Errorf("the instructions have %d words, want at most 120", words)
	}
}

// Each file N.call of the archive is a call, {"tool", "arguments"}; N.want is its
// result: the text, and the structured part as JSON.
func TestCalls(t *testing.T) {
	for _, name := range []string{"calls.txtar", "empty.txtar"} {
		t.Run(name, func(t *testing.T) {
			dir, archive := folder(t, name)
			c := dial(t, Options{Root: dir}, nil)
			ask(t, c, "brv_repo_map", nil) // waits until the code is read
			var files []txtar.File
			for _, f := range archive.Files {
				n, isCall := strings.CutSuffix(f.Name, ".call")
				if !strings.HasSuffix(f.Name, ".want") {
					files = append(files, f)
				}
				if !isCall {
					continue
				}
				var call struct {
					Tool      string
					Arguments json.RawMessage
				}
				if err := json.Unmarshal(f.Data, &call); err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				r := ask(t, c, call.Tool, call.Arguments)
				got := textOf(t, r)
				if r.IsError {
					got = "ERROR " + got
				}
				got = strings.TrimRight(got, "\n") + "\n"
				if r.StructuredContent != nil {
					got += pretty(t, r.StructuredContent)
				}
				files = append(files, txtar.File{Name: n + ".want", Data: []byte(got)})
				within(t, n, call.Arguments, textOf(t, r))
			}
			golden(t, name, string(txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: files})))
		})
	}
}

// within checks the budget of a result.
func within(t *testing.T, name string, arguments json.RawMessage, text string) {
	t.Helper()
	var a struct {
		Most int `json:"max_tokens"`
	}
	json.Unmarshal(arguments, &a) // wrong ones are among the cases
	if n := tokens.Count(text); a.Most >= leastTokens && n > a.Most {
		t.Errorf("%s: %d tokens, %d were asked for", name, n, a.Most)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
