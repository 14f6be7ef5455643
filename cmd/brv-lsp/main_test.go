package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/settings"
)

// TestMain makes the test binary the program too, so that scripts run the real
// one and its workers are this executable.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		main()
	}
	testscript.Main(m, map[string]func(){"brv-lsp": main, "gh": gh, "edit-in-place": editInPlace, "panicking-pages": panickingPages})
}

// piped starts a command with pipes to and from it.
func piped(c *exec.Cmd) (in io.WriteCloser, out io.ReadCloser, err error) {
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, nil, err
	}
	return in, out, c.Start()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{ContinueOnError: true,
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/.cache")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/.config")
			return os.MkdirAll(e.WorkDir+"/.cache", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"model-server": modelServer, "ci-steps": ciSteps,
			"host-server": hostServer, "file": oddFile,
			"settings-of": settingsOfServer, "settings-at": settingsAt, "hold": holdLock, "started": awaitDream, "dreamt": dreamtAgo},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// editInPlace is an editor: it writes its arguments into the file that the last of them names.
func editInPlace() {
	args := os.Args[1:]
	file := args[len(args)-1]
	text, err := os.ReadFile(file)
	if err != nil || args[0] == "--fail" {
		os.Exit(1)
	}
	if args[0] != "--same" {
		text = append(text, "\nedited: "+strings.Join(args[:len(args)-1], " ")+"\n"...)
	}
	if os.WriteFile(file, text, 0o600) != nil {
		os.Exit(1)
	}
}

// oddFile writes a file whose name and text an archive cannot have: both may have Go's escapes. A third word is its size,
// of which what lies behind the text is a hole.
func oddFile(ts *testscript.TestScript, _ bool, args []string) {
	text := func(s string) string {
		out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
		ts.Check(err)
		return out
	}
	name := ts.MkAbs(text(args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	ts.Check(os.WriteFile(name, []byte(text(args[1])), 0o644))
	if len(args) > 2 {
		size, err := strconv.ParseInt(args[2], 10, 64)
		ts.Check(err)
		ts.Check(os.Truncate(name, size))
	}
}

// modelServer starts a server on this machine that speaks OpenAI's chat completions, and sets
// MODEL_URL. It answers "ready" to who has the key "right-key", or none where the name of the
// model is "open"; the model "silent" says nothing, "broken" fails, "uncounted" does not say what it took,
// and "able" answers in pieces.
func modelServer(ts *testscript.TestScript, _ bool, _ []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model  string
			Stream bool
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		w.Header().Set("Content-Type", "application/json")
		text := "ready"
		switch key := r.Header.Get("Authorization"); {
		case asked.Model == "open" && key != "", asked.Model != "open" && key != "Bearer right-key":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error": {"message": "wrong key %s"}}`, key)
			return
		case asked.Model == "broken":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error": {"message": "the model is broken"}}`)
			return
		case asked.Model == "silent":
			text = ""
		case asked.Model == "able" && asked.Stream:
			w.Header().Set("Content-Type", "text/event-stream")
			for _, piece := range []string{"rea", "dy"} {
				fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
			}
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":21,"completion_tokens":2}}`+
				"\n\ndata: [DONE]\n\n")
			return
		case asked.Model == "answers":
			text = "Summary: uploads are tried three times [net/up/up.md], and so says [net/up/invented.md]."
		}
		usage := `, "usage": {"prompt_tokens": 21, "completion_tokens": 1}`
		if asked.Model == "uncounted" {
			usage = ""
		}
		fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": %q}, "finish_reason": "stop"}]%s}`, text, usage)
	}))
	ts.Defer(server.Close)
	ts.Setenv("MODEL_URL", server.URL)
}

// settingsOfServer names a model of the server, and the variable that holds its key, in the
// user's own file.
func settingsOfServer(ts *testscript.TestScript, _ bool, args []string) {
	writeUserSettings(ts, settings.Model{Provider: "openai", Endpoint: ts.Getenv("MODEL_URL") + "/v1", Name: args[0],
		KeyVariable: args[1], PatienceSeconds: 60})
}

// settingsAt names a provider and a model there.
func settingsAt(ts *testscript.TestScript, _ bool, args []string) {
	writeUserSettings(ts, settings.Model{Provider: args[0], Name: args[1], PatienceSeconds: 5})
}

func writeUserSettings(ts *testscript.TestScript, m settings.Model) {
	m.Log, m.ContextTokens = "hashes", 32_000
	raw, err := json.Marshal(map[string]any{"model": m})
	ts.Check(err)
	file := ts.MkAbs(".config/brv-lsp/settings.json")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, raw, 0o600))
}

// A script cannot try it where tests run as root, who may use every file.
func TestDenied(t *testing.T) {
	err := fmt.Errorf("state/lock.next: %w", fs.ErrPermission)
	if said, hint := denied(err.Error(), err); said != ".brv/state/lock.next: permission denied" || hint == "" {
		t.Errorf("%s, %s", said, hint)
	}
	other := fmt.Errorf("../notes: %w", fs.ErrPermission)
	if said, hint := denied(other.Error(), other); said != "../notes: permission denied" || hint != "" {
		t.Errorf("%s, %s", said, hint)
	}
}
