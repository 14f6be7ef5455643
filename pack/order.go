package pack

import (
	"cmp"
	"slices"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ordered are the shown slots in the order of the text: knowledge, code, and lines. In each part what is most likely to be
// needed comes first, as it is most likely to stay when the task grows.
func (f *filler) ordered() []*slot {
	var out []*slot
	for _, s := range f.slots {
		if s.level >= 0 {
			out = append(out, s)
		}
	}
	rank := f.ranks(out)
	slices.SortStableFunc(out, func(a, b *slot) int {
		x, y := rank[a], rank[b]
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.core, y.core),
			cmp.Compare(y.chance, x.chance), cmp.Compare(a.path, b.path))
	})
	behind(out)
	return out
}

// position decides on a slot's place.
type position struct {
	part   part
	core   int // 0: an entry of core maturity about a file that is shown as code
	chance float64
}

func (f *filler) ranks(shown []*slot) map[*slot]position {
	files := map[string]bool{}
	for _, s := range shown {
		if s.kind == KindCode && s.shown().form != FormOutline {
			files[s.path] = true
		}
	}
	out := make(map[*slot]position, len(shown))
	for _, s := range shown {
		core := 1
		if s.entry != nil && s.entry.Signals.Maturity == format.Core &&
			slices.ContainsFunc(s.about, func(p string) bool { return files[p] }) {
			core = 0
		}
		out[s] = position{f.written(s).part, core, s.chance}
	}
	return out
}

// behind puts an entry that another one contradicts and outranks behind that one.
func behind(shown []*slot) {
	for i, s := range shown {
		j := slices.IndexFunc(shown, func(o *slot) bool { return s.behind != nil && o.candidate == s.behind })
		if j > i {
			copy(shown[i:], shown[i+1:j+1])
			shown[j] = s
		}
	}
}
