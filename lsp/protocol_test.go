package lsp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/command"
)

// What of docs/ is made here: the tables of the document behind tableMark, and the schema.
const (
	protocolDocument = "../docs/protocol.md"
	protocolSchema   = "../docs/protocol.schema.json"
	tableMark        = "<!-- Generated from the Go types behind this line: go test ./lsp -run ProtocolDocument -update -->\n"
)

func TestProtocolDocumentIsUpToDate(t *testing.T) {
	d := newProtocolDoc(t)
	old, err := os.ReadFile(protocolDocument)
	if err != nil {
		t.Fatal(err)
	}
	text, _, ok := strings.Cut(string(old), tableMark)
	if !ok {
		t.Fatalf("%s lacks the line %s", protocolDocument, tableMark)
	}
	d.isFile(protocolSchema, d.schema())
	d.isFile(protocolDocument, []byte(text+tableMark+d.tables()))
}

// own is one of our own requests, commands or notifications.
type own struct {
	name, command, title string
	request, response    reflect.Type
}

// owns lists what is documented: the requests, then the commands.
func owns() (requests, all []own) {
	of := func(names []string, table map[string]command.Row) (out []own) {
		for _, name := range names {
			c := table[name]
			out = append(out, own{name, c.Name, c.Title, c.Request, c.Response})
		}
		return out
	}
	return of(customMethods(), custom), of(commandNames(), commands)
}

// What the protocol adds is added to commands that there are.
func TestFacesAreOfCommands(t *testing.T) {
	for name, c := range commands {
		if (c.Run == nil) == (editorForms[name].title == "") {
			t.Errorf("%s is in the table and the editor's own, or neither", name)
		}
	}
}

// notes are our own notifications.
var notes = map[string]reflect.Type{
	config.TrustMethod:        reflect.TypeFor[config.TrustChange](),
	state.StatusMethod:        reflect.TypeFor[state.Status](),
	client.SecretChangeMethod: reflect.TypeFor[struct{}](),
}

// clientRequests are what the server asks of clients.
var clientRequests = []own{
	{name: client.CompleteMethod, title: "editorModel", request: reflect.TypeFor[client.CompleteParams](),
		response: reflect.TypeFor[client.CompleteResult]()},
	{name: client.SecretMethod, title: "secrets", request: reflect.TypeFor[client.SecretParams](),
		response: reflect.TypeFor[client.SecretResult]()},
}

// protocolDoc makes the document and the schema.
type protocolDoc struct {
	t        *testing.T
	comments map[string]string   // by Type and Type.Field
	values   map[string][]string // of string types, by type: their constants
	named    map[string]reflect.Type
	defs     map[string]any // the schema of each type that was met
	rows     map[string][]row
	order    []string
}

// row is one key of an object.
type row struct {
	key, kind, what string
}

func newProtocolDoc(t *testing.T) *protocolDoc {
	d := &protocolDoc{t: t, comments: map[string]string{}, values: map[string][]string{}, named: map[string]reflect.Type{},
		defs: map[string]any{}, rows: map[string][]row{}}
	for _, dir := range []string{".", "client", "state", "config", "../workspace/*", "../workspace", "../tree/*", "../tree",
		"../pack", "../codebase", "../dream", "../vault", "../llm"} {
		names, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(names) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				d.read(name)
			}
		}
	}
	return d
}

// read takes the comments of types and fields, and the constants of types, of a file.
func (d *protocolDoc) read(name string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		d.t.Fatal(err)
	}
	pkg := file.Name.Name + "."
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				d.comments[pkg+s.Name.Name] = comment(s.Doc, g.Doc)
				if of, ok := s.Type.(*ast.StructType); ok {
					for _, f := range of.Fields.List {
						for _, n := range f.Names {
							d.comments[pkg+s.Name.Name+"."+n.Name] = comment(f.Doc, f.Comment)
						}
					}
				}
			case *ast.ValueSpec:
				of, ok := s.Type.(*ast.Ident)
				if !ok || g.Tok != token.CONST {
					continue
				}
				for _, v := range s.Values {
					if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value)
						d.values[pkg+of.Name] = append(d.values[pkg+of.Name], text)
					}
				}
			}
		}
	}
}

// comment is the first comment that there is, in one line.
func comment(docs ...*ast.CommentGroup) string {
	for _, doc := range docs {
		if text := strings.Join(strings.Fields(doc.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}

// name is a type's name in the schema: without its package, but where another type has
// that name already. A type without a name has no keys.
func (d *protocolDoc) name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	capital := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	name := capital(t.Name())
	if other := d.named[name]; other != nil && other != t {
		pkg, _, _ := strings.Cut(t.String(), ".")
		name = capital(pkg) + name
	}
	d.named[name] = t
	return name
}

// of is the schema of a type, and what it is in words.
func (d *protocolDoc) of(t reflect.Type) (schema map[string]any, words string) {
	switch t {
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}, "time"
	case reflect.TypeFor[uri.URI]():
		return map[string]any{"type": "string", "format": "uri"}, "URI"
	case reflect.TypeFor[protocol.Range](), reflect.TypeFor[position.LooseRange]():
		return map[string]any{"$ref": "#/$defs/Range"}, "Range"
	case reflect.TypeFor[protocol.Position](), reflect.TypeFor[position.Loose]():
		return map[string]any{"$ref": "#/$defs/Position"}, "Position"
	case reflect.TypeFor[protocol.Location]():
		return map[string]any{"$ref": "#/$defs/Location"}, "Location"
	case reflect.TypeFor[json.RawMessage]():
		return map[string]any{}, "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32:
		return map[string]any{"type": "integer"}, "integer"
	case reflect.Float64:
		return map[string]any{"type": "number"}, "number"
	case reflect.String:
		schema := map[string]any{"type": "string"}
		if values := d.values[t.String()]; len(values) > 0 {
			schema["enum"] = values
			return schema, "`" + strings.Join(values, "`, `") + "`"
		}
		return schema, "string"
	case reflect.Slice:
		items, words := d.of(t.Elem())
		return map[string]any{"type": "array", "items": items}, "list of " + words
	case reflect.Array:
		items, words := d.of(t.Elem())
		return map[string]any{"type": "array", "items": items, "minItems": t.Len(), "maxItems": t.Len()},
			fmt.Sprintf("%d × %s", t.Len(), words)
	case reflect.Map:
		items, words := d.of(t.Elem())
		return map[string]any{"type": "object", "additionalProperties": items}, "object of " + words
	case reflect.Struct:
		return d.object(t)
	}
	d.t.Fatalf("no schema for %v", t)
	return nil, ""
}

// object is the schema of a struct, kept among the definitions.
func (d *protocolDoc) object(t reflect.Type) (schema map[string]any, words string) {
	name := d.name(t)
	if name == "" { // no keys
		return map[string]any{"type": "object", "additionalProperties": false}, "empty object"
	}
	ref := map[string]any{"$ref": "#/$defs/" + name}
	if d.defs[name] != nil {
		return ref, name
	}
	def := map[string]any{"type": "object"}
	d.defs[name] = def // before its fields: types may hold themselves
	d.order = append(d.order, name)
	if text := d.comments[t.String()]; text != "" {
		def["description"] = text
	}
	properties := map[string]any{}
	for _, f := range jsonFields(t) {
		schema, kind := d.of(f.Type)
		what := d.comments[f.owner.String()+"."+f.Name]
		if what != "" && schema["$ref"] == nil {
			schema["description"] = what
		}
		properties[f.key] = schema
		d.rows[name] = append(d.rows[name], row{f.key, kind, what})
	}
	def["properties"] = properties
	return ref, name
}

// jsonField is a field with its key and the struct that declares it.
type jsonField struct {
	reflect.StructField
	key   string
	owner reflect.Type
}

// jsonFields are the fields of a struct as encoding/json sees them: of several with one
// key the outermost.
func jsonFields(t reflect.Type) []jsonField {
	var all []jsonField
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || key == "-" {
			continue
		}
		if key == "" {
			key = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		owner := t
		for _, i := range f.Index[:len(f.Index)-1] {
			if owner.Kind() == reflect.Pointer {
				owner = owner.Elem()
			}
			owner = owner.Field(i).Type
		}
		if owner.Kind() == reflect.Pointer {
			owner = owner.Elem()
		}
		at := slices.IndexFunc(all, func(o jsonField) bool { return o.key == key })
		switch {
		case at < 0:
			all = append(all, jsonField{f, key, owner})
		case len(f.Index) < len(all[at].Index):
			all[at] = jsonField{f, key, owner}
		}
	}
	return all
}

// params is the schema of a request as clients send it: its own keys, and where it is
// about.
func (d *protocolDoc) params(o own) map[string]any {
	d.of(o.request) // defines it
	out := map[string]any{"type": "object", "additionalProperties": false}
	properties := map[string]any{}
	if name := d.name(o.request); name != "" {
		for key, p := range d.defs[name].(map[string]any)["properties"].(map[string]any) {
			properties[key] = p
		}
	}
	text := map[string]any{"type": "string", "format": "uri"}
	properties["uri"] = text
	properties["position"] = map[string]any{"$ref": "#/$defs/Position"}
	if properties["start"] != nil || properties["selection"] != nil || o.request == reflect.TypeFor[placeParams]() {
		properties["range"] = map[string]any{"$ref": "#/$defs/Range"}
	}
	properties["workDoneToken"] = map[string]any{"type": []string{"string", "integer"}}
	if o.command == queryCommand {
		properties["partialResultToken"] = properties["workDoneToken"]
	}
	properties["show"] = map[string]any{"type": "boolean"}
	properties["ask"] = map[string]any{"type": "string"}
	out["properties"] = properties
	return out
}

// schema is the JSON schema of everything.
func (d *protocolDoc) schema() []byte {
	requests, commands := owns()
	section := func(list []own) map[string]any {
		out := map[string]any{}
		for _, o := range list {
			result, _ := d.of(o.response)
			out[o.name] = map[string]any{"title": o.title, "command": o.command, "params": d.params(o), "result": result}
		}
		return out
	}
	notifications := map[string]any{}
	for name, t := range notes {
		params, _ := d.of(t)
		notifications[name] = map[string]any{"params": params}
	}
	asked := map[string]any{}
	for _, o := range clientRequests {
		params, _ := d.of(o.request)
		result, _ := d.of(o.response)
		asked[o.name] = map[string]any{"announcedBy": o.title, "params": params, "result": result}
	}
	number := map[string]any{"type": "integer", "minimum": 0}
	position := map[string]any{"$ref": "#/$defs/Position"}
	doc := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "apiVersion": apiVersion, "commandPrefix": render.CommandPrefix,
		"methods": section(requests), "commands": section(commands), "notifications": notifications, "clientMethods": asked,
	}
	d.defs["Position"] = map[string]any{"type": "object", "description": "As in the protocol, in the negotiated encoding.",
		"properties": map[string]any{"line": number, "character": number}}
	d.defs["Range"] = map[string]any{"type": "object", "properties": map[string]any{"start": position, "end": position}}
	d.defs["Location"] = map[string]any{"type": "object", "properties": map[string]any{"uri": map[string]any{"type": "string",
		"format": "uri"}, "range": map[string]any{"$ref": "#/$defs/Range"}}}
	doc["$defs"] = d.defs
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		d.t.Fatal(err)
	}
	return b.Bytes()
}

// tables is the readable part: which requests and commands there are, and what the objects
// that they take and give hold.
func (d *protocolDoc) tables() string {
	var b strings.Builder
	requests, commands := owns()
	b.WriteString("\n## Requests\n\n| request | command | takes | gives |\n|---|---|---|---|\n")
	for _, o := range requests {
		_, takes := d.of(o.request)
		_, gives := d.of(o.response)
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", o.name, o.command, d.link(takes), d.link(gives))
	}
	b.WriteString("\n## Commands\n\n| command | what | takes | gives |\n|---|---|---|---|\n")
	for _, o := range commands {
		_, takes := d.of(o.request)
		_, gives := d.of(o.response)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.name, o.title, d.link(takes), d.link(gives))
	}
	b.WriteString("\n## Notifications\n\n| notification | parameters |\n|---|---|\n")
	for _, name := range customNotes {
		_, takes := d.of(notes[name])
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, d.link(takes))
	}
	b.WriteString("\n## Requests to the client\n\n| request | announced by | takes | gives |\n|---|---|---|---|\n")
	for _, o := range clientRequests {
		_, takes := d.of(o.request)
		_, gives := d.of(o.response)
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", o.name, o.title, d.link(takes), d.link(gives))
	}
	b.WriteString("\n## Objects\n")
	slices.Sort(d.order)
	for _, name := range d.order {
		fmt.Fprintf(&b, "\n### %s\n", name)
		if text, ok := d.defs[name].(map[string]any)["description"].(string); ok {
			b.WriteString(unlinked(text) + "\n")
		}
		b.WriteString("\n| key | type | what |\n|---|---|---|\n")
		for _, r := range d.rows[name] {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.key, d.link(r.kind), strings.ReplaceAll(unlinked(r.what), "|", "\\|"))
		}
	}
	return b.String()
}

// unlinked takes the brackets of Go's references off.
func unlinked(text string) string { return strings.NewReplacer("[", "", "]", "").Replace(text) }

// link makes the name of an object a link to its table.
func (d *protocolDoc) link(kind string) string {
	at := strings.LastIndexByte(kind, ' ') + 1
	if name := kind[at:]; slices.Contains(d.order, name) {
		return kind[:at] + "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	return kind
}

// isFile checks a file, or with -update writes it.
func (d *protocolDoc) isFile(name string, want []byte) {
	d.t.Helper()
	old, err := os.ReadFile(name)
	if err == nil && bytes.Equal(old, want) {
		return
	}
	if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
		d.t.Errorf("%s is stale: go test ./lsp -run ProtocolDocument -update", name)
		return
	}
	if err := os.WriteFile(name, want, 0o644); err != nil {
		d.t.Error(err)
	}
}

// TestEveryAnnouncedMethodIsServed compares what is announced with the tables.
func TestEveryAnnouncedMethodIsServed(t *testing.T) {
	var said struct {
		Brv struct{ Methods, Notifications, Commands []string }
	}
	if err := json.Unmarshal(experimental(), &said); err != nil {
		t.Fatal(err)
	}
	table := methodTable(nil)
	for name, m := range table {
		if !strings.HasPrefix(name, "brv/") {
			continue
		}
		announced := said.Brv.Methods
		if m.Note != nil {
			announced = said.Brv.Notifications
		}
		if !slices.Contains(announced, name) {
			t.Errorf("%s is not announced", name)
		}
	}
	for _, name := range said.Brv.Methods {
		if table[name].Call == nil {
			t.Errorf("%s is announced and not served", name)
		}
		if !slices.Contains(said.Brv.Commands, custom[name].Name) {
			t.Errorf("%s stands for %s, which is no command", name, custom[name].Name)
		}
	}
	for _, name := range said.Brv.Notifications {
		if table[name].Note == nil && name != state.StatusMethod || notes[name] == nil {
			t.Errorf("%s is announced and not served, or not documented", name)
		}
	}
	if want := commandNames(); !slices.Equal(said.Brv.Commands, want) {
		t.Errorf("commands %q, want %q", said.Brv.Commands, want)
	}
}
