package edges

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// reader reads one file.
type reader struct {
	language syntax.Language
	text     string // without comments
	facts    []Fact
	class    string            // the path of the annotation of the class that the place lies in
	names    map[string]string // the paths that names are bound to
	imported map[string]bool   // the names of packages and modules
}

func (r *reader) add(kind Kind, offers bool, key string, at int) {
	r.facts = append(r.facts, Fact{kind, offers, key, at})
}

// sourced is how generators of Protobuf code name the source file.
var sourced = lazyregexp.New(`(?m)^[ \t]*(?://|#|/?\*)[ \t]*(?:source:|@generated from file)[ \t]+([\w./-]+/[\w.-]+\.proto)\b`)

// headOf is the length of the part of a file that may be its head, in bytes.
const headOf = 4 << 10

func (r *reader) source(text string) {
	head := text[:min(len(text), headOf)]
	if !strings.Contains(head, ".proto") {
		return
	}
	if m := sourced().FindStringSubmatchIndex(head); m != nil {
		r.add(Proto, false, head[m[2]:m[3]], m[2])
	}
}

var (
	service  = lazyregexp.New(`(?m)^[ \t]*service[ \t]+(\w+)`)
	bindings = lazyregexp.New(`\b(get|put|post|delete|patch)\s*:\s*"([^"\n]*)"`)
)

// protobuf reads services, and the routes that google.api.http gives their methods.
func (r *reader) protobuf(module string) {
	for _, m := range service().FindAllStringSubmatchIndex(r.text, maxFacts) {
		r.add(Service, true, strings.TrimPrefix(module+"."+r.text[m[2]:m[3]], "."), m[2])
	}
	for _, m := range bindings().FindAllStringSubmatchIndex(r.text, maxFacts) {
		if p, ok := pathOf(r.text[m[4]:m[5]]); ok {
			r.add(Route, true, strings.ToUpper(r.text[m[2]:m[3]])+" "+p, m[4])
		}
	}
}

var (
	openAPI  = lazyregexp.New(`(?m)^(?:openapi|swagger):`)
	base     = lazyregexp.New(`(?m)^(?:basePath:|servers:\s*-\s+url:)[ \t]*["']?(?:\w+://[^/\s"']*)?([^"'\s]*)`)
	pathKey  = lazyregexp.New(`^([ \t]+)["']?(/[^"'\s]*?)["']?:[ \t]*$`)
	verbKey  = lazyregexp.New(`^([ \t]+)(get|put|post|delete|patch|head|options):`)
	topLevel = lazyregexp.New(`^[^\s#]`)
)

// openAPI reads the paths of a description of an API.
func (r *reader) openAPI() {
	if !openAPI().MatchString(r.text[:min(len(r.text), headOf)]) {
		return
	}
	prefix := ""
	if m := base().FindStringSubmatch(r.text); m != nil {
		prefix, _ = pathOf(m[1])
	}
	inside, indent, path, at := false, "", "", 0
	for line := range strings.Lines(r.text) {
		bare := strings.TrimRight(line, "\r\n")
		if topLevel().MatchString(bare) {
			inside = strings.HasPrefix(bare, "paths:")
		}
		if m := pathKey().FindStringSubmatch(bare); inside && m != nil {
			indent, path = m[1], ""
			if p, ok := pathOf(m[2]); ok {
				path = join(prefix, p)
			}
		} else if m := verbKey().FindStringSubmatch(bare); inside && m != nil && path != "" && strings.HasPrefix(m[1], indent) {
			r.add(Route, true, strings.ToUpper(m[2])+" "+path, at)
		}
		at += len(line)
	}
}

// maxLiteral bounds the texts that are looked at, in bytes.
const maxLiteral = 400

// continued matches an expression that joins two literals.
var continued = lazyregexp.New("^\\s*\\+\\s*[\\w.$\\[\\]]+(?:\\([^()\\n]*\\))?\\s*\\+\\s*[\"'`]")

// literals reads the texts in quotes. Those that are joined by + are one.
func (r *reader) literals() {
	single := r.language != syntax.Rust && r.language != syntax.Go && r.language != syntax.Java && r.language != syntax.CSharp
	joined, first := "", 0 // a text that goes on, and where it begins
	for i := 0; i < len(r.text); i++ {
		q := r.text[i]
		if q == '\\' {
			i++
		}
		if q != '"' && q != '`' && (q != '\'' || !single) {
			continue
		}
		end := i + 1
		for end < len(r.text) && r.text[end] != q && (r.text[end] != '\n' || q == '`') {
			if r.text[end] == '\\' && (q != '`' || r.language != syntax.Go) {
				end++
			}
			end++
		}
		if end >= len(r.text) || r.text[end] != q {
			joined = ""
			continue
		}
		if joined == "" {
			first = i
		}
		joined += r.text[i+1 : end]
		i = end
		if m := continued().FindStringIndex(r.text[end+1 : min(len(r.text), end+1+around)]); m != nil && len(joined) <= maxLiteral {
			joined += "{}"
			i = end + m[1] - 1
			continue
		}
		if len(joined) <= maxLiteral && len(r.facts) < maxFacts {
			r.literal(joined, first, end+1)
		}
		joined = ""
	}
}

// called is the name, with its receiver, of the call whose arguments contain a literal, and of the calls
// around that.
var called = lazyregexp.New(`(@|\[)?([\w$]+(?:\??\.[\w$]+)*)(?:<[^<>()]*>)?(?:\(|[ \t]+)([^();]*)$`)

var (
	verbName = lazyregexp.New(`(?i)^(?:map|http)?_?(get|put|post|delete|patch|head|options)(?:mapping|async)?$`)
	verbWord = lazyregexp.New(`\b(?:Method\.?)?(GET|PUT|POST|DELETE|PATCH)\b|\bMethod(Get|Put|Post|Delete|Patch)\b`)
	goPath   = lazyregexp.New(`^(GET|PUT|POST|DELETE|PATCH) (\S*/.*)$`)
	bound    = lazyregexp.New(`(?:^|[\s{;(])([\w$]+)(?:\s*:[^=\n]*)?\s*:?=\s*(?:await\s+|new\s+)?$`)
	rpc      = lazyregexp.New(`^/?((?:[a-z]\w*\.)+[A-Z]\w*)(?:/[A-Z]\w*)?$`)
	ofClass  = lazyregexp.New(`^[^;{}]*?\bclass\s`)
)

// firstArgument matches the text before the path of an annotation, where the path is its first argument.
var firstArgument = lazyregexp.New(`^\s*(?:(?:value|path)\s*=\s*\{?\s*)?$`)

var (
	address   = lazyregexp.New(`^(?:/[^/\s]|[$#]?\{|%[sv]|\w+://|[A-Z]+ /)`)
	annotated = lazyregexp.New(`^\s*(?:\[|#\[|@)[^"']*$`)
)

// around is how much of the text before and behind a literal is looked at, in bytes: a call in most code.
const around = 240

// literal reads a text in quotes.
func (r *reader) literal(value string, start, end int) {
	if m := rpc().FindStringSubmatch(value); m != nil {
		r.add(Service, false, m[1], start)
		return
	}
	before, after := r.text[max(0, start-around):start], r.text[end:min(len(r.text), end+around)]
	if line := before[strings.LastIndexByte(before, '\n')+1:]; !address().MatchString(value) && !annotated().MatchString(line) {
		return
	}
	call := called().FindStringSubmatchIndex(before)
	part := func(i int) string {
		if call == nil || call[2*i] < 0 {
			return ""
		}
		return before[call[2*i]:call[2*i+1]]
	}
	sign, name, earlier := part(1), part(2), part(3)
	slash := strings.HasPrefix(value, "/")
	annotation := sign != "" && (sign == "@" || r.language == syntax.Rust || r.language == syntax.CSharp)
	verb := "*"
	if m := goPath().FindStringSubmatch(value); m != nil {
		verb, value = m[1], m[2]
	}
	if annotation && !strings.HasPrefix(value, "/") && firstArgument().MatchString(earlier) {
		value = "/" + value
	}
	if strings.HasSuffix(value, "/") && strings.HasPrefix(strings.TrimLeft(after, " "), "+") {
		value += "{}"
	}
	path, ok := pathOf(value)
	if !ok {
		return
	}
	receiver, last := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		receiver, _, _ = strings.Cut(name, ".")
		last = name[i+1:]
	}
	rest, closed := arguments(after)
	if verb == "*" {
		verb = verbOf(last, earlier+" "+rest)
	}
	if verb == "*" && last == "fetch" && strings.HasPrefix(strings.TrimSpace(after), ")") {
		verb = "GET"
	}
	lead := ""
	if call != nil {
		lead = before[:call[4]]
	}
	switch {
	case annotation && verb == "*" && ofClass().MatchString(after[min(len(after), closed):]):
		r.class = path
	case annotation && (verb != "*" || slash):
		r.add(Route, true, verb+" "+join(r.class+r.names[receiver], path), start)
	case annotation:
	case verb == "*" && bound().MatchString(lead):
		r.names[bound().FindStringSubmatch(lead)[1]] = join(r.names[receiver], path)
	case call != nil && alone(lead, earlier) && offering(rest, after[min(len(after), closed):]) && !origin().MatchString(value) &&
		(!r.sends(receiver, last) || strings.Contains(value, "/:") || strings.Contains(after[:closed], "=>")):
		r.add(Route, true, verb+" "+join(r.names[receiver], path), start)
	case call != nil && (verb != "*" || last == "fetch"):
		r.add(Route, false, verb+" "+join(r.names[receiver], path), start)
	case fixed(path) >= 2 && (strings.Contains(path, "{}") || bound().MatchString(before)):
		r.add(Route, false, "* "+path, start)
	}
}

// verbOf is the method that a call names, by its name or among its arguments; * for none.
func verbOf(name, arguments string) string {
	if m := verbName().FindStringSubmatch(name); m != nil {
		return strings.ToUpper(m[1])
	}
	if m := verbWord().FindStringSubmatch(arguments); m != nil {
		return strings.ToUpper(m[1] + m[2])
	}
	return "*"
}

// arguments returns what follows a literal up to the end of its call, with what is said of the value on that line, and where the call
// ends.
func arguments(after string) (rest string, closed int) {
	depth := 0
	for i := 0; i < len(after); i++ {
		switch after[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth < 0 {
				line, _, _ := strings.Cut(after[i:], "\n")
				return after[:i] + line, i + 1
			}
		}
	}
	return after, len(after)
}

// alone reports whether a call begins a statement, with a literal as its first argument.
func alone(lead, earlier string) bool {
	line := lead[strings.LastIndexByte(lead, '\n')+1:]
	return strings.TrimSpace(earlier) == "" && strings.TrimSpace(line) == ""
}

// offering reports whether a request handler follows a path: the argument is not a table of options, and the
// value is not used.
func offering(rest, behind string) bool {
	rest = strings.TrimSpace(rest)
	handler, more := strings.CutPrefix(rest, ",")
	handler = strings.TrimSpace(handler)
	behind = strings.TrimSpace(behind)
	return more && handler != "" && !strings.HasPrefix(handler, "{") && !strings.HasPrefix(behind, ".then") &&
		!strings.HasPrefix(behind, ".catch")
}

// packageName matches the last part of a path of Go, without the major version.
var packageName = lazyregexp.New(`^(?:.*/)?([^/]+)/v\d+$|^(?:.*/)?([^/]+)$`)

// sends reports whether a method's receiver cannot be a router: a package, a field, or anything in Python.
func (r *reader) sends(receiver, method string) bool {
	return verbName().MatchString(method) && (r.language == syntax.Python || r.imported[receiver] || receiver == "this" || receiver == "self")
}

var (
	origin    = lazyregexp.New(`^\w+://[^/.]*(?:/|$)`) // the name of a machine; one with a dot is somebody else's
	leading   = lazyregexp.New(`^(?:[$#]?\{[^{}]*\}|%[sv]|\$\w+)+/`)
	parameter = lazyregexp.New(`[{}<>$*]|^:|%[sdv]`)
	segment   = lazyregexp.New(`^[\w.~%:{}<>$*()@+,=!?'-]+$`)
)

// pathOf is the path of an address or a pattern, with {} for parameters; ok is false for other texts.
func pathOf(text string) (path string, ok bool) {
	text = origin().ReplaceAllString(text, "/")
	text = leading().ReplaceAllString(text, "/")
	text = braced().ReplaceAllString(text, "{}")
	text, _, _ = strings.Cut(text, "?")
	text, _, _ = strings.Cut(text, "#")
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return "", false
	}
	segments := strings.Split(strings.Trim(text, "/"), "/")
	for i, s := range segments {
		switch {
		case !segment().MatchString(s) || s == "." || s == "..":
			return "", false
		case parameter().MatchString(s):
			segments[i] = "{}"
		}
	}
	return "/" + strings.Join(segments, "/"), true
}

// braced is an expression in a text, which may hold a question mark.
var braced = lazyregexp.New(`[$#]?\{[^{}/]*\}`)

// join puts a path behind another one.
func join(prefix, path string) string { return strings.TrimSuffix(prefix, "/") + path }

// fixed is the number of segments of a path that are not parameters.
func fixed(path string) int { return strings.Count(path, "/") - strings.Count(path, "{}") }
