package host

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEventsAreRead has the events of each host, in its own names.
func TestEventsAreRead(t *testing.T) {
	for _, c := range []struct {
		event string
		want  Asked
	}{
		{`{"session_id": "a", "transcript_path": "/t", "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": "hi"}`,
			Asked{Session: "a", Dir: "/p", Prompt: "hi"}},
		{`{"session_id": "a", "cwd": "/p", "source": "compact"}`, Asked{Session: "a", Dir: "/p", Source: "compact"}},
		{`{"session_id": "a", "cwd": "/p", "tool_name": "Edit", "tool_input": {"file_path": "/p/x.go", "old_string": "y"}}`,
			Asked{Session: "a", Dir: "/p", Files: []string{"/p/x.go"}}},
		{`{"session_id": "a", "cwd": "/p", "tool_input": {"command": ` +
			`"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n*** Add File: b.go\n*** End Patch"}}`,
			Asked{Session: "a", Dir: "/p", Files: []string{"a.go", "b.go"}}},
		{`{"conversation_id": "c", "workspace_roots": ["/p", "/q"], "file_path": "/p/x.go", "edits": []}`,
			Asked{Session: "c", Dir: "/p", Files: []string{"/p/x.go"}}},
		{`{"sessionId": "d", "timestamp": 1, "cwd": "/p", "toolName": "edit", "toolArgs": "{\"path\": \"x.go\"}"}`,
			Asked{Session: "d", Dir: "/p", Files: []string{"x.go"}}},
		{"\ufeff" + `{"cwd": "/p"}`, Asked{Dir: "/p"}},
		{"\ufeff\ufeff\r\n\ufeff" + `{"cwd": "/p"}`, Asked{Dir: "/p"}}, // Cursor on Windows writes two
		{`{}`, Asked{}},
		{`{"prompt": 7, "cwd": [], "tool_input": "x", "workspace_roots": [], "toolArgs": "no JSON"}`, Asked{}},
	} {
		if got, err := Read([]byte(c.event)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %+v, want %+v", c.event, err, got, c.want)
		}
	}
	for _, wrong := range []string{"", "[]", "null x", "{", "{}\ufeff", "{\ufeff}"} {
		if _, err := Read([]byte(wrong)); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

func TestAnswersAreTheHosts(t *testing.T) {
	for _, c := range []struct{ host, text, want string }{
		{"claude-code", "x", `{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"}}`},
		{"codex", "x", `{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"}}`},
		{"gemini", "x", `{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"BeforeAgent"}}`},
		{"copilot", "x", `{"additionalContext":"x",` +
			`"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"}}`},
		{"cursor", "x", `{}`}, // it takes no text for a prompt
		{"cursor", "", `{}`},
		{"claude-code", "", ``},
	} {
		h, err := Find(c.host)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(h.Answer(UserPrompt, c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", c.host, got, c.want)
		}
	}
}

// TestTableIsWhole installs each file of each host where nothing is.
func TestTableIsWhole(t *testing.T) {
	for _, h := range hosts {
		for _, f := range append(append([]File{}, h.Project...), h.User...) {
			after, err := f.Install(Text{}, nil, `C:\Program Files\brv-lsp.exe`)
			marks := strings.Contains(strings.ReplaceAll(after.Text, "${workspaceFolder}", ""), "$")
			if err != nil || !after.There || !strings.Contains(after.Text, `Program Files`) || marks {
				t.Errorf("%s %s: %v\n%s", h.Name, f.Path, err, after.Text)
			}
			if f.style == nil && !json.Valid([]byte(after.Text)) {
				t.Errorf("%s %s is no JSON:\n%s", h.Name, f.Path, after.Text)
			}
			if back, err := f.Remove(after, nil, "brv-lsp"); err != nil || back.There {
				t.Errorf("%s %s stays: %v\n%s", h.Name, f.Path, err, back.Text)
			}
		}
		for e := range h.events {
			if !h.Asks() {
				t.Errorf("%s asks at %s and takes no answer", h.Name, e)
			}
		}
	}
}

func TestHostileConfigurationIsRefused(t *testing.T) {
	f := &hosts[0].Project[0]
	for name, text := range map[string]string{
		"deep":       strings.Repeat(`{"a":`, 100_000),
		"large":      `{"a": "` + strings.Repeat("x", maxConfig) + `"}`,
		"a list":     `[]`,
		"a string":   `{"mcpServers": "none"}`,
		"unfinished": `{"mcpServers": {`,
	} {
		now := Text{true, text}
		if after, err := f.Install(now, nil, "brv-lsp"); err == nil || after != now {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPluginIsTheTable compares the plugin that a host installs by itself with what install writes.
func TestPluginIsTheTable(t *testing.T) {
	h, err := Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range []string{"../plugin/.mcp.json", "../plugin/hooks/hooks.json"} {
		after, err := h.Project[i].Install(Text{}, nil, "brv-lsp")
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("UPDATE_PLUGIN") != "" {
			if err := os.WriteFile(file, []byte(after.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if is, err := os.ReadFile(file); err != nil || string(is) != after.Text {
			t.Errorf("%s: %v; UPDATE_PLUGIN=1 writes it:\n%s", file, err, after.Text)
		}
	}
	for a, b := range map[string]string{
		"../plugin/mcp.json": "../plugin/.mcp.json", "../plugin/plugin.json": "../plugin/.claude-plugin/plugin.json",
	} {
		one, errA := os.ReadFile(a)
		other, errB := os.ReadFile(b)
		if errA != nil || errB != nil || string(one) != string(other) || !json.Valid(one) {
			t.Errorf("%s is not %s", a, b)
		}
	}
}
