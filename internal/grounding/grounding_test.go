package grounding

import (
	"strings"
	"testing"
)

const said = "# Rotation\n\nRefresh tokens live 30 days and are rotated at every use by `rotateToken`\nin src/auth/rotate.ts.\n\n" +
	"- They are not\n  stored in Redis.\n- Ask ops@example.org before 2026.\n"

func TestOnlyWhatStandsThere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Refresh tokens are rotated at every use.", ""},
		{"Tokens live for 30 days.", ""},
		{"`rotateToken` rotates them, in src/auth/rotate.ts.", ""},
		{"Tokens live for 31 days.", "it says 31"},
		{"Tokens are rotated by revokeToken.", "which is not in the source"},
		{"Tokens are rotated in src/auth/revoke.ts.", `it names "src/auth/revoke.ts"`},
		{"Tokens are rotated by `dropToken`.", `it names "droptoken"`},
		{"Tokens are rotated, ask root@example.org.", "root@example.org"},
		{"Tokens are not stored in Redis.", ""},
		{"They aren't stored in Redis.", ""},
		{"Tokens are stored in Redis.", "a negation makes this sentence differ from the source"},
		{"Tokens are never rotated at every use.", "a negation makes this sentence differ from the source"},
		{"Tokens are rotated by Kafka.", `it names "Kafka"`},
		{"Kafka rotates tokens.", `it names "Kafka"`},
		{"Every refresh token is rotated.", ""},
		{"Refresh Tokens Are Rotated Often", ""},
		{"Refresh Tokens Rotated By Kafka", `it names "Kafka"`},
		{"Refresh tokens are rotated at every use. This improves security considerably.", "none of these words"},
		{"The system rotates credentials often for safety.", "only 1 of 5 words"},
		{"Yes.", "none of these words"},
		{"42", "it says 42"}, {"", "says nothing"},
	} {
		err := In(said).Check(c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestQuotesAreWordForWord(t *testing.T) {
	for text, want := range map[string]bool{
		"Refresh tokens live 30 days":             true,
		"rotated at every use by **rotateToken**": true,
		"refresh tokens live 3":                   false,
		"tokens live":                             false,
		"tokens live for 30 days":                 false,
		"":                                        false,
	} {
		if got := In(said).Quotes(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
