// Package texts caches the texts of recently read files. All readers of a workspace share the cache, so a file
// that one of them read need not be read again (specification "SharedFileCache").
//
// A cached text is served until a change of its file is reported ([Cache.Invalidate]), its stamp changes
// ([Options.Stamp]), or [Options.TTL] has passed. The texts that were unused for longest are removed to make room.
// Files are identified by their cleaned path; names that differ only in case, or are links to each other, are
// different files.
//
// If any file is invalidated while a text is read, that text is returned but not cached, since it may be outdated.
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
	// maxBytes is the default limit (specification "SharedFileCache").
	maxBytes = 5 << 20

	// ttl is the default time for which a text is served (specification "SharedFileCache").
	ttl = 5 * time.Minute

	// entryCost is the size of an entry besides its path and text, in bytes: list and map entry, string headers,
	// time. It bounds the number of empty texts.
	entryCost = 128
)

// Options configures a cache. All fields are optional.
type Options struct {
	MaxBytes int              // of all entries; an entry of more than half of this is not kept
	TTL      time.Duration    // how long a text is served after it was read
	Now      func() time.Time // the clock; time.Now if nil
	// Stamp distinguishes states of a file, at a lower cost than reading it. Its values are compared by ==. If it
	// is nil, only Invalidate and the TTL count.
	Stamp func(path string) any
}

// Stats counts the results of calls of Get.
type Stats struct {
	Hits    int // calls with a cached text
	Misses  int // calls that read the file
	Evicted int // texts removed to make room
	Entries int // cached texts
	Bytes   int // their size
}

// Cache holds texts. It is safe for concurrent use.
type Cache struct {
	read     func(path string) (string, error)
	maxBytes int
	ttl      time.Duration
	now      func() time.Time
	stamp    func(path string) any

	mu      sync.Mutex // guards the fields below
	kept    *lru.Cache[string, entry]
	changes uint64 // number of calls of Invalidate
	stats   Stats
}

// entry is a text, with the time and the file's stamp from just before it was read.
type entry struct {
	text  string
	at    time.Time
	stamp any
}

// Decode returns the text of a file: UTF-16 with a byte order mark converted to UTF-8, a notebook as a script of
// its cells, and other files as they are.
func Decode(p string, b []byte) []byte {
	if b = words.UTF8(b); strings.EqualFold(path.Ext(p), ".ipynb") {
		return script(b)
	}
	return b
}

// New returns an empty cache. read reads a file.
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

// cost returns the size of an entry in bytes.
func cost(path, text string) int { return entryCost + len(path) + len(text) }

// Get returns the text of a file, which it reads if it is not cached. The path is slash-separated and relative to
// the workspace. Errors are not cached.
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

// fresh returns a cached text that is young enough and has the given stamp, and drops any other. A text with a
// time in the future is dropped: the clock was set back, so its age is unknown. The caller holds the lock.
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

// Invalidate records that a file changed, or may have changed. A cached text of it is not served to calls of Get
// that begin afterwards.
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
