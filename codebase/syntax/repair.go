package syntax

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// A repair rewrites one construct that a grammar cannot read. A source with syntax errors (or a @suspect reading)
// is read a second time with all repairs of its language applied, and the reading that loses less counts. So a
// repair may be broad: its effect on sources that the grammar reads well does not matter.
//
// A repair overwrites bytes in place, so that all positions stay those of the source.
type repair struct {
	needs   string // a text that every match of pattern contains
	pattern func() *regexp.Regexp
	// puts are the texts that overwrite the pattern's unnamed groups, in order. If puts has too few texts, or a
	// text is shorter than its group, blanks fill the rest. "^" stands for the group's own text in capitals: a
	// name instead of a keyword.
	puts  []string
	rough bool // applied only if the other repairs do not suffice, since it removes useful text
	// match names the whole match, like the captures of a query. The named groups are the other captures of that
	// match, with "_" for ".".
	match string
}

// bodilessHead matches the rest of the head of a type of C#, up to a semicolon.
const bodilessHead = `(?:[^{}();"]|"(?:[^"\\\n]|\\.)*"|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*`

const annotationOrNone = `(?:@[\w.]+(?:\([^()]*\))?(\s+))?`

// sqlCreate matches the beginning of a statement that defines something.
const sqlCreate = `(?ims)^[ \t]*((?:create\s+(?:or\s+(?:replace|alter)\s+)?|alter\s+)(?:definer\s*=\s*\S+\s+)?`

// sqlProcedure matches the beginning of a procedure, or of a function whose parameters are variables.
const sqlProcedure = sqlCreate + `(?:proc(?:edure)?\s+(?:if\s+not\s+exists\s+)?` + sqlName + `|function\s+` + sqlName + `\s*\(\s*@)`

// sqlName matches a name, with or without a schema.
const sqlName = "(?:[\\w$\"`]+[ \\t]*\\.[ \\t]*)*[\"`]?(?P<name>[\\w$]+)"

var repairs = map[Language][]repair{
	Cpp: {
		{pattern: lazyregexp.New(`\b(?:public|protected|private)[ \t]+(slots|Q_SLOTS)[ \t]*:`)},
		{pattern: lazyregexp.New(`(?m)^[ \t]*(signals|Q_SIGNALS)[ \t]*:`), puts: []string{"public"}},
		// A part of a module that does not export it imports it.
		{needs: "module", match: "import", pattern: lazyregexp.New(`(?m)^[ \t]*(?P<import>module[ \t]+(?P<import_spec>[\w.]+)[ \t]*;)`)},
		{needs: "module", pattern: lazyregexp.New(`(?m)^[ \t]*((?:export[ \t]+)?module\b[ \t]*(?P<module>[\w.]*(?::[\w.]+)?)[^;\n]*;)`),
			match: "unit"},
		{needs: "import ", match: "import",
			pattern: lazyregexp.New(`(?m)^[ \t]*((?:export[ \t]+)?import\b[ \t]*(?P<import_spec>:?[\w.]+|"[^"\n]+")[ \t]*;)`)},
		{needs: "import ", match: "import.system",
			pattern: lazyregexp.New(`(?m)^[ \t]*((?:export[ \t]+)?import\b[ \t]*(?P<import_spec><[^>\n]+>)[ \t]*;)`)},
		{needs: "export ", pattern: lazyregexp.New(`(?m)^[ \t]*(export)[ \t]+[^{\s]`)},
		{needs: "export", pattern: lazyregexp.New(`(?ms)^(export\s*\{).*?^(\})`)},
		{pattern: lazyregexp.New(`\b(?:class|struct|union)[ \t]+(?:\w+[ \t]+)?(\[\[[^\]\n]*\]\]|alignas[ \t]*\([^()\n]*\))`)},
		// Objective-C: types and methods; messages stay.
		{needs: "#import", pattern: lazyregexp.New(`(?m)^[ \t]*(#import )`), puts: []string{"#include"}},
		{needs: "@", match: "definition.method",
			pattern: lazyregexp.New(`(?m)^([-+][ \t]*\((?:[^()\n]|\([^()\n]*\))*\)[ \t]*(?P<name>\w+)[^{};]*` +
				`(?:;|(?P<body>\{[^\n{}]*\}[ \t\r]*\n|\{(?s:.*?)^\})))`)},
		{needs: "@", pattern: lazyregexp.New(
			`(?m)^[ \t]*(@(?:class|import|protocol)\b[^;\n]*;|@(?:required|optional|public|private|protected|package|synthesize|dynamic)\b[^\n;]*;?)`)},
		{needs: "@property", pattern: lazyregexp.New(`(@property[ \t]*(?:\([^)\n]*\))?)`)},
		{needs: "\n@end", match: "unit",
			pattern: lazyregexp.New(`(?m)^[ \t]*(?P<definition_struct>(@(?:interface|implementation|protocol)[ \t]+(?P<name>\w+)` +
				`[^\n{]*(?:\s*\{[^{}]*\})?[^\n]*)(?P<body>(?s:.*?)^[ \t]*(@end)))`)},
		{needs: "NS_", pattern: lazyregexp.New(`(typedef[ \t]+NS_\w+[ \t]*\([ \t]*\w+[ \t]*,)[ \t]*\w+[ \t]*(\))`), puts: []string{"enum"}},
		{needs: "\n@end", puts: []string{"(", ")", ":"}, pattern: lazyregexp.New(
			`(\[)|(\])|\bfor[ \t]*\([^();\n]*[ \t](in)[ \t]|(@)["\[({\w]`)},
	},
	Python: { // Cython
		{needs: "def ", pattern: lazyregexp.New(`(?m)^[ \t]*(cdef[ \t]+(?:class|enum|cppclass))[ \t]`), puts: []string{"class"}},
		{needs: "def ", puts: []string{"def"}, pattern: lazyregexp.New(`(?m)^[ \t]*(cp?def[ \t](?:[^\n=(:]*?[ \t*&])?)\w+[ \t]*` +
			`\(([^()]*(?:\([^()]*\)[^()]*)*)\)([^\n:]*):`)},
		{needs: "cimport", pattern: lazyregexp.New(`\b(cimport)[ \t]`), puts: []string{"import"}},
		{needs: "c", pattern: lazyregexp.New(`(?m)^[ \t]*((?:cp?def|ctypedef|include)[ \t][^\n]*)$`), puts: []string{"pass"}},
		{needs: "cdef", pattern: lazyregexp.New(`(<[\w.]+[ \t*]*>)[\w(]`)},
		{needs: "def ", pattern: lazyregexp.New(`(?m)^[ \t]*def[ \t]+\w+[ \t]*\(([^()]*(?:\([^()]*\)[^()]*)*)\)`), rough: true},
	},
	CSharp: {
		{needs: "#:", pattern: lazyregexp.New(`(?m)^(#[:!][^\n]*)`)}, // a program of one file
		// A type without a body gets an empty one. Where that has no room, it becomes a record.
		{puts: []string{"{}"}, pattern: lazyregexp.New(`\b(?:class|struct|interface|enum)[ \t]+\w+` + bodilessHead + `(;\s)`)},
		{puts: []string{"record"}, pattern: lazyregexp.New(`\b((?:\w+[ \t]+)+class|struct|interface)[ \t]+\w+` + bodilessHead + `;(?:\z|\S)`)},
		{needs: "?", pattern: lazyregexp.New(`[\w)\]](\?)[.\[]`)}, // a?.b may be assigned to
		// An extension block becomes a class with a blank as its name. It is no symbol, and its members belong to
		// the outer type.
		{needs: "extension", puts: []string{"class", "E"}, pattern: lazyregexp.New(
			`(?m)^[ \t]*(extension[ \t]*(?:<[^<>{};()]*>[ \t]*)?\((?:[^(){};]|\([^(){};]*\))*\)(?:[^(){};]|\(\))*)(\s)\{`)},
	},
	TypeScript: scriptRepairs, TSX: scriptRepairs, JavaScript: scriptRepairs,
	PHP: {{needs: "enum", puts: []string{"case"}, pattern: lazyregexp.New(`\benum[ \t]+\w+[^{};]*\{[^{}]*?` +
		`\b((?:(?:final|public|protected|private)\s+)*const(?:\s+\??\w+)?)\s+\w+\s*=`)}},
	Kotlin: {
		{needs: "context", pattern: lazyregexp.New(`(?m)(?:^|:)[ \t]*(context[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))`)},
		{needs: "->", pattern: lazyregexp.New(`(?m)^[ \t]*(?:!?(?:is|in)[ \t]+)?[\w.<>*?]+[ \t]+(if\b[^\n]*?)->`)}, // the guard of a branch
		{needs: "constructor", pattern: lazyregexp.New(`\bclass[ \t]+\w+(?:[ \t]*<[^{}();]*>)?(\s+)` + annotationOrNone + annotationOrNone +
			`(?:internal|private|protected|public|actual|expect)?(\s*)\bconstructor\b`), puts: []string{" ", " ", " ", " "}}, // on one line
		// The grammar reads a head behind annotations as an expression, and does not read it behind a comment.
		{needs: "@", rough: true,
			pattern: lazyregexp.New(`(?m)^[ \t]*(@\w[\w.:]*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?)[ \t\r]*(?:$|//|[@a-z])`)},
		// A raw string may end with additional quotes. Dollars in front of a string change its interpolation, so
		// it is made plain text.
		{needs: "$$", pattern: lazyregexp.New(`(\$\$+)(?:"""((?:"{0,2}[^"])*)"*"""|"((?:[^"\\\n]|\\.)*)")`)},
		{needs: `""""`, pattern: lazyregexp.New(`"""(?:"{0,2}[^"])*("*)"""`)},
		{needs: " by ", // without a call that has a lambda
			pattern: lazyregexp.New(`\b(?:class|object)\b[^{}]*?\s(by\s+[\w.]+(?:\((?:[^(){}]|\([^(){}]*\))*\))?)\s*\{`)},
		{pattern: lazyregexp.New(`(?m)^[ \t]*(field[ \t]*(?::[^=\n]*)?=[^\n]*)$|(;)[ \t]*(?:private|protected|internal)[ \t]+set\b`)},
		// Words that the grammar does not accept in names: in1 and set as variables, open and get as functions.
		{pattern: lazyregexp.New(`(?m)(?:^[ \t]*|[ \t(])(?:(in|by|as)|(get|set))[0-9_]`), puts: []string{"^", "^"}},
		{pattern: lazyregexp.New(`\b(set|get|dynamic|open|final|abstract|override|lateinit|vararg|inline|external|infix|tailrec|suspend)` +
			`[ \t]*(?:=[^=]|[!=]=|[-+*/<>.),\[:])`), puts: []string{"^"}},
		{puts: []string{"^", "^"}, pattern: lazyregexp.New(
			`\b(open|final|abstract|override|lateinit|vararg|inline|external|infix|tailrec|public|private|internal|protected|suspend)\(` +
				`|\b(suspend)[ \t]*\{`)},
		{puts: []string{"^", "^"}, pattern: lazyregexp.New(
			`(?m)^[ \t]*(?:(get)[ \t]*(?:\{|\(\s*[^)\s])|(set)[ \t]*\((?:[^\w@]|\w+[ \t]*[^\w \t:)]))`)},
	},
	Swift: {
		// a macro among the members of a type goes, other ones become calls
		{needs: "#", rough: true, pattern: lazyregexp.New(
			`(?m)[^=\s]\s*\n[ \t]*(#\w{3,}[ \t]*(?:<[^<>\n]*>)?(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[ \t]*\{[^{}\n]*\}))[ \t\r]*$`)},
		{needs: "#", pattern: lazyregexp.New(`(?m)(?:^|[:=({;]|\btry[?!]?)[ \t]*(?:#available|(#)[A-Za-z]\w*[ \t]*[({<])`)},
		{needs: "typealias", pattern: lazyregexp.New(`\btypealias\b[^\n]*[^\s&]([ \t]*\r?\n[ \t]*)&[ \t]`), puts: []string{" "}},
		// a block behind await would be its argument
		{pattern: lazyregexp.New(`\bthrows(\([^()\n]*\))|\b(await)[ \t]`)},
		{needs: "func .", pattern: lazyregexp.New(`\bfunc[ \t]+(\.\.[.<])`), puts: []string{"<<<"}},
	},
	Protobuf: {
		{needs: "edition", pattern: lazyregexp.New(`(?m)^[ \t]*(edition\s*=[^;\n]*;)`)},
		{needs: "proto2", pattern: lazyregexp.New(`(?m)^[ \t]*syntax\s*=\s*["'](proto2)["']`), puts: []string{"proto3"}},
		{needs: "group", pattern: lazyregexp.New(`\b((?:optional|required|repeated)\s+group)\s+\w+\s*(=\s*\d+)\s*\{`), puts: []string{"message"}},
		{pattern: lazyregexp.New(`(?m)(?:^|[{;}])[ \t]*(export|local)\s+(?:message|enum)\s`)},
		{needs: "option", pattern: lazyregexp.New(`(?m)^[ \t]*import\s+(option)\s`)},
		{puts: []string{"optional", "reserved"}, pattern: lazyregexp.New(
			`(?m)(?:^|[{;])[ \t]*(?:(required)\s|(extensions)\s[^;{}\[]*(\[[^;]*\])?)`)},
		// A block of extensions becomes a message with a blank as its name, so it is no symbol.
		{needs: "extend", pattern: lazyregexp.New(`(?m)(?:^|[{;])[ \t]*(extend\s+[\w.]+)(\s)\s*\{`), puts: []string{"message", "E"}},
	},
	SQL: {
		{needs: "[", pattern: lazyregexp.New(`(\[)[\w ]+(\])`)},
		// A procedure may be in any of several languages. It ends where its body ends or the next statement
		// begins.
		{needs: "$", pattern: lazyregexp.New(sqlProcedure + `[^$;]*?\bas\s*\$\w*\$.*?\$\w*\$[^;\n]*;?)`), match: "definition.function"},
		{pattern: lazyregexp.New(sqlProcedure + `.*?(?:^end\b[^\n]*)?)\s*(?:\z|^[ \t]*(?:go|create|delimiter)\b)`), match: "definition.function"},
		{match: "definition.function", pattern: lazyregexp.New(sqlCreate + `(?:temp(?:orary)?\s+)?(?:trigger|function)\s+` +
			`(?:if\s+not\s+exists\s+)?` + sqlName + `[^;$]*?\bbegin\b.*?^[ \t]*end\b[^;$/\n]*(?:\z|\n|[;$/]+))`)},
		{pattern: lazyregexp.New(`(?im)^[ \t]*(go|delimiter[ \t]+\S+|set[ \t]+\w+[ \t]+(?:on|off))[ \t\r]*$`)},
	},
}

var scriptRepairs = []repair{
	{needs: "using", pattern: lazyregexp.New(`\bfor\s*(?:await\s*)?\(\s*((?:await\s+)?using)\s+\w+\s+(?:of|=)`), puts: []string{"const"}},
	{needs: "using", pattern: lazyregexp.New(`\b(using)\s*(?:[^\s\w]|\sof\b)`), puts: []string{"^"}}, // a name
	{needs: "import(", match: "import",
		pattern: lazyregexp.New(`\b(import\(\s*(?P<import_spec>"[^"\n]*"|'[^'\n]*')\s*\)\s*\.)\s*\w[\w.]*\s*<`)},
}

// statesSyntax matches the line of a Protobuf file that says its syntax.
var statesSyntax = lazyregexp.New(`(?m)^[ \t]*syntax\s*=`)

// prefixes holds a text that goes before the first line of sources that lack it.
var prefixes = map[Language]string{Protobuf: `syntax = "proto3";`}

// repaired returns a copy of a source with the repairs of its language applied, and their matches. It is nil if
// nothing was repaired. rough applies the rough ones too.
func repaired(lang Language, source []byte, rough bool) ([]byte, []match) {
	out := bytes.Clone(source)
	var found []match
	if lang == Python {
		blankDeclarations(out)
	}
	for _, r := range repairs[lang] {
		if (rough || !r.rough) && bytes.Contains(source, []byte(r.needs)) {
			found = append(found, r.apply(out)...)
		}
	}
	switch lang {
	case Kotlin:
		endMembers(out)
	case PHP:
		quoteHeredocs(out)
	case C, Cpp:
		takeBalanced(out)
		blankMacros(out)
	case CSharp, Swift:
		takeBalanced(out)
	}
	if prefix := prefixes[lang]; prefix != "" && !statesSyntax().Match(source) {
		return append([]byte(prefix), out...), found
	}
	if bytes.Equal(out, source) {
		return nil, nil
	}
	return out, found
}

// apply applies a repair wherever its pattern matches.
func (r *repair) apply(source []byte) (found []match) {
	pattern := r.pattern()
	names := pattern.SubexpNames()
	for pos := 0; pos < len(source); {
		at := pattern.FindSubmatchIndex(source[pos:])
		if at == nil {
			break
		}
		next, put, m := pos+max(at[1], 1), 0, match{}
		for g := 1; g < len(names); g++ {
			start, end, text := pos+at[2*g], pos+at[2*g+1], ""
			if names[g] == "" && put < len(r.puts) {
				text = r.puts[put]
				put++
			}
			switch {
			case at[2*g] < 0:
			case names[g] != "":
				m = append(m, capture{strings.ReplaceAll(names[g], "_", "."), Span{start, end}})
			default:
				if r.match != "" {
					m = append(m, capture{r.match, Span{start, end}})
				}
				if overwrite(source[start:end], text) {
					next = pos + at[0] // the match may contain more matches
				}
			}
		}
		if r.match != "" {
			found = append(found, m)
		}
		pos = next
	}
	return found
}

// declarations matches the head of a Cython block that declares names of C: cdef:, cdef extern from "x.h":,
// ctypedef struct point:.
var declarations = lazyregexp.New(`^(?:cdef|ctypedef)(?:[ \t]+(?:extern|packed|struct|union)\b[^\n]*)?:[ \t\r]*\n?$`)

// blankDeclarations replaces such blocks by blanks.
func blankDeclarations(source []byte) {
	inside, start := -1, 0 // the indentation of the block's head
	for line := range bytes.Lines(source) {
		at := source[start : start+len(line)]
		start += len(line)
		text := bytes.TrimLeft(line, " \t")
		switch indent := len(line) - len(text); {
		case len(bytes.TrimSpace(text)) == 0:
		case inside >= 0 && indent > inside:
			overwrite(at, "")
		case declarations().Match(text):
			inside = indent
			overwrite(at[indent:len(at)-1], "pass")
		default:
			inside = -1
		}
	}
}

// typeHead matches the part of a line before a brace, if it declares a type or an object of Kotlin.
var typeHead = lazyregexp.New(`\b(?:(?:class|interface)[ \t]+\w|object\b)[^;{}]*$`)

// nextMember matches a brace and the member behind it, on one line.
var nextMember = lazyregexp.New(`^\} (?:fun|va[lr]|class|interface|object|companion|data|private|internal|override)[ \t]`)

// endMembers ends the last member of a Kotlin type, or of an entry or object, that is closed on its line: { val x = 1 } becomes
// { val x = 1;}. It also ends a member in braces before another.
func endMembers(source []byte) {
	var open []bool // for each open brace of this line, whether it belongs to a type or has a member
	line := 0       // the position behind the line's last open brace
	for i, b := range source {
		switch b {
		case '\n':
			open, line = open[:0], i+1
		case '{':
			open = append(open, typeHead().Match(source[line:i]))
			line = i + 1
		case 'f', 'o':
			if n := len(open); n > 0 && (bytes.HasPrefix(source[i:], []byte("fun ")) || bytes.HasPrefix(source[i:], []byte("override "))) {
				open[n-1] = true
			}
		case '}':
			if n := len(open); n > 0 {
				if open[n-1] && source[i-1] == ' ' && len(bytes.TrimSpace(source[line:i])) > 0 {
					source[i-1] = ';'
				}
				if open = open[:n-1]; n > 1 && open[n-2] && nextMember().Match(source[i:]) {
					source[i+1] = ';'
				}
			}
		}
	}
}

var heredoc = lazyregexp.New("<<<[ \\t]*['\"]?(\\w+)['\"]?\\r?\\n")

// quoteHeredocs turns PHP's heredocs into quoted texts. The grammar finds the end of a heredoc only if no text
// follows on its line.
func quoteHeredocs(source []byte) {
	for _, at := range heredoc().FindAllSubmatchIndex(source, -1) {
		for end := at[1] - 1; ; {
			i := bytes.Index(source[end:], source[at[2]:at[3]])
			if i < 0 {
				return
			}
			line := source[end : end+i]
			if end += i + at[3] - at[2]; len(bytes.TrimLeft(line[bytes.LastIndexByte(line, '\n')+1:], " \t")) == 0 {
				overwrite(source[at[0]:end], "'")
				source[end-1] = '\''
				break
			}
		}
	}
}

func beginsBlock(source []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(source, " \t\r\n"), []byte("{"))
}

// takeBalanced keeps only the first branch of a conditional whose branches open or close braces for the text
// behind it, are a block, contain the head of the following block, or are inside parentheses. It removes the
// directives too, since a syntax tree cannot contain half a block.
func takeBalanced(source []byte) {
	type conditional struct {
		at    Span // the line that begins it
		first int  // where the first branch ends; 0 until that is known
		net   int  // the braces that the first branch opens, minus those that it closes
		inner bool // whether it is inside parentheses
	}
	var open []conditional
	start, depth := 0, 0 // depth counts the parentheses that are open in this statement
	for line := range bytes.Lines(source) {
		at := Span{start, start + len(line)}
		start = at.End
		directive, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		directive = bytes.TrimLeft(directive, " \t")
		last := len(open) - 1
		switch {
		case ok && bytes.HasPrefix(directive, []byte("if")):
			open = append(open, conditional{at: at, inner: depth > 0})
		case !ok || last < 0:
			if depth += bytes.Count(line, []byte("(")) - bytes.Count(line, []byte(")")); bytes.ContainsAny(line, ";{}") {
				depth = 0
			}
			for i := range open {
				if open[i].first == 0 {
					open[i].net += bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
				}
			}
		case bytes.HasPrefix(directive, []byte("el")) && open[last].first == 0:
			open[last].first = at.Start
		case bytes.HasPrefix(directive, []byte("endif")):
			c := open[last]
			if open = open[:last]; c.net != 0 || c.inner || beginsBlock(source[at.End:]) || beginsBlock(source[c.at.End:]) {
				overwrite(source[c.at.Start:c.at.End], "")
				overwrite(source[cmp.Or(c.first, at.Start):at.End], "")
			}
		}
	}
}
