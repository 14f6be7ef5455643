package complete

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/names"
)

// completePaths offers the folders and entries under the typed prefix, then entries whose names match, best
// first. In Markdown links, which are relative, it offers entries only: those beside the entry if nothing is
// typed yet.
func completePaths(v *workspace.View, c typing) []Completion {
	text := strings.TrimPrefix(c.text, "@")
	dir, last := path.Split(text)
	if c.form == format.FormMarkdown {
		dir = path.Join(path.Dir(c.self.Path), dir)
	}
	var out []Completion
	seen := map[string]bool{}
	if n, ok := v.Trees().Node(strings.Trim(dir, "/")); ok {
		for _, f := range n.Folders {
			if c.form != format.FormMarkdown && hasPrefixFold(path.Base(f), last) && !strings.HasPrefix(f, "_") && c.carries(f) {
				out = append(out, c.folder(v, f))
			}
		}
		for _, p := range n.Entries {
			if e, ok := v.Entry(p); ok && hasPrefixFold(path.Base(p), last) && c.offers(e) {
				seen[p] = true
				out = c.entry(v, e, out)
			}
		}
	}
	for _, e := range names.Called(v, text, maxCompletions+len(seen)+1) {
		if !seen[e.Path] && c.offers(e) {
			out = c.entry(v, e, out)
		}
	}
	return out[:min(len(out), maxCompletions)]
}

// completeDocuments offers the documents of the repository whose path or title contains the typed part of a
// Markdown link.
func completeDocuments(ctx context.Context, v *workspace.View, c typing) (out []Completion) {
	typed := strings.ToLower(strings.TrimLeft(c.text, "./"))
	if c.form != format.FormMarkdown || strings.Contains(typed, "#") {
		return nil
	}
	pages := workspace.PagesWithin(ctx, v, workspace.Glance) // what is read late is offered with the next letter
	if pages == nil {
		return nil
	}
	for _, e := range pages.Set.Pages().Entries() {
		to := relink.RelativeTo(path.Dir(v.FilePath(c.self.Path)), e.Path)
		if strings.Contains(strings.ToLower(e.Path+" "+e.Title), typed) && !strings.Contains(to, ":") {
			out = append(out, Completion{Label: e.Path, Kind: "link", Detail: e.Title, Replace: c.at,
				Insert: c.spelled(to) + c.end, Filter: filter(c.text, to+" "+e.Title)})
		}
		if len(out) == maxCompletions {
			break
		}
	}
	return out
}

// offers reports whether an entry may be offered here: an entry is not offered to itself.
func (c typing) offers(e *format.Entry) bool {
	return names.Linkable(e) && (c.self == nil || e.Path != c.self.Path)
}

func (c typing) folder(v *workspace.View, f string) Completion {
	n, _ := v.Trees().Node(f)
	kind := "topic"
	if n.Kind == format.KindDomain {
		kind = "domain"
	}
	return Completion{
		Label: f + "/", Kind: kind, Insert: f + "/", Replace: c.at, Filter: filter(c.text, f+"/"),
		Detail: words.Counted(len(n.Folders), "folder", "folders") + ", " + words.Counted(n.Knowledge(), "entry", "entries"),
	}
}

// entry adds the completion of an entry to others: none where no relation can lead to it from here.
func (c typing) entry(v *workspace.View, e *format.Entry, to []Completion) []Completion {
	out := Completion{
		Label: e.Path, Kind: "entry", Detail: e.Title, Replace: c.at,
		Filter: filter(c.text, e.Path+" "+e.Title), Entry: e.Path, Relates: c.self != nil && c.form != format.FormRelated,
	}
	if c.form == format.FormMarkdown {
		out.Kind = "link"
	}
	if c.self == nil {
		for _, target := range []string{e.Path, strings.ReplaceAll(e.Path, " ", "_")} {
			if meant, _, _ := v.Trees().Meant(target); tree.Markable(target) && slices.Equal(meant, []string{e.Path}) {
				out.Insert = target
				return append(to, out)
			}
		}
		return to
	}
	leads := func(form format.Form, raw string) bool {
		return v.Trees().Resolve(c.self.Path, form, raw).Target == e.Path
	}
	if c.form == format.FormRelated {
		inside, ok := format.ItemIn(c.quote, e.Path)
		if out.Insert = inside + c.end; c.quote == 0 && c.self.Text[c.at.Start-1] == '@' { // no value begins so
			out.Replace.Start--
			out.Filter = "@" + out.Filter
		}
		if ok && leads(c.form, e.Path) && !strings.Contains(e.Path, "#") {
			to = append(to, out)
		}
		return to
	}
	// A name that one form cannot express is written in the next form, from its beginning on.
	opened := map[format.Form]string{format.FormAt: "@", format.FormWiki: "[["}[c.form]
	forms := []format.Form{format.FormAt, format.FormWiki, format.FormMarkdown}
	for _, form := range forms[slices.Index(forms, c.form):] {
		for _, raw := range []string{e.Path, strings.ReplaceAll(e.Path, " ", "_")} {
			open, end := "@", ""
			switch form {
			case format.FormWiki:
				open, end = "[[", "]]"
			case format.FormMarkdown:
				open, end = "["+linkText.Replace(e.Title)+"](", ")"
				raw = c.spelled(relink.RelativeTo(path.Dir(c.self.Path), e.Path))
			}
			if c.quote != 0 {
				open, end = open+"<", ">"+end
			}
			m, _, ok := format.ScanMention(open+raw+end, 0)
			if !ok || m.Form != form || m.Raw != raw || m.Heading != "" || !leads(form, raw) {
				continue
			}
			if out.Insert = raw + c.end; form != c.form {
				if strings.HasPrefix(c.self.Text[out.Replace.End:], "]]") && c.form == format.FormWiki {
					out.Replace.End += len("]]")
				}
				out.Insert, out.Filter = open+raw+end, opened+out.Filter
				out.Replace.Start -= len(opened)
			}
			return append(to, out)
		}
	}
	return to
}

// linkText is a title as the text of a link.
var linkText = strings.NewReplacer("[", `\[`, "]", `\]`, "`", "", `\`, `\\`)

// spelled is a path as the target of the link that is being typed.
func (c typing) spelled(to string) string {
	return format.Mention{Form: format.FormMarkdown, At: markdown.Span{Start: c.at.Start - 1, End: c.at.End}}.Spelled(c.self.Text, to)
}

// carries reports whether the path of a folder can be typed on from here.
func (c typing) carries(folder string) bool {
	switch {
	case c.self == nil:
		return tree.Markable(folder + "/x")
	case c.form == format.FormRelated:
		inside, ok := format.ItemIn(c.quote, folder)
		return ok && inside == folder
	case c.form == format.FormWiki:
		return !strings.ContainsAny(folder, "[]|#")
	}
	return !strings.ContainsAny(folder, notPath+"#")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// completeTarget offers the headings of an entry behind its path and #, else paths.
func completeTarget(v *workspace.View, c typing) []Completion {
	raw, heading, ok := strings.Cut(c.text, "#")
	if !ok {
		return completePaths(v, c)
	}
	target := c.self
	if raw != "" {
		if target, ok = v.Entry(v.Trees().Resolve(c.self.Path, c.form, raw).Target); !ok {
			return nil
		}
	}
	at := markdown.Span{Start: c.at.Start + len(raw) + 1, End: max(c.at.End, c.at.Start+len(c.text))}
	return completeHeadings(target, c.form, heading, at, c.end)
}

// completeHeadings offers the headings of an entry, those that begin with what is typed
// first.
func completeHeadings(e *format.Entry, form format.Form, typed string, at markdown.Span, end string) []Completion {
	var first, rest []Completion
	anchors := e.Anchors()
	for i, s := range e.Sections {
		if s.Title == "" || !strings.Contains(format.Anchor(s.Title), format.Anchor(typed)) {
			continue
		}
		insert := anchors.Of(i)
		if meant, ok := anchors.Section(s.Title); ok && meant == i && form == format.FormWiki && !strings.ContainsAny(s.Title, "[]|#") {
			insert = s.Title
		}
		if insert == "" {
			continue
		}
		c := Completion{
			Label: s.Title, Kind: "heading", Detail: e.Title, Insert: insert + end, Replace: at,
			Filter: filter(typed, insert+" "+s.Title), Entry: e.Path, OfLink: form == format.FormMarkdown,
		}
		if strings.HasPrefix(format.Anchor(s.Title), format.Anchor(typed)) {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	out := slices.Concat(first, rest)
	return out[:min(len(out), maxCompletions)]
}

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
