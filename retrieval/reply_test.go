package retrieval

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

// A model reads no credential and says none, not even one that it was told piece by piece.
func TestCredentialsStayBehind(t *testing.T) {
	const password = "hunter2hunter2X9"
	key := "AK" + "IA" + strings.Repeat("ABCD", 4)
	snap := snapshotOf(
		"auth/login/rotation.md", "---\ntitle: Rotation of "+key+"\nsummary: \"rotates, password: "+password+
			"\"\nrelated: [auth/login/storage.md]\n---\n\nTokens are rotated at every use.\n\n- password: `"+password+"`\n",
		"auth/login/storage.md", "---\ntitle: Storage\n---\n\nTokens are kept where DB_PASSWORD="+password+
			" @auth/login/rotation.md leads.\n")
	for tier, script := range map[Tier][]llmtest.Turn{
		TierModel: {{}},
		TierLoop: {{Say: llm.Response{Calls: []llm.Call{
			{ID: "1", Tool: "read_entry", Arguments: []byte(`{"path":"auth/login/rotation.md"}`)},
			{ID: "2", Tool: "relations", Arguments: []byte(`{"path":"auth/login/rotation.md"}`)},
			{ID: "3", Tool: "search", Arguments: []byte(`{"query":"tokens"}`)},
			{ID: "4", Tool: "list", Arguments: []byte(`{"folder":"auth/login"}`)},
			{ID: "5", Tool: "read_entry", Arguments: []byte(`{"path":"auth/login/storage.md","section":"none"}`)},
		}}}, {}},
	} {
		last := &script[len(script)-1]
		last.Reply = func(r llm.Request) (llm.Response, error) {
			nonce := r.System[strings.Index(r.System, "<WORD-")+6:][:12]
			return llm.Response{Text: "The key is " + key[:6] + nonce + key[6:] + " and DB_PASSWORD=" + password +
				"\u200b [auth/login/rotation.md, auth/login/storage.md]."}, nil
		}
		m := llmtest.Record(llmtest.New(t, script...))
		a, err := asked(t.Context(), t, m, snap, tier, "how are tokens rotated")
		if err != nil {
			t.Fatal(err)
		}
		all := shownAnswer(snapshotOf(), Answer{Text: a.Text, Note: a.Note, Why: a.Why})
		for _, s := range a.Sources {
			all += s.Title
		}
		for _, r := range m.Requests() {
			all += llmtest.Format(r)
		}
		if strings.Contains(all, password) || strings.Contains(all, key) || strings.Contains(a.Text, "\u200b") ||
			strings.Count(a.Text, "[REDACTED:") != 3 {
			t.Errorf("tier %d\n%s", tier, all)
		}
	}
}
