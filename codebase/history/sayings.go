package history

import (
	"context"
	"maps"
	"math"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/git"
)

// change is the effect of one commit of the line on a file.
type change struct {
	at            int    // the commit's place in the line
	before, after string // the contents by their hashes, "" for none
}

// sayings finds, for the neighbouring files of moments, the commit since which each has its content of HEAD.
// It reads only the contents that a commit changed, back to the newest commit that changed the content.
func (p *Past) sayings(ctx context.Context, open []*moment) error {
	paths := make([]string, len(open))
	for i, m := range open {
		paths[i] = m.neighbour
	}
	if err := p.follow(ctx, paths); err != nil {
		return err
	}
	var atHead []*moment
	for _, m := range open {
		changes := p.changes[m.neighbour]
		if len(changes) == 0 || changes[0].after == "" {
			continue // never committed, or removed
		}
		m.text, m.from = changes[0].after, changes[0].at
		if m.edited = git.BlobHash([]byte(m.says.Text), len(m.text)) != m.text; !m.edited && changes[0].before != "" {
			p.statements[m.text] = m.says.Says()
		}
		atHead = append(atHead, m)
	}
	for depth := 0; len(atHead) > 0; depth++ {
		var older []*moment
		read := map[string]*Saying{} // by hash
		for _, m := range atHead {
			if changes := p.changes[m.neighbour]; depth < len(changes) {
				older = append(older, m)
				read[changes[depth].before] = m.says
			}
			if m.edited && depth == 0 {
				read[m.text] = m.says
			}
		}
		if err := p.readSaid(ctx, read); err != nil {
			return err
		}
		atHead = atHead[:0]
		for _, m := range older {
			if depth == 0 {
				m.edited = m.edited && p.statements[m.text] != m.says.Says()
			}
			changes, said := p.changes[m.neighbour], p.statements[m.text]
			if depth+1 < len(changes) && said != "" && p.statements[changes[depth].before] == said {
				m.from = changes[depth+1].at
				atHead = append(atHead, m)
			}
		}
	}
	return nil
}

// readSaid reads the content of texts, by their hashes; known ones are not read again.
func (p *Past) readSaid(ctx context.Context, of map[string]*Saying) error {
	var ask []string
	for hash := range of {
		if _, known := p.statements[hash]; !known && hash != "" {
			ask = append(ask, hash)
		}
	}
	return p.repo.Contents(ctx, ask, MaxText, func(hash string, text []byte) {
		p.statements[hash] = of[hash].Reads(string(text))
	})
}

// follow reads the changes that commits of the line made to files. One log of the files' common folder serves
// all: it costs one look at each commit, however many the files are.
func (p *Past) follow(ctx context.Context, paths []string) error {
	if len(p.changes)+len(p.statements) > maxMemo {
		p.changes, p.statements = map[string][]change{}, map[string]string{}
	}
	within, fresh := "", map[string][]change{}
	for _, file := range paths {
		if _, known := p.changes[file]; known {
			continue
		}
		if fresh[file] = nil; within == "" {
			within = file
		}
		for within != file && within != "." && !strings.HasPrefix(file, within+"/") {
			within = path.Dir(within)
		}
	}
	if within == "" {
		return nil
	}
	opts := git.LogOptions{Head: p.head, FirstParent: true, Blobs: true, MaxChanges: math.MaxInt}
	if within != "." {
		opts.Paths = []string{within}
	}
	err := p.repo.Log(ctx, opts, func(c git.Commit) error {
		at, known := p.index[c.Hash]
		for _, f := range c.Changes {
			if changes, asked := fresh[f.Path]; known && asked {
				fresh[f.Path] = append(changes, change{at, f.Before, f.After})
			}
		}
		return nil
	})
	if err == nil {
		maps.Copy(p.changes, fresh)
	}
	return err
}
