package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// password is what a model must not read.
const password = `db_password = "Zq8vLw3nTr0ub4dor9"`

// echo is a model that says what it is asked.
type echo struct{ name string }

func (m echo) Name() string { return m.name }

func (m echo) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	if r.Stream != nil {
		r.Stream("a")
		r.Stream("b")
	}
	return llm.Response{Text: r.Messages[0].Text}, nil
}

func TestWorkspaceSaysWhichModelItHas(t *testing.T) {
	w := workspacetest.Open(t, nil, workspace.Options{})
	is := func(want ModelState, model bool, words string) {
		t.Helper()
		got := StateOf(w)
		if d := cmp.Diff(want, got); d != "" || (Model(w) != nil) != model || got.String() != words {
			t.Errorf("%s%q, want %q; a model: %v", d, got, words, Model(w) != nil)
		}
	}
	named := ModelState{Provider: "openai", Name: "m", Origin: "https://llm.example"}
	is(ModelState{Provider: "off"}, false, "off")
	UseModel(w, named, echo{"m"}, nil)
	is(named, true, "m at https://llm.example")
	UseModel(w, ModelState{Provider: "editor"}, echo{"theirs"}, nil)
	is(ModelState{Provider: "editor", Name: "theirs"}, true, "theirs")
	wrong := named
	wrong.Problem = "there is no key"
	UseModel(w, named, nil, fmt.Errorf("there is no key"))
	is(wrong, false, "m at https://llm.example (not used): there is no key")
	UseModel(w, named, echo{"m"}, nil)
	w.SetTrusted(false, "nobody said so")
	wrong.Problem = "nobody said so"
	is(wrong, false, "m at https://llm.example (not used): nobody said so")
	w.SetTrusted(true, "")
	is(named, true, "m at https://llm.example")
	UseModel(w, ModelState{Provider: Off}, nil, nil)
	is(ModelState{Provider: "off"}, false, "off")
}

func TestAskingIsFollowed(t *testing.T) {
	w := workspacetest.Open(t, nil, workspace.Options{})
	UseModel(w, ModelState{Provider: "given"}, echo{"m"}, nil)
	var told, pieces []string
	ctx := Asking(t.Context(), func(model string, n int) { told = append(told, fmt.Sprint(model, n)) })
	r := llm.Request{Messages: []llm.Message{{Text: "q"}}, Stream: func(p string) { pieces = append(pieces, p) }}
	if _, err := Model(w).Complete(ctx, r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"m0", "m1", "m2", "a", "b"}, append(told, pieces...)); d != "" {
		t.Error(d)
	}
}

// TestNoModelIsAskedUnguarded gives a workspace a model as it comes.
func TestNoModelIsAskedUnguarded(t *testing.T) {
	w := workspacetest.Open(t, nil, workspace.Options{})
	UseModel(w, ModelState{Provider: "given"}, echo{"m"}, nil)
	r, err := Model(w).Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: password}}})
	if err != nil || strings.Contains(r.Text, "Tr0ub4dor") {
		t.Errorf("%q, %v", r.Text, err)
	}
}
