package main

import (
	"regexp"
	"slices"
	"testing"
)

// TestEachOptionHasAHelp compares what the verbs declare with what the help says of their options.
func TestEachOptionHasAHelp(t *testing.T) {
	heads := regexp.MustCompile(`(?m)^  (--[a-z-]+)|, (--[a-z-]+)`)
	for _, name := range completed("") {
		text, declared := usageOf(name), completed(name)
		if text == usageOf("") {
			t.Errorf("the help does not tell of %s", name)
		}
		for _, option := range declared {
			if !regexp.MustCompile(regexp.QuoteMeta(option) + `[^a-z-]`).MatchString(text) {
				t.Errorf("the help of %s does not tell of %s", name, option)
			}
		}
		for _, m := range heads.FindAllStringSubmatch(text, -1) {
			if option := m[1] + m[2]; !slices.Contains(declared, option) {
				t.Errorf("the help of %s tells of %s, which it does not take", name, option)
			}
		}
	}
}
