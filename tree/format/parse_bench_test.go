package format

import (
	"strings"
	"testing"
)

// BenchmarkParse reads an entry of the size and shape of real ones (about 4 KB,
// all sections); opening a tree of 10,000 does nothing else so often.
func BenchmarkParse(b *testing.B) {
	text := benchEntry()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("authentication/jwt/tokens.md", text)
	}
}

func benchEntry() string {
	var s strings.Builder
	s.WriteString(
		"---\ntitle: Token rotation\nsummary: 'Refresh tokens: single use, seven days'\ntags: [auth, jwt, security]\nrelated: " +
			"[authentication/session/management.md, database/models/token_storage.md]\nkeywords: [token, rotation, " +
			"RS256]\nimportance: 62\nrecency: 0.85\nmaturity: validated\naccessCount: 8\nupdateCount: 3\ncreatedAt: " +
			"'2026-03-18T10:00:00.000Z'\nupdatedAt: '2026-04-02T14:30:00.000Z'\n---\n## Reason\nDecided in review.\n\n## Raw " +
			"Concept\n**Task:**\nRotate the tokens on every use\n\n**Files:**\n- src/auth/jwt.ts\n- " +
			"src/auth/refresh.ts:12-30\n\n**Flow:**\nlogin -> token -> rotate\n\n## Narrative\n### Structure\n")
	for range 24 {
		s.WriteString(
			"Access and refresh tokens are made as a pair — the `refreshToken` is kept in the database, see " +
				"@database/models/token_storage.md.\n")
	}
	s.WriteString("\n### Examples\n```ts\nfunction rotate(token: string) {\n  return sign(token)\n}\n```\n\n## Facts\n")
	for range 8 {
		s.WriteString("- **refresh_token**: Refresh tokens are single-use and rotated on each renewal [convention]\n")
	}
	return s.String()
}
