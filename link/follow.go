package link

import (
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Follow returns what entries must say when a file or folder of the code gets another
// path: edits of the paths that they list or mention, by entry. A path that is shortened
// from the left stays so while one file only ends in it; line numbers behind a path, "./"
// and the slash of a folder stay. A path that inline code cannot hold is not written.
func (l *Links) Follow(from, to string) map[string][]tree.Edit {
	out := map[string][]tree.Edit{}
	for _, e := range l.tree.Entries() {
		for _, ref := range l.Of(e.Path) {
			rest, below := strings.CutPrefix(ref.Path, from)
			if !ref.Exists || ref.Symbol != "" || !below || rest != "" && rest[0] != '/' {
				continue
			}
			if edit, ok := l.respelled(e, ref, from, to, to+rest); ok {
				out[e.Path] = append(out[e.Path], edit)
			}
		}
	}
	return out
}

// respelled is the edit of one path that an entry names, false if it is right as it is
// or cannot be written.
func (l *Links) respelled(e *tree.Entry, ref CodeRef, from, to, now string) (tree.Edit, bool) {
	written := ref.Span.Of(e.Text)
	suffix := lineSuffix.FindString(written)
	said := strings.TrimSuffix(written, suffix)
	lead := said[:len(said)-len(strings.TrimLeft(said, "./"))]
	if !strings.HasPrefix(said, "./") {
		lead = "" // a hidden folder's dot is part of its name
	}
	tail := ""
	if strings.HasSuffix(said, "/") {
		tail = "/"
	}
	clean := path.Clean(said)
	if !strings.HasSuffix("/"+ref.Path, "/"+clean) || strings.ContainsAny(now, "`\n\r") || ref.Form == FormPath && strings.ContainsAny(now, " \t") {
		return tree.Edit{}, false
	}
	if clean != ref.Path {
		now = l.resolver.shortened(now, strings.Count(clean, "/")+1, from)
	}
	at := tree.Span{Start: ref.Span.Start, End: ref.Span.Start + len(said)}
	edit := tree.Edit{At: at, New: lead + now + tail}
	return edit, edit.New != said
}

// shortened is the path's last names, as many as asked for, or all of them if another
// path than those that move away ends in the same.
func (r *resolver) shortened(p string, names int, moved string) string {
	all := strings.Split(p, "/")
	if names >= len(all) {
		return p
	}
	short := strings.Join(all[len(all)-names:], "/")
	other := func(q string) bool {
		return q != p && (q == short || strings.HasSuffix(q, "/"+short)) && q != moved && !strings.HasPrefix(q, moved+"/")
	}
	if slices.ContainsFunc(r.ends[all[len(all)-1]], other) {
		return p
	}
	return short
}
