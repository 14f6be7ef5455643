// Package edges reads from a source file what programs of other repositories may use of it, and what it may use of theirs, where
// the text says so literally: HTTP routes and their callers, Protobuf services and generated code. [Join] finds who uses what.
// All of it is values in, values out.
//
// Imports of packages are no facts of this kind: package imports resolves them.
//
// # Routes
//
// A path of at least two segments, one of them fixed, is a route where it is offered, and a call where it is used:
//
//   - in an annotation, as @app.get("/x"), @Get("x"), #[get("/x")] or [HttpGet("x")], it is offered. That of a class stands
//     before those of its methods;
//   - in a statement whose value nobody takes, with something behind it, as r.GET("/x", handler), it is offered. It is called
//     where the text names a machine, as "http://shop/x", and where the method is that of an imported package, as in
//     axios.post("/x", body), of this or self, or in Python, unless the path has :names or a function follows it;
//   - as the first text of google.api.http in Protobuf, and as a key of paths in OpenAPI (YAML), it is offered;
//   - anywhere else with a method, as axios.get("/x") or NewRequest("POST", base+"/x"), it is called. So is a path with a
//     parameter, or a name of its own, and two fixed segments that stands for itself, as in a table of addresses.
//
// What is bound to a name with a path, as v1 := r.Group("/v1"), stands before what is said of that name in the file. Parameters
// are {} however they are written. What is put together across functions or files is not known: a router that another file mounts
// below a path, a client's base address. A call may then be the end of a route's path.
//
// Names of queues and topics, and of SQL tables, are not read: as literals they are short common words ("orders", "users") that
// two programs share without sharing a queue or a database.
package edges

import "github.com/brv-lsp/brv-lsp/codebase/syntax"

// Kind is the way in which one repository uses another.
type Kind string

// The kinds.
const (
	Route   Kind = "route"   // METHOD /path; the method is * where it is not said
	Proto   Kind = "proto"   // the path of a .proto file, as generated code names its source
	Service Kind = "service" // the full name of a Protobuf service
)

// Fact is one place that offers something, or uses it.
type Fact struct {
	Kind   Kind
	Offers bool
	Key    string
	At     int // in bytes
}

// maxFacts bounds the facts of a file: tables of addresses and API descriptions have some hundreds.
const maxFacts = 2_000

// Read returns the facts of a text, in order of position. Of its file it needs the module, comments and imports.
func Read(language syntax.Language, text string, f *syntax.File) (facts []Fact) {
	r := &reader{language: language, text: text, names: map[string]string{}, imported: map[string]bool{}}
	for _, i := range f.Imports {
		name, at := i.Alias, max(0, min(len(text), i.At.Start))
		if m := bound().FindStringSubmatch(text[max(0, at-around):at]); m != nil { // x = require("x")
			name = m[1]
		} else if language == syntax.Go && name == "" {
			name = packageName().ReplaceAllString(i.Spec, "$1$2")
		}
		r.imported[name] = name != ""
	}
	r.source(text)
	switch language {
	case "":
		r.openAPI()
	case syntax.Protobuf:
		r.text = blank(text, f.Comments)
		r.protobuf(f.Module)
	case syntax.Go, syntax.TypeScript, syntax.TSX, syntax.JavaScript, syntax.Python, syntax.Java, syntax.Kotlin, syntax.Scala,
		syntax.CSharp, syntax.PHP, syntax.Ruby, syntax.Rust, syntax.Swift, syntax.Elixir:
		r.text = blank(text, f.Comments)
		r.literals()
	}
	return r.facts[:min(len(r.facts), maxFacts)]
}

// blank replaces comments by spaces.
func blank(text string, comments []syntax.Span) string {
	if len(comments) == 0 {
		return text
	}
	out := []byte(text)
	for _, c := range comments {
		for i := max(c.Start, 0); i < min(c.End, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return string(out)
}
