package secrets

import (
	"encoding/base64"
	"math"
	"regexp"
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
	if signs == 0 && identifier.MatchString(v) {
		return false
	}
	return digits >= 2 && (digits >= 4 || runs >= 2 || signs > 0 || lower > 0 && upper > 0 || len(v) >= 20) || digits >= 1 && signs >= 2
}

// names are values that are composed of words and numbers: paths, versions, dates,
// addresses, selectors and identifiers.
var names = regexp.MustCompile(`^(?:[\w.-]*/[\w./-]*|[A-Za-z]*[-_.:]?\d{1,4}(?:[-_.:/T]\d{1,4})+Z?|[A-Za-z_]+\d{0,2}(?:[.:][A-Za-z_]+\d{0,3})+|[A-Za-z]+\d{1,3}|(?:[A-Za-z]+\d{0,3}[-_])+[A-Za-z]*\d{0,4}|https?:.*)$`)

// identifier is what may be a name of code: words with one number inside.
var identifier = regexp.MustCompile(`^[A-Za-z_]+\d{1,4}[A-Za-z_]+$`)

func named(v string) bool {
	if v[0] == '/' || v[0] == '.' {
		return true
	}
	return names.MatchString(v) && bits(v) < 4.2 // random texts of 24 and more characters have more
}

// bits is the entropy of a text for each of its bytes, as if they were drawn from it.
func bits(v string) float64 {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

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
var addressed = regexp.MustCompile(`^://[^\s:@/"'<>\x60]{0,64}:([^\s@/"'<>\x60]{2,128})@[\w.\[-]`)

// Passwords that documentation writes.
var documented = map[string]bool{
	"password": true, "passwd": true, "pass": true, "pass123": true, "password1": true, "password123": true, "secret": true, "user": true, "token": true, "test": true, "p": true,
}

// databases are schemes whose addresses carry a password in earnest, however short.
var databases = regexp.MustCompile(`(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|nats|kafka|smtps?|ldaps?|imaps?)(?:\+[a-z0-9]+)?$`)

// address finds the password in scheme://user:password@host.
func address(text string, at int) (Finding, bool) {
	near := text[at:min(len(text), at+maxValue)]
	if strings.IndexByte(near, '@') < 0 {
		return Finding{}, false
	}
	m := addressed.FindStringSubmatchIndex(near)
	if m == nil {
		return Finding{}, false
	}
	from, to := at+m[2], at+m[3]
	v := text[from:to]
	if placeholder(v) || documented[strings.ToLower(v)] || strings.HasSuffix(strings.ToLower(v), "ssword") {
		return Finding{}, false
	}
	if !databases.MatchString(text[max(0, at-24):at]) && (len(v) < minValue || !strings.ContainsAny(v, "0123456789")) {
		return Finding{}, false
	}
	return Finding{ruleURL, Span{from, to}}, true
}

var (
	netrcLine  = regexp.MustCompile(`^machine[ \t]+\S{1,128}\s+login[ \t]+\S{1,128}\s+password[ \t]+(\S{4,128})`)
	headerLine = regexp.MustCompile(`(?i)^(bearer|basic) ([A-Za-z0-9\-._~+/]{16,}={0,2})`)
)

// netrc finds the password of a .netrc line.
func netrc(text string, at int) (Finding, bool) {
	near := text[at:min(len(text), at+2*maxValue)]
	if !strings.Contains(near, "password") {
		return Finding{}, false
	}
	m := netrcLine.FindStringSubmatchIndex(near)
	if m == nil {
		return Finding{}, false
	}
	v := text[at+m[2] : at+m[3]]
	if !secretive(v, true) {
		return Finding{}, false
	}
	return Finding{ruleAssigned, Span{at + m[2], at + m[3]}}, true
}

// header finds the credentials of an Authorization header.
func header(text string, at int) (Finding, bool) {
	rest := strings.TrimLeft(text[at:min(len(text), at+24)], "BEARSICbearsic")
	if at > 0 && isWord(text[at-1]) || len(rest) < 12 || strings.IndexByte(rest[1:], ' ') >= 0 {
		return Finding{}, false
	}
	m := headerLine.FindStringSubmatchIndex(text[at:min(len(text), at+maxSecret)])
	if m == nil {
		return Finding{}, false
	}
	v := text[at+m[4] : at+m[5]]
	if text[at]|0x20 == 'b' && text[at+1]|0x20 == 'a' { // basic: user:password in base64
		raw, err := base64.StdEncoding.DecodeString(v)
		if user, _, ok := strings.Cut(string(raw), ":"); err != nil || !ok || strings.EqualFold(user, "aladdin") { // of RFC 7617's examples
			return Finding{}, false
		}
	} else if !secretive(v, true) || !strings.ContainsAny(v, "0123456789") {
		return Finding{}, false
	}
	return Finding{ruleHeader, Span{at + m[4], at + m[5]}}, true
}

var (
	pemHead = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
	pemBody = regexp.MustCompile(`[A-Za-z0-9+/]{32}`)
)

// privateKey finds a key in PEM armour, also where its line ends are escaped. Armour
// without a key in it is none; what is cut off before its end still is.
func privateKey(text string, at int) (Finding, bool) {
	head := pemHead.FindStringIndex(text[at:min(len(text), at+96)])
	if head == nil {
		return Finding{}, false
	}
	const most = 16 << 10 // an RSA key of 16 kbit has 13 KB
	from := at + head[1]
	rest := text[from:min(len(text), from+most)]
	end, closed := strings.Index(rest, "-----"), true
	if end < 0 {
		end, closed = len(rest), false
	}
	body := pemBody.FindStringIndex(rest[:min(end, 1024)])
	if body == nil {
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
