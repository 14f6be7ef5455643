package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// The counters of an entry (its signals and the time of its last change) belong to this machine and are kept
// beside the tree in [Usage]. If every operation rewrote lines of the entry, two people could not change it
// without a git conflict. Statements of people stay in the text: when it was created, that somebody confirmed
// it, and the tier that somebody gave it.
//
// Older versions and other programs write the signals into the entry; they are read from there. The next
// operation that changes the entry removes these keys and goes on counting from them.

// Counted returns the last counted signals of an entry and their time: from the last operation on this
// machine, or from the entry's frontmatter. If nothing was counted, Has is false and the signals are empty;
// the time is then when the entry was created or, according to git, last changed. The time is zero if
// unknown.
func (s *Snapshot) Counted(p string) (format.Signals, time.Time) {
	e, ok := s.Entry(p)
	if !ok {
		return format.Signals{}, time.Time{}
	}
	u := s.usageOf(p)
	signals, from := base(e, u)
	switch {
	case !signals.Has:
		return format.Signals{}, from
	case !u.follows(e):
		signals.Maturity = e.Signals.Maturity // the stated tier, if any
	}
	signals.Maturity = e.Settled(signals.Maturity)
	return signals, from
}

// Changed is when an operation of this machine last changed or confirmed an entry, or when the
// entry states that it was changed; exact is false where what the entry says is not what that
// operation left, or there was none: then git may know better, and the time is the latest that is
// known without it.
func (s *Snapshot) Changed(p string) (at time.Time, exact bool) {
	e, ok := s.Entry(p)
	if !ok {
		return time.Time{}, false
	}
	u := s.usage[p]
	switch confirmed := e.Confirmed(); {
	case u.Updated.After(e.UpdatedAt) && u.ContentID == e.ContentID():
		return u.Updated, true
	case !e.UpdatedAt.IsZero():
		return format.Later(e.UpdatedAt, format.Later(u.Updated, confirmed)), true
	default:
		return format.Later(e.CreatedAt, format.Later(u.Updated, confirmed)), false
	}
}

// Counted is the usage of an entry that an operation has just written: s has its signals, with all uses.
func (u Usage) Counted(e *format.Entry, s format.Signals, now time.Time) *Usage {
	next := Usage{KeptAt: u.KeptAt, Updated: now, ContentID: e.ContentID(), Stated: e.Tier()}
	if !u.KeptAt.IsZero() {
		next.At = u.At
	}
	if s.Has {
		next.Signals = s.Rounded()
	}
	return &next
}

// usageOf returns the counters of an entry, with git's dates.
func (s *Snapshot) usageOf(p string) Usage {
	u := s.usage[p]
	u.Committed = s.commits[p]
	return u
}

// Staleness is the time since an entry's last update, or since someone decided to keep it; 0 if
// neither is known.
func (s *Snapshot) Staleness(at string, now time.Time) time.Duration {
	e, ok := s.Entry(at)
	if !ok {
		return 0
	}
	_, from := base(e, s.usageOf(at))
	if kept := s.usage[at].KeptAt; kept.After(from) {
		from = kept
	}
	if from.IsZero() {
		return 0
	}
	return max(0, now.Sub(from))
}

// LastUse is when an entry was last counted as used, zero if it never was.
func (s *Snapshot) LastUse(p string) time.Time { return s.usage[p].At }

// Signals returns an entry's signals at a given moment: those counted last, or those in its frontmatter,
// decayed, plus the uses since then.
func (s *Snapshot) Signals(p string, now time.Time) format.Signals {
	e, ok := s.Entry(p)
	if !ok {
		return format.NewSignals()
	}
	return signals(e, s.usageOf(p), now)
}

// Counters returns the counters of all entries, by path; the caller must not change them.
func (s *Snapshot) Counters() map[string]Usage { return s.usage }

// Committed is the time, according to git, since which the entry has its present content; zero if unknown.
func (s *Snapshot) Committed(p string) time.Time { return s.commits[p] }

// WithCommits is the snapshot with other times of commits, by path, or itself if they are the same.
func (s *Snapshot) WithCommits(at map[string]time.Time) *Snapshot {
	if maps.Equal(at, s.commits) {
		return s
	}
	n := *s
	n.commits = at
	return &n
}

// WithUsage is the snapshot with other counters, or itself if they are the same; everything else is shared.
func (s *Snapshot) WithUsage(m map[string]Usage) *Snapshot {
	if maps.Equal(m, s.usage) {
		return s
	}
	return Sharing(s, m)
}

// Sharing is a snapshot with counters that the caller may go on to change, until it hands the snapshot on.
func Sharing(s *Snapshot, m map[string]Usage) *Snapshot {
	n := *s
	n.usage = m
	return &n
}

// maxRecent bounds the changes that a snapshot remembers, and the paths of one. Callers ask again between two
// keystrokes, so they are only a few changes behind.
const maxRecent = 32

// delta is the difference between a snapshot and the one that it was made from.
type delta struct {
	from  uint64 // the edition of that one
	paths []string
}

// remember adds a change to the history of a snapshot. A change that is too large restarts the history.
func remember(recent []delta, from uint64, steps []step) []delta {
	if len(steps) > maxRecent {
		return nil
	}
	c := delta{from: from, paths: make([]string, len(steps))}
	for i := range steps {
		c.paths[i] = steps[i].path
	}
	kept := recent[max(0, len(recent)+1-maxRecent):]
	return append(append(make([]delta, 0, len(kept)+1), kept...), c)
}

// Since lists, sorted, the paths that may have changed since an older snapshot. ok is false if that is
// unknown: this snapshot was not made from it, or too many changes ago.
func (s *Snapshot) Since(old *Snapshot) (paths []string, ok bool) {
	if old == nil {
		return nil, false
	}
	return s.since(old.edition)
}

func (s *Snapshot) since(edition uint64) (paths []string, ok bool) {
	if s.edition == edition {
		return nil, true
	}
	for i := len(s.recent) - 1; i >= 0; i-- {
		paths = append(paths, s.recent[i].paths...)
		if s.recent[i].from == edition {
			slices.Sort(paths)
			return slices.Compact(paths), true
		}
	}
	return nil, false
}

// hash makes the fingerprint: of 10,000 entries it takes a millisecond or two.
func (s *Snapshot) hash() string {
	h, line := sha256.New(), []byte(nil)
	for _, e := range s.list {
		line = append(append(append(append(line[:0], e.Path...), 0), e.Hash...), '\n')
		h.Write(line)
	}
	sum := sha256.Sum256(h.Sum(nil))
	return hex.EncodeToString(sum[:])
}
