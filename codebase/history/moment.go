package history

import (
	"context"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/tree"
)

// moment is a question for a state, and the search for its commit in the line.
type moment struct {
	when   time.Time
	beside string
	says   string

	base     int    // the newest commit not later than when; len(line) if there is none
	text     string // its content at HEAD by the hash, or what it says there
	from, to int    // beside is at from as at HEAD, and not so at to
}

// states finds the commits of moments; the zero Moment is for one before all that is known.
// The history is not asked: commits of many files are not in it, and what is curated along
// with them is committed in them.
func (p *Past) states(ctx context.Context, asks []Ask) ([]git.Moment, error) {
	searches := make([]*moment, len(asks))
	known := map[moment]*moment{}
	var open []*moment
	for i, a := range asks {
		key := moment{when: a.When, beside: a.Beside, says: a.Says}
		if known[key] == nil {
			m := key
			m.base = p.newest(a.When)
			if m.to = min(m.base+1, len(p.line)); m.says != "" {
				m.to = len(p.line)
			}
			known[key] = &m
			if m.beside != "" {
				open = append(open, &m)
			}
		}
		searches[i] = known[key]
	}
	err := p.search(ctx, open)
	out := make([]git.Moment, len(asks))
	for i, m := range searches {
		if at := m.state(p.line); at < len(p.line) {
			out[i] = p.line[at]
		}
	}
	return out, err
}

// newest is the place in the line of the newest commit that is not later than when.
func (p *Past) newest(when time.Time) int {
	i := slices.IndexFunc(p.line, func(m git.Moment) bool { return !when.IsZero() && m.Time <= when.Unix() })
	if i < 0 {
		return len(p.line)
	}
	return i
}

// search halves, for all moments at once, the part of the line in which the file beside
// became what it is at HEAD.
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

// middle is the commit to look at next: HEAD's at first.
func (m *moment) middle() int {
	if m.text == "" {
		return 0
	}
	return (m.from + m.to) / 2
}

// besides are the contents, by their hashes or by what they say, of the files beside at the
// middles; "" where there is none.
func (p *Past) besides(ctx context.Context, open []*moment) ([]string, error) {
	places := make([]git.Place, len(open))
	for i, m := range open {
		places[i] = git.Place{Commit: p.line[m.middle()].Hash, Path: m.beside}
	}
	objects, err := p.find(ctx, places)
	texts := make([]string, len(open))
	var read []git.Object
	for i, o := range objects {
		if texts[i] = o.Hash; open[i].says != "" {
			read = append(read, o)
		}
	}
	if err != nil || len(read) == 0 {
		return texts, err
	}
	contents, err := p.contents(ctx, read)
	for i, o := range objects {
		if text := contents[o.Hash]; text != "" && open[i].says != "" {
			texts[i] = tree.Parse(open[i].beside, text).Said()
		}
	}
	return texts, err
}

// state is the place of the moment's commit in the line: that of the commit of the file
// beside, if it was soon enough or alone counts, else the base.
func (m *moment) state(line []git.Moment) int {
	switch {
	case m.says != "" && m.text == m.says:
		return m.from
	case m.says != "" && m.text != "":
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
