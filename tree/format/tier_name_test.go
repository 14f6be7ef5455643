package format

import "testing"

func TestValidatedByUsePromisesNobody(t *testing.T) {
	for text, want := range map[string]string{
		"title: X":               "often used",
		"maturity: draft":        "often used",
		"maturity: validated":    "confirmed",
		"maturity: core":         "confirmed",
		"confirmed: 2026-11-20":  "confirmed",
		"provenance: [by agent]": "often used",
		"maturity: validated\nprovenance: [by agent]":                    "often used",
		"maturity: validated\nprovenance: [by agent, approved by Ann]":   "confirmed",
		"confirmed: 2026-11-20\nprovenance: [by model, edited by Ann]":   "confirmed",
		"confirmed: 2026-11-20\nprovenance: [by model, model some-name]": "often used",
	} {
		e := Parse("a/b/c.md", "---\n"+text+"\n---\nText.\n")
		if got := TierName(e, Validated); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if TierName(e, Draft) != "draft" || TierName(e, Core) != "core" {
			t.Errorf("%q: draft and core have other names", text)
		}
	}
}
