package consult

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// meaningFiles are a tree with an entry on what the program sends home, in other words than the questions'.
func meaningFiles() map[string]string {
	files := map[string]string{}
	for name, text := range map[string]string{
		"privacy":  "Usage data stays here: no telemetry is gathered.",
		"journal":  "Each change is written ahead, so that a crash loses nothing. db_password = \"Zq8vLw3nTr0ub4dor9\"",
		"release":  "A release is cut on Fridays, by a tag.",
		"colours":  "Buttons are blue, warnings are amber.",
		"payments": "Invoices are paid within ten days.",
	} {
		files[".brv/context-tree/handbook/topics/"+name+".md"] = "# About " + name + "\n\n" + text + "\n"
	}
	return files
}

// encoderOf opens the folder with an encoder for which some words are one.
func encoderOf(t *testing.T, o workspace.Options) (*workspace.Workspace, *llmtest.Encoder) {
	t.Helper()
	e := llmtest.ServeEncoder(t, []string{"telemetry", "phone", "heim"}, []string{"gathered", "home", "telefoniert"})
	w := workspacetest.Open(t, meaningFiles(), o)
	s := settings.Embedding{Endpoint: e.URL, Model: "toy"}
	if err := provider.UseEncoder(w, s, nil, func(string) string { return "" }, nil); err != nil {
		t.Fatal(err)
	}
	return w, e
}

func first(t *testing.T, w *workspace.Workspace, text string) (path string, r *QueryResponse) {
	t.Helper()
	r, err := Query(t.Context(), w.View(), QueryRequest{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sources) > 0 {
		path = r.Sources[0].Path
	}
	return path, r
}

// What is asked in other words, or in another language, is found, and never told as sure.
func TestMeaningFindsOtherWords(t *testing.T) {
	w, e := encoderOf(t, workspace.Options{Trusted: true, Unhurried: true})
	for _, text := range []string{"does it phone home", "telefoniert das heim"} {
		path, r := first(t, w, text)
		if path != "handbook/topics/privacy.md" || r.OutOfDomain || !r.ForReader || !strings.Contains(r.Markdown, "no telemetry") {
			t.Errorf("%s: %s %+v", text, path, r)
		}
	}
	if path, r := first(t, w, "phone home: my password is Tr0ub4dor-Zq8v9"); path == "" || r.Note != "" {
		t.Error(path, r.Note)
	}
	all := strings.Join(e.Asked(), "\n")
	if strings.Contains(all, "Tr0ub4dor") || !strings.Contains(all, "crash loses nothing") {
		t.Errorf("a credential was sent:\n%s", all)
	}
	asked := len(e.Asked())
	if first(t, w, "does it phone home"); len(e.Asked()) != asked {
		t.Error("it was asked the same again")
	}
	provider.UseEncoder(w, settings.Embedding{}, nil, nil, nil)
	if _, r := first(t, w, "telefoniert das heim"); !r.OutOfDomain {
		t.Errorf("without the encoder: %+v", r)
	}
}

// Without trust nothing is sent.
func TestMeaningNeedsTrust(t *testing.T) {
	w, e := encoderOf(t, workspace.Options{Untrusted: "nobody said so", Unhurried: true})
	if _, r := first(t, w, "telefoniert das heim"); !r.OutOfDomain || r.Note != "" || len(e.Asked()) > 0 {
		t.Errorf("%+v, sent %q", r, e.Asked())
	}
}

// An encoder that fails is a note beside the answer that words alone give.
func TestBrokenEncoderLeavesTheWords(t *testing.T) {
	plain := workspacetest.Open(t, meaningFiles(), workspace.Options{Trusted: true, Unhurried: true})
	path, want := first(t, plain, "when are invoices paid")
	for about, h := range map[string]http.HandlerFunc{
		"500":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"nonsense":    func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"data":[{"embedding":[0]}]}`)) },
		"closes":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is no model": http.NotFound,
	} {
		t.Run(about, func(t *testing.T) {
			w := workspacetest.Open(t, meaningFiles(), workspace.Options{Trusted: true, Unhurried: true})
			e := llmtest.ServeEncoder(t)
			e.Break(h)
			if err := provider.UseEncoder(w, settings.Embedding{Endpoint: e.URL, Model: "toy"}, nil, func(string) string { return "" }, nil); err != nil {
				t.Fatal(err)
			}
			got, r := first(t, w, "when are invoices paid")
			if got != path || r.Confidence != want.Confidence || r.Markdown != want.Markdown || !strings.Contains(r.Note, "searched by words only: ") {
				t.Errorf("%s %+v, want %s %+v", got, r, path, want)
			}
		})
	}
}

// A server answers while the encoder hangs, and is closed while it does.
func TestHangingEncoderIsNotWaitedFor(t *testing.T) {
	w := workspacetest.Open(t, meaningFiles(), workspace.Options{Trusted: true, FollowCode: true})
	e := llmtest.ServeEncoder(t)
	free, release := context.WithCancel(context.Background())
	defer release()
	e.Break(func(http.ResponseWriter, *http.Request) { <-free.Done() })
	if err := provider.UseEncoder(w, settings.Embedding{Endpoint: e.URL, Model: "toy"}, nil, func(string) string { return "" }, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if path, r := first(t, w, "when are invoices paid"); path != "handbook/topics/payments.md" || !strings.Contains(r.Note, "not answer in time") {
			t.Errorf("%s %+v", path, r)
		}
	}
}

// A key goes to its own origin, and settings that name none are told.
func TestEncoderHasItsKey(t *testing.T) {
	w := workspacetest.Open(t, nil, workspace.Options{Trusted: true})
	env := func(name string) string { return map[string]string{"OPENAI_API_KEY": "maker", "OWN": "own"}[name] }
	for _, c := range []struct {
		s   settings.Embedding
		err string
	}{
		{settings.Embedding{Endpoint: "https://encoder.example/v1", Model: "m"}, "brv.embedding.keyVariable"},
		{settings.Embedding{Endpoint: "https://encoder.example/v1", Model: "m", KeyVariable: "OPENAI_API_KEY"}, "provider's own"},
		{settings.Embedding{Endpoint: "https://encoder.example/v1", Model: "m", KeyVariable: "OWN"}, ""},
		{settings.Embedding{Endpoint: "https://api.openai.com/v1", Model: "m"}, ""},
		{settings.Embedding{Endpoint: "http://encoder.example/v1", Model: "m"}, "brv.embedding.endpoint"},
		{settings.Embedding{Endpoint: "http://localhost:1"}, "brv.embedding.model"},
		{settings.Embedding{}, ""},
	} {
		err := provider.UseEncoder(w, c.s, nil, env, nil)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}
