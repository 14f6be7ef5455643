package pack

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// pinnedGain is what each form up to the wanted one is worth of a pinned item: more than all else that fits.
const pinnedGain = 1000

// pin makes candidates of what the user pinned, surer than all that is found.
func (b *maker) pin(entries, files scores) {
	for _, path := range b.task.Pinned {
		var c *candidate
		if _, ok := b.in.Tree.Entry(path); ok {
			c = entries.get(KindEntry, path)
		} else if _, ok := b.in.Code.Chunk(path); ok {
			c = files.get(KindCode, path)
		} else {
			continue
		}
		c.atLeast(atPin, "pinned")
		c.pinned, c.sure = true, 1
	}
}

// pinnedSpot is the symbol that a place lies in.
func (b *maker) pinnedSpot(p Place) spot {
	s := spot{span: syntax.Span{Start: p.Offset, End: p.Offset}, chance: atPin, reason: "pinned"}
	if c, ok := b.in.Code.Chunk(p.Path); ok {
		if at := symbolAt(c.Symbols(), p.Offset); at != nil {
			s.span = at.Range
		}
	}
	return s
}

// pinnedForm is the best form of a pinned candidate at a price: of a file of which symbols are pinned the first that
// shows them.
func (c *candidate) pinnedForm(price int) (level int) {
	symbols := 0
	for _, x := range c.excerpts {
		if x.pinned() {
			symbols++
		}
	}
	for i, f := range c.forms {
		if f.price <= price {
			level = i
		}
		if symbols > 0 && f.form == FormBody && f.n == symbols {
			break
		}
	}
	return level
}

// dropped reports whether a block of the pack before does not stay: its item is no candidate any more, or was pinned since
// and may be shown better.
func (b *maker) dropped(l *priorBlock) bool {
	return slices.Contains(b.task.Without, l.Path) || slices.Contains(b.task.Pinned, l.Path) && !l.Pinned
}
