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

// onceQuestion is a question about model.txtar that one call of a model answers (tier 3).
const onceQuestion = "retry budget three"

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

// An agent's own model is asked for nothing: with the editor's as provider the passages are shown, and why.
func TestAnAgentsModelIsNotAsked(t *testing.T) {
	dir, _ := folder(t, "model.txtar")
	c := dial(t, Options{Root: dir, Trust: trusted, Config: userSettings(t, `{"model": {"provider": "editor"}}`), Log: discard()}, nil)
	if text, tier := asks(t, c, onceQuestion); tier != -3 || !strings.Contains(text, "works only in the editor") {
		t.Errorf("tier %d: %s", tier, text)
	}
}
