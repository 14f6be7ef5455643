package txntest

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

// Loss is the chance of each kind of loss in a power cut, for changes that were not synced.
type Loss struct {
	Names float64 // chance that the change of a name is lost; with a journal, of which part
	Data  float64 // chance that bytes are lost: all, some, or they are zero
}

// Losses are the extreme cases and some between.
var Losses = []Loss{
	{Names: 1, Data: 1}, {Names: 0, Data: 0}, {Names: 0, Data: 1}, {Names: 1, Data: 0},
	{Names: 0.5, Data: 0.5}, {Names: 0.3, Data: 0.5}, {Names: 0.15, Data: 0.3}, {Names: 0.85, Data: 0.7},
}

// Crash returns the disk as a power cut at this moment may leave it; everything
// on it is durable, and nothing locked. The same numbers give the same disk.
func (d *Disk) Crash(r *rand.Rand, loss Loss) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &copier{to: map[*node]*node{}, r: r, loss: loss}
	root := c.folder(d.root)
	lost := len(d.log)
	if d.Journal && loss.Names > 0 {
		lost = int(float64(len(d.log)+1) * (1 - loss.Names) * 2 * r.Float64())
	}
	for i, change := range d.log {
		for _, p := range change.parts {
			if d.Journal && i < lost || !d.Journal && r.Float64() >= loss.Names {
				part{c.node(p.dir), p.name, c.node(p.to)}.keep()
			}
		}
	}
	for _, n := range c.to {
		if n.isDir {
			n.names = maps.Clone(n.kept)
		}
	}
	return &Disk{NoExchange: d.NoExchange, Journal: d.Journal, Devices: d.Devices, root: root, locks: map[string]bool{}, ticks: d.ticks}
}

// Clone returns the disk as it is, with what is durable and what is not; nothing
// on it is locked.
func (d *Disk) Clone() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &copier{to: map[*node]*node{}, exact: true}
	out := &Disk{NoExchange: d.NoExchange, Journal: d.Journal, Devices: d.Devices, root: c.node(d.root), locks: map[string]bool{},
		ticks: d.ticks}
	for _, ch := range d.log {
		copied := &change{}
		for _, p := range ch.parts {
			copied.parts = append(copied.parts, part{c.node(p.dir), p.name, c.node(p.to)})
		}
		out.log = append(out.log, copied)
	}
	return out
}

// copier copies nodes, each once: a file may have several names.
type copier struct {
	to    map[*node]*node
	exact bool
	r     *rand.Rand
	loss  Loss
}

func (c *copier) node(n *node) *node {
	if n == nil {
		return nil
	}
	if done, ok := c.to[n]; ok {
		return done
	}
	if n.isDir {
		return c.folder(n)
	}
	out := &node{content: n.content, synced: n.synced}
	c.to[n] = out
	if !c.exact {
		out.content = c.survivor(n)
		durable := out.content
		out.synced = &durable
	}
	return out
}

func (c *copier) folder(n *node) *node {
	out := newDir()
	out.content = n.content
	c.to[n] = out
	for _, name := range slices.Sorted(maps.Keys(n.kept)) { // sorted: chances are drawn on the way
		out.kept[name] = c.node(n.kept[name])
	}
	if c.exact {
		for name, child := range n.names {
			out.names[name] = c.node(child)
		}
	}
	return out
}

// survivor is the rest of a file after a crash.
func (c *copier) survivor(n *node) content {
	if n.synced != nil && slices.Equal(n.synced.data, n.data) && n.synced.mode == n.mode && n.synced.modTime.Equal(n.modTime) {
		return n.content
	}
	if c.r.Float64() >= c.loss.Data {
		return n.content
	}
	out := n.content
	var durable []byte
	if n.synced != nil {
		out, durable = *n.synced, n.synced.data
	}
	safe := 0 // bytes that appending leaves alone
	if bytes.HasPrefix(n.data, durable) {
		safe = len(durable)
	}
	switch c.r.IntN(3) {
	case 0:
		out.data = durable
	case 1:
		out.data = n.data[:safe+c.r.IntN(len(n.data)-safe+1)]
	case 2:
		out.data = append(slices.Clone(durable[:safe]), make([]byte, len(n.data)-safe)...)
	}
	return out
}
