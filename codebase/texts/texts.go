// Package texts keeps the texts of files that were read last, for all who read a
// workspace: what one of them read, the others need not read again (specification
// "SharedFileCache").
//
// A text is served for as long as nobody said that its file changed ([Cache.Invalidate]),
// its stamp is that of the reading ([Options.Stamp]), and for [Options.TTL] at most. The texts that were
// not asked for longest make room. Files are told by their path with the dots resolved;
// names that differ in case only, or are links to each other, are different files.
//
// A text during whose reading any file was invalidated is handed over and not kept: it may be the old one.
package texts

import (
	"path"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lru"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

const (
	// maxBytes is the limit where Options have none (specification "SharedFileCache").
	maxBytes = 5 << 20

	// ttl is how long a text is served where Options do not say (specification
	// "SharedFileCache").
	ttl = 5 * time.Minute

	// entryCost is the size of an entry beside its path and text, in bytes: list and map
	// entry, headers of strings, time. It bounds the number of empty texts.
	entryCost = 128
)

// Options of a cache. All may be left out.
type Options struct {
	MaxBytes int              // of all entries; an entry of more than half of it is not kept
	TTL      time.Duration    // how long a text is served after it was read
	Now      func() time.Time // the clock; time.Now if nil
	// Stamp tells states of a file apart, cheaper than reading it; its values are
	// compared by ==. Nil: only what is told and the TTL count.
	Stamp func(path string) any
}

// Stats count what became of the calls of Get.
type Stats struct {
	Hits    int // calls that were served by an earlier reading
	Misses  int // calls that read the file
	Evicted int // texts that made room for others
	Entries int // texts kept
	Bytes   int // what they take
}

// Cache holds texts. It is safe for concurrent use.
type Cache struct {
	read     func(path string) (string, error)
	maxBytes int
	ttl      time.Duration
	now      func() time.Time
	stamp    func(path string) any

	mu      sync.Mutex // guards what follows
	kept    *lru.Cache[string, entry]
	changes uint64 // calls of Invalidate
	stats   Stats
}

// entry is a text with the time and the file's stamp just before it was read.
type entry struct {
	text  string
	at    time.Time
	stamp any
}

// Decode returns the text of a file: UTF-16, which its mark tells, in UTF-8, a notebook as the script of its cells, and
// any other as it is.
func Decode(p string, b []byte) []byte {
	if b = words.UTF8(b); strings.EqualFold(path.Ext(p), ".ipynb") {
		return script(b)
	}
	return b
}

// New returns an empty cache over a function that reads a file.
func New(read func(path string) (string, error), o Options) *Cache {
	c := &Cache{read: read, maxBytes: o.MaxBytes, ttl: o.TTL, now: o.Now, stamp: o.Stamp}
	if c.maxBytes <= 0 {
		c.maxBytes = maxBytes
	}
	if c.ttl <= 0 {
		c.ttl = ttl
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.stamp == nil {
		c.stamp = func(string) any { return nil }
	}
	c.kept = lru.New[string, entry](c.maxBytes)
	return c
}

// cost is the size of an entry in bytes.
func cost(path, text string) int { return entryCost + len(path) + len(text) }

// Get returns the text of a file, slash-separated and relative to the workspace, and
// reads it if it is not known. Errors are not kept.
func (c *Cache) Get(name string) (string, error) {
	name = path.Clean(name)
	stamp := c.stamp(name)
	c.mu.Lock()
	if text, ok := c.fresh(name, stamp); ok {
		c.stats.Hits++
		c.mu.Unlock()
		return text, nil
	}
	c.stats.Misses++
	at, changes := c.now(), c.changes
	c.mu.Unlock()
	text, err := c.read(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if need := cost(name, text); err == nil && c.changes == changes && need <= c.maxBytes/2 {
		c.stats.Evicted += c.kept.Add(name, entry{text, at, stamp}, need)
	}
	return text, err
}

// fresh returns a text that is young enough and of that stamp, and drops one that is not. One from the
// future is not: the clock was set back, and its age is unknown. The lock is held.
func (c *Cache) fresh(name string, stamp any) (string, bool) {
	e, ok := c.kept.Get(name)
	if !ok {
		return "", false
	}
	if age := c.now().Sub(e.at); age < 0 || age >= c.ttl || e.stamp != stamp {
		c.kept.Remove(name)
		return "", false
	}
	return e.text, true
}

// Invalidate says that a file changed, or may have: what was read of it is not served
// to calls of Get that begin afterwards.
func (c *Cache) Invalidate(name string) {
	name = path.Clean(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.kept.Remove(name)
}

// Stats returns the counts since the cache was made.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries, s.Bytes = c.kept.Size()
	return s
}
