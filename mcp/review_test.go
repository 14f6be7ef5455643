package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sizeEntry is what the proposals of these tests would make.
const sizeEntry = ".brv/context-tree/authentication/jwt/token_size.md"

var sizeOperations = map[string]any{"operations": []map[string]any{{
	"type": "ADD", "path": "authentication/jwt", "title": "Token size", "reason": "asked twice",
	"content": map[string]any{"facts": []map[string]any{{"statement": "A token has at most 2 KiB"}}},
}}}

func exists(t *testing.T, dir, p string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(dir, p))
	return err == nil
}

// connected is a client of that protocol whose user answers questions by answer; none if it
// is nil.
func connected(t *testing.T, dir, version string, answer func(*sdk.ElicitParams) (*sdk.ElicitResult, error)) *sdk.ClientSession {
	t.Helper()
	in, out := pipes(t, Options{Root: dir})
	o := &sdk.ClientOptions{}
	if answer != nil {
		o.ElicitationHandler = func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return answer(r.Params) }
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, o).Connect(t.Context(),
		&sdk.IOTransport{Reader: in, Writer: out}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// askableVersions are the protocols in which the server asks by a request of its own, and in
// which it cannot.
var askableVersions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// TestOnlyAPersonsYesDecides has an agent try to approve, and its client's user answer in
// each way that there is.
func TestOnlyAPersonsYesDecides(t *testing.T) {
	said := func(action string, content map[string]any) func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: action, Content: content}, nil
		}
	}
	for name, c := range map[string]struct {
		answer func(*sdk.ElicitParams) (*sdk.ElicitResult, error)
		done   bool
	}{
		"yes":               {said("accept", map[string]any{"yes": true}), true},
		"no":                {said("accept", map[string]any{"yes": false}), false},
		"nothing filled in": {said("accept", nil), false},
		"declined":          {said("decline", map[string]any{"yes": true}), false},
		"cancelled":         {said("cancel", nil), false},
		"garbage":           {said("perhaps", map[string]any{"yes": true}), false},
		"a word":            {said("accept", map[string]any{"yes": "true"}), false},
		"a failing client":  {func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return nil, errors.New("no window") }, false},
		"nobody to ask":     {nil, false},
	} {
		for _, version := range askableVersions {
			t.Run(name+"/"+version, func(t *testing.T) {
				dir, _ := folder(t, "calls.txtar")
				asked := 0
				answer := c.answer
				if answer != nil {
					answer = func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
						asked++
						for _, want := range []string{"tester asks you to approve review 1", "agent tester",
							"asked twice", "+- A token has at most 2 KiB"} {
							if !strings.Contains(p.Message, want) {
								t.Errorf("the question lacks %q:\n%s", want, p.Message)
							}
						}
						return c.answer(p)
					}
				}
				client := connected(t, dir, version, answer)
				if r := ask(t, client, "brv_curate", sizeOperations); r.IsError {
					t.Fatal(textOf(t, r))
				}
				r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "brv_review",
					Arguments: map[string]any{"action": "approve", "review": 1}})
				if c.done != (err == nil && !r.IsError && strings.Contains(textOf(t, r), "The user agreed")) {
					t.Errorf("%+v, %v", r, err)
				}
				if c.answer == nil && (err != nil || !strings.Contains(textOf(t, r),
					"`brv-lsp review approve 1:authentication/jwt/token_size.md`")) {
					t.Errorf("no command for the user: %+v, %v", r, err)
				}
				if (c.answer != nil) != (asked == 1) {
					t.Errorf("asked %d times", asked)
				}
				if exists(t, dir, sizeEntry) != c.done {
					t.Errorf("the entry is there: %v", !c.done)
				}
				if left := textOf(t, ask(t, client, "brv_review", map[string]any{"action": "list"})); strings.Contains(left,
					"token_size") == c.done {
					t.Errorf("what waits now: %s", left)
				}
			})
		}
	}
}

// TestGarbageIsNoYes has a client of the older protocols answer the question with what is no
// result of an elicitation. The session goes on.
func TestGarbageIsNoYes(t *testing.T) {
	for _, reply := range []string{
		`"result":7`, `"result":null`, `"result":{}`, `"result":[]`, `"result":{"action":true}`,
		`"result":{"action":"ACCEPT","content":{"yes":true}}`,
		`"result":{"action":"accept","content":{"yes":"true"}}`, `"result":{"action":"accept","content":{"yes":1}}`,
		`"result":{"action":"accept","content":{"yes":[true]}}`,
		`"result":{"action":"accept","content":"yes"}`, `"result":{"content":{"yes":true}}`, `"error":{"code":-1,"message":"x"}`,
	} {
		dir, _ := folder(t, "calls.txtar")
		r := dialRaw(t, Options{Root: dir})
		r.send(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"raw","version":"1"}}}`)
		r.receive()
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		operations, _ := json.Marshal(sizeOperations)
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brv_curate","arguments":%s}}`, operations))
		r.receive().text(t)
		r.send(
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"brv_review","arguments":{"action":"approve","review":1}}}`)
		question := r.receive()
		if question.Method != "elicitation/create" {
			t.Fatalf("got %+v", question)
		}
		id, _ := json.Marshal(question.ID)
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, reply))
		if text := r.receive().text(t); !strings.Contains(text, "othing was decided") || exists(t, dir, sizeEntry) {
			t.Errorf("%s: %s", reply, text)
		}
		r.send(fmt.Sprintf(searchCall, 4, ""))
		r.receive().text(t)
	}
}

// TestAnAnswerIsForItsQuestion plays a client of the stateless protocol that brings answers
// to what it was not asked.
func TestAnAnswerIsForItsQuestion(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	r := dialRaw(t, Options{Root: dir})
	meta := strings.Replace(stateless, `"io.modelcontextprotocol/clientCapabilities":{}`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`, 1)
	n := 0
	call := func(tool, arguments, more string) map[string]any {
		n++
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s,%s}}`, n, tool,
			arguments, more, meta))
		m := r.receive()
		if m.Error != nil {
			t.Fatalf("%+v", m.Error)
		}
		return m.Result
	}
	operations, _ := json.Marshal(sizeOperations)
	call("brv_curate", string(operations), "")
	const approve, reject = `{"action":"approve","review":1}`, `{"action":"reject","review":1}`
	const accepted = `,"inputResponses":{"yes":{"action":"accept","content":{"yes":true}}}`
	token := func(result map[string]any) string {
		t.Helper()
		state, _ := result["requestState"].(string)
		if result["resultType"] != "input_required" || state == "" {
			t.Fatalf("not a question: %v", result)
		}
		return fmt.Sprintf(`,"requestState":%q`, state)
	}
	token(call("brv_review", approve, accepted))                           // not asked
	token(call("brv_review", approve, accepted+`,"requestState":"guess"`)) // nor this
	forReject := token(call("brv_review", reject, ""))
	token(call("brv_review", approve, accepted+forReject)) // yes to another question
	token(call("brv_review", reject, accepted+forReject))  // used up
	other := `{"action":"edit","review":1,"text":"# Other\n"}`
	forEdit := token(call("brv_review", other, ""))
	token(call("brv_review", strings.Replace(other, "Other", "Evil", 1), accepted+forEdit))
	if exists(t, dir, sizeEntry) {
		t.Fatal("done without a yes")
	}
	for _, no := range []string{`,"inputResponses":{}`, `,"inputResponses":{"yes":{"roots":[]}}`,
		`,"inputResponses":{"yes":{"action":"decline"}}`, ""} {
		result := call("brv_review", approve, no+token(call("brv_review", approve, "")))
		if text, _ := json.Marshal(result); !strings.Contains(string(text), "othing was decided") || exists(t, dir, sizeEntry) {
			t.Fatalf("%s: %s", no, text)
		}
	}
	if text, _ := json.Marshal(call("brv_review", approve, accepted+token(call("brv_review", approve, "")))); !strings.Contains(
		string(text), "The user agreed") || !exists(t, dir, sizeEntry) {
		t.Errorf("a yes does nothing: %s", text)
	}
}

func TestQuestionsAreForgotten(t *testing.T) {
	var k questions
	first := k.put("a")
	for range maxAsked {
		k.put("b")
	}
	if k.take(first, "a") || len(k.order) != maxAsked || len(k.texts) != maxAsked {
		t.Errorf("%d questions wait", len(k.order))
	}
	last := k.put("c")
	if k.take("", "c") || !k.take(last, "c") || k.take(last, "c") {
		t.Error("a token does not serve once")
	}
}

// TestADecisionShowsAllOfIt looks at the questions of the other decisions.
func TestADecisionShowsAllOfIt(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	hand := filepath.Join(dir, ".brv/context-tree/authentication/jwt/hand.md")
	if err := os.WriteFile(hand, []byte("---\ntitle: Hand\n---\n## Facts\n- password: hunter2hunter2X9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var shown string
	c := connected(t, dir, "2025-11-25", func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
		shown = p.Message
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"yes": true}}, nil
	})
	decide := func(arguments map[string]any) *sdk.CallToolResult {
		t.Helper()
		shown = ""
		return ask(t, c, "brv_review", arguments)
	}
	ask(t, c, "brv_curate", sizeOperations)
	ask(t, c, "brv_curate", map[string]any{"operations": []map[string]any{{"type": "UPDATE", "path": "authentication/jwt/tokens.md",
		"summary": "New.", "reason": "it\nis"}}})

	r := decide(map[string]any{"action": "edit", "review": 2, "text": "---\ntitle: Access tokens\n---\nShort.\n",
		"reason": "shorter\u202e\nthan it was"})
	for _, want := range []string{"approve an edited version of review 2", "Its reason: shorter than it was\n",
		"-- Access tokens live for ten minutes [convention]", "+Short."} {
		if !strings.Contains(shown, want) {
			t.Errorf("the question lacks %q:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "\u202e") || r.IsError {
		t.Errorf("%q, %s", shown, textOf(t, r))
	}
	over := ask(
		t, c, "brv_curate", map[string]any{"operations": []map[string]any{{"type": "UPDATE", "path": "authentication/jwt/hand.md",
			"summary": "s", "reason": "r"}}})
	if r := decide(map[string]any{"action": "edit", "review": over.StructuredContent.(map[string]any)["review"],
		"text": "---\ntitle: Hand\n---\nOther.\n"}); strings.Contains(shown, "hunter2") ||
		!strings.Contains(shown, "-- password: [REDACTED") || !strings.Contains(shown, "+Other.") {
		t.Errorf("%q, %s", shown, textOf(t, r))
	}
	if r := decide(map[string]any{"action": "edit", "review": 1, "text": "# A\u202eB\n"}); !r.IsError || shown != "" ||
		!strings.Contains(textOf(t, r), "invisible") {
		t.Errorf("what is shown is not what is written: %q\n%s", shown, textOf(t, r))
	}
	for text, want := range map[string]string{
		"---\ntitle: T\n---\npassword: hunter2hunter2X9\n": "a credential",
		"See [x](command:workbench.action).\n":             "runs or opens something",
		"![a](https://example.org/x.png)\n":                "a remote picture",
		"---\ntitle: T\nmaturity: core\n---\nNew.\n":       "changes the maturity",
		"---\ntitle: T\nimportance: 99\n---\nNew.\n":       "changes the importance",
	} {
		if r := decide(map[string]any{"action": "edit", "review": 1, "text": text}); !r.IsError ||
			!strings.Contains(textOf(t, r), want) || exists(t, dir, sizeEntry) {
			t.Errorf("%q: an agent has it approved: %s", text, textOf(t, r))
		}
	}
	if r := decide(map[string]any{"action": "reject", "review": 1, "reason": "not ours"}); r.IsError ||
		!strings.Contains(shown, "asks you to reject") || exists(t, dir, sizeEntry) {
		t.Errorf("%s\n%s", shown, textOf(t, r))
	}
	if text := textOf(t, ask(t, c, "brv_review", map[string]any{"action": "list"})); text != "Nothing waits for a review.\n" {
		t.Errorf("what waits: %s", text)
	}

	long := map[string]any{"operations": []map[string]any{{"type": "ADD", "path": "a/b", "title": "Long", "reason": "x",
		"content": map[string]any{"snippets": []string{strings.Repeat("A line.\n", 4000)}}}}}
	held := ask(t, c, "brv_curate", long).StructuredContent.(map[string]any)["review"]
	if r := decide(map[string]any{"action": "approve", "review": held}); !r.IsError || shown != "" ||
		!strings.Contains(textOf(t, r), "the limit is") {
		t.Errorf("what nobody can read is asked: %.200s\n%s", shown, textOf(t, r))
	}
}

// TestADraftIsTheAgents has rules draft for an agent: held, with the operations to improve.
func TestADraftIsTheAgents(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	committed(t, dir, "Make new keys\n\nThey must be made before the old pair is a day old, since a service that sleeps over the change of\n"+
		"the day would else sign with keys that nobody knows any more.")
	c := dial(t, Options{Root: dir, Trust: func(string) (bool, string) { return true, "" }, Log: discard()}, nil)
	dry := ask(t, c, "brv_curate", map[string]any{"changes": "HEAD", "topic": "authentication/jwt", "dry_run": true})
	text := textOf(t, dry)
	if dry.IsError || !strings.Contains(text, "nothing was proposed") || !strings.Contains(text, `{"type":"`) {
		t.Errorf("%s", text)
	}
	held := ask(t, c, "brv_curate", map[string]any{"changes": "HEAD", "topic": "authentication/jwt"})
	if text := textOf(t, held); held.IsError || !strings.Contains(text, "Proposed as review 1") || !strings.Contains(text, `{"type":"`) {
		t.Errorf("%s", text)
	}
	if text := textOf(t, ask(t, c, "brv_review", map[string]any{"action": "list"})); !strings.Contains(text, "by mcp: tester") ||
		!strings.Contains(text, "agent tester") {
		t.Errorf("%s", text)
	}
	// What is drafted can be proposed as it is.
	var operations []json.RawMessage
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `{"type":`) {
			operations = append(operations, json.RawMessage(line))
		}
	}
	if r := ask(t, c, "brv_curate", map[string]any{"operations": operations, "dry_run": true}); len(operations) == 0 || r.IsError {
		t.Errorf("%d operations: %s", len(operations), textOf(t, r))
	}
}

// committed makes all that a folder holds a commit of a repository.
func committed(t *testing.T, dir, message string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", message}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
}

// TestAnUnclearTopicIsTheAgentsToChoose: nothing is held before it says where the draft
// goes.
func TestAnUnclearTopicIsTheAgentsToChoose(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(".brv/context-tree/uploads/retries/budget.md", "---\ntitle: Budget of retries\n---\n`backoffDelay` says how long it takes.\n")
	write(".brv/context-tree/billing/invoices/numbers.md",
		"---\ntitle: Numbers of invoices\n---\n`backoffDelay` says how long one waits.\n")
	write("src/core/base.go", "package core\n\ntype Queue struct{}\n\nfunc (q *Queue) backoffDelay(n int) int {\n\treturn 2 * n\n}\n")
	committed(t, dir, "Late ones wait twice as long\n\nA queue that is late already fills up again while it waits, so the second wait\n"+
		"has to be longer, and the people in front of it have to be told.")
	c := dial(t, Options{Root: dir, Trust: func(string) (bool, string) { return true, "" }, Log: discard()}, nil)
	text := textOf(t, ask(t, c, "brv_curate", map[string]any{"changes": "HEAD"}))
	for _, want := range []string{"Nothing was proposed because the topic is not clear", "call again with topic",
		"Needs a topic: Late ones wait twice as long", "- uploads/retries: its entries are linked", "- core/base: a new topic"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := textOf(t, ask(t, c, "brv_curate", map[string]any{"changes": "HEAD", "topic": "uploads"})); !strings.Contains(text,
		"write domain/topic") {
		t.Errorf("%s", text)
	}
	if text := textOf(t, ask(t, c, "brv_curate", map[string]any{"changes": "HEAD", "topic": "uploads/retries"})); !strings.Contains(
		text, "Proposed as review 1") {
		t.Errorf("%s", text)
	}
}

// TestMuchIsDecidedInPages approves what does not fit in one question, but one of it, question by question.
func TestMuchIsDecidedInPages(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	without := any("3")
	var shown string
	c := connected(t, dir, "2025-11-25", func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
		shown = p.Message
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"yes": true, "but": without}}, nil
	})
	var ops []map[string]any
	for i := range 20 {
		ops = append(ops, map[string]any{"type": "ADD", "path": "pages/many", "title": fmt.Sprintf("Rule %02d", i+1), "reason": "x",
			"content": map[string]any{"snippets": []string{strings.Repeat("A line of this rule.\n", 50)}}})
	}
	proposed := ask(t, c, "brv_curate", map[string]any{"operations": ops})
	if proposed.IsError {
		t.Fatal(textOf(t, proposed))
	}
	held := proposed.StructuredContent.(map[string]any)["review"]
	approve := func() string {
		t.Helper()
		return textOf(t, ask(t, c, "brv_review", map[string]any{"action": "approve", "review": held}))
	}
	for _, wrong := range []any{7, "99", "x"} {
		if without = wrong; strings.Contains(approve(), "was carried out") || exists(t, dir, ".brv/context-tree/pages/many/rule_01.md") {
			t.Errorf("%v: something is decided", wrong)
		}
	}
	without = "3"
	first := approve()
	if !strings.Contains(shown, "\n3 ADD pages/many/rule_03.md") || !strings.Contains(shown, "more are not decided now") ||
		!strings.Contains(first, "still wait: 11. Call again") || !exists(t, dir, ".brv/context-tree/pages/many/rule_01.md") ||
		exists(t, dir, ".brv/context-tree/pages/many/rule_03.md") || exists(t, dir, ".brv/context-tree/pages/many/rule_20.md") {
		t.Errorf("%s\n%.300s", first, shown)
	}
	for range 3 {
		approve()
	}
	if !exists(t, dir, ".brv/context-tree/pages/many/rule_20.md") || exists(t, dir, ".brv/context-tree/pages/many/rule_03.md") {
		t.Error("the pages do not end, or what was left out is decided")
	}
}
