package complete

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// completeFrontmatter offers keys at the beginning of a line, tiers behind
// `maturity:`, words in use in `tags` and `keywords`, and paths in `related` and `sources`.
// It looks at lines, not at the parsed fields: what is being typed is rarely valid YAML.
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
	switch key = governingKey(e, start); key {
	case "related", "sources":
		if at, ok := typedItem(e, start, offset, " \t[,\"'"); ok {
			return completeTarget(v, typing{self: e, form: format.FormRelated, text: e.Text[at.Start:offset], at: at})
		}
	case "tags", "keywords":
		if at, ok := typedItem(e, start, offset, "[,\"'"); ok {
			return wordsInUse(v, e, key, e.Text[at.Start:offset], at)
		}
	}
	return nil
}

// typedItem is the list item being typed, on a line that begins at start, behind one of
// some characters or the dash of a block list.
func typedItem(e *format.Entry, start, offset int, behind string) (markdown.Span, bool) {
	line := e.Text[start:offset]
	from := strings.LastIndexAny(line, behind) + 1
	if from == 0 {
		dash := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(dash, "- ") {
			return markdown.Span{}, false
		}
		from = len(line) - len(dash) + 2
	}
	from += len(line[from:]) - len(strings.TrimLeft(line[from:], " @"))
	if strings.HasSuffix(line[from:], ":") { // still the key
		return markdown.Span{}, false
	}
	end := offset + lengthTo(e.Text[offset:], " ,]\"'\r\n")
	return markdown.Span{Start: start + from, End: end}, true
}

// wordsInUse offers the words that other entries have under a key, the most frequent
// first.
func wordsInUse(v *workspace.View, e *format.Entry, key, typed string, at markdown.Span) []Completion {
	quoted := at.Start > 0 && strings.ContainsRune(`"'`, rune(e.Text[at.Start-1]))
	var has []string
	if f, ok := e.Field(key); ok {
		for _, item := range f.Items {
			if !item.At.Contains(at.Start) {
				has = append(has, item.Value)
			}
		}
	}
	words, uses := vocabularies.Of(v).inUse(v.Tree(), key, typed, e)
	var out []Completion
	for _, word := range words {
		if len(out) == maxCompletions {
			break
		}
		if slices.Contains(has, word) || strings.ContainsAny(word, "\"'\\\n") {
			continue
		}
		insert := word
		if !quoted && strings.ContainsAny(word, ":#,[]{}&*!|>%@`") {
			insert = `"` + word + `"`
		}
		out = append(out, Completion{
			Label: word, Kind: "value", Detail: tree.Counted(uses[word], "entry", "entries"), Insert: insert, Replace: at,
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
			continue // nobody's to write by hand
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
