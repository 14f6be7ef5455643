package link

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// Follow returns the edits, by entry, that update paths when files and folders of the code move, all at once. It
// edits the paths that entries list, mention or link to. A shortened path stays shortened if it is still unique.
// Text behind a path, "./" and a folder's final slash stay. A path that inline code cannot hold is not written.
func (l *Links) Follow(moves []relink.FileMove) map[string][]markdown.Edit {
	out := map[string][]markdown.Edit{}
	for _, e := range l.tree.Entries() {
		for _, ref := range l.Of(e.Path) {
			now := movedTo(moves, ref.Path)
			if !ref.Exists || ref.Symbol != "" || now == ref.Path {
				continue
			}
			if edit, ok := l.respelled(e, ref, moves, now); ok {
				out[e.Path] = append(out[e.Path], edit)
			}
		}
	}
	return out
}

// movedTo returns a path's place after moves.
func movedTo(moves []relink.FileMove, p string) string {
	for _, m := range moves {
		if rest, below := strings.CutPrefix(p, m.From); below && (rest == "" || rest[0] == '/') {
			return m.To + rest
		}
	}
	return p
}

// respelled returns the edit of one path in an entry. It is false if the path is still right or cannot be written.
func (l *Links) respelled(e *format.Entry, ref CodeRef, moves []relink.FileMove, now string) (markdown.Edit, bool) {
	said := format.WithoutLines(ref.Span.Of(e.Text))
	if ref.Form == FormLink {
		link, ok := relink.PageLink{Page: tree.FromProject + e.Path, Text: e.Text, At: ref.Span, To: ref.Path}.Leading(now)
		return markdown.Edit{At: ref.Span, New: link}, ok
	}
	lead := said[:len(said)-len(strings.TrimLeft(said, "./"))]
	if !strings.HasPrefix(said, "./") {
		lead = "" // the dot belongs to the name of a hidden folder
	}
	tail := ""
	if strings.HasSuffix(said, "/") {
		tail = "/"
	}
	clean := path.Clean(slashed(said))
	if !strings.HasSuffix("/"+ref.Path, "/"+clean) || strings.ContainsAny(now, "`\n\r") || ref.Form == FormPath &&
		strings.ContainsAny(now, " \t") {
		return markdown.Edit{}, false
	}
	if clean != ref.Path {
		now = l.resolver.shortened(now, strings.Count(clean, "/")+1, moves)
	}
	at := markdown.Span{Start: ref.Span.Start, End: ref.Span.Start + len(said)}
	edit := markdown.Edit{At: at, New: like(said, lead+now+tail)}
	return edit, edit.New != said
}

// shortened returns the path's last names, as many as requested. It returns the whole path if another path will
// have the same end after the moves.
func (r *resolver) shortened(p string, names int, moves []relink.FileMove) string {
	all := strings.Split(p, "/")
	if names >= len(all) {
		return p
	}
	short := strings.Join(all[len(all)-names:], "/")
	other := func(q string) bool { return q != p && (q == short || strings.HasSuffix(q, "/"+short)) }
	there := slices.ContainsFunc(r.ends[all[len(all)-1]], func(q string) bool { return other(movedTo(moves, q)) })
	if there || slices.ContainsFunc(moves, func(m relink.FileMove) bool { return other(m.To) }) {
		return p
	}
	return short
}

// sureName is the largest difference between a symbol and its replacement at which the new name is proposed. Of
// 10,454 functions of this project and of Go's packages below net and go, 95 % differ by less from themselves
// under another name. 4 % differ by less from the nearest other function in their folder, which would have to be
// new as well. See [Drift] for the measure.
const sureName = 0.3

// Followed divides the drift of an entry into new names of files that it lists or links to, new names in code of
// its text, and the rest. A new name in its text confirms that the entry is true, so the code itself must be
// almost unchanged. Dreams and repairs after a check plan their renames with it.
func Followed(e *format.Entry, drifts []Drift) (files, names, rest []Drift) {
	for _, d := range drifts {
		listed := !slices.Contains(e.Code, d.At) || format.Listed(e, d.At)
		switch {
		case d.Kind == Moved && d.Symbol == "" && d.Replace == "" && d.Grade < ChangedFile: // its line says so
		case d.Kind != Moved || d.Replace == "":
			rest = append(rest, d)
		case listed:
			files = append(files, d)
		case d.Symbol == "" && d.Grade < ChangedFile || d.Symbol != "" && d.Grade < sureName:
			names = append(names, d)
		default:
			rest = append(rest, d)
		}
	}
	for _, d := range files { // a file that changed too is compared by its symbols, if the entry names them
		named := slices.ContainsFunc(names, func(n Drift) bool { return n.Symbol != "" && n.To == d.To })
		if d.Grade >= ChangedFile && !named {
			rest = append(rest, d)
		}
	}
	return files, names, rest
}

// Renames returns the new names that drifts propose for an entry; see [plan.Op].
func Renames(e *format.Entry, drifts []Drift) (out []plan.Rename) {
	for _, d := range drifts {
		if r := (plan.Rename{From: d.At.Of(e.Text), To: d.Replace}); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
