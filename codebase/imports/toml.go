package imports

import "strings"

// tomlStrings reads the strings of a TOML file, by key: the parts of the path
// joined by "\x00", an item of an array of tables by its number. A string is a
// list of one; true, false and numbers are kept as they are written. Dates,
// multi-line strings and arrays of arrays are passed over. It never fails: broken
// input gives what could be read, in time linear in it; github.com/BurntSushi/toml 1.6 did not end within
// minutes on made-up files of one mebibyte.
func tomlStrings(text string) map[string][]string {
	p := &tomlReader{text: text, values: map[string][]string{}, counts: map[string]int{}}
	for p.at < len(p.text) {
		p.line()
	}
	return p.values
}

// tomlKey joins the parts of a key.
func tomlKey(parts ...string) string { return strings.Join(parts, "\x00") }

// tomlString returns the one string of a key, "" if there is none.
func tomlString(values map[string][]string, parts ...string) string {
	if v := values[tomlKey(parts...)]; len(v) > 0 {
		return v[0]
	}
	return ""
}

type tomlReader struct {
	text   string
	at     int
	table  string
	values map[string][]string
	counts map[string]int // items of each array of tables
}

// line reads one header or one assignment and goes to the next line.
func (p *tomlReader) line() {
	p.blanks()
	switch c := p.peek(); {
	case c == '[':
		p.header()
	case c != 0:
		if key := p.key(); key != "" && p.accept('=') {
			p.value(p.join(key), maxTOMLDepth)
		}
	}
	if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
		p.at += i + 1
	} else {
		p.at = len(p.text)
	}
}

func (p *tomlReader) join(key string) string {
	if p.table == "" {
		return key
	}
	return tomlKey(p.table, key)
}

func (p *tomlReader) header() {
	p.at++
	list := p.accept('[')
	p.table = p.key()
	if list {
		n := p.counts[p.table]
		p.counts[p.table]++
		p.table = tomlKey(p.table, digits(n))
	}
}

func digits(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return digits(n/10) + digits(n%10)
}

// key reads a dotted key.
func (p *tomlReader) key() string {
	var parts []string
	for {
		p.spaces()
		part := p.quoted()
		if part == "" {
			start := p.at
			for p.at < len(p.text) && isBareKey(p.text[p.at]) {
				p.at++
			}
			part = p.text[start:p.at]
		}
		if part == "" {
			break
		}
		parts = append(parts, part)
		if !p.accept('.') {
			break
		}
	}
	return tomlKey(parts...)
}

func isBareKey(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// maxTOMLDepth bounds nested inline tables and arrays.
const maxTOMLDepth = 8

// value reads what stands behind an equals sign.
func (p *tomlReader) value(key string, depth int) {
	if depth == 0 {
		p.at = len(p.text)
		return
	}
	p.spaces()
	switch p.peek() {
	case '"', '\'':
		p.values[key] = append(p.values[key], p.quoted())
	case '[':
		p.at++
		for p.blanks(); p.peek() != 0 && !p.accept(']'); p.blanks() {
			start := p.at
			p.value(key, depth-1)
			p.blanks()
			if !p.accept(',') && p.at == start {
				p.at++
			}
		}
	case '{':
		p.at++
		for p.blanks(); p.peek() != 0 && !p.accept('}'); p.blanks() {
			start := p.at
			if k := p.key(); k != "" && p.accept('=') {
				p.value(tomlKey(key, k), depth-1)
			}
			p.blanks()
			if !p.accept(',') && p.at == start {
				p.at++
			}
		}
	default:
		start := p.at
		for p.at < len(p.text) && !strings.ContainsRune(",]}#\r\n ", rune(p.text[p.at])) {
			p.at++
		}
		if p.at > start {
			p.values[key] = append(p.values[key], p.text[start:p.at])
		}
	}
}

// quoted reads a string on one line, "" if there is none. Escapes are kept: names
// and paths have none.
func (p *tomlReader) quoted() string {
	quote := p.peek()
	if quote != '"' && quote != '\'' {
		return ""
	}
	for i := p.at + 1; i < len(p.text) && p.text[i] != '\n'; i++ {
		switch {
		case p.text[i] == '\\' && quote == '"':
			i++
		case p.text[i] == quote:
			s := p.text[p.at+1 : i]
			p.at = i + 1
			return s
		}
	}
	p.at++
	return ""
}

func (p *tomlReader) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// accept passes over blanks and one character, if it is c.
func (p *tomlReader) accept(c byte) bool {
	p.spaces()
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *tomlReader) spaces() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// blanks passes over white space, line ends and comments.
func (p *tomlReader) blanks() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		case '#':
			i := strings.IndexByte(p.text[p.at:], '\n')
			if i < 0 {
				p.at = len(p.text)
				return
			}
			p.at += i
		default:
			return
		}
	}
}
