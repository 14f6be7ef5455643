package prose

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A text is one that a person reads, and where it stands.
type text struct {
	file string
	line int
	text string
}

// dummy replaces whatever is no prose: code, paths, links, values that a message is given. A finding that holds one, or
// stands before one, is dropped: no rule can say what the word would be.
const dummy = "Dummy"

// readAll returns the texts of the project below a folder.
func readAll(t *testing.T, top string) []text {
	var all []text
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(top, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			switch base := d.Name(); {
			case name == ".":
			case name == "mcp/testdata":
			case base == "testdata", base == "node_modules", strings.HasPrefix(name, "bench/"), base == "out", base == "dist", strings.HasSuffix(base, "test"),
				strings.HasPrefix(base, ".") && base != ".github":
				return filepath.SkipDir
			}
			return nil
		}
		read := readers[filepath.Ext(name)]
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if r, ok := readersOfFiles[name]; ok {
			read = r
		}
		if read == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range read(string(data)) {
			if found.text = strings.Join(strings.Fields(found.text), " "); words(found.text) >= leastWords {
				found.file = name
				all = append(all, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var readers = map[string]func(string) []text{
	".md":  readMarkdown,
	".go":  readGo,
	".ts":  readScript,
	".lua": readScript,
	".el":  func(code string) []text { return append(commentsAfter(";")(code), readScript(code)...) },
	".vim": commentsAfter(`"`),
}

// readersOfFiles also has the files whose strings are lists of words: nil.
var readersOfFiles = map[string]func(string) []text{
	"editor/nvim/doc/brv.txt":          readVimHelp,
	"editor/vscode/package.json":       readManifest,
	"mcp/testdata/tools.json":          readManifest,
	"ci/packages/facts.json":           readManifest,
	"cmd/brv-lsp/help.txt":             readHelp,
	"docs/commands.md":                 nil, // made of help.txt
	"action.yml":                       commentsAfter("#"),
	"codebase/discover/origin.go":      nil,
	"codebase/imports/clang_system.go": nil,
	"codebase/imports/pythonstd.go":    nil,
	"codebase/task.go":                 nil,
	"documents/kind.go":                nil,
	"dream/overlap/profile.go":         nil,
	"dream/overlap/compare.go":         nil,
	"internal/secrets/context.go":      nil,
	"retrieval/saved.go":               nil,
	"ci/gitlab.yml":                    commentsAfter("#"),
}

// leastWords is the fewest words of a text that is checked: fewer are names, keys and labels.
const leastWords = 3

var word = regexp.MustCompile(`[A-Za-z][a-z']+`)

func words(s string) int { return len(word.FindAllString(strings.ReplaceAll(s, dummy, ""), -1)) }

// --- Markdown

var (
	fence    = regexp.MustCompile("^\\s*(```|~~~)")
	listMark = regexp.MustCompile(`^\s*([-*+]|\d+\.)\s+(\[[ x]\] )?`)
	codeSpan = regexp.MustCompile("``[^`]+``|`[^`]+`")
	picture  = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link     = regexp.MustCompile(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`)
	address  = regexp.MustCompile(`<?https?://[^\s)>]+>?`)
	tag      = regexp.MustCompile(`</?[a-zA-Z!][^>]*>`)
	emphasis = regexp.MustCompile(`\*\*?([^*\s][^*]*)\*\*?`)
	rowRule  = regexp.MustCompile(`^\|?[\s:|-]+\|?$`)
	template = regexp.MustCompile(`\{\{[^}]*\}\}|<<\.[^>]*>>`)
)

// readMarkdown returns the paragraphs, headings, list items and cells of a page, without code.
func readMarkdown(page string) []text {
	var out []text
	var open text
	flush := func() {
		if open.text != "" {
			open.text = prose(open.text)
			out = append(out, open)
		}
		open = text{}
	}
	fenced, front := "", strings.HasPrefix(page, "---\n")
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		switch mark := fence.FindStringSubmatch(line); {
		case front:
			front = i == 0 || trimmed != "---"
		case mark != nil && (fenced == "" || fenced == mark[1]):
			flush()
			if fenced == "" {
				fenced = mark[1]
			} else {
				fenced = ""
			}
		case fenced != "":
		case trimmed == "", strings.HasPrefix(trimmed, "<!--"):
			flush()
		case strings.HasPrefix(trimmed, "#"):
			flush()
			out = append(out, text{line: i + 1, text: prose(strings.TrimLeft(trimmed, "# "))})
		case strings.HasPrefix(trimmed, "|"):
			flush()
			if rowRule.MatchString(trimmed) {
				continue
			}
			row := codeSpan.ReplaceAllStringFunc(trimmed, func(s string) string { return strings.ReplaceAll(s, "|", "¦") })
			for _, cell := range strings.Split(strings.ReplaceAll(row, `\|`, "¦"), "|") {
				out = append(out, text{line: i + 1, text: prose(cell)})
			}
		default:
			if listMark.MatchString(line) {
				flush()
				line = listMark.ReplaceAllString(line, "")
			}
			if open.line == 0 {
				open.line = i + 1
			}
			open.text += strings.TrimLeft(strings.TrimSpace(line), "> ") + " "
		}
	}
	flush()
	return out
}

// prose is a text of Markdown as it is read aloud.
func prose(s string) string {
	s = template.ReplaceAllString(codeSpan.ReplaceAllString(s, dummy), dummy)
	s = picture.ReplaceAllString(s, "")
	s = link.ReplaceAllString(s, "$1")
	s = address.ReplaceAllString(s, dummy)
	s = tag.ReplaceAllString(s, "")
	s = emphasis.ReplaceAllString(s, "$1")
	return strings.NewReplacer("¦", "|", "&nbsp;", " ", "&lt;", "<", "&gt;", ">", `\`, "").Replace(s)
}

// --- Go

// readGo returns the strings of a file's code, its concatenations as one. Comments are read by those who change the code.
func readGo(code string) []text {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", code, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil
	}
	var out []text
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return false // its tag
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "MustCompile" || f.Sel.Name == "New" && len(n.Args) == 1) {
				if x, ok := f.X.(*ast.Ident); ok && (x.Name == "regexp" || x.Name == "lazyregexp") {
					return false
				}
			}
		case *ast.BinaryExpr, *ast.BasicLit:
			s, ok := concatenated(n.(ast.Expr))
			if ok {
				out = append(out, messages(set.Position(n.Pos()).Line, s)...)
				return false
			}
		}
		return true
	})
	return out
}

// concatenated is the text of an expression that joins strings.
func concatenated(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.ParenExpr:
		return concatenated(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, a := concatenated(e.X)
		right, b := concatenated(e.Y)
		if !a {
			left = dummy
		}
		if !b {
			right = dummy
		}
		return left + right, a || b
	}
	return "", false
}

var (
	verb   = regexp.MustCompile(`%(\[\d+\])?[-+# 0]*[\d*]*(\.[\d*]*)?[a-zA-Z]`)
	braces = regexp.MustCompile(`\$?\{\{?[^}]*\}?\}`)
	option = regexp.MustCompile(`(^|[\s(\[])--?[a-z][\w-]*(=\S+)?`)
	path   = regexp.MustCompile(`[\w.*<>-]*[/_\\][\w./*<>\\-]*|\w*\.[a-zA-Z]\w+|\w+\.(go|md|json|ts|py|yml|toml|txt|git)\b`)
	quoted = regexp.MustCompile(`"[^"]*"|'[A-Za-z.:/ -]*'`)
)

// messages are the lines of a string of code that are prose.
func messages(line int, s string) []text {
	if strings.Contains(s, "<svg") || strings.Contains(s, "{{") && strings.Contains(s, "<div") || strings.HasPrefix(s, "(?") {
		return nil
	}
	var out []text
	if strings.Contains(s, "\n#") || strings.Contains(s, "\n- ") || strings.Contains(s, "\n\n") {
		for _, found := range readMarkdown(s) {
			found.line += line - 1
			found.text = values(found.text)
			out = append(out, found)
		}
		return out
	}
	for i, part := range strings.Split(s, "\n") {
		out = append(out, text{line: line + i, text: values(prose(part))})
	}
	return out
}

// values replaces what a message is given.
func values(s string) string {
	s = verb.ReplaceAllString(s, dummy)
	s = braces.ReplaceAllString(s, dummy)
	s = quoted.ReplaceAllString(s, dummy)
	s = option.ReplaceAllString(s, "${1}"+dummy)
	s = path.ReplaceAllString(s, dummy)
	return strings.TrimLeft(s, ";:,. ") // the rest of a sentence that begins elsewhere
}

// --- others

var scriptString = regexp.MustCompile("'((?:[^'\\\\\n]|\\\\.)*)'|\"((?:[^\"\\\\\n]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`")

// readScript returns the strings of TypeScript and Lua, without comments.
func readScript(code string) []text {
	var out []text
	for i, line := range strings.Split(code, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") || strings.HasPrefix(trimmed, "--") {
			continue
		}
		for _, m := range scriptString.FindAllStringSubmatch(line, -1) {
			s := strings.NewReplacer(`\'`, "'", `\n`, " ", `\"`, `"`).Replace(m[1] + m[2] + m[3])
			out = append(out, text{line: i + 1, text: values(prose(s))})
		}
	}
	return out
}

// readManifest returns the titles and descriptions of an extension.
func readManifest(data string) []text {
	var out []text
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				s, ok := inner.(string)
				if ok && (strings.Contains(strings.ToLower(key), "description") || key == "title" || key == "short" || key == "contents" || key == "name") {
					out = append(out, text{line: 1 + strings.Count(data[:max(0, strings.Index(data, s[:min(20, len(s))]))], "\n"), text: prose(s)})
				} else if list, ok := inner.([]any); ok && strings.Contains(strings.ToLower(key), "descriptions") {
					for _, s := range list {
						out = append(out, text{line: 1, text: prose(fmt.Sprint(s))})
					}
				} else {
					walk(inner)
				}
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	var v any
	if json.Unmarshal([]byte(data), &v) == nil {
		walk(v)
	}
	return out
}

var (
	helpTag = regexp.MustCompile(`\*\S+\*|\|\S+\||~$`)
	columns = regexp.MustCompile(`\s{2,}`)
)

// readVimHelp returns the paragraphs of a Vim help file.
func readVimHelp(page string) []text {
	var b strings.Builder
	code := false
	for line := range strings.SplitSeq(page, "\n") {
		if code && line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			code = false
		}
		if code {
			b.WriteByte('\n')
			continue
		}
		code = strings.HasSuffix(line, " >") || line == ">" || strings.HasSuffix(line, ">lua") || strings.HasSuffix(line, ">vim")
		b.WriteString(helpTag.ReplaceAllString(strings.TrimSuffix(line, ">"), dummy) + "\n")
	}
	out := readMarkdown(strings.ReplaceAll(b.String(), "|", " "))
	for i := range out {
		out[i].text = values(columns.ReplaceAllString(out[i].text, " "))
	}
	return out
}

// readHelp returns the descriptions of commands and options: the second column and what goes on below it.
func readHelp(page string) []text {
	var out []text
	for i, line := range strings.Split(page, "\n") {
		first := strings.TrimSpace(line)
		if _, right, ok := strings.Cut(first, "  "); ok && (strings.HasPrefix(first, "brv-lsp") || strings.HasPrefix(first, "-") || !strings.HasPrefix(line, "     ")) {
			first = right
		} else if strings.HasPrefix(line, "     ") && len(out) > 0 {
			out[len(out)-1].text += " " + values(first)
			continue
		}
		if strings.HasPrefix(first, "brv-lsp") && strings.HasPrefix(line, " ") || strings.HasPrefix(first, "--") {
			first = ""
		}
		out = append(out, text{line: i + 1, text: values(prose(first))})
	}
	return out
}

// commentsAfter reads the comments behind a mark, and the descriptions of YAML.
func commentsAfter(mark string) func(string) []text {
	return func(data string) (out []text) {
		last := -1 // the line of the last comment
		for i, line := range strings.Split(data, "\n") {
			line = strings.TrimSpace(line)
			if after, ok := strings.CutPrefix(line, mark); ok {
				after = prose(strings.TrimLeft(after, mark))
				if last == i-1 && i > 0 {
					out[len(out)-1].text += " " + after
				} else {
					out = append(out, text{line: i + 1, text: after})
				}
				last = i
			} else if after, ok := strings.CutPrefix(line, "description:"); ok {
				out = append(out, text{line: i + 1, text: prose(strings.Trim(after, `' "`))})
			}
		}
		return out
	}
}
