package tree

import (
	"hash/maphash"
	"maps"
)

// tableShards is into how many maps a table is divided. A change of one value
// copies one shard: 40 values of a tree of 10,000 entries, 400 of one of 100,000.
const tableShards = 256

// table is a map that can be copied cheaply: the copy shares the shards until
// they are written through a [tableDraft].
type table[V any] [tableShards]map[string]V

// tableSeed makes the place of a key unpredictable to whoever chose the key.
var tableSeed = maphash.MakeSeed()

func shardOf(key string) int { return int(maphash.String(tableSeed, key) % tableShards) }

func (t *table[V]) get(key string) (V, bool) {
	v, ok := t[shardOf(key)][key]
	return v, ok
}

// tableDraft writes to a table that nobody else holds yet. Shards that the table
// shares with older ones are copied before their first change.
type tableDraft[V any] struct {
	*table[V]
	owned  [tableShards]bool
	expect int // values that will come; a hint for shards that are new
}

func (d *tableDraft[V]) set(key string, v V) {
	i := d.own(key)
	d.table[i][key] = v
}

func (d *tableDraft[V]) remove(key string) {
	i := d.own(key)
	delete(d.table[i], key)
}

func (d *tableDraft[V]) own(key string) int {
	i := shardOf(key)
	if !d.owned[i] {
		d.owned[i] = true
		if d.table[i] = maps.Clone(d.table[i]); d.table[i] == nil {
			d.table[i] = make(map[string]V, d.expect/tableShards)
		}
	}
	return i
}
