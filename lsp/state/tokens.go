package state

import (
	"slices"
	"strconv"
	"sync"
)

// Bounds of what is remembered of answers with tokens: the last one of each document,
// 4 MiB in all.
const (
	maxTokenResults = 32
	maxTokenInts    = 1 << 20
)

// TokenResults are the last answers with tokens. The zero value is ready.
type TokenResults struct {
	mu   sync.Mutex    // guards what follows
	last uint64        // number of the last result
	kept []tokenResult // the oldest first
}

type tokenResult struct {
	key, id string
	data    []uint32
}

// Find returns the tokens of a document that an id names.
func (r *TokenResults) Find(key, id string) ([]uint32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if k.key == key && k.id == id {
			return k.data, true
		}
	}
	return nil, false
}

// Keep remembers a document's tokens, instead of earlier ones, and returns their id.
func (r *TokenResults) Keep(key string, data []uint32) (id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id = strconv.FormatUint(r.last, 36)
	r.kept = slices.DeleteFunc(r.kept, func(k tokenResult) bool { return k.key == key })
	r.kept = append(r.kept, tokenResult{key, id, data})
	size := 0
	for _, k := range r.kept {
		size += len(k.data)
	}
	for len(r.kept) > maxTokenResults || size > maxTokenInts && len(r.kept) > 0 {
		size -= len(r.kept[0].data)
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	return id
}
