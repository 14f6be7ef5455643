// Package lru keeps the values that were used last, up to a sum of their costs: bytes if their sizes differ,
// else 1 each.
package lru

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps the values used last. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	most int

	mu   sync.Mutex // guards what follows
	kept *simplelru.LRU[K, item[V]]
	size int
}

type item[V any] struct {
	value V
	cost  int
}

// New returns an empty cache of values that cost at most most together.
func New[K comparable, V any](most int) *Cache[K, V] {
	c := &Cache[K, V]{most: most}
	kept, err := simplelru.NewLRU(math.MaxInt, func(_ K, i item[V]) { c.size -= i.cost })
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	c.kept = kept
	return c
}

// Get returns a value, which is then the one used last.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.kept.Get(key)
	return i.value, ok
}

// Peek returns a value without marking it as used.
func (c *Cache[K, V]) Peek(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := c.kept.Peek(key)
	return i.value, ok
}

// Add stores a value in place of the key's last one, and returns how many others were dropped for it. A value
// that costs more than the whole cache may is not stored.
func (c *Cache[K, V]) Add(key K, value V, cost int) (evicted int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
	if cost > c.most {
		return 0
	}
	for ; c.size+cost > c.most; evicted++ {
		c.kept.RemoveOldest()
	}
	c.kept.Add(key, item[V]{value, cost})
	c.size += cost
	return evicted
}

// Remove drops a value.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Remove(key)
}

// Keys lists the keys, the one used last at the end.
func (c *Cache[K, V]) Keys() []K {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Keys()
}

// Size returns how many values there are, and what they cost together.
func (c *Cache[K, V]) Size() (values, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Len(), c.size
}
