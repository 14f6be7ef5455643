package settings

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

// generated are the files that are made from the struct, from this folder.
var generated = []struct {
	path string
	make func(comments map[string]string, old []byte) ([]byte, error)
}{
	{"../../docs/settings.md", document},
	{"../../editor/vscode/package.json", manifest},
	{"../../editor/nvim/lua/brv/types.lua", luaTypes},
}

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	comments := readComments(t)
	keys := map[string]bool{}
	for _, f := range fields() {
		if comments[f.group+"."+f.name] == "" {
			t.Errorf("%s.%s has no comment", f.group, f.name)
		}
		keys[Prefix+"."+f.key] = true
	}
	for at, comment := range comments {
		for _, name := range named.FindAllStringSubmatch(comment, -1) {
			if !keys[name[1]] {
				t.Errorf("%s names %s, which is no setting", at, name[1])
			}
		}
	}
	for _, g := range generated {
		old, err := os.ReadFile(g.path)
		if err != nil && !*update {
			t.Error(err)
			continue
		}
		now, err := g.make(comments, old)
		switch {
		case err != nil:
			t.Errorf("%s: %v", g.path, err)
		case bytes.Equal(old, now):
		case *update:
			if err := os.WriteFile(g.path, now, 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s is stale: go test ./internal/settings -run Generated -update", g.path)
		}
	}
}

// readComments reads the doc comments of settings.go: by "Group.Field", and by "Group"
// without the first word.
func readComments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		spec := g.Specs[0].(*ast.TypeSpec)
		comments[spec.Name.Name] = strings.TrimPrefix(oneLine(g.Doc), spec.Name.Name+" says ")
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				comments[spec.Name.Name+"."+name.Name] = oneLine(f.Doc)
			}
		}
	}
	return comments
}

func oneLine(doc *ast.CommentGroup) string {
	return strings.Join(strings.Fields(doc.Text()), " ")
}

const documentHead = `# Settings

Generated from ` + "`internal/settings/settings.go`" + `.

A setting comes from your editor (section ` + "`brv`" + ` of its configuration, or the initialization options), else from your own file
` + "`settings.json`" + ` in your configuration folder, else from the project's file ` + "`.brv/config.json`" + `, else it is the default below. The files are one JSON object each with
the same keys, nested or joined by dots, at most 64 KiB:

` + "```json" + `
{"code": {"exclude": ["testdata/**"]}, "codeLens": {"code": false}}
` + "```" + `

Your own file is ` + "`~/.config/brv-lsp/settings.json`" + ` on Linux, ` + "`~/Library/Application Support/brv-lsp/settings.json`" + ` on macOS, ` + "`%AppData%\\brv-lsp\\settings.json`" + ` on Windows
(` + "`brv-lsp model`" + ` prints its path). The command line, the tool server and the language server read it, the last one again when your editor's settings change. The
program never writes it.

Whoever wrote a repository wrote the project's file too. So it can only tighten, as the column *project* says: *adds* to a list, *lowers* a number, can switch *off*, *keeps* problems
in sight, or *never* has a say; *any* is a default for its users. What names a program, a server or a key is read from your own settings only. What does not count is told once, with its
place, and the rest holds. VS Code always sends every value: one that is the default counts as not set, so that the files' values hold; what your own file sets is set
back to its default there.

The command line and the tool server heed the groups Code, Model, Embedding and Organisation, the check of the command line Diagnostics too.

## How to turn a model on
Without a model everything works and nothing leaves the machine: that is the default. A model answers questions that no entry answers for sure, drafts entries, and proposes merges and syntheses in dreams.
What it is shown are passages of entries and of code, without credentials; what it says is checked against the tree.

A server on this machine, such as Ollama, needs no key:

` + "```json" + `
{"model": {"provider": "openai", "endpoint": "http://localhost:11434/v1", "name": "qwen3:8b", "contextTokens": 32768}}
` + "```" + `

What it is shown fits ` + "`contextTokens`" + `: say what your server gives the model, which is often less than the model could take. Up to 8,192 it is only asked to copy the
sentence that answers. How answers are checked, what is written down and what to expect of models of which size: [models](models.md).

| where | how |
|---|---|
| command line | your own file, above. ` + "`brv-lsp model`" + ` says what is set up, ` + "`brv-lsp model --try`" + ` asks it for one word and says how fast it answers and what context is assumed |
| VS Code | the settings *brv › Model* of the user, in a remote window those of the remote machine (*brv: Set up the model* opens them); with ` + "`editor`" + ` as provider, the editor's own model, it needs no key and no address. *brv: Set the model's key* stores a key in the editor's secret store. The workspace must be trusted. An answer is ended at its limit of tokens, as the model counts them. VS Code's models take no temperature from an extension that all makers know, so that is the editor's: answers may vary more than with the other providers |
| Neovim | ` + "`vim.lsp.config('brv', {settings = {brv = {model = {provider = 'openai', endpoint = 'http://localhost:11434/v1', " +
	"name = 'qwen3:8b'}}}})`" + `, or your own file; and ` + "`brv-lsp trust`" + ` in the folder |
| tool server (MCP) | your own file, and ` + "`brv-lsp trust`" + ` in the folder. |

` + "`brv-lsp status`" + `, the command *Show status* and ` + "`brv/didChangeStatus`" + ` say which model is asked, or why none is. A change of the settings counts at once in an editor, in
the tool server with its next start.

**A model that does not answer** costs its patience, ` + "`brv.model.patienceSeconds`" + `, and then the passages that were found are shown. Within each such time, which begins with the question, it must say
16 bytes of text, thoughts or arguments: one that says a token each second does, one that drips single bytes, empty pieces or comments is left as one that says nothing. With the default a question of
tier 3 to a server that hangs or drips is over within 5 s, and one of tier 4 5 s after the last turn began. A server on this machine has 60 s where you set nothing: reading a prompt takes it seconds.

With ` + "`editor`" + ` the answer comes as a whole, perhaps after you were asked, so that the patience is at least 30 s for each turn; a question of tier 3 then takes at most 60 s and one of tier 4
at most 90 s, or twice the patience where that is more.

After five questions in a row that failed by the model's fault it is not asked for a minute: questions fail at once, and the first one after that is a trial. With ` + "`editor`" + ` only an answer that did not come in time is its fault.

**What was tested**: what servers differ in is handled as their makers' public documentation describes it, and tested with exchanges that were written by hand from it; those with llama-cpp-python's server were recorded, and ` + "`./test models`" + ` asks that server and LiteLLM's proxy.

**Keys** are never in settings. One is bound to the origin (scheme, host and port) that it is for, and sent nowhere else. It is the first of:

1. the one that the editor's secret store has for the server's origin;
2. the environment variable that ` + "`brv.model.keyVariable`" + ` names, for the server that ` + "`brv.model.endpoint`" + ` names;
3. ` + "`OPENAI_API_KEY`" + ` or ` + "`ANTHROPIC_API_KEY`" + `, for ` + "`https://api.openai.com`" + ` or ` + "`https://api.anthropic.com`" + ` alone, also where 2 names them.

A server on this machine needs none. The environment is that of the program: editors that were not started from a shell may lack what your shell sets.
`

// projectWords say what the project's file may do.
var projectWords = map[string]string{
	projectAny: "any", projectAdds: "adds", projectSwitchesOff: "off", projectLowers: "lowers", projectKeeps: "keeps",
	projectNever: "never",
}

func document(comments map[string]string, _ []byte) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(documentHead)
	group := ""
	for _, f := range fields() {
		if f.group != group {
			group = f.group
			what := comments[group]
			fmt.Fprintf(&b, "\n## %s\n%s\n\n| setting | default | allowed | project | what |\n|---|---|---|---|---|\n", group,
				strings.ToUpper(what[:1])+what[1:])
		}
		key := "`" + Prefix + "." + f.key + "`"
		if f.only != "" {
			key += " (" + f.only + ")"
		}
		initial, err := json.Marshal(f.initial())
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", key, initial, f.allowed(), projectWords[f.project],
			comments[f.group+"."+f.name])
	}
	return b.Bytes(), nil
}

// allowed says which values a setting may have.
func (f field) allowed() string {
	values := "`" + strings.Join(f.enum, "`, `") + "`"
	switch {
	case f.kind.Kind() == reflect.Map:
		return "an object; values: " + values
	case f.enum != nil:
		return values
	}
	switch f.initial().(type) {
	case bool:
		return "`true`, `false`"
	case int:
		return fmt.Sprintf("%d to %d", f.min, f.max)
	case []string:
		return "a list of strings"
	}
	return "a string"
}

// property is a setting as VS Code has it.
type property struct {
	Type                 string         `json:"type"`
	Items                map[string]any `json:"items,omitempty"`
	AdditionalProperties map[string]any `json:"additionalProperties,omitempty"`
	Enum                 []string       `json:"enum,omitempty"`
	Minimum              int            `json:"minimum,omitempty"`
	Maximum              int            `json:"maximum,omitempty"`
	Default              any            `json:"default"`
	Scope                string         `json:"scope"`
	MarkdownDescription  string         `json:"markdownDescription"`
}

// named is a setting in a comment. In its own page of settings VS Code makes a link of it.
var named = regexp.MustCompile("`(" + Prefix + `\.\w+\.\w+)` + "`")

func (f field) property(comment string) property {
	p := property{Default: f.initial(), Scope: f.scope, MarkdownDescription: named.ReplaceAllString(comment, "`#$1#`")}
	switch f.kind.Kind() {
	case reflect.Bool:
		p.Type = "boolean"
	case reflect.Int:
		p.Type, p.Minimum, p.Maximum = "integer", f.min, f.max
	case reflect.String:
		p.Type, p.Enum = "string", f.enum
	case reflect.Slice:
		p.Type, p.Items = "array", map[string]any{"type": "string"}
	case reflect.Map:
		p.Type, p.AdditionalProperties = "object", map[string]any{"type": "string", "enum": f.enum}
	}
	return p
}

// manifest replaces the configuration in the extension's package.json, and nothing else.
func manifest(comments map[string]string, old []byte) ([]byte, error) {
	var sections []string
	for all := fields(); len(all) > 0; {
		group, members := all[0].group, []string(nil)
		for ; len(all) > 0 && all[0].group == group; all = all[1:] {
			raw, err := marshal(all[0].property(comments[group+"."+all[0].name]))
			if err != nil {
				return nil, err
			}
			members = append(members, fmt.Sprintf("%q: %s", Prefix+"."+all[0].key, raw))
		}
		sections = append(sections, fmt.Sprintf(`{"title": %q, "properties": {%s}}`, sectionTitle(group), strings.Join(members, ",")))
	}
	compact := "[" + strings.Join(sections, ",") + "]"
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(compact), "    ", "  "); err != nil {
		return nil, err
	}
	at, err := memberOf(old, "contributes", "configuration")
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{old[:at.start], indented.Bytes(), old[at.end:]}, nil), nil
}

// sectionTitle is the name of a group in words: "Inlay hints".
func sectionTitle(group string) string {
	words := regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(group, "$1 $2")
	return words[:1] + strings.ToLower(words[1:])
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// memberOf finds a value in a JSON text by the keys that lead to it.
func memberOf(data []byte, keys ...string) (span, error) {
	at := span{0, len(data)}
	for _, key := range keys {
		dec := json.NewDecoder(bytes.NewReader(data[at.start:at.end]))
		_, err := dec.Token()
		found := false
		for err == nil && !found && dec.More() {
			var name json.Token
			var raw json.RawMessage
			if name, err = dec.Token(); err == nil {
				err = dec.Decode(&raw)
			}
			if found = name == key; found {
				end := at.start + int(dec.InputOffset())
				at = span{end - len(raw), end}
			}
		}
		if err != nil || !found {
			return at, fmt.Errorf("%s: not found (%v)", key, err)
		}
	}
	return at, nil
}

const luaHead = `---@meta
-- Generated from internal/settings/settings.go: the types of
--   require('brv').config.settings = { brv = { … } } ---@type brv.Settings
`

// luaTypes describes the settings for Lua's language server.
func luaTypes(comments map[string]string, _ []byte) ([]byte, error) {
	var b, groups bytes.Buffer
	b.WriteString(luaHead)
	groups.WriteString("\n---@class brv.Settings\n")
	group := ""
	for _, f := range fields() {
		if f.only != "" {
			continue
		}
		if f.group != group {
			group = f.group
			fmt.Fprintf(&b, "\n--- %s\n---@class brv.%s\n", comments[group], group)
			fmt.Fprintf(&groups, "---@field %s? brv.%s\n", strings.Split(f.key, ".")[0], group)
		}
		initial, err := json.Marshal(f.initial())
		if err != nil {
			return nil, err
		}
		_, name, _ := strings.Cut(f.key, ".")
		fmt.Fprintf(&b, "---@field %s? %s %s (default: `%s`)\n", name, f.luaType(), comments[f.group+"."+f.name], initial)
	}
	b.Write(groups.Bytes())
	return b.Bytes(), nil
}

func (f field) luaType() string {
	enum := `"` + strings.Join(f.enum, `"|"`) + `"`
	switch f.kind.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Slice:
		return "string[]"
	case reflect.Map:
		return "table<string, " + enum + ">"
	}
	if f.enum != nil {
		return enum
	}
	return "string"
}
