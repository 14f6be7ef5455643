package store

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// countersDir is the folder of the counters of uses.
var countersDir = tree.StateDir + "/" + path.Dir(tree.UsageFile("x"))

// counters are the uses of entries, which are stored beside them.
type counters struct {
	*folder
	at stamp // of their folder, when all were read
}

// changed makes the next read load all counters: our own changes may fall within one tick of the file
// system's clock.
func (c *counters) changed() { c.at = stamp{} }

// load reads all counters, unless their folder is unchanged since the last time. A damaged file counts as
// empty: the tree should open even if its counters are damaged.
func (c *counters) load(last map[string]tree.Usage) map[string]tree.Usage {
	now := stamp{read: c.now()}
	if info, err := c.root.Lstat(countersDir); err == nil {
		now.mod = info.ModTime() // each file is replaced by a rename, which is a change of the folder
	}
	if c.at.same(now) {
		return last
	}
	c.at = now
	all := map[string]tree.Usage{}
	list, err := c.root.ReadDir(countersDir)
	if err != nil {
		return all
	}
	for _, d := range list {
		if strings.HasSuffix(d.Name(), ".json") && !strings.HasPrefix(d.Name(), ".") {
			_, m, err := c.read(countersDir + "/" + d.Name())
			if err == nil {
				maps.Copy(all, m)
			}
		}
	}
	return all
}

// readToWrite reads a file that the caller will change under the lock. A file that is too large was not
// written by us, since ours never grow so large: it gets another name.
func (c *counters) readToWrite(at string) ([]byte, map[string]tree.Usage, error) {
	data, m, err := c.read(at)
	if errors.Is(err, jail.ErrTooLarge) {
		if _, err = c.setAside(at); err == nil {
			return c.read(at)
		}
	}
	return data, m, err
}

// read reads one file of counters: its bytes (nil if there is no file) and the decoded counters.
func (c *counters) read(at string) ([]byte, map[string]tree.Usage, error) {
	data, err := c.root.ReadFile(at, c.maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, map[string]tree.Usage{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	object, ours := c.seal.Open(at, data)
	m, err := tree.DecodeUsage(object)
	if !ours || err != nil || m == nil {
		m = map[string]tree.Usage{} // a damaged file counts as empty, like a foreign one: it must not stop all counting
	}
	return data, m, nil
}

// sealed is the text of a file of counters; nil for none.
func (c *counters) sealed(at string, m map[string]tree.Usage) []byte {
	data := tree.EncodeUsage(m)
	if data != nil {
		data = c.seal.Seal(at, data)
	}
	return data
}

// counting returns the next counters of an entry, given its present ones.
type counting func(e *format.Entry, u tree.Usage, now time.Time) tree.Usage

// count gives each entry of a snapshot at those paths its next counters. The lock is held.
func (c *counters) count(snap *tree.Snapshot, paths []string, next counting) error {
	shards := map[string][]string{}
	for _, p := range paths {
		if _, ok := snap.Entry(p); ok {
			shards[tree.UsageFile(p)] = append(shards[tree.UsageFile(p)], p)
		}
	}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		at := tree.StateDir + "/" + shard
		_, counters, err := c.readToWrite(at)
		if err != nil {
			return err
		}
		for _, p := range shards[shard] {
			e, _ := snap.Entry(p)
			u := counters[p]
			u.Committed = snap.Committed(p)
			u = next(e, u, c.now().UTC())
			u.Committed = time.Time{}
			counters[p] = u
		}
		if err := c.journal.Replace(at, c.sealed(at, counters)); err != nil {
			return err
		}
	}
	return nil
}

// rename moves counters from entries to others that have none. The lock is held.
func (c *counters) rename(moved map[string]string) error {
	files := map[string]map[string]tree.Usage{}
	of := func(entry string) (counters map[string]tree.Usage, err error) {
		at := tree.StateDir + "/" + tree.UsageFile(entry)
		if files[at] == nil {
			_, files[at], err = c.readToWrite(at)
		}
		return files[at], err
	}
	for from, to := range moved {
		before, err1 := of(from)
		after, err2 := of(to)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if u, ok := before[from]; ok && after[to] == (tree.Usage{}) {
			after[to] = u
			delete(before, from)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(files)) {
		if err := c.journal.Replace(at, c.sealed(at, files[at])); err != nil {
			return err
		}
	}
	return nil
}

// changes are the file changes that bring counters from one state to another, read and written under the
// lock. Uses counted meanwhile are kept.
func (c *counters) changes(steps map[string]usageStep) (map[string]usageStep, []txn.Change, error) {
	shards := map[string][]string{}
	for entry := range steps {
		shards[tree.UsageFile(entry)] = append(shards[tree.UsageFile(entry)], entry)
	}
	done := map[string]usageStep{}
	var changes []txn.Change
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		at := tree.StateDir + "/" + shard
		data, counters, err := c.readToWrite(at)
		if err != nil {
			return nil, nil, err
		}
		for _, entry := range shards[shard] {
			before := tree.UsagePointer(counters, entry)
			after := steps[entry].onto(before, c.now())
			done[entry] = usageStep{before, after}
			if after == nil {
				delete(counters, entry)
			} else {
				counters[entry] = *after
			}
		}
		change := txn.Change{Path: at, After: &txn.Image{Data: c.sealed(at, counters)}}
		if data != nil {
			change.Before = &txn.Image{Data: data}
		}
		if len(counters) == 0 {
			change.After = nil
		}
		if change.Before != nil || change.After != nil {
			changes = append(changes, change)
		}
	}
	return done, changes, nil
}

// foreign lists counter files that this user did not write.
func (c *counters) foreign() (out []string) {
	list, _ := c.root.ReadDir(countersDir) // if unreadable, it has no counters
	for _, d := range list {
		at := countersDir + "/" + d.Name()
		if data, err := c.root.ReadFile(at, maxState); err == nil && path.Ext(at) == ".json" {
			if _, ours := c.seal.Open(at, data); !ours {
				out = append(out, at)
			}
		}
	}
	return out
}
