package format

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestAgentsWriteTheSame reads the entries of three kinds of agents, and all must say the same.
func TestAgentsWriteTheSame(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/parse/agents.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "want" {
			continue
		}
		e := Parse(f.Name, string(f.Data))
		c := e.Content()
		var facts, files []string
		for _, f := range e.Facts {
			facts = append(facts, f.Subject+"="+f.Statement)
		}
		for _, f := range e.Files {
			files = append(files, f.Path)
		}
		said := []string{e.Title, c.RawConcept.Task, strings.Join(files, " "), strings.Join(facts, " ")}
		want := []string{"Token rotation", "Rotate refresh tokens", "src/auth/rotate.go src/auth/store.go src/auth/clock.go", "ttl=7 days store=Redis clock=UTC"}
		for i := range want {
			if said[i] != want[i] {
				t.Errorf("%s: %q, want %q", f.Name, said[i], want[i])
			}
		}
		if rules := c.Narrative; strings.Count(rules.Rules, "\n") != 1 || !strings.Contains(rules.Rules, "A token works once") {
			t.Errorf("%s: rules %+v", f.Name, rules)
		}
	}
}
