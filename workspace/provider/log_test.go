package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// The log is looked at as its user finds it: a model behind an address with a key is asked through a workspace.
func TestLogOfWhatWasAsked(t *testing.T) {
	said := "the budget is three"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+ownKey {
			t.Error("the key did not come")
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":21,"completion_tokens":4}}`, said)
	}))
	defer server.Close()
	r := llm.Request{System: "answer", Messages: []llm.Message{{Role: llm.RoleUser, Text: "how many attempts? " + password}}}
	ask := func(t *testing.T, dir, how string) {
		t.Helper()
		now := settings.Model{Provider: "openai", Endpoint: server.URL + "/v1", Name: "m", KeyVariable: "OWN_KEY", PatienceSeconds: 60, Log: how}
		choice, err := Choose(now, nil, keysIn)
		if err != nil {
			t.Fatal(err)
		}
		m, err := choice.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		w := workspacetest.Open(t, nil, workspace.Options{})
		clock := time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
		UseModel(w, choice.ModelState, Logged(m, now, choice.Origin, dir, func() time.Time { return clock }), nil)
		if _, err := Model(w).Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		how   string
		lines int
		texts bool
	}{{"off", 0, false}, {"hashes", 2, false}, {"texts", 2, true}} {
		t.Run(c.how, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "brv-lsp")
			ask(t, dir, c.how)
			ask(t, dir, c.how)
			text, err := os.ReadFile(filepath.Join(dir, logFile))
			if (err == nil) != (c.lines > 0) {
				t.Fatal(err)
			}
			for _, secret := range []string{ownKey, "Tr0ub4dor"} {
				if strings.Contains(string(text), secret) {
					t.Errorf("%q is in the log", secret)
				}
			}
			if has := strings.Contains(string(text), "how many attempts"); has != c.texts || strings.Contains(string(text), said) != c.texts {
				t.Errorf("texts: %v\n%s", has, text)
			}
			var lines []asked
			for l := range strings.Lines(string(text)) {
				var a asked
				if err := json.Unmarshal([]byte(l), &a); err != nil {
					t.Fatal(err)
				}
				lines = append(lines, a)
			}
			if len(lines) != c.lines {
				t.Fatalf("%d lines", len(lines))
			}
			if c.lines == 0 {
				return
			}
			if a := lines[0]; a.Model != "m" || a.Origin != server.URL || len(a.Hash) != 64 || a.Hash != lines[1].Hash || a.TokensIn != 21 ||
				a.TokensOut != 4 || a.Bytes == 0 || a.At.Hour() != 10 {
				t.Errorf("%+v", a)
			}
			info, err := os.Stat(filepath.Join(dir, logFile))
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// A log that is full is kept once, and a new one begins.
func TestLogBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, logFile)
	if err := os.WriteFile(file, make([]byte, maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	m := Logged(echo{"m"}, settings.Model{Log: "hashes"}, "", dir, time.Now)
	if _, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Text: "q"}}}); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(file + ".old")
	if now, err2 := os.Stat(file); err != nil || err2 != nil || old.Size() != maxLog+1 || now.Size() > 1000 {
		t.Error(old, now, err, err2)
	}
}
