package workspace

import (
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// dates keeps since when, as git tells, entries say what they say, from one process to the next: asking git about 10,000
// entries takes half as long as reading them. They hold for one commit, and each for a text.
type dates struct {
	head string // the commit, and where the history was cut off; "" if that is not known
	of   map[string]dated
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

func (d *dates) describe(c *codec.Coder) {
	paths := slices.Collect(maps.Keys(d.of))
	c.Text(&d.head)
	codec.List(c, &paths, func(p *string) {
		of := d.of[*p]
		c.Text(p, &of.hash)
		if codec.Int(c, &of.at); c.Reading {
			d.of[*p] = of
		}
	})
}

func (s *commitState) datesFile() cachefile.File {
	return cachefile.Of(s.opts.Cache, "dates", s.Root())
}

// dates returns what is kept for the commit that the folder is at.
func (s *commitState) dates() *dates {
	if s.opts.Cache == "" {
		return &dates{of: map[string]dated{}}
	}
	head := s.headNow()
	if blocks, err := s.datesFile().Read(datesVersion, maxDates); err == nil && len(blocks) == 1 {
		kept := &dates{of: map[string]dated{}}
		if codec.Share(blocks[0], kept.describe) == nil && kept.head == head && head != "" {
			return kept
		}
	}
	return &dates{head, map[string]dated{}}
}

// keepDates keeps them where so many are new, unless the folder is at another commit by now.
func (s *commitState) keepDates(d *dates, fresh int) {
	if d.head == "" || fresh < worthDates || s.headNow() != d.head {
		return
	}
	if err := s.datesFile().Write(datesVersion, cachefile.Block{codec.Append(nil, d.describe)}); err != nil {
		s.opts.Log.Debug("cache of dates", "err", err)
	}
}

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
