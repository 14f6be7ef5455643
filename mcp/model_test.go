package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/settings"
)

// Questions about model.txtar and the tiers that answer them.
const (
	onceQuestion = "retry budget three" // 3: one call of a model
)

// userSettings is a folder with the user's own settings.
func userSettings(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, settings.UserFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func trusted(string) (bool, string) { return true, "" }

// asks calls brv_query with all tiers.
func asks(t *testing.T, c *sdk.ClientSession, question string) (text string, tier int) {
	t.Helper()
	r := ask(t, c, "brv_query", map[string]any{"question": question, "tier_max": 4})
	var parts struct {
		Tier      int
		ForReader bool
	}
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &parts)
	}
	if err != nil {
		t.Fatal(err)
	}
	if parts.ForReader {
		parts.Tier = -parts.Tier // no answer
	}
	return textOf(t, r), parts.Tier
}

// TestModelIsAskedOnlyWhereItMayBe has each reason for which it is not.
func TestModelIsAskedOnlyWhereItMayBe(t *testing.T) {
	dir, _ := folder(t, "model.txtar")
	for _, c := range []struct {
		about, config string
		trust         func(string) (bool, string)
		want          string // in the answer; "" for no word about it
	}{
		{"off by default", `{}`, trusted, ""},
		{"the editor's", `{"model": {"provider": "editor"}}`, trusted, "that model is asked in the editor only"},
		{"not trusted", `{"model": {"provider": "editor"}}`, func(string) (bool, string) { return false, "nobody said so" },
			"no model was asked: nobody said so"},
		{"no key", `{"model": {"provider": "anthropic", "name": "m"}}`, trusted, "there is no key for https://api.anthropic.com"},
	} {
		text, tier := asks(t, dial(t, Options{Root: dir, Trust: c.trust, Config: userSettings(t, c.config), Log: discard()}, nil),
			onceQuestion)
		if tier != -3 || !strings.Contains(text, c.want) || strings.Contains(text, "no model was asked") != (c.want != "") {
			t.Errorf("%s: tier %d: %s", c.about, tier, text)
		}
	}
}

// TestModelBehindAnAddress has a server on this machine, with the key that the environment
// has for it.
func TestModelBehindAnAddress(t *testing.T) {
	var heard []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = append(heard, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "Three [net/up/up.md]."}, "finish_reason": "stop"}]}`)
	}))
	defer server.Close()
	dir, _ := folder(t, "model.txtar")
	// The project's word on it does not count.
	project := fmt.Sprintf(`{"model": {"provider": "openai", "endpoint": %q, "name": "theirs"}}`, "https://evil.example/v1")
	if err := os.WriteFile(filepath.Join(dir, settings.ProjectFile), []byte(project), 0o600); err != nil {
		t.Fatal(err)
	}
	config := userSettings(t, fmt.Sprintf(`{"model": {"provider": "openai", "endpoint": %q, "name": "m", "keyVariable": "OWN_KEY"}}`,
		server.URL+"/v1"))
	env := func(name string) string { return map[string]string{"OWN_KEY": "right-key"}[name] }
	c := dial(t, Options{Root: dir, Trust: trusted, Config: config, Getenv: env, Log: discard()}, nil)
	if text, tier := asks(t, c, onceQuestion); tier != 3 || len(heard) != 1 || heard[0] != "Bearer right-key" {
		t.Errorf("tier %d, %q: %s", tier, heard, text)
	}
}
