package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/organisation"
)

// A repository is pushed, and a question in another one shows it below the own answer; without the gateway a note says so.
func TestOrganisation(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string, mode os.FileMode) string {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	for _, name := range []string{"GITHUB_EVENT_NAME", "CI_PIPELINE_SOURCE", "CI_COMMIT_BRANCH", "CI_DEFAULT_BRANCH"} {
		t.Setenv(name, "")
	}
	access := write("access.json", fmt.Sprintf(`{"repositories": {"acme/api": %q}, "people": {"anna": {"token": %q, "read": ["acme/*"]}}}`,
		organisation.Digest("key"), organisation.Digest("token")), 0o600)
	write("api/.brv/context-tree/net/http/retries.md", "# Retry budget\n\nThe retry budget of the gateway is three in ten seconds.\n", 0o600)
	write("api/.brv/context-tree/net/http/keys.md", "# Keys\n\npassword = \"hunter2-Zk9fQ1xWv7\"\n", 0o600)
	write("web/.brv/context-tree/ui/pages/forms.md", "# Forms\n\nForms are validated on the server.\n", 0o600)
	if err := os.Mkdir(filepath.Join(dir, "store"), 0o700); err != nil {
		t.Fatal(err)
	}

	ctx, end := context.WithCancel(t.Context())
	defer end()
	logged, log := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := serveOrganisation(ctx, nil, &gatewayOptions{Listen: "127.0.0.1:0", Access: access, Folder: filepath.Join(dir, "store")},
			env{strings.NewReader(""), io.Discard, log})
		log.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(logged)
	var serving struct{ Address string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &serving) != nil {
		t.Fatal(lines.Text())
	}
	go func() {
		for lines.Scan() {
			if strings.Contains(lines.Text(), "retry") || strings.Contains(lines.Text(), "token") {
				t.Errorf("the log tells %s", lines.Text())
			}
		}
	}()
	endpoint := "http://" + serving.Address
	do := func(args ...string) (string, int) {
		var out, errs bytes.Buffer
		code := run(args, env{strings.NewReader(""), &out, &errs})
		return out.String() + errs.String(), code
	}
	t.Setenv("BRV_INDEX_KEY", "key")
	push := []string{"index", "push", "--root", filepath.Join(dir, "api"), "--to", endpoint, "--repository", "acme/api", "--commit", "0123abcd", "--number"}
	if said, code := do(append(push, "7")...); code != exitFailed || !strings.Contains(said, "1 entry") || !strings.Contains(said, "left out: net/http/keys.md") {
		t.Errorf("%d %s", code, said)
	}
	if said, code := do(append(push, "6")...); code != exitFailed || !strings.Contains(said, "older") {
		t.Errorf("%d %s", code, said)
	}
	t.Setenv("GITHUB_EVENT_NAME", "pull_request")
	if said, _ := do(append(push, "8")...); !strings.Contains(said, "default branch") {
		t.Error(said)
	}

	web, question := filepath.Join(dir, "web"), "what is the retry budget of the gateway"
	if said, _ := do("query", "--root", web, question); strings.Contains(said, "acme/api") {
		t.Error("it is asked without a setting:", said)
	}
	write("web/.brv/config.json", fmt.Sprintf(`{"organisation": {"endpoint": %q, "tokenVariable": "TOKEN"}}`, endpoint), 0o600)
	t.Setenv("TOKEN", "token")
	if said, _ := do("query", "--root", web, question); strings.Contains(said, "acme/api") {
		t.Error("a project names it:", said)
	}
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	write(strings.TrimPrefix(config, dir)+"/brv-lsp/settings.json", fmt.Sprintf(`{"organisation": {"endpoint": %q, "tokenFile": %q}}`, endpoint, write("token", "token\n", 0o600)), 0o600)
	first, code := do("query", "--root", web, question)
	if code != exitOutOfDomain || !strings.Contains(first, "acme/api · net/http/retries.md: Retry budget (pushed today)") ||
		!strings.Contains(first, "sent to "+endpoint) || strings.Index(first, "From other repositories") < strings.Index(first, "does not cover") {
		t.Errorf("%d %s", code, first)
	}
	if said, _ := do("search", "--root", web, question); !strings.Contains(said, "three in ten seconds") || strings.Contains(said, "sent to") {
		t.Error(said)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if said, _ := do("query", "--root", web, "how are forms validated"); !strings.Contains(said, "validated on the server") || !strings.Contains(said, "not reached") {
		t.Error(said)
	}
}
