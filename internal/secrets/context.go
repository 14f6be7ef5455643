package secrets

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
)

// assignedWords are the ends of names that hold secrets; what stands before them is of
// no interest (DB_PASSWORD, clientSecret).
var assignedWords = []string{
	"password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "api-key", "api key",
	"access_key", "accesskey", "access-key", "private_key", "privatekey", "auth_key", "authkey", "credential", "encryption_key", "signing_key",
}

// Bounds of an assignment, in bytes: of what follows the word in the name and stands
// around the sign, and of the value.
const (
	maxNameRest    = 24
	minValue       = 8
	maxValue       = 256
	minPlain       = 10  // of a value without quotes
	minBits        = 2.7 // of entropy for a character; hunter2hunter2 has 2.8, English words of this length about the same, but no digits
	minLetterValue = 24  // of letters alone, of both cases
)

// assigned finds the value behind name = value, name: value, "name": "value" and the
// like.
func assigned(text string, at int) (Finding, bool) {
	i := at
	for i < len(text) && i < at+maxNameRest+8 && (isWord(text[i]) || text[i] == '-' || text[i] == ' ' && i < at+5) {
		i++
	}
	i, ok := sign(text, i)
	if !ok {
		return Finding{}, false
	}
	below := false
	if i, below = nextLine(text, i); below && wordsAt(text, i) {
		return Finding{}, false
	}
	quote := byte(0)
	if i < len(text) && strings.IndexByte("\"'`", text[i]) >= 0 {
		quote = text[i]
		i++
	}
	end := i
	for end < len(text) && end-i <= maxValue && !endsValue(text[end], quote) {
		if quote == 0 && text[end] == '=' && end+1 < len(text) && isWord(text[end+1]) {
			return Finding{}, false // another assignment
		}
		end++
	}
	if quote != 0 && (end >= len(text) || text[end] != quote) || end-i > maxValue {
		return Finding{}, false
	}
	if quote == 0 {
		end = i + len(strings.TrimRight(text[i:end], ".,;:)]}>*_"))
	}
	if !secretive(text[i:end], quote != 0) {
		return Finding{}, false
	}
	return Finding{ruleAssigned, Span{i, end}}, true
}

// sign skips what stands between a name and its value; ok is false if that is no
// assignment.
func sign(text string, i int) (int, bool) {
	start, assigns := i, false
	for i < len(text) && i < start+12 {
		switch c := text[i]; c {
		case '=', ':':
			if assigns && text[i-1] == '=' && c == '=' {
				return 0, false // a comparison
			}
			assigns = true
		case ' ', '\t', '"', '\'', '`', '*', ']', '>':
			if assigns && strings.IndexByte("\"'`", c) >= 0 {
				return i, true
			}
		default:
			return i, assigns
		}
		i++
	}
	return i, assigns && i < len(text)
}

// nextLine goes on with the line behind a name that ends its own, as YAML and notes have it;
// a bar or an angle before that begins a block of text.
func nextLine(text string, i int) (value int, below bool) {
	end := i
	for end < len(text) && end < i+3 && strings.IndexByte("|>-\r", text[end]) >= 0 {
		end++
	}
	if end >= len(text) || text[end] != '\n' {
		return i, false
	}
	for end++; end < len(text) && end < i+maxIndent && (text[end] == ' ' || text[end] == '\t'); end++ {
	}
	return end, true
}

// maxIndent bounds how far the value of the next line is indented.
const maxIndent = 32

// wordsAt reports whether the line at i holds more than one word: a sentence, or code.
func wordsAt(text string, i int) bool {
	line := text[i:min(len(text), i+maxValue)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return strings.ContainsAny(strings.TrimRight(line, " \t\r"), " \t")
}

// endsValue reports whether a byte ends a value: its quote, or else what no password in
// a configuration file has.
func endsValue(c, quote byte) bool {
	if c == '\n' || c == '\r' || quote != 0 && c == quote {
		return true
	}
	return c == ' ' || c == '\t' || quote == 0 && strings.IndexByte("\"'`;&", c) >= 0
}

// secretive reports whether a value looks like a secret and not like a word, a name, a
// call, or what stands for a secret.
func secretive(v string, quoted bool) bool {
	if len(v) < minValue || !quoted && len(v) < minPlain || placeholder(v) {
		return false
	}
	var lower, upper, digits, runs, signs, foreign int // runs: of digits
	for i := range len(v) {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= '0' && c <= '9':
			digits++
			if i == 0 || v[i-1] < '0' || v[i-1] > '9' {
				runs++
			}
		case c >= 0x80 || c < ' ' || c == '\\' || strings.IndexByte("(){}[]<>|", c) >= 0:
			foreign++
		case c != '_' && c != '-' && c != '.' && c != '/' && c != ':' && c != ',':
			signs++
		}
	}
	letters := lower + upper
	switch {
	case foreign > 0 && (!quoted || 4*foreign > len(v)), bits(v) < minBits:
		return false
	case letters == 0:
		return quoted && digits >= 2*minValue
	case digits == 0 && signs == 0:
		return quoted && lower > 4 && upper > 4 && letters == len(v) && letters >= minLetterValue
	case named(v):
		return false
	case quoted:
		return digits >= 2 || digits+signs >= 2 && upper > 0
	}
	if _, _, end, ok := identifier.match(v); signs == 0 && ok && end == len(v) {
		return false
	}
	return digits >= 2 && (digits >= 4 || runs >= 2 || signs > 0 || lower > 0 && upper > 0 || len(v) >= 20) || digits >= 1 && signs >= 2
}

// isName reports whether a value is composed of words and numbers: a path, a version, a
// date, an address, a selector or an identifier.
func isName(v string) bool {
	for _, whole := range pathNames {
		if _, _, end, ok := whole.match(v); ok && end == len(v) {
			return true
		}
	}
	return numbers(v) || selector(v) || compound(v)
}

// scrambled reports whether letters with a number behind them are no words written together:
// a single small letter behind several capitals (but the s of IDs), or a capital followed by
// another word's or, in a longer value, by the number.
func scrambled(v string) bool {
	if strings.Trim(strings.TrimRight(v, "0123456789"), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	upper, lower, first := 0, 0, true
	for i := 0; ; i++ {
		c := byte('0')
		if i < len(v) {
			c = v[i]
		}
		isUpper := c >= 'A' && c <= 'Z'
		if lower > 0 && isUpper || c < 'A' { // a word ends
			odd := upper >= 2 && lower == 1 && v[i-1] != 's' || upper == 1 && lower == 1 && c >= 'A' || upper == 1 && lower == 0 && len(v) >= minScrambled
			if odd && !first {
				return true
			}
			upper, lower, first = 0, 0, false
		}
		switch {
		case c < 'A':
			return false
		case isUpper:
			upper++
		default:
			lower++
		}
	}
}

// minScrambled is from which length on a capital at the end of the letters speaks for a
// random value: shorter ones are often names, VitaminB12.
const minScrambled = 12

var pathNames = []form{newForm(`[\w.-]*/[\w./-]*`), newForm(`[A-Za-z]+\d{1,3}`), newForm(`https?:[^\n]*`)}

// part is a word with the number behind it, and the bytes that follow.
func part(v string, underscored bool) (letters, digits int, rest string) {
	for letters < len(v) && (v[letters]|0x20 >= 'a' && v[letters]|0x20 <= 'z' || underscored && v[letters] == '_') {
		letters++
	}
	for letters+digits < len(v) && v[letters+digits] >= '0' && v[letters+digits] <= '9' {
		digits++
	}
	return letters, digits, v[letters+digits:]
}

// numbers matches v1.22.3, 2026-01-31T10:00Z, go-1.26: a word, and two numbers or more.
func numbers(v string) bool {
	n, _, _ := part(v, false)
	v = v[n:]
	if v != "" && strings.IndexByte("-_.:", v[0]) >= 0 {
		v = v[1:]
	}
	for found := 0; ; found++ {
		letters, digits, rest := part(v, false)
		switch {
		case letters > 0 || digits < 1 || digits > 4:
			return false
		case found > 0 && (rest == "" || rest == "Z"):
			return true
		case rest == "" || strings.IndexByte("-_.:/T", rest[0]) < 0:
			return false
		}
		v = rest[1:]
	}
}

// selector matches tok.Lit2.value and pkg:name.
func selector(v string) bool {
	for found, most := 0, 2; ; found, most = found+1, 3 {
		letters, digits, rest := part(v, true)
		switch {
		case letters == 0 || digits > most:
			return false
		case rest == "":
			return found > 0
		case rest[0] != '.' && rest[0] != ':':
			return false
		}
		v = rest[1:]
	}
}

// compound matches my-service2-credentials and snake_case_12.
func compound(v string) bool {
	for found := 0; ; found++ {
		letters, digits, rest := part(v, false)
		switch {
		case rest == "":
			return found > 0 && digits <= 4
		case letters == 0 || digits > 3 || rest[0] != '-' && rest[0] != '_':
			return false
		}
		v = rest[1:]
	}
}

// identifier is what may be a name of code: words with one number inside.
var identifier = newForm(`[A-Za-z_]+\d{1,4}[A-Za-z_]+`)

func named(v string) bool {
	if v[0] == '/' || v[0] == '.' {
		return true
	}
	return bits(v) < 4.2 && isName(v) && !scrambled(v) // random texts of 24 and more characters have more
}

// bits is the entropy of a text for each of its bytes, as if they were drawn from it.
func bits(v string) float64 {
	var count [256]uint16
	sum := 0.0 // of n·log2(n) over the counts n
	for i := range len(v) {
		n := int(count[v[i]])
		count[v[i]]++
		if n < len(grown) {
			sum += grown[n]
		} else {
			sum += growth(float64(n))
		}
	}
	return math.Log2(float64(len(v))) - sum/float64(len(v))
}

// growth is by how much n·log2(n) grows from n to n+1; grown has it for small n.
func growth(n float64) float64 { return (n+1)*math.Log2(n+1) - n*math.Log2(max(n, 1)) }

var grown = func() (table [64]float64) {
	for n := range table {
		table[n] = growth(float64(n))
	}
	return table
}()

// Words in a value that say it is none. They are compared without letter case.
var placeholders = []string{
	"example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "yourpass", "redacted", "xxxx", "****", "....", "dummy", "insert",
	"todo", "1234567890", "0123456789", "abcdefgh", "process.env", "os.getenv", "getenv",
}

// placeholder reports whether a value stands for a secret: a variable, a template, an
// example.
func placeholder(v string) bool {
	if v == "" || strings.IndexByte("<$%{", v[0]) >= 0 || strings.Contains(v, "${") || strings.Contains(v, "{{") || bits(v) < 1.5 {
		return true
	}
	low := strings.ToLower(v)
	for _, p := range placeholders {
		if strings.Contains(low, p) {
			return true
		}
	}
	return false
}

// addressed is the user and the password in an address.
var addressed = newForm(`://[^\s:@/"'<>\x60]{0,64}:([^\s@/"'<>\x60]{2,128})@[\w.\[-]`)

// Passwords that documentation writes.
var documented = map[string]bool{
	"password": true, "passwd": true, "pass": true, "pass123": true, "password1": true, "password123": true, "secret": true, "user": true, "token": true, "test": true, "p": true,
}

// databases are schemes whose addresses carry a password in earnest, however short.
var databases = []string{
	"postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver", "clickhouse", "cockroachdb",
	"nats", "kafka", "smtp", "smtps", "ldap", "ldaps", "imap", "imaps",
}

// ofDatabase reports whether a text ends with such a scheme, or one with a driver behind it.
func ofDatabase(s string) bool {
	s = strings.ToLower(s)
	if i := strings.LastIndexByte(s, '+'); i >= 0 && i+1 < len(s) && strings.Trim(s[i+1:], "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		s = s[:i]
	}
	return slices.ContainsFunc(databases, func(scheme string) bool { return strings.HasSuffix(s, scheme) })
}

// address finds the password in scheme://user:password@host.
func address(text string, at int) (Finding, bool) {
	near := text[at:min(len(text), at+maxValue)]
	if strings.IndexByte(near, '@') < 0 {
		return Finding{}, false
	}
	from, to, _, ok := addressed.match(near)
	if !ok {
		return Finding{}, false
	}
	from, to = at+from, at+to
	v := text[from:to]
	if placeholder(v) || documented[strings.ToLower(v)] || strings.HasSuffix(strings.ToLower(v), "ssword") {
		return Finding{}, false
	}
	if (len(v) < minValue || !strings.ContainsAny(v, "0123456789")) && !ofDatabase(text[max(0, at-24):at]) {
		return Finding{}, false
	}
	return Finding{ruleURL, Span{from, to}}, true
}

var (
	netrcLine  = newForm(`machine[ \t]+\S{1,128}\s+login[ \t]+\S{1,128}\s+password[ \t]+(\S{4,128})`)
	headerLine = newForm(`(?i)(?:bearer|basic) ([A-Za-z0-9\-._~+/]{16,}={0,2})`)
)

// netrc finds the password of a .netrc line.
func netrc(text string, at int) (Finding, bool) {
	near := text[at:min(len(text), at+2*maxValue)]
	if !strings.Contains(near, "password") {
		return Finding{}, false
	}
	from, to, _, ok := netrcLine.match(near)
	if !ok || !secretive(near[from:to], true) {
		return Finding{}, false
	}
	return Finding{ruleAssigned, Span{at + from, at + to}}, true
}

// header finds the credentials of an Authorization header.
func header(text string, at int) (Finding, bool) {
	rest := strings.TrimLeft(text[at:min(len(text), at+24)], "BEARSICbearsic")
	if at > 0 && isWord(text[at-1]) || len(rest) < 12 || strings.IndexByte(rest[1:], ' ') >= 0 {
		return Finding{}, false
	}
	from, to, _, ok := headerLine.match(text[at:min(len(text), at+maxSecret)])
	if !ok {
		return Finding{}, false
	}
	v := text[at+from : at+to]
	if text[at]|0x20 == 'b' && text[at+1]|0x20 == 'a' { // basic: user:password in base64
		raw, err := base64.StdEncoding.DecodeString(v)
		if user, _, ok := strings.Cut(string(raw), ":"); err != nil || !ok || strings.EqualFold(user, "aladdin") { // of RFC 7617's examples
			return Finding{}, false
		}
	} else if !secretive(v, true) || !strings.ContainsAny(v, "0123456789") {
		return Finding{}, false
	}
	return Finding{ruleHeader, Span{at + from, at + to}}, true
}

// pemBegin begins the armour of a key; at most maxPEMWords stand before what it is.
const (
	pemBegin    = "-----BEGIN "
	maxPEMWords = 3
	minPEMRun   = 32 // of base64 in a row
)

// pemHead returns where the first line of a private key's armour ends.
func pemHead(text string) (end int, ok bool) {
	near := text[len(pemBegin):min(len(text), 96)]
	label, _, closed := strings.Cut(near, "-----")
	end = len(pemBegin) + len(label) + len("-----")
	label, ok = strings.CutSuffix(strings.TrimSuffix(label, " BLOCK"), "PRIVATE KEY")
	if !closed || !ok || label == "" {
		return end, closed && ok
	}
	words := strings.Split(label, " ") // the last one is what stands behind the last space
	for _, word := range words[:len(words)-1] {
		ok = ok && word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
	}
	return end, ok && len(words)-1 <= maxPEMWords && words[len(words)-1] == ""
}

// pemBody reports whether a text holds what may be a line of a key.
func pemBody(text string) bool {
	n := 0
	for i := range len(text) {
		if c := text[i]; isWord(c) && c != '_' || c == '+' || c == '/' {
			if n++; n == minPEMRun {
				return true
			}
		} else {
			n = 0
		}
	}
	return false
}

// privateKey finds a key in PEM armour, also where its line ends are escaped. Armour
// without a key in it is none; what is cut off before its end still is.
func privateKey(text string, at int) (Finding, bool) {
	head, ok := pemHead(text[at:])
	if !ok {
		return Finding{}, false
	}
	const most = 16 << 10 // an RSA key of 16 kbit has 13 KB
	from := at + head
	rest := text[from:min(len(text), from+most)]
	end, closed := strings.Index(rest, "-----"), true
	if end < 0 {
		end, closed = len(rest), false
	}
	if !pemBody(rest[:min(end, 1024)]) {
		return Finding{}, false
	}
	to := from + end
	if closed {
		if tail := strings.Index(text[to+5:min(len(text), to+64)], "-----"); tail >= 0 && strings.HasPrefix(text[to+5:], "END ") {
			to += 5 + tail + 5
		}
	}
	return Finding{rulePEM, Span{at, to}}, true
}
