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

// readComments reads the doc comments of settings.go: by "Group.Field", and by "Group".
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
		comments[spec.Name.Name] = oneLine(g.Doc)
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

A setting can come from these places. The first one that has it counts:

1. your editor: the section ` + "`brv`" + ` of its configuration, or the initialization options;
2. your own file, ` + "`settings.json`" + ` in your configuration folder;
3. the project's file, ` + "`.brv/config.json`" + `;
4. the default below.

Each file is one JSON object of at most 64 KiB. Its keys are nested or joined by dots:

` + "```json" + `
{"code": {"exclude": ["testdata/**"]}, "codeLens": {"code": false}}
` + "```" + `

Your own file is ` + "`~/.config/brv-lsp/settings.json`" + ` on Linux, ` + "`~/Library/Application Support/brv-lsp/settings.json`" + ` on
macOS, ` + "`%AppData%\\brv-lsp\\settings.json`" + ` on Windows (` + "`brv-lsp model`" + ` prints its path). The command line, the tool
server and the language server read it. The language server reads it again when your editor's settings change. brv-lsp never writes it.

The author of a repository also writes the project's file, so brv-lsp limits what this file can do. The column *project* says what is
possible:

| word | the project's file can |
|---|---|
| any | set any value, as a default for its users |
| adds | add items to a list |
| lowers | lower a number |
| off | turn the setting off |
| keeps | change how problems are shown, but not turn them off |
| never | not set it |

Programs, servers and keys can only be named in your own settings. If a value is not allowed, brv-lsp reports it once, with its place, and
uses the other settings.

VS Code always sends every value. If a value is the default, brv-lsp treats it as not set, and the values of the files apply. If your own
file sets another value, and you want the default, change your own file.

The command line and the tool server use the groups Code, Documents, Model, Embedding and Organisation. ` + "`brv-lsp check`" + ` also
uses Diagnostics, and ` + "`brv-lsp tree list`" + ` uses Trees.

## How to turn a model on
By default, there is no model. Everything works without one, and nothing leaves your machine. A model answers questions that no entry
answers directly, drafts entries, and proposes merges and syntheses in dreams. It gets passages of entries and code, without credentials.
brv-lsp checks the model's answers against the tree.

A server on this machine, such as Ollama, needs no key:

` + "```json" + `
{"model": {"provider": "openai", "endpoint": "http://localhost:11434/v1", "name": "qwen3:8b", "contextTokens": 32768}}
` + "```" + `

Set ` + "`contextTokens`" + ` to the context that your server gives the model. This is often less than the model supports. With up to
8,192 tokens, the model is only asked to copy the sentence that answers the question. For the checks of answers, the log, and what to
expect from models of different sizes, see [Models](models.md).

| where | how |
|---|---|
| command line | Use your own file, above. ` + "`brv-lsp model`" + ` shows the model. ` + "`brv-lsp model --try`" + ` asks it for one word, and shows its speed and the assumed context |
| VS Code | Use your user settings *brv › Model*, or those of the remote machine in a remote window. *brv: Set up the model* opens them. The provider ` + "`editor`" + ` is the editor's own model, and needs no key and no address. *brv: Set the model's key* stores a key in the editor's secret store. The workspace must be trusted. brv-lsp sets a limit for the tokens of each answer, and the model itself counts them. An extension cannot set the temperature of VS Code's models, so answers may vary more than with other providers |
| Neovim | ` + "`vim.lsp.config('brv', {settings = {brv = {model = {provider = 'openai', endpoint = 'http://localhost:11434/v1', name = 'qwen3:8b'}}}})`" + `, or your own file. Run ` + "`brv-lsp trust`" + ` in the folder |
| tool server (MCP) | Use your own file, and run ` + "`brv-lsp trust`" + ` in the folder |

` + "`brv-lsp status`" + `, the command *Show status* and ` + "`brv/didChangeStatus`" + ` show which model is used, or why there is none.
In an editor, changed settings take effect at once. In the tool server, they take effect at its next start.

**If a model does not answer** within its *patience*, ` + "`brv.model.patienceSeconds`" + `, you get the passages that were found. In each period of
this length, the model must send 16 bytes of text, reasoning or tool arguments. One token a second is enough. A model that sends only single
bytes, empty pieces or comments counts as silent. With the default of 5 s, a question of [tier 3](limits.md#tiers) to a silent
server on another machine ends within 5 s. A question of tier 4 ends 5 s after the last turn began. If you set nothing, a server on this
machine has 60 s, because it needs seconds to read a prompt.

With ` + "`editor`" + `, the answer comes as a whole, and the editor may ask you first. The patience is therefore at least 30 s for each
turn. A question of tier 3 then takes at most 60 s, and one of tier 4 at most 90 s. If twice the patience is longer than that,
twice the patience is the limit.

If five questions in a row fail because of the model, brv-lsp waits a minute before it asks the model again. In this minute, questions to
the model fail at once. After that minute, one question decides whether it waits another minute. With ` + "`editor`" + `, only a late
answer counts as a failure of the model.

**What was tested**: brv-lsp handles the differences between servers as their public documentation describes them. The tests use exchanges
that were written by hand from this documentation. In addition, exchanges with llama-cpp-python's server were recorded.
` + "`./test models`" + ` asks that server and LiteLLM's proxy.

**Keys** are never in settings. A key is bound to one origin (scheme, host and port), and is sent nowhere else. brv-lsp uses the first of:

1. the key in the editor's secret store for the server's origin;
2. the environment variable that ` + "`brv.model.keyVariable`" + ` names, for the server that ` + "`brv.model.endpoint`" + ` names;
3. ` + "`OPENAI_API_KEY`" + ` or ` + "`ANTHROPIC_API_KEY`" + `, only for ` + "`https://api.openai.com`" + ` or
   ` + "`https://api.anthropic.com`" + `, even if ` + "`brv.model.keyVariable`" + ` names them.

A server on this machine needs no key. brv-lsp reads the environment variables of its own process. An editor that was not started from a
shell may not pass on the variables of your shell.
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
			fmt.Fprintf(&b, "\n## %s\n%s\n\n| setting | default | allowed | project | what |\n|---|---|---|---|---|\n", group,
				comments[group])
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
