package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// ciSteps puts the steps of a CI file of this project into an executable, as the host would run them: what
// stands behind `run:` or `entry:`, or below `script:`.
func ciSteps(ts *testscript.TestScript, _ bool, args []string) {
	top, err := filepath.Abs("../..")
	ts.Check(err)
	data, err := os.ReadFile(filepath.Join(top, args[0]))
	ts.Check(err)
	steps, script := []string{"set -e"}, false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case script && strings.HasPrefix(line, "- "):
			steps = append(steps, line[2:])
		case key == "run" || key == "entry":
			steps = append(steps, value)
		}
		script = line == "script:" || script && strings.HasPrefix(line, "- ")
	}
	if len(steps) == 1 {
		ts.Fatalf("%s has no step", args[0])
	}
	ts.Setenv("GITHUB_ACTION_PATH", top)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(steps, "\n")+"\n"), 0o755))
}

// hostComment is a comment as GitHub's API has it.
type hostComment struct {
	ID   int                   `json:"id"`
	Body string                `json:"body"`
	User struct{ Type string } `json:"user"`
}

// hostServer stands for the host's API: comments of pull request 7, which a token of a fork may only read.
func hostServer(ts *testscript.TestScript, _ bool, args []string) {
	comments := []hostComment{{ID: 1, Body: "<!-- brv-lsp check -->\nby hand"}}
	mux := http.NewServeMux()
	mayWrite := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "token fork" {
			http.Error(w, "Resource not accessible by integration", http.StatusForbidden)
			return false
		}
		return true
	}
	mux.HandleFunc("GET /repos/o/r/issues/7/comments", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(comments)
	})
	mux.HandleFunc("POST /repos/o/r/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); mayWrite(w, r) {
			c := hostComment{ID: len(comments) + 1, Body: string(body)}
			c.User.Type = "Bot"
			comments = append(comments, c)
		}
	})
	mux.HandleFunc("PATCH /repos/o/r/issues/comments/{id}", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		i := slices.IndexFunc(comments, func(c hostComment) bool { return fmt.Sprint(c.ID) == r.PathValue("id") })
		if mayWrite(w, r) && i >= 0 {
			comments[i].Body = string(body)
		}
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// gh stands for GitHub's CLI as far as ci/check.sh uses it, with the query that stands there.
func gh() {
	if err := ghAPI(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gh:", err)
		os.Exit(1)
	}
}

func ghAPI(args []string) error {
	const query = `.[] | select(.user.type == "Bot" and (.body | startswith("<!-- brv-lsp check -->"))) | .id`
	method, path, body := "GET", "", ""
	for i := 1; i < len(args); i++ {
		switch args[i] {
		case "--paginate":
		case "--jq":
			if i++; args[i] != query {
				return fmt.Errorf("another query: %s", args[i])
			}
		case "--method":
			i++
			method = args[i]
		case "--field":
			i++
			data, err := os.ReadFile(strings.TrimPrefix(args[i], "body=@"))
			if err != nil {
				return err
			}
			body = string(data)
		default:
			path = args[i]
		}
	}
	r, err := http.NewRequest(method, os.Getenv("HOST_URL")+"/"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "token "+os.Getenv("GH_TOKEN"))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", response.StatusCode)
	}
	if method != "GET" {
		return nil
	}
	var comments []hostComment
	if err := json.NewDecoder(response.Body).Decode(&comments); err != nil {
		return err
	}
	for _, c := range comments {
		if c.User.Type == "Bot" && strings.HasPrefix(c.Body, commentMark) {
			fmt.Println(c.ID)
		}
	}
	return nil
}

// unquoted matches a value without quotes that has a colon and a space, which YAML does not allow.
var unquoted = regexp.MustCompile(`(?m)^[ -]*[\w-]+: [^"'|>{#\n][^#\n]*: .*`)

// Every file of CI that is shipped is run by a script of testdata.
func TestEachCIFileIsTried(t *testing.T) {
	data, err := os.ReadFile("testdata/ci.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"action.yml", ".pre-commit-hooks.yaml", "ci/gitlab.yml"} {
		if !strings.Contains(string(data), "ci-steps "+file+" ") {
			t.Errorf("%s is not tried", file)
		}
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		if line := unquoted.Find(text); line != nil {
			t.Errorf("%s: YAML reads a second key in %q; quote the value", file, line)
		}
	}
}
