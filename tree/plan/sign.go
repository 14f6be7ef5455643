package plan

import (
	"cmp"
	"math"
	"path"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// sign sets the provenance of entries that an operation made or changed. Only additions, updates and merges
// change a text; a person who confirms an entry answers for it.
func (p *Plan) sign(op Op, st *effect) error {
	at := st.result.FilePath
	e := st.files[at]
	if e == nil || e.Role != format.RoleEntry || st.result.Unchanged {
		return nil
	}
	said, has := e.Provenance()
	before, was := p.After.Entry(at)
	switch op.Type {
	case OpConfirm:
		if p.origin.Human() {
			st.files[at] = e.Approved(p.author)
		}
		return nil
	case OpMerge:
		if source, _, err := p.state().mustFind(op.Type, op.Path, op.Title); err == nil && !has {
			from, _ := p.After.Entry(source)
			said, has = from.Provenance()
			was = was && !has
		}
	case OpAdd, OpUpdate, OpUpsert:
		if op.Upkeep {
			return nil // the content stays its author's
		}
	default:
		return nil
	}
	next := said
	switch {
	case p.origin.Human() && (!has || op.Upkeep):
		return nil // a change of relations makes nobody answer for the content
	case p.origin.Human() && op.Lineage: // the text combines both; the person who approves answers for that
		next.ApprovedBy = cmp.Or(p.approver, next.ApprovedBy)
	case p.origin.Human():
		next.EditedBy = cmp.Or(next.EditedBy, format.Name(p.author), format.Somebody)
	case has && said.Kind == p.origin.Kind && said.Vouched():
		return nil // the provenance stays; the journal has the author of each change
	default:
		next = format.Provenance{Origin: p.origin, First: said.First, ApprovedBy: p.approver}
		if has && next.First == "" && said.Kind != p.origin.Kind {
			next.First = said.Kind
		} else if !has && was && before.Role == format.RoleEntry {
			next.First = format.OriginHuman
		}
	}
	signed, ok := e.Signed(next)
	if !ok && !p.origin.Human() {
		return Failed(FailInvalid, "%s: the author cannot be recorded; correct the frontmatter first (`brv-lsp check`)", at)
	}
	st.files[at] = signed
	return nil
}

// synthesis is an operation's synthesis with its sources in the tree's spelling.
func (s state) synthesis(op Op) (*format.Synthesis, error) {
	if op.Synthesis == nil {
		return nil, nil
	}
	synthesis := *op.Synthesis
	switch {
	case op.Type != OpAdd && op.Type != OpUpdate && op.Type != OpUpsert:
		return nil, Failed(FailInvalid, "synthesis is for ADD, UPDATE and UPSERT, not for %s", op.Type)
	case math.IsNaN(synthesis.Confidence) || synthesis.Confidence < 0 || synthesis.Confidence > 1:
		return nil, Failed(FailInvalid, "synthesis: the confidence must be between 0 and 1, not %v", synthesis.Confidence)
	case len(synthesis.Sources) < 2 || len(synthesis.Sources) > format.MaxSources:
		return nil, Failed(FailInvalid, "synthesis: give 2 to %[2]d sources, not %[1]d", len(synthesis.Sources), format.MaxSources)
	}
	sources := make([]string, 0, len(synthesis.Sources))
	for _, raw := range synthesis.Sources {
		at, err := cleanPath(raw)
		switch {
		case err != nil:
			return nil, err
		case !s.isSource(at):
			return nil, Failed(FailMissing, "synthesis: the source %q is neither an entry nor a folder's %s", raw, format.SummaryFile)
		}
		sources = append(sources, at)
	}
	synthesis.Sources = sources
	return &synthesis, nil
}

// isSource reports whether a path can be a source of a synthesis: an entry, or the summary of a folder, which
// may not be written yet.
func (s state) isSource(at string) bool {
	if path.Base(at) == format.SummaryFile {
		_, ok := s.tree.Node(format.FolderOf(at))
		return ok && format.FolderOf(at) != "" && !format.Archived(format.FolderOf(at))
	}
	e, ok := s.tree.Entry(at)
	return ok && e.Role == format.RoleEntry
}
