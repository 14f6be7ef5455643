package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// tomlAt is the text between two lines of +++ at the beginning of a body, the frontmatter of Hugo and Zola;
// the second result is the span of the whole block. It is read but never written: changes go into YAML
// frontmatter in front of it.
func tomlAt(text string, from int) (inner, all markdown.Span) {
	first, next := markdown.CutLine(text, from)
	if strings.TrimRight(first, " \t") != "+++" {
		return inner, all
	}
	for pos := next; pos < min(len(text), next+MaxFrontmatter); {
		line, after := markdown.CutLine(text, pos)
		if strings.TrimRight(line, " \t") == "+++" {
			return markdown.Span{Start: next, End: pos}, markdown.Span{Start: from, End: after}
		}
		pos = after
	}
	return inner, all
}

// tomlKey matches a bare key (TOML 1.0).
var tomlKey = lazyregexp.New(`^[A-Za-z0-9_ -]+$`)

// readTOML reads the keys above the block's first table that the entry does not state in YAML. With "="
// replaced by a colon they are valid YAML for all values that count here.
func (p *parser) readTOML() {
	at, _ := tomlAt(p.Text, p.Body.Start)
	src := []byte(p.Text)
	var fields []Field
	for pos := at.Start; pos < at.End; {
		line, next := markdown.CutLine(p.Text, pos)
		if strings.HasPrefix(line, "[") {
			at.End = pos
		} else if n := strings.IndexByte(line, '='); n > 0 && tomlKey().MatchString(line[:n]) {
			src[pos+n] = ':'
			if tight := line[:n] + ": " + line[n+1:]; n+1 < len(line) && line[n+1] != ' ' {
				src[pos] = '#' // its place is unknown, so it is not a relation
				found, _ := decode(tight, markdown.Span{End: len(tight)}, tight)
				fields = append(fields, slices.DeleteFunc(found, func(f Field) bool { return f.Key == "related" || f.Key == "sources" })...)
			}
		}
		pos = next
	}
	found, problems := parseFrontmatter(string(src), at)
	fields = append(fields, found...)
	for _, x := range problems {
		x.Message = strings.ReplaceAll(x.Message, "YAML", "TOML")
		p.Problems = append(p.Problems, x)
	}
	p.readFields(slices.DeleteFunc(fields, func(f Field) bool { _, stated := p.Field(f.Key); return stated }))
}

// saidOf blanks the comments of a text, and the frontmatter in its body.
func saidOf(text string, body int) string {
	said := markdown.Said(text, body)
	if _, all := tomlAt(text, body); all.End > all.Start {
		lines := strings.Repeat("\n", strings.Count(all.Of(text), "\n"))
		said = said[:all.Start] + strings.Repeat(" ", all.End-all.Start-len(lines)) + lines + said[all.End:]
	}
	return said
}
