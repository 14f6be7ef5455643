package complete

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// completeFrontmatter offers keys at the beginning of a line, tiers behind `maturity:`, used words in lists
// of words such as `tags`, and paths in `related` and `sources`. It looks at lines, not at the parsed fields:
// text that is being typed is rarely valid YAML.
func completeFrontmatter(v *workspace.View, e *format.Entry, offset int) []Completion {
	if offset < e.Frontmatter.Start || offset > e.Frontmatter.End {
		return nil
	}
	start := strings.LastIndexByte(e.Text[:offset], '\n') + 1
	line := e.Text[start:offset]
	key, value, hasValue := strings.Cut(line, ":")
	if !hasValue && !strings.ContainsAny(line, " \t-[\"") {
		return missingKeys(e, markdown.Span{Start: start, End: offset + lengthTo(e.Text[offset:], ": \t\r\n")})
	}
	if hasValue && key == "maturity" {
		return tiers(markdown.Span{Start: offset - len(strings.TrimLeft(value, " ")), End: wordEnd(e.Text, offset)})
	}
	key = governingKey(e, start)
	c, typed := typedItem(e, start, offset)
	if typed && (key == "related" || key == "sources") {
		return completeTarget(v, c)
	}
	for _, r := range format.WordLists {
		if typed && string(r.Part) == key && !r.Sentences {
			return wordsInUse(v, r, c)
		}
	}
	return nil
}

// itemHead matches the key or the dash in front of a value or of a list's item on its line.
var itemHead = lazyregexp.New(`^(?:[\w-]+:|[ \t]*-[ \t])`)

// typedItem is the list item or value being typed, on a line that begins at start.
func typedItem(e *format.Entry, start, offset int) (typing, bool) {
	line := e.Text[start:offset]
	from, quote := len(itemHead().FindString(line)), byte(0)
	inList := from > 0 || strings.HasPrefix(line, " ")
	for i := from; i < len(line); i++ {
		switch c := line[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case (c == '"' || c == '\'') && strings.Trim(line[from:i], " \t@") == "":
			quote, from, inList = c, i+1, true
		case c == '[' || c == ',':
			from, inList = i+1, true
		}
	}
	from += len(line[from:]) - len(strings.TrimLeft(line[from:], " @"))
	if !inList || strings.HasSuffix(line[from:], ":") { // still the key
		return typing{}, false
	}
	c := typing{self: e, form: format.FormRelated, text: line[from:], at: markdown.Span{Start: start + from}, quote: quote}
	c.at.End = offset + lengthTo(e.Text[offset:], " ,]\"'\r\n")
	if quote != 0 {
		if end := offset + lengthTo(e.Text[offset:], string(quote)+"\r\n"); strings.HasPrefix(e.Text[end:], string(quote)) {
			c.at.End = end
		} else {
			c.end = string(quote)
		}
	}
	return c, true
}

// wordsInUse offers the words that other entries have in a list, the most frequent
// first.
func wordsInUse(v *workspace.View, list format.PartRow, c typing) []Completion {
	e, at := c.self, c.at
	var has []string
	if f, ok := e.Field(string(list.Part)); ok {
		for _, item := range f.Items {
			if !item.At.Contains(at.Start) {
				has = append(has, item.Value)
			}
		}
	}
	others, uses := inUse(v.Tree(), list, c.text, e)
	var out []Completion
	for _, word := range others {
		if len(out) == maxCompletions {
			break
		}
		insert, ok := format.ItemIn(c.quote, word)
		if slices.Contains(has, word) || !ok {
			continue
		}
		out = append(out, Completion{
			Label: word, Kind: "value", Detail: words.Counted(uses[word], "entry", "entries"), Insert: insert + c.end, Replace: at,
			Filter: word,
		})
	}
	return out
}

func tiers(at markdown.Span) []Completion {
	var out []Completion
	for _, m := range []format.Maturity{format.Draft, format.Validated, format.Core} {
		out = append(out, Completion{Label: string(m), Kind: "value", Insert: string(m), Replace: at, Filter: string(m)})
	}
	return out
}

// governingKey is the top-level key that the line at start belongs to.
func governingKey(e *format.Entry, start int) string {
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

func missingKeys(e *format.Entry, at markdown.Span) []Completion {
	var out []Completion
	for _, k := range format.FieldKeys {
		if k == format.ProvenanceKey {
			continue // a key that nobody writes by hand
		}
		if f, ok := e.Field(k); !ok || f.KeyAt.Contains(at.Start) {
			insert := k + ": "
			if strings.HasPrefix(e.Text[at.End:], ":") {
				insert = k
			}
			out = append(out, Completion{Label: k, Kind: "key", Insert: insert, Replace: at, Filter: k, Doc: format.FieldDoc(k)})
		}
	}
	return out
}

// inUse lists the words of a list that begin with a prefix, the most frequent first, with the number of
// entries for each. self does not count: its words are being typed.
func inUse(t *tree.Snapshot, list format.PartRow, prefix string, self *format.Entry) (words []string, uses map[string]int) {
	uses = map[string]int{}
	for _, e := range t.Entries() {
		has := *list.Words(&e.Lists)
		for i, word := range has {
			if !hasPrefixFold(word, prefix) || e == self || slices.Contains(has[:i], word) {
				continue
			}
			if uses[word]++; uses[word] == 1 {
				words = append(words, word)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(uses[b]-uses[a], strings.Compare(a, b)) })
	return words, uses
}
