package format

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

// Form is the way a relation is written.
type Form int

// The forms found in real trees.
const (
	FormRelated      Form = iota // item of frontmatter `related`
	FormAt                       // @domain/topic/file.md in the body
	FormMarkdown                 // [text](path.md)
	FormWiki                     // [[path]] or [[path|text]]
	FormSources                  // item of frontmatter `sources`
	FormConsolidated             // path of a `consolidated_from` item
)

// Mention is a relation as it is written.
type Mention struct {
	Form    Form
	Raw     string        // the path as written, without @, #heading and quotes
	Heading string        // what follows '#', "" if nothing
	At      markdown.Span // the bytes of the mention: the path with its @ and #heading
}

// Path is the path that a mention names; in a markdown link without escapes.
func (m Mention) Path() string {
	if m.Form != FormMarkdown {
		return m.Raw
	}
	return markdown.Unescaped(m.Raw)
}

// Said returns the place of [Mention.Raw], behind an @ without the lines after it. It is false if the path is
// written differently from how it reads.
func (m Mention) Said(text string) (at markdown.Span, ok bool) {
	i := strings.Index(m.At.Of(text), m.Raw)
	at.Start = m.At.Start + i
	at.End = at.Start + len(m.Raw)
	if m.Form == FormAt {
		at.End = at.Start + len(WithoutLines(m.Raw))
	}
	return at, i >= 0
}

var lineSuffix = lazyregexp.New(`(?::\d+(?::\d+)?(?:-\d+)?|#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|(\.\w+)(?:::?|#)[\pL_][^\s/\\]*)$`)

// WithoutLines is a path without the numbers of lines behind it, such as ":12-30", or the symbol, such as "::Sign".
func WithoutLines(path string) string {
	if !strings.ContainsAny(path, ":#") {
		return path
	}
	return lineSuffix().ReplaceAllString(path, "$1")
}

// Spelled escapes a path for the place of the mention, so that [Mention.Path] returns the path again:
// characters that would end or change a markdown link there, or a table's cell, are escaped.
func (m Mention) Spelled(text, path string) string {
	ends := "%<>#?`|"
	if m.Form != FormMarkdown {
		return path
	} else if !strings.HasPrefix(m.At.Of(text), "<") {
		ends += " ()"
	}
	if markdown.Unescaped(path) != path {
		ends += "&\\"
	}
	var b strings.Builder
	for _, r := range path {
		if char := string(r); strings.Contains(ends, char) || r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r)) {
			b.WriteString("%" + strings.ReplaceAll(fmt.Sprintf("% X", char), " ", "%"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// CutHeading splits a path as relations say it from the heading behind its #.
func CutHeading(s string) (path, head string) {
	path, head, _ = strings.Cut(s, "#")
	return path, head
}

// CutTree separates the name of another tree from a path there; ok is false for a path of the folder's own tree.
func CutTree(p string) (name, inner string, ok bool) {
	name, inner, ok = strings.Cut(p, ":")
	if !ok || !IsTreeName(name) || strings.HasPrefix(inner, "/") {
		return "", p, false
	}
	return name, inner, true
}

// inOtherTree reports whether a link's target is an entry of another tree, team:auth/jwt.md, and no address.
func inOtherTree(raw string) bool {
	_, inner, ok := CutTree(raw)
	return ok && strings.HasSuffix(inner, ".md") && strings.Contains(inner, "/") && !strings.Contains(inner, ":") && !sanitize.Opens(raw)
}

// IsTreeName reports whether a name is allowed for another tree: letters, digits, - and _, 2 to 40 of them.
func IsTreeName(name string) bool {
	return len(name) >= 2 && len(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
}
