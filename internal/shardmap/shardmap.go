// Package shardmap is a copy-on-write map in shards: it is copied cheaply, for immutable values of
// which the next one differs in a few places.
package shardmap

import (
	"hash/maphash"
	"maps"
)

// Shards is the number of maps that a map is divided into. A change of one value copies one shard: 40 values
// of a tree of 10,000 entries, 400 of one of 100,000.
const Shards = 256

// Map is a map from strings. A copy of it shares the shards until they are written
// through a [Draft]. The zero value is empty.
type Map[V any] [Shards]map[string]V

// seed makes the shard of a key unpredictable for an attacker who chooses the key.
var seed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(seed, key) % Shards) }

// Get returns the value of a key.
func (m *Map[V]) Get(key string) (V, bool) {
	v, ok := m[shardOf(key)][key]
	return v, ok
}

// Draft writes to a map that nobody else holds yet. Shards that it shares with
// older ones are copied before their first change.
type Draft[V any] struct {
	*Map[V]
	owned  [Shards]bool
	Expect int // expected number of values; a hint for new shards
}

// Set gives a key its value.
func (d *Draft[V]) Set(key string, v V) {
	i := d.own(key)
	d.Map[i][key] = v
}

// Remove takes a key out.
func (d *Draft[V]) Remove(key string) {
	i := d.own(key)
	delete(d.Map[i], key)
}

func (d *Draft[V]) own(key string) int {
	i := shardOf(key)
	if !d.owned[i] {
		d.owned[i] = true
		if d.Map[i] = maps.Clone(d.Map[i]); d.Map[i] == nil {
			d.Map[i] = make(map[string]V, d.Expect/Shards)
		}
	}
	return i
}
