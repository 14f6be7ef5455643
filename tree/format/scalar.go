package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Quotes of a YAML scalar.
const (
	plain  = byte(0) // none where YAML needs none
	bare   = byte(1) // none even where YAML reads a time or a number
	single = byte('\'')
	double = byte('"')
)

// timeLayout is how times are written: UTC, milliseconds, quoted, since an unquoted
// time is no string to YAML.
const timeLayout = "2006-01-02T15:04:05.000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// yamlScalar writes a value in the given quotes. plain becomes single if YAML would read something else, and
// any style becomes double if the value needs escapes. flow is for items of [a, b].
func yamlScalar(s string, quote byte, flow bool) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	switch {
	case strings.IndexFunc(s, unprintable) >= 0 || quote == double:
		return doubleQuoted(s)
	case quote == single || unquotable(s, flow) || typed(s) && (quote != bare || null(s)):
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}

// unprintable characters, line breaks among them, need escapes (YAML 1.2,
// production 1 and section 5.4).
func unprintable(r rune) bool {
	return r < ' ' || 0x7f <= r && r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// otherTypes are plain scalars that YAML 1.1 or 1.2 readers take for something
// other than a string.
var otherTypes = lazyregexp.New(`^(?:(?i:~|null|true|false|y|yes|n|no|on|off|[-+]?\.inf|\.nan)|<<` +
	`|[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+)` +
	`|[-+]?[0-9][0-9_]*(?::[0-9_]+)*\.?[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?` +
	`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?)$`)

// maxBrackets keeps a plain scalar away from the limit on nesting, which counts
// brackets; see refuse.
const maxBrackets = 4

// unquotable reports whether a printable value cannot be a plain scalar.
func unquotable(s string, flow bool) bool {
	if s == "" || strings.IndexByte("-?:,[]{}#&*!|=>'\"%@` ", s[0]) >= 0 || strings.HasSuffix(s, ":") || strings.HasSuffix(s, " ") {
		return true
	}
	if strings.Contains(s, ": ") || strings.Contains(s, " #") ||
		(flow && (strings.ContainsAny(s, ",[]{}") || flowAnchor().MatchString(s))) {
		return true
	}
	return strings.Count(s, "[")+strings.Count(s, "{") > maxBrackets
}

// typed reports whether a plain scalar would be no string.
func typed(s string) bool {
	return strings.IndexByte("~<-+.0123456789nNtTfFyYoO", s[0]) >= 0 && otherTypes().MatchString(s)
}

// null reports whether a plain scalar is read as no value at all.
func null(s string) bool { return s == "~" || strings.EqualFold(s, "null") }

// quoteOf is the quote style that the author chose for a scalar. Quotes that its value requires are not a
// choice, nor is their absence if we would set some.
func quoteOf(raw, value string, flow bool) byte {
	switch {
	case raw == yamlScalar(value, plain, flow):
		return plain
	case raw != "" && (raw[0] == single || raw[0] == double):
		return raw[0]
	}
	return bare
}

// yamlList writes a flow list.
func yamlList(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = yamlScalar(v, plain, true)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// number writes a signal with at most two decimals and no trailing zeros.
func number(v float64) string {
	return strconv.FormatFloat(float64(int64(v*100+0.5))/100, 'f', -1, 64)
}

// QuoteAround is the quote around a frontmatter value, 0 for none.
func QuoteAround(text string, at markdown.Span) byte {
	if at.Start == 0 || at.End >= len(text) {
		return 0
	}
	if c := text[at.Start-1]; (c == '"' || c == '\'') && text[at.End] == c {
		return c
	}
	return 0
}

// Outer is a scalar's span with its quotes.
func (s Scalar) Outer(text string) markdown.Span {
	if QuoteAround(text, s.At) != 0 {
		return markdown.Span{Start: s.At.Start - 1, End: s.At.End + 1}
	}
	return s.At
}

// Rewritten is the edit that gives a scalar a new value: in its present quotes, or in those that the value
// needs.
func (s Scalar) Rewritten(text, value string) markdown.Edit {
	return markdown.TrimEdit(text, markdown.Edit{At: s.Outer(text), New: yamlScalar(value, QuoteAround(text, s.At), true)})
}

// ItemIn writes a value for a place between existing quotes, or as a list's item if quote is 0. ok is false
// if these quotes cannot hold it.
func ItemIn(quote byte, value string) (text string, ok bool) {
	if quote == 0 {
		if strings.Contains(value, "?") { // in a list of several lines it would begin a key
			quote = single
		}
		return yamlScalar(value, quote, true), true
	}
	text = yamlScalar(value, quote, true)
	return text[1 : len(text)-1], text[0] == quote
}
