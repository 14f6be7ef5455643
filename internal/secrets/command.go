package secrets

import "strings"

// program describes how a program takes its password on the command line.
type program struct {
	name  string // the beginning of the command
	flags string // the flags before a password, separated by spaces
	glued bool   // the password is in the same word as the flag, never in the next one
	user  bool   // the value is USER:PASSWORD
}

// programs holds the facts of their manuals. Flags that end in a word of passwordWords (--password=…) are
// assignments.
var programs = []program{
	{name: "curl ", flags: "-u --user -U --proxy-user", user: true},
	{name: "mysql", flags: "-p --password", glued: true},
	{name: "mariadb", flags: "-p --password", glued: true},
	{name: "sshpass ", flags: "-p"},
	{name: "redis-cli ", flags: "-a --pass"},
	{name: "docker login ", flags: "-p --password"},
}

// maxCommand bounds the command line that is examined, in bytes.
const maxCommand = 512

// match finds the password in a command line that begins at a position. It stops before the next occurrence of the
// same command, which is tried separately, so that the time stays linear.
func (p *program) match(text string, at int) (Finding, bool) {
	if at > 0 && (isWord(text[at-1]) || text[at-1] == '-' || text[at-1] == '.') {
		return Finding{}, false
	}
	i := at + len(p.name)
	for i < len(text) && i < at+maxNameRest && text[i-1] != ' ' && (isLetter(text[i]) || text[i] == '-' || text[i] == '_') {
		i++ // mysqldump, mariadb-admin
	}
	line := text[i:min(len(text), at+maxCommand)]
	if again := strings.Index(line, p.name); again >= 0 {
		line = line[:again]
	}
	for from := 0; ; {
		start, end, ok := argument(line, from)
		if !ok {
			return Finding{}, false
		}
		if from = end; line[start] != '-' || end-start < 2 {
			continue
		}
		if s, ok := p.value(line, start, end); ok {
			return Finding{ruleCommand, Span{i + s.Start, i + s.End}}, true
		}
	}
}

// value returns the password of the flag at a position of a line.
func (p *program) value(line string, start, end int) (Span, bool) {
	for flag := range strings.FieldsSeq(p.flags) {
		if !strings.HasPrefix(line[start:end], flag) {
			continue
		}
		from, to := start+len(flag), end
		switch {
		case from < end && line[from] == '=':
			from++
		case from == end && !p.glued:
			var ok bool
			if from, to, ok = argument(line, end); !ok {
				return Span{}, false
			}
		case from == end || strings.HasPrefix(flag, "--"): // another flag that begins with the same letters
			continue
		}
		if p.user {
			colon := strings.IndexByte(line[from:to], ':')
			if colon < 0 {
				return Span{}, false
			}
			from += colon + 1
		}
		for from < to && (line[from] == '"' || line[from] == '\'') {
			from++
		}
		to = from + len(strings.TrimRight(line[from:to], `"'`))
		v := line[from:to]
		return Span{from, to}, len(v) >= minArgument && !placeholder(v) && v[0] != '[' && !documented[strings.ToLower(v)] &&
			!strings.HasSuffix(strings.ToLower(v), "ssword")
	}
	return Span{}, false
}

// argument returns the next word of a command line after a position. Quotes keep blanks together, and a backslash
// before a line end continues the line.
func argument(line string, from int) (start, end int, ok bool) {
	for from < len(line) && (line[from] == ' ' || line[from] == '\t' || line[from] == '\\' || line[from] == '\n' && from > 0 &&
		strings.HasSuffix(strings.TrimSuffix(line[:from], "\r"), "\\") || line[from] == '\r') {
		from++
	}
	quote := byte(0)
	for end = from; end < len(line); end++ {
		c := line[end]
		if c == '\n' || quote == 0 && strings.IndexByte(" \t\r;|&`", c) >= 0 {
			break
		}
		switch {
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
	}
	return from, end, end > from
}
