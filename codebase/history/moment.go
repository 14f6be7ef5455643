package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// moment is a question for a state, and the search for its commit in the line.
type moment struct {
	when      time.Time
	neighbour string
	says      *Saying

	base     int    // the newest commit not later than when; len(line) if there is none
	text     string // its content at HEAD by the hash
	from, to int    // neighbour is at from as at HEAD, and not so at to
	edited   bool   // it has another content now than at HEAD
}

// states finds the commits of moments; the zero Moment is for one before all that is known.
// The history is not asked: commits of many files are not in it, and what is curated along
// with them is committed in them.
func (p *Past) states(ctx context.Context, asks []Ask) ([]git.Moment, error) {
	searches := make([]*moment, len(asks))
	known := map[moment]*moment{}
	var open, entries []*moment
	for i, a := range asks {
		key := moment{when: a.When, neighbour: a.Neighbour, says: a.Saying}
		if known[key] == nil {
			m := key
			m.base = p.newest(a.When)
			m.to = min(m.base+1, len(p.line))
			known[key] = &m
			switch {
			case m.says != nil:
				entries = append(entries, &m)
			case m.neighbour != "":
				open = append(open, &m)
			}
		}
		searches[i] = known[key]
	}
	err := cmp.Or(p.search(ctx, open), p.sayings(ctx, entries))
	out := make([]git.Moment, len(asks))
	for i, m := range searches {
		at := m.state(p.line)
		if asks[i].Before {
			at++
		}
		if at < len(p.line) {
			out[i] = p.line[at]
		}
	}
	return out, err
}

// newest is the index in the line of the newest commit that is not later than when.
func (p *Past) newest(when time.Time) int {
	if when.IsZero() {
		return len(p.line)
	}
	i := slices.IndexFunc(p.line, func(m git.Moment) bool { return m.Time <= when.Unix() })
	if i < 0 {
		return len(p.line)
	}
	return i
}

// search halves, for all moments at once, the part of the line in which the neighbouring file got its content
// of HEAD.
func (p *Past) search(ctx context.Context, open []*moment) error {
	texts, err := p.besides(ctx, open)
	if err != nil {
		return err
	}
	for i, m := range open {
		m.text = texts[i]
	}
	for {
		open = slices.DeleteFunc(open, func(m *moment) bool { return m.text == "" || m.to-m.from <= 1 })
		if len(open) == 0 {
			return nil
		}
		if texts, err = p.besides(ctx, open); err != nil {
			return err
		}
		for i, m := range open {
			if middle := m.middle(); texts[i] == m.text {
				m.from = middle
			} else {
				m.to = middle
			}
		}
	}
}

// middle is the next commit to examine: HEAD's at first.
func (m *moment) middle() int {
	if m.text == "" {
		return 0
	}
	return (m.from + m.to) / 2
}

// besides are the content hashes of the neighbouring files at the middles; "" if there is none.
func (p *Past) besides(ctx context.Context, open []*moment) ([]string, error) {
	places := make([]git.Place, len(open))
	for i, m := range open {
		places[i] = git.Place{Commit: p.line[m.middle()].Hash, Path: m.neighbour}
	}
	objects, err := p.find(ctx, places)
	texts := make([]string, len(open))
	for i, o := range objects {
		texts[i] = o.Hash
	}
	return texts, err
}

// state is the place of the moment's commit in the line: that of the commit of the file
// beside, if it was soon enough or alone counts, else the base.
func (m *moment) state(line []git.Moment) int {
	switch {
	case m.says != nil && m.text != "" && !m.edited:
		return m.from
	case m.says != nil && m.text != "":
		return min(m.from, m.base)
	}
	if m.text == "" || m.from >= m.base {
		return m.base
	}
	if at := time.Unix(line[m.from].Time, 0); m.when.IsZero() || at.Sub(m.when) <= beside {
		return m.from
	}
	return m.base
}
