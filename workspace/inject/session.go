package inject

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
)

// Session records the texts that an agent's session was given. It is kept in the user's cache and never in the project; where it is
// lost something is told twice.
type Session struct {
	file cachefile.File
	said map[string]string // by what it was about: the state in which it was told
	new  bool
}

// The bounds of a session: one that is told more begins to hear things again.
const (
	maxSaid      = 1000
	maxSession   = 1 << 20 // bytes
	sessionsForm = "session 1"
)

// OpenSession reads what the session of that name in a folder was told. Without a name nothing is known of it and
// nothing kept.
func OpenSession(cache, root, name string) *Session {
	s := &Session{said: map[string]string{}}
	if cache == "" || name == "" {
		return s
	}
	s.file = cachefile.Of(cache, "session", root+"\x00"+name)
	blocks, err := s.file.Read(sessionsForm, maxSession)
	if err != nil || len(blocks) != 1 {
		return s
	}
	for line := range strings.Lines(string(blocks[0])) {
		if hash, key, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			s.said[key] = hash
		}
	}
	return s
}

// knows reports whether something was told in this state.
func (s *Session) knows(key, state string) bool {
	return s.said[strings.ReplaceAll(key, "\n", " ")] == hashOf(state)
}

// fresh reports whether something is to be told: it was not, or said something else then. It is noted as told.
func (s *Session) fresh(key, state string) bool {
	if s.knows(key, state) {
		return false
	}
	if len(s.said) >= maxSaid {
		clear(s.said)
	}
	s.said[strings.ReplaceAll(key, "\n", " ")], s.new = hashOf(state), true
	return true
}

// Forget lets the session be told all again: what it was told is no longer before it.
func (s *Session) Forget() {
	s.new = s.new || len(s.said) > 0
	clear(s.said)
}

// Keep keeps what is new.
func (s *Session) Keep() error {
	if !s.new || s.file == (cachefile.File{}) {
		return nil
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s.said)) {
		b.WriteString(s.said[key] + " " + key + "\n")
	}
	return s.file.Write(sessionsForm, cachefile.Block{[]byte(b.String())})
}

func hashOf(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:8])
}
