//lint:file-ignore SA1019 sampling is deprecated in 2026-07-28; the clients in use speak older protocols and offer it

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
)

// Questions about model.txtar and the tiers that answer them.
const (
	onceQuestion = "retry budget three" // 3: one call of a model
	loopQuestion = "retry budget"       // 4: a model with tools
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

// dialOld connects a client that speaks the newest protocol with sampling.
func dialOld(t *testing.T, o Options, client *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	in, out := pipes(t, o)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, client).
		Connect(t.Context(), &sdk.IOTransport{Reader: in, Writer: out}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
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

func TestClientsModelAnswers(t *testing.T) {
	dir, _ := folder(t, "model.txtar")
	var got *sdk.CreateMessageParams
	n := 0
	c := dialOld(t, Options{Root: dir, Trust: trusted, Config: userSettings(t,
		`{"model": {"provider": "editor", "name": "wanted"}}`)}, &sdk.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			got = r.Params
			n++
			return &sdk.CreateMessageResult{Role: "assistant", Model: "theirs", StopReason: "maxTokens",
				Content: &sdk.TextContent{Text: "Three attempts [net/up/up.md], see [net/up/invented.md]."}}, nil
		},
	})
	text, tier := asks(t, c, onceQuestion)
	if tier != 3 || !strings.Contains(text, "Three attempts [net/up/up.md], see [unknown source]") || n != 1 ||
		!strings.Contains(text, "the answer was cut at its limit of tokens") {
		t.Errorf("tier %d, asked %d times: %s", tier, n, text)
	}
	if len(got.Messages) != 1 || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text,
		"The retry budget of uploads is three attempts.") ||
		got.SystemPrompt == "" || got.MaxTokens != 1024 || got.ModelPreferences.Hints[0].Name != "wanted" || got.IncludeContext != "" {
		t.Errorf("%+v", got)
	}
	// It cannot be told of tools: the passages are shown, and why.
	text, tier = asks(t, c, loopQuestion)
	if tier != -4 || !strings.Contains(text, "sampling.tools") || n != 1 {
		t.Errorf("tier %d, asked %d times: %s", tier, n, text)
	}
	// Nothing above the tree itself is asked where the caller does not say so.
	if r := ask(t, c, "brv_query", map[string]any{"question": "what is the retry budget of three"}); n != 1 {
		t.Errorf("asked without being told to: %s", textOf(t, r))
	}
}

func TestClientsModelUsesToolsWhereAnnounced(t *testing.T) {
	dir, _ := folder(t, "model.txtar")
	n := 0
	c := dialOld(t, Options{Root: dir, Trust: trusted, Config: userSettings(t, `{"model": {"provider": "editor"}}`)}, &sdk.ClientOptions{
		CreateMessageWithToolsHandler: func(_ context.Context,
			r *sdk.CreateMessageWithToolsRequest) (*sdk.CreateMessageWithToolsResult, error) {
			if n++; n == 1 {
				use := &sdk.ToolUseContent{ID: "a", Name: r.Params.Tools[0].Name, Input: map[string]any{"query": "uploads"}}
				return &sdk.CreateMessageWithToolsResult{Role: "assistant", Model: "theirs",
					Content: []sdk.Content{&sdk.TextContent{Text: "Let me look."}, use}, StopReason: "toolUse"}, nil
			}
			last := r.Params.Messages[len(r.Params.Messages)-1]
			result, ok := last.Content[0].(*sdk.ToolResultContent)
			if !ok || last.Role != "user" || result.ToolUseID != "a" || result.IsError {
				return nil, fmt.Errorf("not what was called: %+v", last)
			}
			return &sdk.CreateMessageWithToolsResult{Role: "assistant", Model: "theirs",
				Content: []sdk.Content{&sdk.TextContent{Text: "Three [net/up/up.md]."}}}, nil
		},
	})
	if text, tier := asks(t, c, loopQuestion); tier != 4 || !strings.Contains(text, "Three [net/up/up.md]") || n != 2 {
		t.Errorf("tier %d, asked %d times: %s", tier, n, text)
	}
}

// TestClientsModelIsAskedOnlyWhereItMayBe has each reason for which it is not.
func TestClientsModelIsAskedOnlyWhereItMayBe(t *testing.T) {
	dir, _ := folder(t, "model.txtar")
	editor := `{"model": {"provider": "editor"}}`
	for _, c := range []struct {
		about, config string
		trust         func(string) (bool, string)
		sampling, old bool
		want          string // in the answer; "" for no word about it
	}{
		{"off by default", `{}`, trusted, true, true, ""},
		{"not announced", editor, trusted, false, true, "this client offers no model (sampling)"},
		{"not trusted", editor, func(string) (bool, string) { return false, "nobody said so" }, true, true,
			"no model was asked: nobody said so"},
		{"a protocol without", editor, trusted, true, false, "no model was asked: "},
		{"no key", `{"model": {"provider": "anthropic", "name": "m"}}`, trusted, true, true,
			"there is no key for https://api.anthropic.com"},
	} {
		options := &sdk.ClientOptions{}
		if c.sampling {
			options.CreateMessageHandler = func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
				t.Errorf("%s: asked", c.about)
				return nil, errors.New("asked")
			}
		}
		connect := dial
		if c.old {
			connect = func(t testing.TB, o Options, client *sdk.ClientOptions) *sdk.ClientSession {
				return dialOld(t.(*testing.T), o, client)
			}
		}
		text, tier := asks(t, connect(t, Options{Root: dir, Trust: c.trust, Config: userSettings(t, c.config), Log: discard()},
			options), onceQuestion)
		if tier != -3 || !strings.Contains(text, c.want) || strings.Contains(text, "no model was asked") != (c.want != "") {
			t.Errorf("%s: tier %d: %s", c.about, tier, text)
		}
	}
}

func TestWhatAClientsModelSaysMayBeAnything(t *testing.T) {
	for _, c := range []struct {
		said *sdk.CreateMessageWithToolsResult
		want string
	}{
		{&sdk.CreateMessageWithToolsResult{}, "neither text nor calls"},
		{&sdk.CreateMessageWithToolsResult{Content: []sdk.Content{&sdk.ImageContent{Data: []byte("x")}, nil}}, "neither text nor calls"},
		{&sdk.CreateMessageWithToolsResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("x", maxSampled)},
			&sdk.TextContent{Text: "x"}}}, "at most 1048576 are read"},
		{&sdk.CreateMessageWithToolsResult{Content: []sdk.Content{&sdk.TextContent{Text: "a\xff"}, &sdk.TextContent{Text: "b"}}}, ""},
	} {
		out, err := readSampled(c.said, llm.Request{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil &&
			out.Text != "a\ufffdb" {
			t.Errorf("%+v, %v, want %q", out, err, c.want)
		}
	}
}

// A client whose model hangs is asked five times, and then left alone for a minute.
func TestClientsModelThatHangsRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		hangs := &sampling{patience: samplingPatience, ask: func(ctx context.Context,
			_ *sdk.CreateMessageWithToolsParams) (*sdk.CreateMessageWithToolsResult, error) {
			asked++
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		m := llm.WithBreaker(hangs, time.Now, 0)
		began := time.Now()
		for range 5 {
			if _, err := m.Complete(t.Context(), llm.Request{}); err == nil ||
				err.Error() != "the client's model did not answer within 30s; try again, or raise brv.model.patienceSeconds above 30" {
				t.Error(err)
			}
		}
		if _, err := m.Complete(t.Context(), llm.Request{}); asked != 5 || time.Since(began) != 150*time.Second || err == nil ||
			!strings.Contains(err.Error(), "asked again in 60 s") {
			t.Errorf("asked %d times, %v: %v", asked, time.Since(began), err)
		}
	})
}

func TestConversationIsWrittenAsSamplingHasIt(t *testing.T) {
	m := &sampling{tools: true}
	p := m.params(llm.Request{
		System: "rules", NoCalls: true, Schema: &llm.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object"}`)},
		Tools: []llm.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []llm.Message{
			{Role: llm.RoleUser, Text: "q"},
			{Role: llm.RoleAssistant, Calls: []llm.Call{{ID: "1", Tool: "look", Arguments: json.RawMessage(`{"a": 1}`)},
				{ID: "2", Tool: "look", Arguments: json.RawMessage(`no JSON`)}}},
			{Role: llm.RoleTool, Results: []llm.CallResult{{ID: "1", Text: "seen"}, {ID: "2", Text: "bad", IsError: true}}},
			{Role: llm.RoleUser},
		},
	})
	golden(t, "sampling.json", pretty(t, p))
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
