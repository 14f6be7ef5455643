package derived

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestGeneratedFilesHoldNoSecret: what is taken out of entries leaves their credentials
// behind, also where the name that gives them away is not taken along.
func TestGeneratedFilesHoldNoSecret(t *testing.T) {
	key := "AK" + "IA" + strings.Repeat("ABCD", 4)
	const password = "hunter2hunter2X9"
	for name, text := range map[string]string{
		"names": "# Login\nThe test user logs in by form.\n\n- password: `" + password + "`\n",
		"prose": "# Login\nThe staging database has DB_PASSWORD=" + password + " and a read replica.\n",
		"fact":  "# Login\n## Facts\n- **db_password**: password: " + password + " [project]\n",
		"title": "---\ntitle: \"Key " + key + "\"\nsummary: \"rotates " + key + " weekly\"\ntags: [" + key + "]\nkeywords: [" +
			key + "]\n---\nThe key rotates.\n",
		"frontmatter": "---\ntitle: Login\nsummary: \"password: " + password + "\"\n---\nThe key rotates.\n",
		"file":        "# Login\n## Raw Concept\n**Files:**\n- src/" + key + ".go\n",
	} {
		t.Run(name, func(t *testing.T) {
			entry := format.Parse("d/t/login.md", text)
			s := tree.NewSnapshot([]*format.Entry{entry, format.Parse("d/t/context.md", "# Topic\n## Overview\n"+text),
				format.Parse("d/t/u/other.md", text)}, nil)
			written := RenderStub(entry, 1, year2026)
			fresh, _ := Summaries(s)
			for _, f := range fresh {
				written += f.Text
			}
			for _, secret := range []string{key, password} {
				if strings.Contains(written, secret) {
					t.Errorf("%s is in\n%s", secret, written)
				}
			}
			checkSummaries(t, s)
		})
	}
}

// TestSummaryOfASummaryHoldsNoSecret: what somebody wrote into a summary below, which stays
// as long as what it covers, does not climb.
func TestSummaryOfASummaryHoldsNoSecret(t *testing.T) {
	s := withSummaries(tree.NewSnapshot([]*format.Entry{format.Parse("d/t/login.md", "# Login\nBy form.\n")}, nil))
	old := entryAt(s, "d/t/_index.md")
	const secret = "hunter2hunter2X9"
	s = s.With(old.Path, old.Text+"\nThe staging database has DB_PASSWORD="+secret+" and a read replica.\n")
	fresh, _ := Summaries(s)
	if len(fresh) != 2 {
		t.Fatalf("%d summaries", len(fresh))
	}
	for _, f := range fresh {
		if strings.Contains(f.Text, secret) || !strings.Contains(f.Text, "read replica") {
			t.Errorf("%s\n%s", f.Path, f.Text)
		}
	}
}
