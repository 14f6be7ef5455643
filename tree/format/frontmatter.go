package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Limits on frontmatter, checked before anything is decoded. The decoder's
// duplicate-key check is quadratic: 7,000 keys in 64 KiB took 144 ms, 50,000
// took 19 s (own measurement).
const (
	MaxFrontmatter     = 64 << 10 // bytes
	MaxFrontmatterKeys = 256      // lines that open a key
	maxDepth           = 16       // nesting of flow collections and indentation steps
)

// splitFrontmatter finds the text between the two --- fences. It accepts a byte
// order mark, CRLF, spaces behind a fence and a closing fence without a final
// newline; ok is false when the file does not begin with a fence, and closed is
// false when the fence is never closed.
func splitFrontmatter(text string) (fm, body markdown.Span, ok, closed bool) {
	start := len(text) - len(strings.TrimPrefix(text, markdown.ByteOrderMark))
	first, next := markdown.CutLine(text, start)
	if strings.TrimRight(first, " \t") != "---" {
		return markdown.Span{Start: start, End: start}, markdown.Span{Start: start, End: len(text)}, false, false
	}
	for pos := next; pos < len(text); {
		l, after := markdown.CutLine(text, pos)
		if strings.TrimRight(l, " \t") == "---" {
			return markdown.Span{Start: next, End: pos}, markdown.Span{Start: after, End: len(text)}, true, true
		}
		pos = after
	}
	return markdown.Span{Start: next, End: len(text)}, markdown.Span{Start: len(text), End: len(text)}, true, false
}

// editable reports whether a file is UTF-8, and its frontmatter, if it has any, is closed.
func editable(text string) bool {
	_, _, ok, closed := splitFrontmatter(text)
	return (!ok || closed) && utf8.ValidString(text)
}

// parseFrontmatter reads text[at.Start:at.End] as a YAML mapping. Where the
// whole does not decode, each top-level key is read on its own, so that one bad
// value hides no other.
func parseFrontmatter(text string, at markdown.Span) ([]Field, []Problem) {
	src := at.Of(text)
	refused, limit := refuse(src)
	if limit {
		refused.At = markdown.Span{Start: at.Start + refused.At.Start, End: at.Start + refused.At.End}
		return nil, []Problem{*refused}
	}
	var fields []Field
	var problems []Problem
	var err error
	if refused == nil {
		if fields, err = decodeEither(text, at, src); err == nil {
			return fields, duplicates(fields)
		}
		fields = nil
	}
	report := func(at markdown.Span, err error) {
		why := reason(err)
		if key, ok := readsQuoted(at.Of(text)); ok {
			why = "put the value of " + key + " in quotes: " + why
		}
		problems = append(problems, Problem{
			Code: CodeFrontmatter, Severity: SeverityError,
			Message: "frontmatter is not valid YAML: " + why, At: errorLine(text, at, err),
		})
	}
	for _, chunk := range topLevel(text, at) {
		if p, _ := refuse(chunk.Of(text)); p != nil {
			p.At = markdown.Span{Start: chunk.Start + p.At.Start, End: chunk.Start + p.At.End}
			problems = append(problems, *p)
			continue
		}
		fs, err := decodeEither(text, chunk, chunk.Of(text))
		if err != nil {
			report(chunk, err)
			if fs, err = decode(text, chunk, maskQuestions(quoteAt(chunk.Of(text)))); err != nil {
				continue
			}
		}
		fields = append(fields, fs...)
	}
	if len(problems) == 0 {
		report(at, err)
	}
	return fields, append(problems, duplicates(fields)...)
}

// readsQuoted reports whether the value of one key can be read once it is put in quotes. If not, the author
// probably forgot a quote or a bracket at the end.
func readsQuoted(src string) (key string, ok bool) {
	key, value, _ := strings.Cut(strings.TrimRight(src, " \t\r\n"), ": ")
	value = strings.TrimSpace(value)
	if value == "" || key == "" || strings.ContainsAny(key+value, "\r\n\t") {
		return key, false
	}
	if i := strings.IndexByte("[{\"'", value[0]); i >= 0 {
		end := strings.IndexByte(value[1:], "]}\"'"[i])
		return key, end >= 0 && end < len(value)-2
	}
	return key, true
}

// duplicates reports keys that occur twice; the last one counts.
func duplicates(fields []Field) []Problem {
	var out []Problem
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Key] {
			out = append(out, Problem{Code: CodeFrontmatter, Severity: SeverityError, Message: "key " + f.Key +
				" occurs twice; the last one counts", At: f.KeyAt})
		}
		seen[f.Key] = true
	}
	return out
}

var (
	anchorOrTag = lazyregexp.New(`^\s*(?:- +)*(?:[^\s:#][^:#]*: +)?(?:- +)*([&*!][^\s,\]}]+)`)
	flowStart   = lazyregexp.New(`^\s*(?:- +)*(?:[^\s:#][^:#]*: +)?[\[{]`)
	flowAnchor  = lazyregexp.New(`[\[{,:]\s*([&*!][^\s,\]}]+)`)
	yamlLine    = lazyregexp.New(`line (\d+): (.*)`)
)

// refuse checks that decoding is safe: the limits of the whole, and constructs that no value may have.
func refuse(src string) (p *Problem, limit bool) {
	problem := func(start, end int, format string, args ...any) *Problem {
		return &Problem{Code: CodeFrontmatter, Severity: SeverityError, Message: fmt.Sprintf(format, args...),
			At: markdown.Span{Start: start, End: end}}
	}
	if len(src) > MaxFrontmatter {
		return problem(0, 0, "frontmatter has %d bytes; the limit is %d", len(src), MaxFrontmatter), true
	}
	keys, depth := 0, 0
	for pos := 0; pos < len(src); {
		l, next := markdown.CutLine(src, pos)
		if strings.Contains(l, ":") {
			keys++
		}
		bare := unquoted(l)
		indent := len(l) - len(strings.TrimLeft(l, " -"))
		depth = max(depth, indent/2, strings.Count(bare, "["), strings.Count(bare, "{"))
		if keys > MaxFrontmatterKeys {
			return problem(pos, pos+len(l), "frontmatter has over %d keys", MaxFrontmatterKeys), true
		}
		if depth > maxDepth {
			return problem(pos, pos+len(l), "frontmatter is nested more than %d levels deep", maxDepth), true
		}
		if !strings.ContainsAny(bare, "&*!") {
			pos = next
			continue
		}
		m := anchorOrTag().FindStringSubmatchIndex(bare)
		if m == nil && flowStart().MatchString(bare) {
			m = flowAnchor().FindStringSubmatchIndex(bare)
		}
		if m != nil && p == nil {
			p = problem(pos+m[2], pos+m[3], "YAML's anchors, aliases and tags are not read; put the value in quotes")
		}
		pos = next
	}
	return p, false
}

// unquoted blanks what stands in quotes and comments, keeping offsets, so that
// "!" or "*" inside a quoted title is not taken for a tag or an alias.
func unquoted(l string) string {
	if !strings.ContainsAny(l, "\"'#") {
		return l
	}
	out := []byte(l)
	var quote byte
	for i := 0; i < len(out); i++ {
		c := out[i]
		switch {
		case quote != 0:
			escaped := c == '\\' && quote == '"' || c == '\'' && quote == c && i+1 < len(out) && out[i+1] == c
			if escaped && i+1 < len(out) {
				out[i] = 'x'
				i++
			} else if c == quote {
				quote = 0
			}
			out[i] = 'x'
		case (c == '"' || c == '\'') && opensScalar(l, i):
			quote, out[i] = c, 'x'
		case c == '#' && (i == 0 || out[i-1] == ' '):
			return string(out[:i])
		}
	}
	return string(out)
}

// opensScalar reports whether a scalar may begin at l[i], so that a quote there opens it: behind a bracket, a
// comma, a colon that ends a key or an item's dash.
func opensScalar(l string, i int) bool {
	before := strings.TrimRight(l[:i], " \t")
	if before == "" {
		return true
	}
	last := len(before) - 1
	switch before[last] {
	case '[', '{', ',':
		return true
	case ':':
		return last+1 < i || last > 0 && (l[last-1] == '"' || l[last-1] == '\'')
	case '-':
		return strings.Trim(before, " -") == ""
	}
	return false
}

// decode reads one mapping. src has the length of at; it may differ from the
// text in bytes of plain scalars that keep their place (see quoteAt and
// maskQuestions).
func decode(text string, at markdown.Span, src string) ([]Field, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return nil, err
	}
	if doc.Kind == 0 {
		return nil, nil
	}
	m := doc.Content[0]
	if m.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: expected `key: value`", m.Line)
	}
	pos := newPositions(text, at)
	pos.src = src
	fields := make([]Field, 0, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		k, v := m.Content[i], m.Content[i+1]
		f := Field{Key: k.Value, KeyAt: pos.scalar(k)}
		f.At.Start = f.KeyAt.Start
		f.List = v.Kind == yaml.SequenceNode
		f.Items = pos.scalars(v, nil)
		f.At.End = at.End
		if i+2 < len(m.Content) {
			f.At.End = pos.of(m.Content[i+2])
		}
		f.At.End = f.At.Start + len(strings.TrimRight(text[f.At.Start:f.At.End], " \t\r\n"))
		fields = append(fields, f)
	}
	return fields, nil
}

// positions turns the decoder's lines and columns (1-based, columns in runes)
// into byte offsets of the text.
type positions struct {
	text   string
	src    string // what was decoded
	at     markdown.Span
	starts []int

	line, column, offset int // where the last count ended
}

func newPositions(text string, at markdown.Span) *positions {
	p := &positions{text: text, at: at, starts: []int{at.Start}}
	for i := at.Start; i < at.End; i++ {
		switch c := text[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(text[i+1:], "\n"):
			p.starts = append(p.starts, i+1)
		case c == 0x85 && text[i-1] == 0xc2, (c == 0xa8 || c == 0xa9) && strings.HasSuffix(text[:i], "\u2028"[:2]):
			p.starts = append(p.starts, i+1) // line breaks to YAML 1.1
		}
	}
	return p
}

func (p *positions) of(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(p.starts) {
		return p.at.End
	}
	if p.line != n.Line || p.column > n.Column { // else the count goes on: a line may hold thousands of scalars
		p.line, p.column, p.offset = n.Line, 1, p.starts[n.Line-1]
	}
	for ; p.column < n.Column && p.offset < p.at.End; p.column++ {
		_, size := utf8.DecodeRuneInString(p.text[p.offset:])
		p.offset += size
	}
	return p.offset
}

// scalar is the span of a scalar's text: between its quotes, or the plain word.
func (p *positions) scalar(n *yaml.Node) markdown.Span {
	start := p.of(n)
	rest := p.text[start:p.at.End]
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return markdown.Span{Start: start + 1, End: start + closing(rest, '"')}
	case n.Style&yaml.SingleQuotedStyle != 0:
		return markdown.Span{Start: start + 1, End: start + closing(rest, '\'')}
	case strings.HasPrefix(p.src[min(start-p.at.Start, len(p.src)):], n.Value):
		return markdown.Span{Start: start, End: start + len(n.Value)}
	}
	l, _ := markdown.CutLine(p.text[:p.at.End], start)
	return markdown.Span{Start: start, End: start + len(l)}
}

// closing finds the quote that ends the scalar s begins with.
func closing(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch {
		case quote == '"' && s[i] == '\\':
			i++
		case s[i] == quote && quote == '\'' && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == quote:
			return i
		}
	}
	return max(len(s), 1)
}

// scalars collects the scalar values below n: itself, a list's items, and of a
// list of mappings the value of each item's `path` key.
func (p *positions) scalars(n *yaml.Node, out []Scalar) []Scalar {
	switch n.Kind {
	case yaml.ScalarNode:
		at := p.scalar(n)
		value := n.Value
		if n.Style == 0 && at.End-at.Start == len(value) {
			value = at.Of(p.text) // which src may differ from
		}
		if n.Tag == "!!null" && value == n.Value {
			value = ""
		}
		return append(out, Scalar{value, at})
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode || c.Kind == yaml.MappingNode {
				out = p.scalars(c, out)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "path" && n.Content[i+1].Kind == yaml.ScalarNode {
				out = p.scalars(n.Content[i+1], out)
			}
		}
	}
	return out
}

// topLevel cuts frontmatter into the runs of lines that begin at a top-level key.
func topLevel(text string, at markdown.Span) []markdown.Span {
	var out []markdown.Span
	for pos := at.Start; pos < at.End; {
		l, next := markdown.CutLine(text[:at.End], pos)
		starts := l != "" && !strings.ContainsAny(l[:1], " \t-#]}") && strings.Contains(l, ":")
		if starts || len(out) == 0 {
			out = append(out, markdown.Span{Start: pos, End: next})
		} else {
			out[len(out)-1].End = next
		}
		pos = next
	}
	return out
}

var plainAt = lazyregexp.New(`((?:^|\n)\s*-\s+|:\s+|[\[,]\s*)@`)

// quoteAt makes `- @a/b.md` readable: "@" cannot begin a plain YAML scalar, yet
// real trees write relations so. The sign is replaced by "~", which keeps every
// position, and scalars puts it back.
func quoteAt(src string) string { return plainAt().ReplaceAllString(src, "${1}~") }

// decodeEither decodes a mapping as it is, or with its question marks masked.
func decodeEither(text string, at markdown.Span, src string) ([]Field, error) {
	fields, err := decode(text, at, src)
	if err != nil && strings.Contains(src, "?") {
		if masked, err := decode(text, at, maskQuestions(src)); err == nil {
			return masked, nil
		}
	}
	return fields, err
}

// maskQuestions makes `[why?]` readable: the decoder follows YAML 1.1, where "?"
// ends a plain scalar inside brackets, and the reference system writes YAML 1.2.
// As in quoteAt, "~" takes its place.
func maskQuestions(src string) string {
	out := []byte(src)
	for pos := 0; pos < len(src); {
		l, next := markdown.CutLine(src, pos)
		first := true // at the beginning of an item
		for i := len(flowStart().FindString(l)); i > 0 && i < len(l); i++ {
			switch c := l[i]; {
			case first && (c == '"' || c == '\''):
				i += closing(l[i:], c)
				first = false
			case strings.IndexByte("[{,", c) >= 0, c == ':' && strings.HasPrefix(l[i:], ": "):
				first = true
			case c == '?' && !first:
				out[pos+i] = '~'
			case c != ' ' && c != '\t':
				first = false
			}
		}
		pos = next
	}
	return string(out)
}

// reason is the decoder's message without its prefix and place.
func reason(err error) string {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlLine().FindStringSubmatch(msg); m != nil {
		msg = m[2]
	}
	if strings.Contains(msg, "cannot start any token") {
		return "a value cannot begin with @, `, % or a tab; indent with spaces"
	}
	return msg
}

// errorLine is the line the decoder complains about; the whole frontmatter if it
// names none.
func errorLine(text string, at markdown.Span, err error) markdown.Span {
	m := yamlLine().FindStringSubmatch(err.Error())
	if m == nil {
		return at
	}
	n, _ := strconv.Atoi(m[1])
	starts := newPositions(text, at).starts
	if n < 1 || n > len(starts) || starts[n-1] >= at.End {
		n = len(starts) - 1
	}
	if n < 1 {
		return at
	}
	l, _ := markdown.CutLine(text[:at.End], starts[n-1])
	return markdown.Span{Start: starts[n-1], End: starts[n-1] + len(l)}
}
