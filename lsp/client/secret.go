package client

import (
	"context"
	"strings"
	"sync"
)

// Keys are the keys of models in the editor's secret store.
type Keys struct {
	c *Client

	asking sync.Mutex        // held while a key is requested: several folders need one
	mu     sync.Mutex        // guards the fields below
	keys   map[string]string // by origin, "" for none; in memory only
	epoch  int               // counts how often keys were forgotten
}

// Of is the key of an origin in the editor's secret store, "" for none. Only one folder asks at a time, since
// the store may ask its user to unlock it; other folders with the same model then use the cached key.
func (m *Keys) Of(origin string) string {
	m.asking.Lock()
	defer m.asking.Unlock()
	m.mu.Lock()
	key, known := m.keys[origin]
	epoch := m.epoch
	m.mu.Unlock()
	if known {
		return key
	}
	ctx, cancel := context.WithTimeout(m.c.Ctx, secretWithin)
	defer cancel()
	var r SecretResult
	if err := m.c.request(ctx, SecretMethod, SecretParams{Origin: origin}, &r); err != nil {
		// Not its words, which may hold anything. It is asked again next time.
		m.c.Log.Warn("the editor's secret store does not answer", "origin", origin)
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

// Forget makes the next use request keys again.
func (m *Keys) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.keys)
	m.epoch++
}
