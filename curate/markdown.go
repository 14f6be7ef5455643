package curate

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var bullet = lazyregexp.New(`^(\s*)(?:[-*+•]|\d{1,2}[.)])\s+(.*)$`)

// converter turns material into an entry's text, and collects the entries that it names.
type converter struct {
	*drafting
	relations []string
}

// convert keeps code as it is. Links to outside stay. A link to a file of the project becomes the file's
// path, and a link to an entry, or to a document that entries are about, becomes a relation.
func (c *converter) convert(lines []string) string {
	text := strings.Join(lines, "\n")
	var out []string
	for l := range markdown.Lines(text) {
		s := l.At.Of(text)
		if l.Fence == markdown.FenceNone {
			s = inline(c.targets(s))
		}
		out = append(out, strings.TrimRight(s, " \t"))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

var anyTarget = lazyregexp.New(`!?\[([^\[\]]*)\]\(\s*<?([^()<>\s]+)>?(?:\s+"[^"]*")?\s*\)`)

// targets rewrites the links of a line outside of code.
func (c *converter) targets(s string) string {
	codes := markdown.CodeSpans(s)
	var out strings.Builder
	last := 0
	for _, at := range anyTarget().FindAllStringIndex(s, -1) {
		if codes.Holds(at[0]) {
			continue
		}
		out.WriteString(s[last:at[0]] + c.target(s[at[0]:at[1]]))
		last = at[1]
	}
	return out.String() + s[last:]
}

// target rewrites one link.
func (c *converter) target(s string) string {
	m := anyTarget().FindStringSubmatch(s)
	text, to := m[1], m[2]
	switch {
	case strings.HasPrefix(s, "!"):
		return text
	case strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:"):
		return s
	}
	to, _, _ = strings.Cut(to, "#")
	p := path.Clean(to)
	if to == "" || strings.HasPrefix(to, "/") || strings.HasPrefix(p, "..") {
		return text
	}
	if entry, ok := strings.CutPrefix(p, tree.FromProject); ok {
		if e, there := c.Tree.Entry(entry); there && e.Role == format.RoleEntry {
			c.relate(entry)
		}
		return text
	}
	if about := listing(c.Tree, func(file string) bool { return file == p }); len(about) > 0 {
		c.relate(about[0])
	}
	if !c.there(p) {
		return text
	}
	if strings.Trim(text, "`") == p || text == "" {
		return code(p)
	}
	return text + " (" + code(p) + ")"
}

// there reports that the code's map knows the file.
func (c *converter) there(p string) bool {
	return c.Code != nil && len(c.Code.Chunks()) > 0 && c.Code.Exists(p)
}

func (c *converter) relate(p string) {
	if len(c.relations) < maxRelated && !slices.Contains(c.relations, p) {
		c.relations = append(c.relations, p)
	}
}

// firstSentence is the first sentence of the first paragraph that is no list, heading or code, and
// ends as sentences do: a label such as "Accepted" sums nothing up.
func firstSentence(text string) string {
	paragraph := ""
	for l := range markdown.Lines(text + "\n\n") {
		s := strings.TrimSpace(l.At.Of(text + "\n\n"))
		if l.Fence == markdown.FenceNone && s != "" && !strings.ContainsAny(s[:1], "#|>:") && !bullet().MatchString(s) {
			paragraph += " " + s
			continue
		}
		if all := markdown.Sentences(paragraph); len(all) > 0 && endsSentence(all[len(all)-1]) {
			return shortenTo(prose(strings.ReplaceAll(all[0], "**", "")), maxSummary)
		}
		paragraph = ""
	}
	return ""
}

// endsSentence reports whether a word or a text ends as sentences do.
func endsSentence(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, ")]\"'`*_"))
	return strings.ContainsRune(".!?:。！？", r)
}
