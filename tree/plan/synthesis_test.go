package plan

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// specimen is the example of the specification, "Dreaming", Synthesize, byte for byte, with a
// body.
const specimen = `---
confidence: 0.85
sources: [api/_index.md, security/_index.md]
synthesized_at: "2025-04-15T10:00:00Z"
type: synthesis
title: "Authentication Patterns Across Services"
summary: "Common access-token verification, session handling, and refresh patterns shared across the API and security domains"
tags: [auth, patterns, cross-domain]
related: []
keywords: [oauth, session, jwt, refresh]
createdAt: "2025-04-15T10:00:00Z"
updatedAt: "2025-04-15T10:00:00Z"
---
## Reason
found by a dream

## Narrative
### Rules
- Access tokens are verified by one function.
`

func synthesisOp(s *format.Synthesis) Op {
	return Op{
		Type: OpAdd, Path: "security/synthesis", Title: "Authentication Patterns Across Services", Reason: "found by a dream",
		Synthesis: s,
		Summary:   "Common access-token verification, session handling, and refresh patterns shared across the API and security domains",
		Content: format.Content{Lists: format.Lists{Tags: []string{"auth", "patterns", "cross-domain"}, Keywords: []string{"oauth", "session", "jwt",
			"refresh"}}, Narrative: format.Narrative{Rules: "- Access tokens are verified by one function."}},
	}
}

func synthesisPlan(t *testing.T, files map[string]string, at time.Time, op Op, o format.Origin) (text string, result Result) {
	t.Helper()
	entries := map[string]*format.Entry{}
	for p, text := range files {
		entries[p] = format.Parse(p, text)
	}
	s := (&tree.Snapshot{}).Update(entries)
	p := New(s, Batch{Ops: []Op{op}, Hold: HoldNone, Origin: o}.Screen(), Inputs{Now: Stamp(at)})
	if o.Human() {
		s = p.After
	} else { // held: what it would write
		st, err := p.state().effect(op)
		if err == nil {
			err = p.sign(op, &st)
		}
		if err != nil {
			t.Fatal(err)
		}
		s = s.Update(st.files)
	}
	e, ok := s.Entry(p.Results[0].FilePath)
	if ok {
		text = e.Text
	}
	return text, p.Results[0]
}

var twoDomains = map[string]string{
	"api/auth/tokens.md":         "---\ntitle: Tokens\n---\n## Narrative\n### Rules\nx\n",
	"security/session/expiry.md": "---\ntitle: Expiry\n---\n## Narrative\n### Rules\nx\n",
}

// TestSynthesisIsWrittenAsSpecified writes the specification's example, and one of a model.
func TestSynthesisIsWrittenAsSpecified(t *testing.T) {
	at := time.Date(2025, 4, 15, 10, 0, 0, 123e6, time.UTC)
	op := synthesisOp(&format.Synthesis{Confidence: 0.85, Sources: []string{"api/_index.md", "security/_index.md"}})
	got, r := synthesisPlan(t, twoDomains, at, op, format.Origin{})
	written := strings.Replace(specimen, "updatedAt: \"2025-04-15T10:00:00Z\"\n", "", 1) // it is counted beside the entry
	if diff := cmp.Diff(written, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", r.Message, diff)
	}
	got, _ = synthesisPlan(t, twoDomains, at, op, format.Origin{Kind: format.OriginModel, Tool: "brv-lsp", Model: "m"})
	want := strings.Replace(written, "Z\"\n---\n", "Z\"\nprovenance: [by model, model m, via brv-lsp]\n---\n", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a model's (-want +got):\n%s", diff)
	}
	e := format.Parse("security/synthesis/x.md", specimen)
	s, when, ok := e.Synthesis()
	if want := (format.Synthesis{Confidence: 0.85, Sources: []string{"api/_index.md", "security/_index.md"}}); !ok ||
		!cmp.Equal(s, want) || !when.Equal(at.Truncate(time.Second)) {
		t.Errorf("it reads as %v, %v, %v", s, when, ok)
	}
	h := format.Header{Title: e.Title, Summary: e.Summary, Reason: e.Reason(), CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
		Synthesis: &s}
	if diff := cmp.Diff(specimen, format.Render(h, e.Content())); diff != "" {
		t.Errorf("what was read is written otherwise (-want +got):\n%s", diff)
	}
}

// TestSynthesisIsNoOrphan reads one whose sources are not written, as in a fresh clone.
func TestSynthesisIsNoOrphan(t *testing.T) {
	entries := map[string]*format.Entry{"security/synthesis/patterns.md": format.Parse("security/synthesis/patterns.md", specimen)}
	for p, text := range twoDomains {
		entries[p] = format.Parse(p, text)
	}
	if got := (&tree.Snapshot{}).Update(entries).Problems("security/synthesis/patterns.md"); len(got) > 0 {
		t.Errorf("problems: %v", got)
	}
}

// TestSynthesisKeepsItsOrder updates one: only values change.
func TestSynthesisKeepsItsOrder(t *testing.T) {
	files := map[string]string{"security/synthesis/patterns.md": specimen}
	for p, text := range twoDomains {
		files[p] = text
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	op := Op{
		Type: OpUpdate, Path: "security/synthesis/patterns.md", Reason: "found again", Summary: "Shorter",
		Synthesis: &format.Synthesis{Confidence: 0.7, Sources: []string{"api/_index.md", "security/_index.md", "api/auth/tokens.md"}},
	}
	got, r := synthesisPlan(t, files, at, op, format.Origin{})
	want := strings.NewReplacer(
		"confidence: 0.85", "confidence: 0.7", "security/_index.md]", "security/_index.md, api/auth/tokens.md]",
		`synthesized_at: "2025-04-15T10:00:00Z"`, `synthesized_at: "2026-01-02T03:04:05Z"`,
		`"Common access-token verification, session handling, and refresh patterns shared across the API and security domains"`,
		`"Shorter"`,
		"updatedAt: \"2025-04-15T10:00:00Z\"\n", "",
	).Replace(specimen)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", r.Message, diff)
	}
}

func TestSynthesisIsChecked(t *testing.T) {
	good := []string{"api/_index.md", "security/_index.md"}
	for _, test := range []struct {
		name string
		s    format.Synthesis
		says string
	}{
		{"no number", format.Synthesis{Confidence: math.NaN(), Sources: good}, "must be between 0 and 1"},
		{"too sure", format.Synthesis{Confidence: 1.01, Sources: good}, "must be between 0 and 1"},
		{"below nothing", format.Synthesis{Confidence: -0.1, Sources: good}, "must be between 0 and 1"},
		{"one source", format.Synthesis{Confidence: 0.5, Sources: good[:1]}, "give 2 to 50 sources, not 1"},
		{"many sources", format.Synthesis{Confidence: 0.5, Sources: make([]string, 51)}, "give 2 to 50 sources, not 51"},
		{"outside", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", "../../etc/passwd"}}, "is outside the context tree"},
		{"absolute", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", "/etc/passwd"}}, "is outside the context tree"},
		{"nowhere", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", "gone/_index.md"}}, "neither an entry nor a folder's"},
		{"the root", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", "_index.md"}}, "neither an entry nor a folder's"},
		{"the archive", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", "_archived/_index.md"}},
			"neither an entry nor a folder's"},
		{"hidden", format.Synthesis{Confidence: 0.5, Sources: []string{"api/_index.md", ".git/config"}}, "neither an entry nor a folder's"},
	} {
		if _, r := synthesisPlan(t, twoDomains, time.Unix(0, 0), synthesisOp(&test.s), format.Origin{}); r.Status != StatusFailed ||
			!strings.Contains(r.Message, test.says) {
			t.Errorf("%s: %s %s", test.name, r.Status, r.Message)
		}
	}
	op := Op{Type: OpUpdate, Path: "api/auth/tokens.md", Reason: "r", Synthesis: &format.Synthesis{Confidence: 0.5, Sources: good}}
	if _, r := synthesisPlan(t, twoDomains, time.Unix(0, 0), op, format.Origin{}); !strings.Contains(r.Message, "is not a synthesis") {
		t.Error("an entry that is none becomes one: ", r.Message)
	}
}
