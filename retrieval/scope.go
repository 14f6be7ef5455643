package retrieval

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxNearest is the number of topics named when none answers.
const maxNearest = 3

// A query can name the place to search: by [Query.Scope], by a path in front ("auth/jwt refresh token"), or
// by a domain's name as its first words ("authentication refresh token"). Only a place that exists in the
// tree is a scope, so "read/write splitting" and "TCP/IP" remain words.
//
// A place is found in any case and Unicode form, with hyphens, underscores or spaces. A path may omit its
// first folders if that leaves one folder, or no folder and one entry: "jwt/refresh" is
// authentication/jwt/refresh. A single name may do so only as Query.Scope; in a text it would be a word. The
// reference system accepts any part of a name, but "port" should not find "reports".

// places are the folders and entries of a tree, by folded path; several where
// paths differ in what folding drops.
type places map[string][]string

// placesOf lists the places of docs: every entry and every folder above one.
func placesOf(docs []*doc) places {
	return gatherPlaces(len(docs), func(yield func(string)) {
		for _, d := range docs {
			if d != nil {
				yield(d.entry.Path)
			}
		}
	})
}

// treePlaces lists the places of a snapshot, as placesOf does of its entries.
func treePlaces(snap *tree.Snapshot) places {
	return gatherPlaces(snap.Len(), func(yield func(string)) {
		for _, e := range snap.Entries() {
			if format.Searchable(e) {
				yield(e.Path)
			}
		}
	})
}

func gatherPlaces(n int, entries func(yield func(string))) places {
	out, seen := make(places, n), map[string]bool{".": true}
	entries(func(entry string) {
		for real := entry; !seen[real]; real = path.Dir(real) {
			if real != entry {
				seen[real] = true
			}
			key := foldPath(real)
			out[key] = append(out[key], real)
		}
	})
	out.sort()
	return out
}

// sort makes what is found independent of the order of entries: folders come
// before the entries of their name.
func (p places) sort() {
	for _, same := range p {
		if len(same) == 1 {
			continue
		}
		slices.SortFunc(same, func(a, b string) int {
			return cmp.Or(cmp.Compare(isEntryPath(a), isEntryPath(b)), strings.Compare(a, b))
		})
	}
}

// isEntryPath is 1 for the path of an entry and 0 for a folder's.
func isEntryPath(p string) int {
	if strings.HasSuffix(p, ".md") {
		return 1
	}
	return 0
}

// find returns the place that a path names; the @ of a relation does not matter,
// and of a folder and an entry of one name the ending .md decides.
func (p places) find(written string) (string, bool) {
	same := p[foldPath(written)]
	if len(same) == 0 {
		return "", false
	}
	written = strings.Trim(strings.TrimPrefix(strings.TrimSpace(written), "@"), "/")
	closest := func(a, b string) int {
		return cmp.Or(
			-cmp.Compare(truth(a == written), truth(b == written)),
			-cmp.Compare(truth(isEntryPath(a) == isEntryPath(written)), truth(isEntryPath(b) == isEntryPath(written))),
			-cmp.Compare(truth(strings.EqualFold(a, written)), truth(strings.EqualFold(b, written))),
		)
	}
	return slices.MinFunc(same, closest), true
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// end returns the one place that a path is the end of; see above.
func (p places) end(written string) (string, bool) {
	key := foldPath(written)
	if key == "" {
		return "", false
	}
	var folders, entries []string
	for k, same := range p {
		if rest, ok := strings.CutSuffix(k, key); !ok || !strings.HasSuffix(rest, "/") {
			continue
		}
		for _, real := range same {
			if isEntryPath(real) == 1 {
				entries = append(entries, real)
			} else {
				folders = append(folders, real)
			}
		}
	}
	switch {
	case len(folders) == 1 && !strings.HasSuffix(written, ".md"):
		return folders[0], true
	case len(entries) == 1 && (len(folders) == 0 || strings.HasSuffix(written, ".md")):
		return entries[0], true
	}
	return "", false
}

// maxScope bounds the paths that are taken for a scope, in bytes.
const maxScope = 1 << 10

// foldPath returns the form in which paths are compared: letters folded, "_" for hyphens and
// spaces, "/" for backslashes, without @, .md and empty parts. It is "" for what
// names no place.
func foldPath(p string) string {
	if len(p) > maxScope {
		return ""
	}
	if file, title, ok := format.SectionOf(p); ok { // nearly all are ASCII, but for the sign
		p = words.Fold(file) + format.SectionSign + words.Fold(title)
	} else {
		p = words.Fold(p)
	}
	p = strings.TrimSuffix(strings.Trim(tree.GivenPath(p), "/ "), ".md")
	p = strings.ReplaceAll(p, "-", "_")
	if !strings.Contains(p, " ") && !strings.Contains(p, "//") && !strings.Contains(p, "/./") && !strings.HasPrefix(p, "./") {
		return p
	}
	parts := strings.Split(p, "/")
	kept := parts[:0]
	for _, part := range parts {
		if part = strings.Join(strings.Fields(part), "_"); part != "" && part != "." {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/")
}

// within reports whether an entry is the scope or lies under it.
func within(entry, scope string) bool {
	rest, ok := strings.CutPrefix(entry, scope)
	return ok && (rest == "" || rest[0] == '/')
}

// target is where a query looks, and for what.
type target struct {
	scope   string // "" for the whole tree
	text    string // what to look for
	implied bool   // the text said so, not the caller
	missing string // a scope the caller asked for that does not exist, and the nearest that do
}

// target reads a query's scope.
func (x *Index) target(q Query) target {
	t := target{text: q.Text}
	if asked := strings.Trim(q.Scope, "/ "); asked != "" && asked != "." {
		place, ok := x.places().find(q.Scope)
		if !ok {
			place, ok = x.places().end(q.Scope)
		}
		if !ok {
			t.missing = x.places().missing(q.Scope)
			return t
		}
		t.scope = place
		if said, ok := x.leadingScope(q.Text); ok && within(said.scope, place) {
			t.text = said.text // the text repeats or narrows it
			t.scope = said.scope
		}
		return t
	}
	if said, ok := x.leadingScope(q.Text); ok {
		return said
	}
	return t
}

// maxNameWords is the most words in a place's name that is found in a text.
const maxNameWords = 4

// quotesAround may stand around a scope and pausesBehind after it.
const (
	quotesAround = "\"'`“”‘’()[]<>"
	pausesBehind = ",:;.?!，：；。？！"
)

// leadingScope finds a scope at the start of a query's text, the longest that there is. A
// name without a slash is one only if it is a domain and something follows it.
func (x *Index) leadingScope(text string) (target, bool) {
	text = strings.TrimSpace(text)
	ends := wordEnds(text, maxNameWords)
	for i := len(ends) - 1; i >= 0; i-- {
		name := strings.Trim(strings.TrimRight(strings.Trim(text[:ends[i]], quotesAround), pausesBehind), quotesAround)
		rest := strings.TrimSpace(text[ends[i]:])
		place, ok := x.named(name, rest != "", i > 0)
		if !ok {
			continue
		}
		if rest = strings.TrimLeft(rest, pausesBehind+" "); rest == "" {
			rest = name
		}
		return target{scope: place, text: rest, implied: true}, true
	}
	return target{}, false
}

// wordEnds lists where the first words of a text end, at most n; a word too long
// to be a path ends the list.
func wordEnds(text string, n int) []int {
	var ends []int
	for at := 0; at < len(text) && len(ends) < n; {
		end := strings.IndexFunc(text[at:min(len(text), at+maxScope)], unicode.IsSpace)
		if end < 0 {
			if len(text)-at < maxScope {
				ends = append(ends, len(text))
			}
			break
		}
		if end > 0 {
			ends = append(ends, at+end)
		}
		_, space := utf8.DecodeRuneInString(text[at+end:])
		at += end + space
	}
	return ends
}

// named finds the place that the first words of a text name.
func (x *Index) named(name string, followed, several bool) (string, bool) {
	if name == "" || words.IsStop(words.Fold(name)) || several && strings.Contains(name, "/ ") {
		return "", false
	}
	inner := strings.Contains(foldPath(name), "/")
	path := inner || strings.HasPrefix(name, "@") || strings.HasSuffix(name, "/")
	place, ok := x.places().find(name)
	if !ok && path && !several {
		place, ok = x.places().end(name)
	}
	if !ok || several && isEntryPath(place) == 1 { // "auth/jwt tokens" asks for tokens in auth/jwt
		return "", false
	}
	if !path {
		return place, followed && !strings.Contains(place, "/")
	}
	return place, followed || inner
}

// missing is a scope that does not exist with the nearest that do.
func (p places) missing(scope string) string {
	near := p.nearest(scope, maxNearest)
	scope = strings.ToValidUTF8(sanitize.Short(scope, 80), "\uFFFD")
	if len(near) == 0 {
		return scope
	}
	return scope + " (nearest scopes: " + strings.Join(near, ", ") + ")"
}

// minLikeness is the least likeness of a name that is suggested.
const minLikeness = 0.5

// nearest lists the places whose name is most like the one written, best first.
func (p places) nearest(written string, limit int) []string {
	key := foldPath(written)
	whole, last := words.NewPattern(key), words.NewPattern(path.Base(key))
	type like struct {
		real  string
		score float64
	}
	var found []like
	for k, same := range p {
		score := max(whole.Likeness(k, minLikeness), last.Likeness(path.Base(k), minLikeness)*0.95)
		if score == 0 {
			continue
		}
		for _, real := range same {
			found = append(found, like{real, score})
		}
	}
	slices.SortFunc(found, func(a, b like) int {
		return cmp.Or(cmp.Compare(b.score, a.score), byReach(a.real, b.real))
	})
	var out []string
	for _, f := range found[:min(limit, len(found))] {
		out = append(out, f.real)
	}
	return out
}

// byReach orders places: folders first, then those higher up, then by name.
func byReach(a, b string) int {
	return cmp.Or(
		cmp.Compare(isEntryPath(a), isEntryPath(b)),
		cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")),
		strings.Compare(a, b),
	)
}

// FindScope is the folder or entry that a scope means; without one, the nearest that
// there are.
func FindScope(snap *tree.Snapshot, written string) (place string, nearest []string) {
	if _, ok := snap.Node(written); ok {
		return written, nil
	}
	all := treePlaces(snap)
	if place, ok := all.find(written); ok {
		return place, nil
	}
	if place, ok := all.end(written); ok {
		return place, nil
	}
	return "", all.nearest(written, maxNearest)
}
