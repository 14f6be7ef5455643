package lsp

import (
	"context"
	"strings"
	"sync"
)

// modelKeys are the keys of models in the editor's secret store.
type modelKeys struct {
	c *clientSession

	asking sync.Mutex        // held while a key is asked for: several folders ask once
	mu     sync.Mutex        // guards the fields below
	keys   map[string]string // by origin, "" for none; in memory only
	epoch  int               // counts how often keys were forgotten
}

// of is the key of an origin in the editor's secret store, "" for none. The store is asked by one
// folder at a time, since it may ask its user to unlock it; folders with the same model then know.
func (m *modelKeys) of(origin string) string {
	m.asking.Lock()
	defer m.asking.Unlock()
	m.mu.Lock()
	key, known := m.keys[origin]
	epoch := m.epoch
	m.mu.Unlock()
	if known {
		return key
	}
	ctx, cancel := context.WithTimeout(m.c.ctx, secretWithin)
	defer cancel()
	var r secretResult
	if err := m.c.request(ctx, secretMethod, secretParams{Origin: origin}, &r); err != nil {
		// Not its words, which may hold anything. It is asked again next time.
		m.c.log.Warn("the editor's secret store does not answer", "origin", origin)
		return ""
	}
	if r.Key != nil {
		key = strings.Clone(*r.Key)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string]string{}
	}
	if m.epoch == epoch {
		m.keys[origin] = key
	}
	return key
}

// forget has keys asked for anew.
func (m *modelKeys) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.keys)
	m.epoch++
}
