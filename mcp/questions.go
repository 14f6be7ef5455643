package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
)

// questions holds the newest questions that wait for an answer in the stateless protocol.
type questions struct {
	mu    sync.Mutex // guards the fields below
	texts map[string][sha256.Size]byte
	order []string // tokens, the oldest first
}

// maxAsked bounds the number of waiting questions, since a person answers one at a time.
const maxAsked = 16

// put stores a question and returns its token.
func (k *questions) put(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.order) >= maxAsked {
		delete(k.texts, k.order[0])
		k.order = k.order[1:]
	}
	if k.texts == nil {
		k.texts = map[string][sha256.Size]byte{}
	}
	token := rand.Text()
	k.texts[token] = sha256.Sum256([]byte(text))
	k.order = append(k.order, token)
	return token
}

// take reports whether the token belongs to this question, and forgets the question.
func (k *questions) take(token, text string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	sum, ok := k.texts[token]
	if !ok {
		return false
	}
	delete(k.texts, token)
	for i, t := range k.order {
		if t == token {
			k.order = append(k.order[:i:i], k.order[i+1:]...)
			break
		}
	}
	return sum == sha256.Sum256([]byte(text))
}
