package prose

import (
	"os"
	"strings"
	"testing"
)

// exceptions holds the findings that exceptions.txt allows.
type exceptions struct {
	rules, words []string
	places       []place
}

// A place is a finding that is allowed: a rule, and a part of the text.
type place struct {
	rule, part string
	used       bool
}

// readExceptions reads exceptions.txt, whose head says its form.
func readExceptions(t *testing.T) *exceptions {
	data, err := os.ReadFile("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := &exceptions{}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
		switch kind, rest, _ := strings.Cut(line, " "); kind {
		case "", "#":
		case "rule":
			out.rules = append(out.rules, strings.TrimSpace(rest))
		case "words":
			out.words = append(out.words, strings.Fields(rest)...)
		case "place":
			rule, part, _ := strings.Cut(rest, " ")
			out.places = append(out.places, place{rule: rule, part: strings.TrimSpace(part)})
		default:
			t.Errorf("exceptions.txt: what is %q?", line)
		}
	}
	return out
}

// allows reports whether a finding is an exception.
func (e *exceptions) allows(rule, in string) bool {
	for i, p := range e.places {
		if p.rule == rule && strings.Contains(in, p.part) {
			e.places[i].used = true
			return true
		}
	}
	return false
}

// reportUnused fails for exceptions that allow nothing.
func (e *exceptions) reportUnused(t *testing.T) {
	for _, p := range e.places {
		if !p.used {
			t.Errorf("exceptions.txt: nothing is allowed by: place %s %s", p.rule, p.part)
		}
	}
}
