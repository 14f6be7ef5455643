package workspace

import (
	"maps"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// dates keeps since when, as git tells, entries say what they say, from one process to the next: asking git about 10,000
// entries takes half as long as reading them. They hold for one commit, and each for a text.
type dates struct {
	file cachefile.File
	head string
	of   map[string]dated // by path
}

// dated is the answer about one text.
type dated struct {
	hash string // of the entry's text
	at   int64  // in Unix seconds; 0: git does not have it
}

const (
	datesVersion = "1" // changes with the form, and with what counts as saying the same
	maxDates     = 64 << 20

	// worthDates is how many answers must be new for the file to be written: so many are asked for in a few milliseconds.
	worthDates = 256
)

// dates returns what is kept for the commit that the folder is at; nil where nothing can be kept.
func (s *commitState) dates() *dates {
	head := s.headNow()
	if s.opts.Cache == "" || head == "" {
		return nil
	}
	d := &dates{file: cachefile.Of(s.opts.Cache, "dates", s.Root()), head: head, of: map[string]dated{}}
	if blocks, err := d.file.Read(datesVersion, maxDates); err == nil && len(blocks) == 1 {
		kept := dates{of: map[string]dated{}}
		if codec.Share(blocks[0], kept.describe) == nil && kept.head == head {
			d.of = kept.of
		}
	}
	return d
}

// keepDates keeps what was asked, unless the folder is at another commit by now.
func (s *commitState) keepDates(d *dates, asked []*format.Entry, known map[string]time.Time) {
	if d == nil || len(asked) < worthDates || s.headNow() != d.head {
		return
	}
	for _, e := range asked {
		of := dated{hash: e.Hash}
		if at, ok := known[e.Path]; ok {
			of.at = at.Unix()
		}
		d.of[e.Path] = of
	}
	if err := d.file.Write(datesVersion, cachefile.Block{codec.Append(nil, d.describe)}); err != nil {
		s.opts.Log.Debug("cache of dates", "err", err)
	}
}

// headNow names the commit that the folder is at, and where its history was cut off; "" if that is not known.
func (s *commitState) headNow() string {
	repo, err := git.Open(s.root.Dir())
	if err != nil {
		return ""
	}
	head, err := repo.Head()
	if err != nil || head == "" {
		return ""
	}
	return head + repo.Shallow()
}

func (d *dates) describe(c *codec.Coder) {
	c.Text(&d.head)
	paths := slices.Collect(maps.Keys(d.of))
	codec.List(c, &paths, func(p *string) {
		of := d.of[*p]
		c.Text(p, &of.hash)
		codec.Int(c, &of.at)
		if c.Reading {
			d.of[*p] = of
		}
	})
}

// get returns the answer about a text.
func (d *dates) get(path, hash string) (at time.Time, known bool) {
	if d == nil || d.of[path].hash != hash {
		return time.Time{}, false
	}
	if sec := d.of[path].at; sec != 0 {
		at = time.Unix(sec, 0).UTC()
	}
	return at, true
}
