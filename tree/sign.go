package tree

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
)

// unmerged says why an effect cannot be: an entry in conflict names what it takes away, and would
// have to be changed with it, or a file that it changes is in conflict.
func (p *plan) unmerged(st effect) error {
	next := p.tree.Update(st.files)
	paths := slices.Sorted(maps.Keys(st.files))
	for _, at := range paths {
		if st.files[at] != nil {
			continue
		}
		for _, b := range p.tree.Backlinks(at) {
			e, _ := p.tree.Entry(b.From)
			if now := next.Resolve(b.From, b.Form, b.Raw).Target; now == "" || now != st.went[at] {
				if err := e.unmergedWith(at); err != nil {
					return err
				}
			}
		}
	}
	for _, at := range paths {
		if e, ok := p.tree.Entry(at); ok && e.Unmerged() != nil {
			return e.Unmerged()
		}
	}
	return nil
}

// sign writes into what an operation made or changed whose text that is. Only additions,
// updates and merges say something; who confirms an entry answers for it.
func (p *plan) sign(op Op, st *effect) error {
	at := st.result.FilePath
	e := st.files[at]
	if e == nil || e.Role != RoleEntry || st.result.Unchanged {
		return nil
	}
	said, has := e.Provenance()
	before, was := p.tree.Entry(at)
	switch op.Type {
	case OpConfirm:
		if p.origin.Human() {
			st.files[at] = e.approved(p.author)
		}
		return nil
	case OpMerge:
		if source, _, err := p.mustFind(op.Type, op.Path, op.Title); err == nil && !has {
			from, _ := p.tree.Entry(source)
			said, has = from.Provenance()
			was = was && !has
		}
	case OpAdd, OpUpdate, OpUpsert:
		if op.Upkeep {
			return nil // what the entry says stays whose it was
		}
	default:
		return nil
	}
	next := said
	switch {
	case p.origin.Human() && (!has || op.Upkeep):
		return nil // nobody who says where an entry belongs answers for what it says
	case p.origin.Human() && op.Lineage: // it is put together of what both say; who approves it answers for that
		next.ApprovedBy = cmp.Or(p.approver, next.ApprovedBy)
	case p.origin.Human():
		next.EditedBy = cmp.Or(next.EditedBy, name(p.author), somebody)
	case has && said.Kind == p.origin.Kind && said.Vouched():
		return nil // as the entry says; the journal has who it was each time
	default:
		next = Provenance{Origin: p.origin, First: said.First, ApprovedBy: p.approver}
		if has && next.First == "" && said.Kind != p.origin.Kind {
			next.First = said.Kind
		} else if !has && was && before.Role == RoleEntry {
			next.First = OriginHuman
		}
	}
	signed, ok := e.signed(next)
	if !ok && !p.origin.Human() {
		return failed(FailInvalid, "%s: who wrote it could not be written; mend its frontmatter first (`brv-lsp check`)", at)
	}
	if len(signed.Text) > MaxFileSize {
		return failed(FailInvalid, "%s would have %d bytes, the limit is %d", at, len(signed.Text), MaxFileSize)
	}
	st.files[at] = signed
	return nil
}

// synthesis is an operation's synthesis with its sources as the tree writes them.
func (p *plan) synthesis(op Op) (*Synthesis, error) {
	if op.Synthesis == nil {
		return nil, nil
	}
	s := *op.Synthesis
	switch {
	case op.Type != OpAdd && op.Type != OpUpdate && op.Type != OpUpsert:
		return nil, failed(FailInvalid, "synthesis is for ADD, UPDATE and UPSERT, not for %s", op.Type)
	case math.IsNaN(s.Confidence) || s.Confidence < 0 || s.Confidence > 1:
		return nil, failed(FailInvalid, "synthesis: the confidence is between 0 and 1, not %v", s.Confidence)
	case len(s.Sources) < 2 || len(s.Sources) > maxSources:
		return nil, failed(FailInvalid, "synthesis: %d sources, it has 2 to %d", len(s.Sources), maxSources)
	}
	sources := make([]string, 0, len(s.Sources))
	for _, raw := range s.Sources {
		at, err := cleanPath(raw)
		switch {
		case err != nil:
			return nil, err
		case !p.isSource(at):
			return nil, failed(FailMissing, "synthesis: the source %q is no entry and no folder's %s", raw, summaryFile)
		}
		sources = append(sources, at)
	}
	s.Sources = sources
	return &s, nil
}

// isSource reports whether a synthesis may come from a path: an entry, or the summary of a
// folder, which need not be written yet.
func (p *plan) isSource(at string) bool {
	if path.Base(at) == summaryFile {
		_, ok := p.tree.Node(folderOf(at))
		return ok && folderOf(at) != "" && !archived(folderOf(at))
	}
	e, ok := p.tree.Entry(at)
	return ok && e.Role == RoleEntry
}
