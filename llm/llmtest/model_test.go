package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
)

// witness stands in for a test and keeps its failures.
type witness struct {
	testing.TB
	failed  []string
	cleanup []func()
}

func (w *witness) Helper()          {}
func (w *witness) Cleanup(f func()) { w.cleanup = append(w.cleanup, f) }
func (w *witness) Errorf(format string, args ...any) {
	w.failed = append(w.failed, fmt.Sprintf(format, args...))
}

const script = `
# a comment
turn
want system: brief
want last: why
want not any: password
want tools: look
want calls: yes
call look {"at": 1}
say One
| two
usage 10 2

turn
want calls: no
fail overloaded
`

func TestScriptIsPlayed(t *testing.T) {
	request := llm.Request{System: "be brief", Tools: []llm.Tool{{Name: "look"}},
		Messages: []llm.Message{{Role: llm.RoleUser, Text: "why?"}}}
	m := Record(Load(t, script))
	said, err := m.Complete(t.Context(), request)
	want := llm.Response{Text: "One\ntwo\n", Calls: []llm.Call{{ID: "c1", Tool: "look", Arguments: []byte(`{"at": 1}`)}},
		Usage: llm.Usage{Input: 10, Output: 2}}
	if diff := cmp.Diff(want, said); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	request.NoCalls = true
	if _, err = m.Complete(t.Context(), request); err == nil || err.Error() != "overloaded" {
		t.Error(err)
	}
	if got := m.Requests(); len(got) != 2 || got[0].NoCalls || !got[1].NoCalls || m.Name() != "scripted" {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNotForeseenFails(t *testing.T) {
	w := &witness{}
	m := Load(w, script+"turn\n")
	request := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "the password"}}}
	m.Complete(t.Context(), request)
	want := "turn 1 is not as foreseen (- wanted, + got):\n- system: brief\n- last: why\n- not any: password\n- tools: look\n- " +
		"calls: yes\n+ calls: no\nin the request\n" +
		"[system]\n\n[user]\nthe password\n[request] max tokens 0, temperature 0.0\n"
	if diff := cmp.Diff([]string{want}, w.failed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	m.Complete(t.Context(), request)
	for _, f := range w.cleanup {
		f()
	}
	m.Complete(t.Context(), request)
	m.Complete(t.Context(), request)
	if len(w.failed) != 3 || w.failed[1] != "the model was asked 2 times, its script has 3 turns" ||
		!strings.Contains(w.failed[2], "asked once more:\n[system]") {
		t.Errorf("%q", w.failed)
	}
}

func TestTurnsInGo(t *testing.T) {
	stopped := errors.New("stopped")
	m := New(t, Turn{Wait: func(context.Context) error { return stopped }},
		Turn{Reply: func(r llm.Request) (llm.Response, error) { return llm.Response{Text: r.System}, nil }})
	if _, err := m.Complete(t.Context(), llm.Request{}); err != stopped {
		t.Error(err)
	}
	if said, _ := m.Complete(t.Context(), llm.Request{System: "echo"}); said.Text != "echo" {
		t.Error(said)
	}
}

func TestScriptsThatAreNone(t *testing.T) {
	for script, want := range map[string]string{
		"say hi":                "line 1: stands before the first turn",
		"turn\nhello":           `line 2: "hello" is no part of a turn`,
		"turn\n\nusage 3":       "line 3: usage INPUT OUTPUT",
		"turn\ncall":            "line 2: call NAME ARGUMENTS",
		"turn\nwant where: x":   `line 2: "where: x": want [not] system`,
		"turn\nwant not last x": `line 2: "last x": want [not] system`,
	} {
		if _, err := Parse(script); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", script, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(script)
	f.Add("turn\n| \nusage 1 -1\ncall x\nwant not not any:")
	f.Fuzz(func(t *testing.T, script string) {
		turns, err := Parse(script)
		if err != nil && turns != nil || len(turns) > strings.Count(script, "turn") {
			t.Errorf("%d turns, %v", len(turns), err)
		}
	})
}
