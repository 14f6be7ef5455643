package history

import (
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

// Dates keeps, from one process to the next, since when files have their present content ([Past.Since]):
// asking git about 10,000 entries takes half as long as reading them. They are valid for one commit, and each
// for one text.
type Dates struct {
	Of map[string]Dated // by path; the caller adds what is new

	file cachefile.File
	repo *git.Repository
	head string // the commit, and where the history was cut off; "" if nothing can be kept
}

// Dated is the answer about one text.
type Dated struct {
	Hash string // of the text
	At   int64  // in Unix seconds; 0: git does not have it
}

const (
	datesVersion = "1" // changes with the format, and with the rules for unchanged content

	// worthDates is 1 / the share of new answers from which the file is written again: fewer can be requested
	// anew in a few milliseconds.
	worthDates = 64
)

// KeptDates returns what the cache has for the commit that a folder is at.
func KeptDates(cache, folder string) *Dates {
	d := &Dates{Of: map[string]Dated{}}
	repo, err := git.Open(folder)
	if err != nil || cache == "" {
		return d
	}
	d.file, d.repo, d.head = cachefile.Of(cache, "dates", folder), repo, repo.HeadAndCut()
	if blocks, err := d.file.Read(datesVersion, maxFile); err == nil && len(blocks) == 1 && d.head != "" {
		kept := &Dates{Of: map[string]Dated{}}
		if codec.Share(blocks[0], kept.describe) == nil && kept.head == d.head {
			d.Of = kept.Of
		}
	}
	return d
}

// Keep writes the dates if enough are new, unless the folder is at another commit by now.
func (d *Dates) Keep(fresh int) error {
	if d.head == "" || worthDates*fresh <= len(d.Of) || d.repo.HeadAndCut() != d.head {
		return nil
	}
	return d.file.Write(datesVersion, cachefile.Block{codec.Append(nil, d.describe)})
}

func (d *Dates) describe(c *codec.Coder) {
	paths := slices.Collect(maps.Keys(d.Of))
	c.Text(&d.head)
	codec.List(c, &paths, func(p *string) {
		of := d.Of[*p]
		c.Text(p, &of.Hash)
		if codec.Int(c, &of.At); c.Reading {
			d.Of[*p] = of
		}
	})
}
