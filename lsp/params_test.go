package lsp

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// A key that there is not is answered with those that there are, by each command.
func TestUnknownKeyListsTheKnown(t *testing.T) {
	for name, c := range commands {
		_, err := readRequest(c, []byte(`{"nonsense": 1}`))
		want := "wrong request: unknown key `nonsense`; the keys are "
		if c.Request.NumField() == 0 {
			want += "none; every request can also have uri, position, range, show, ask, workDoneToken, partialResultToken"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestWrongRequestsNameTheirKey(t *testing.T) {
	for _, c := range []struct{ command, raw, want string }{
		{queryCommand, `7`, "the request is not a JSON object"},
		{queryCommand, `[]`, "the request is not a JSON object"},
		{queryCommand, `{"uri":7}`, "key `uri`: expected a string, got a number"},
		{queryCommand, `{"position":"here"}`, "key `position`: expected an object, got a string"},
		{queryCommand, `{"uri":"file:///x","position":{"line":-1,"character":0}}`,
			"key `position.line`: expected a whole number from 0, got the number -1"},
		{queryCommand, `{"position":{"line":1}}`, "key `position`: key `character` is missing"},
		{queryCommand, `{"show":"yes"}`, "key `show`: expected true or false, got a string"},
		{queryCommand, `{"workDoneToken":[]}`, "key `workDoneToken`: expected a string or a number"},
		{queryCommand, `{"partialResultToken":[]}`, "key `partialResultToken`: expected a string or a number"},
		{queryCommand, `{"limit":"all"}`, "key `limit`: expected a whole number, got a string"},
		{"brv.curate", `{"operations":[{"type":7}]}`, "key `operations.type`: expected a string, got a number"},
		{"brv.curate", `{"operations":[{"tpye":"ADD"}]}`, "key `operations`: unknown key `tpye`"},
		{proposeCommand, `{"range":{"start":7}}`, "key `range`: expected an object, got a number"},
	} {
		if _, err := readRequest(commands[c.command], []byte(c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.command, c.raw, err, c.want)
		}
	}
	for _, none := range []string{"", "null", "{}"} {
		if r, err := readRequest(commands[queryCommand], []byte(none)); err != nil || !reflect.ValueOf(r.own).Elem().IsZero() {
			t.Errorf("%q: %+v, %v", none, r, err)
		}
	}
}

// What only the editor has is about a document whose text is known.
func TestEditorCommandsNeedAPlace(t *testing.T) {
	sc := packing(t, position.UTF16, map[string]string{"a.go": "a"})
	if _, err := sc.server.command(commands[curateCommand], commandRequest{}); err == nil || !strings.Contains(err.Error(), "needs {uri}") {
		t.Error(err)
	}
	sc.Doc = &state.Document{Desynced: true}
	if _, err := sc.draft(t.Context(), selection{}); !errors.Is(err, protocol.ErrContentModified) {
		t.Errorf("what is kept is of a text that nobody knows: %v", err)
	}
}

// A request is in the client's terms, and becomes one in the command's.
func TestRequestIsRead(t *testing.T) {
	r, err := readRequest(commands[queryCommand], []byte(
		`{"text":"x","uri":"file:///a/b.go","position":{"line":2,"character":1},"workDoneToken":7,"partialResultToken":"p"}`))
	if err != nil || r.URI != "file:///a/b.go" || r.own.(*consult.QueryRequest).Text != "x" || r.Position.Line != 2 ||
		r.WorkDoneToken.ProgressToken != protocol.Integer(7) || r.PartialResultToken.ProgressToken != protocol.String("p") {
		t.Errorf("%+v, %v", r, err)
	}
	sc := packing(t, position.UTF16, map[string]string{"a.go": "1\n2\n3é5\n"})
	place := `{"position":{"line":2,"character":2}}`
	if got := asked[describe.HereRequest](t, sc, "brv.here", place); *got != (describe.HereRequest{Path: "a.go", Offset: 7}) {
		t.Errorf("%+v", got)
	}
	if got := asked[packParams](t, sc, packCommand, place); got.Path != "a.go" || *got.Offset != 7 {
		t.Errorf("%+v", got)
	}
	part := `{"range":{"start":{"line":1,"character":0},"end":{"line":2,"character":2}}}`
	if got := asked[drafting.DraftRequest](t, sc, "brv.draft", part); *got != (drafting.DraftRequest{Path: "a.go", Start: 2, End: 7}) {
		t.Errorf("%+v", got)
	}
	for name, raw := range map[string]string{"brv.here": part, "brv.draft": `{"path":"b.go",` + part[1:]} {
		r, err := readRequest(commands[name], []byte(raw))
		if err == nil {
			err = sc.fill(commands[name], r)
		}
		if err == nil || !strings.Contains(err.Error(), "key `range`") {
			t.Errorf("%s %s: %v", name, raw, err)
		}
	}
}
