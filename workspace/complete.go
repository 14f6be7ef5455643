package workspace

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
)

// maxCompletions bounds an answer; the client asks again as more is typed.
const maxCompletions = 100

// Completion is one thing that can stand at the cursor.
type Completion struct {
	Label   string
	Kind    string    // "domain", "topic", "entry", "key" or "value"
	Detail  string    // the title of an entry, what a folder holds
	Insert  string    // the text to insert
	Replace tree.Span // what it replaces
	Doc     string    // markdown
}

// Complete offers, in an entry, the paths behind an @ and in `related`, the keys
// of the frontmatter and the tiers of `maturity`; in code the paths behind @brv:. Path completion goes folder by
// folder; entries are also found by any part of their path or title.
func (w *Workspace) Complete(_ context.Context, v *View, p string, offset int) ([]Completion, error) {
	entry, ok := v.EntryPath(p)
	if !ok {
		return w.completeMark(v, p, offset), nil
	}
	e, ok := v.Tree().Entry(entry)
	if !ok || offset < 0 || offset > len(e.Text) {
		return nil, nil
	}
	if offset >= e.Body.Start {
		at, ok := typedPath(e.Text, e.Body.Start, offset)
		if !ok {
			return nil, nil
		}
		return w.completePaths(v, entry, e.Text[at.Start:offset], at), nil
	}
	return w.completeFrontmatter(v, e, offset), nil
}

// completeMark offers paths behind @brv: in a code file.
func (w *Workspace) completeMark(v *View, p string, offset int) []Completion {
	text, ok := v.Text(p)
	if !ok || offset < 0 || offset > len(text) {
		return nil
	}
	at, ok := typedPath(text, 0, offset)
	if !ok || !strings.HasPrefix(text[at.Start-1:offset], markSign) {
		return nil
	}
	at.Start += len(markSign) - 1
	return w.completePaths(v, "", text[at.Start:offset], at)
}

// typedPath is the path being typed behind an @ that may begin a relation or mark, not
// before from.
func typedPath(text string, from, offset int) (tree.Span, bool) {
	start := offset
	for start > from && !strings.ContainsRune(" \t\r\n()[]<>\"'`,;", rune(text[start-1])) {
		start--
	}
	if start >= offset || text[start] != '@' {
		return tree.Span{}, false
	}
	return tree.Span{Start: start + 1, End: wordEnd(text, offset)}, true
}

func wordEnd(text string, offset int) int {
	for offset < len(text) && !strings.ContainsRune(" \t\r\n()[]<>\"'`,;#", rune(text[offset])) {
		offset++
	}
	return offset
}

// completePaths offers the folders and entries under the typed prefix, and the
// entries whose path or title holds all typed parts.
func (w *Workspace) completePaths(v *View, self, typed string, at tree.Span) []Completion {
	typed = strings.TrimPrefix(typed, "@")
	dir, last := path.Split(typed)
	var out []Completion
	seen := map[string]bool{}
	if n, ok := v.Tree().Node(strings.TrimSuffix(dir, "/")); ok {
		for _, f := range n.Folders {
			if hasPrefixFold(path.Base(f), last) && !strings.HasPrefix(f, "_") {
				out = append(out, folderCompletion(v, f, at))
			}
		}
		for _, p := range n.Entries {
			if hasPrefixFold(path.Base(p), last) && offered(p, self) {
				seen[p] = true
				out = append(out, w.entryCompletion(v, p, at))
			}
		}
	}
	parts := strings.FieldsFunc(strings.ToLower(typed), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, e := range v.Tree().Entries() {
		if len(out) >= maxCompletions {
			break
		}
		if len(parts) > 0 && !seen[e.Path] && offered(e.Path, self) && holdsAll(strings.ToLower(e.Path+" "+e.Title), parts) {
			out = append(out, w.entryCompletion(v, e.Path, at))
		}
	}
	return out[:min(len(out), maxCompletions)]
}

// offered reports whether an entry may be linked to: not itself, not generated.
func offered(p, self string) bool {
	r := tree.RoleOf(p)
	return p != self && (r == tree.RoleEntry || r == tree.RoleOverview)
}

func holdsAll(s string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func folderCompletion(v *View, f string, at tree.Span) Completion {
	n, _ := v.Tree().Node(f)
	kind := "topic"
	if n.Kind == tree.KindDomain {
		kind = "domain"
	}
	return Completion{Label: f + "/", Kind: kind, Insert: f + "/", Replace: at, Detail: fmt.Sprintf("%d folders, %d entries", len(n.Folders), len(n.Entries))}
}

func (w *Workspace) entryCompletion(v *View, p string, at tree.Span) Completion {
	e, _ := v.Tree().Entry(p)
	return Completion{Label: p, Kind: "entry", Detail: e.Title, Insert: p, Replace: at, Doc: cmp.Or(e.Summary, excerpt(e))}
}

// completeFrontmatter offers keys at the beginning of a line, tiers behind
// `maturity:` and paths in `related`. It looks at lines, not at the parsed
// fields: what is being typed is rarely valid YAML.
func (w *Workspace) completeFrontmatter(v *View, e *tree.Entry, offset int) []Completion {
	if offset < e.Frontmatter.Start || offset > e.Frontmatter.End {
		return nil
	}
	start := strings.LastIndexByte(e.Text[:offset], '\n') + 1
	typed := e.Text[start:offset]
	key, value, hasValue := strings.Cut(typed, ":")
	switch {
	case !hasValue && !strings.ContainsAny(typed, " \t-[\""):
		return missingKeys(e, tree.Span{Start: start, End: wordEnd(e.Text, offset)})
	case hasValue && key == "maturity":
		from := offset - len(strings.TrimLeft(value, " "))
		var out []Completion
		for _, m := range []tree.Maturity{tree.Draft, tree.Validated, tree.Core} {
			out = append(out, Completion{Label: string(m), Kind: "value", Insert: string(m), Replace: tree.Span{Start: from, End: wordEnd(e.Text, offset)}})
		}
		return out
	case governingKey(e, start) == "related":
		from := offset
		for from > start && !strings.ContainsRune(" \t[,\"'", rune(e.Text[from-1])) {
			from--
		}
		if e.Text[from:offset] == "related:" {
			return nil
		}
		at := tree.Span{Start: from, End: wordEnd(e.Text, offset)}
		return w.completePaths(v, e.Path, e.Text[from:offset], at)
	}
	return nil
}

// governingKey is the top-level key that the line at start belongs to.
func governingKey(e *tree.Entry, start int) string {
	for {
		line, _, _ := strings.Cut(e.Text[start:e.Frontmatter.End], "\n")
		if key, _, ok := strings.Cut(line, ":"); ok && key != "" && !strings.ContainsAny(key[:1], " \t-") {
			return key
		}
		if start <= e.Frontmatter.Start {
			return ""
		}
		start = strings.LastIndexByte(e.Text[:start-1], '\n') + 1
	}
}

func missingKeys(e *tree.Entry, at tree.Span) []Completion {
	var out []Completion
	for _, k := range tree.FieldKeys {
		if f, ok := e.Field(k); !ok || f.KeyAt.Contains(at.Start) {
			out = append(out, Completion{Label: k, Kind: "key", Insert: k + ": ", Replace: at, Doc: tree.FieldDoc(k)})
		}
	}
	return out
}
