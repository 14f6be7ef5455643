package secrets

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// assignedWords are the ends of names that hold secrets; what stands before them is of
// no interest (DB_PASSWORD, clientSecret).
var assignedWords = []string{
	"secret", "token", "api_key", "apikey", "api-key", "api key",
	"access_key", "accesskey", "access-key", "private_key", "privatekey", "auth_key", "authkey", "credential", "encryption_key",
	"signing_key",
	"access key", "secret key", "private key", "auth key", "encryption key", "signing key", "otp seed", "mfa seed", "2fa seed",
	"sessid", "session_id", "sessionid",
}

// passwordWords are those behind which people's own passwords stand, which are shorter and look
// more like words; also in the languages whose speakers are the most numerous among developers of Latin script.
var passwordWords = []string{
	"password", "passwd", "passphrase", "passcode", "pwd",
	"passwort", "kennwort", french, "contraseña", "contrasena", "senha", "wachtwoord",
}

const french = "mot de passe"

// Bounds of an assignment, in bytes: of what follows the word in the name and stands
// around the sign, and of the value.
const (
	maxNameRest    = 24
	minValue       = 8
	maxValue       = 256
	minPlain       = 10  // of a value without quotes
	minBits        = 2.7 // of entropy for a character; hunter2hunter2 has 2.8, English words of this length about the same, but no digits
	minLetterValue = 24  // of letters alone, of both cases
	maxOwner       = 48  // of what stands before a name and belongs to it
)

// assigned makes the match of a name's end: it finds the value behind name = value,
// name: value, "name": "value" and the like.
func assigned(word string, ofPassword bool) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		name := at + len(word)
		i := name
		for i < len(text) && i < name+maxNameRest && (isWord(text[i]) || text[i] == '-') {
			i++
		}
		closed := i == name
		if word == french { // whose colon stands behind a blank
			i += len(text[i:]) - len(strings.TrimLeft(text[i:], "\u00a0\u202f "))
		}
		if attribute := `" value`; strings.HasPrefix(text[i:], attribute+"=") { // key="password" value="…"
			i += len(attribute)
		}
		end, signed := sign(text, i)
		if !signed {
			return unsigned(text, at, name, i, ofPassword)
		}
		f, quoted, ok := value(text, end)
		if ok && secretive(text[f.At.Start:f.At.End], quoted) {
			return f, true
		}
		return f, ok && ofPassword && closed && isPassword(text, at, i, f.At, quoted)
	}
}

// pass finds the value of a name that ends in the word pass, as in DB_PASS=value and
// "pass": "value". It is a word of prose, of tests and of other names too, so that the name ends there,
// and the value is in quotes or closes up to an equals sign.
func pass(text string, at int) (Finding, bool) {
	i := at + len("pass")
	if at > 0 && isLetter(text[at-1]) && (text[at] != 'P' || text[at-1] < 'a') || i < len(text) && (isWord(text[i]) || text[i] == '-') {
		return Finding{}, false
	}
	end, ok := sign(text, i)
	if !ok {
		return Finding{}, false
	}
	f, quoted, ok := value(text, end)
	if !ok || !quoted && (text[i] != '=' || end != i+1) {
		return Finding{}, false
	}
	return f, secretive(text[f.At.Start:f.At.End], quoted) || isPassword(text, at, i, f.At, quoted)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// value returns the value of an assignment whose sign ends at i.
func value(text string, i int) (f Finding, quoted, ok bool) {
	below := false
	if i, below = nextLine(text, i); below && wordsAt(text, i) {
		return f, false, false
	}
	quote := byte(0)
	if i < len(text) && strings.IndexByte("\"'`", text[i]) >= 0 {
		quote = text[i]
		i++
	}
	end := i
	for end < len(text) && end-i <= maxValue && (isWord(text[end]) || !endsValue(text, end, quote)) {
		if quote == 0 && text[end] == '=' && end+1 < len(text) && isWord(text[end+1]) {
			return f, false, false // another assignment
		}
		end++
	}
	if quote != 0 && (end >= len(text) || text[end] != quote) || end-i > maxValue {
		return f, false, false
	}
	if quote == 0 {
		end = i + len(strings.TrimRight(text[i:end], ".,;:)]}>*_"))
	}
	return Finding{ruleAssigned, Span{i, end}}, quote != 0, true
}

// isPassword reports whether a value is a password, though a short one, where the form of the assignment
// leaves little doubt: in quotes, behind an equals sign without blanks around it in a line of its own, or
// behind a colon as all that is left of the line, or all of the next one. The name stands from somewhere
// before at to name.
func isPassword(text string, at, name int, value Span, quoted bool) bool {
	v := text[value.Start:value.End]
	if !password(v) || !quoted && strings.ContainsAny(v, "(){}[]<>|,\\") {
		return false
	}
	next := text[value.End:min(len(text), value.End+1)]
	switch from := at; {
	case quoted:
		return true
	case text[name] == '=' && value.Start == name+1: // NAME=value, alone or among others
		for from > 0 && at-from < maxNameRest && (isWord(text[from-1]) || text[from-1] == '.' || text[from-1] == '-') {
			from--
		}
		return (from == 0 || strings.IndexByte("\n \t", text[from-1]) >= 0) && strings.Trim(next, " \t\r\n") == ""
	case text[name] == ':' || strings.HasPrefix(text[name:], "**:"):
		return value.Start > name+1 && strings.Trim(next, "\r\n") == ""
	}
	return false
}

// minPassword is the shortest password that is told from a word, in bytes.
const minPassword = 6

// password reports whether a value where a password stands looks like one that people choose: a word with
// digits or signs in it, that is not the name of a method, a version, a path or a field.
func password(v string) bool {
	if len(v) < minPassword || len(v) > 64 || v[0] == '/' || v[0] == '.' {
		return false
	}
	letters, digits, signs, foreign := 0, 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case isLetter(c):
			letters++
		case c >= '0' && c <= '9':
			digits++
		case c >= 0x80 || c <= ' ' || c == '\\' || strings.IndexByte("(){}[]<>|", c) >= 0:
			foreign++
		case strings.IndexByte("!@#$%^&*+=?~", c) >= 0:
			signs++
		}
	}
	if letters == 0 || digits+signs == 0 || digits == 0 && signs < 2 || 4*foreign > len(v) {
		return false
	}
	if signs == 0 && (numbers(v) || selector(v) || compound(v) || technical(v) || strings.IndexByte(v, '/') >= 0) {
		return false
	}
	return !documented[strings.ToLower(v)] && !placeholder(v)
}

// technical reports whether a value is one of the names with numbers that stand where a password is
// spoken of: what it is stored by, and what is numbered.
func technical(v string) bool {
	word := strings.ToLower(v)
	word = word[:len(word)-len(strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz"))]
	return slices.Contains(methods, word)
}

var methods = []string{
	"sha", "base", "utf", "utf-", "argon", "aes", "oauth", "http", "rsa", "ed", "pbkdf", "scrypt", "bcrypt", "ascii", "latin", "tls",
	"ssl", "auth", "kerberos", "ntlmv", "hmac",
	"step", "section", "chapter", "page", "line", "option", "level", "type", "rfc", "iso", "arg", "argument", "param", "field",
	"string", "value", "key", "user", "version", "windows", "int", "uint",
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

// endsValue reports whether the byte at i ends a value: its quote, or else what no password in
// a configuration file has.
func endsValue(text string, i int, quote byte) bool {
	c := text[i]
	if c == '\n' || c == '\r' || quote != 0 && c == quote {
		return true
	}
	return c == ' ' || c == '\t' || quote == 0 && (strings.IndexByte("\"'`;", c) >= 0 || c == '&' && joint(text[i+1:]))
}

// joint reports whether what follows an ampersand is not the rest of a value: a blank, another
// ampersand, the next parameter of an address or the name of a character.
func joint(text string) bool {
	n := 0
	for n < len(text) && n < maxNameRest && (isWord(text[n]) || text[n] == '-') {
		n++
	}
	if n == len(text) {
		return n == 0
	}
	return strings.IndexByte("=;", text[n]) >= 0 || n == 0 && strings.IndexByte("& \t\r\n#", text[0]) >= 0
}

// secretive reports whether a value looks like a secret and not like a word, a name, a
// call, or what stands for a secret.
func secretive(v string, quoted bool) bool {
	return len(v) >= minValue && (quoted || len(v) >= minPlain) && random(v, quoted) && !placeholder(v)
}

// random reports whether the characters of a value are mixed as those of secrets are.
func random(v string, quoted bool) bool {
	lower, upper, digits, signs, foreign := 0, 0, 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= '0' && c <= '9':
			digits++
		case c >= 0x80 || c < ' ' || strings.IndexByte(brackets, c) >= 0:
			foreign++
		case strings.IndexByte("_-./:,", c) < 0:
			signs++
		}
	}
	switch letters := lower + upper; {
	case foreign > 0 && (!quoted || 4*foreign > len(v)), bits(v) < minBits:
		return false
	case letters == 0:
		return quoted && digits >= 2*minValue
	case letters == len(v):
		return quoted && lower > 4 && upper > 4 && letters >= minLetterValue
	}
	if named(v) || !quoted && wholly(identifier, v) {
		return false
	}
	return digits >= 2 || digits >= 1 && signs >= 2 || quoted && digits+signs >= 2 && upper > 0
}

// brackets and the like stand in expressions of code, and seldom in secrets.
const brackets = "(){}[]<>|\\"

// isName reports whether a value is composed of words and numbers: a path, a version, a
// date, an address, a selector or an identifier.
func isName(v string) bool {
	for _, form := range pathNames {
		if wholly(form, v) {
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
			odd := upper >= 2 && lower == 1 && v[i-1] != 's' || upper == 1 && lower == 1 && c >= 'A' || upper == 1 && lower == 0 &&
				len(v) >= minScrambled
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

// identifier matches possible names of code: words with one number inside.
var identifier = newForm(`[A-Za-z_]+\d{1,4}[A-Za-z_]+`)

// wholly reports whether a form matches all of a value.
func wholly(f form, v string) bool {
	_, _, end, ok := f.match(v)
	return ok && end == len(v)
}

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
	"example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "yourpass", "redacted", "xxxx", "****", "....",
	"dummy", "insert",
	"todo", "process.env", "os.getenv", "getenv",
}

// minSequence is from how many characters on that follow each other (abcdef, 567890) they are no
// accident, in bytes: of six random letters and digits one in 10⁸ is such a row.
const minSequence = 6

// counted reports whether a value is written by counting: few characters, and less than half, are
// not of rows such as 1234567890 and abcdefgh.
func counted(v string) bool {
	rows, from := 0, 0
	for i := 1; i <= len(v); i++ {
		if i < len(v) && (v[i] == v[i-1]+1 || v[i-1] == '9' && v[i] == '0') && isWord(v[i]) {
			continue
		}
		if i-from >= minSequence {
			rows += i - from
		}
		from = i
	}
	return rows > 0 && (len(v)-rows < 4 || 2*rows > len(v) && len(v) >= maxCounted)
}

// maxCounted is from which length on a value with rows is no password of a person's, in bytes, where rows and
// a word are usual.
const maxCounted = 24

// placeholder reports whether a value stands for a secret: a variable, a template, an
// example.
func placeholder(v string) bool {
	if v == "" || strings.IndexByte("<$%{", v[0]) >= 0 && !strings.HasPrefix(v, "%2B") && !strings.HasPrefix(v, "%2F") ||
		strings.Contains(v, "${") || strings.Contains(v, "{{") || bits(v) < 1.5 || counted(v) {
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

// tokenAddressed is a user of an address who is long enough to be a token.
var tokenAddressed = newForm(`://([\w.~+=-]{16,128})(?:@|:@|:x-oauth-basic@|:x-oauth-token@)[\w.\[-]`)

// Passwords that documentation writes.
var documented = map[string]bool{
	"password": true, "passwd": true, "pass": true, "pass123": true, "password1": true, "password123": true, "secret": true,
	"user": true, "token": true, "test": true, "p": true, "pwd": true,
}

// databases are schemes whose addresses carry a password in earnest, however short.
var databases = []string{
	"postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver", "clickhouse",
	"cockroachdb",
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

// address finds the password in scheme://user:password@host, or the token that stands for the
// user in scheme://token@host and scheme://token:x-oauth-basic@host.
func address(text string, at int) (Finding, bool) {
	near := text[at:min(len(text), at+maxValue)]
	if strings.IndexByte(near, '@') < 0 || strings.HasPrefix(near, "://[REDACTED:") {
		return Finding{}, false
	}
	from, to, _, ok := addressed.match(near)
	if ok && passes(near[from:to], text[max(0, at-24):at]) {
		return Finding{ruleURL, Span{at + from, at + to}}, true
	}
	if from, to, _, ok = tokenAddressed.match(near); !ok {
		return Finding{}, false
	}
	if v := near[from:to]; !secretive(v, true) || !strings.ContainsAny(v, "0123456789") || named(v) || strings.IndexByte(v, '%') >= 0 {
		return Finding{}, false
	}
	return Finding{ruleURL, Span{at + from, at + to}}, true
}

// passes reports whether a value is a password, in an address that begins with a scheme.
func passes(v, scheme string) bool {
	if placeholder(v) || documented[strings.ToLower(v)] || strings.HasSuffix(strings.ToLower(v), "ssword") {
		return false
	}
	return len(v) >= minValue && strings.ContainsAny(v, "0123456789") || ofDatabase(scheme)
}

var (
	netrcLine  = newForm(`machine[ \t]+\S{1,128}\s+login[ \t]+\S{1,128}\s+password[ \t]+(\S{4,128})`)
	headerLine = newForm(`(?i)(?:bearer ([A-Za-z0-9\-._~+/]{16,}={0,2})|basic ([A-Za-z0-9\-_+/]{4,}={0,2}))`)
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

// postgresPort is PostgreSQL's, as IANA registers it.
const postgresPort = "5432"

// pgpass finds the password of a line host:port:database:user:password of PostgreSQL's password file, in which
// any of the first four may be a star and a backslash stands before a colon that is no end. It is one only
// with PostgreSQL's own port, or where any host, port or database is meant: other numbers between colons are
// mostly identifiers of requests. The first colon stands at a place.
func pgpass(text string, at int) (Finding, bool) {
	begin := at
	for begin > 0 && at-begin < maxOwner && strings.IndexByte("\n \t`\"'", text[begin-1]) < 0 {
		if begin--; text[begin] == ':' && (begin == 0 || text[begin-1] != '\\') {
			return Finding{}, false // not the first field
		}
	}
	var fields [4]string // the host, the port, the database and the user
	i, from := begin, begin
	for n := 0; n < len(fields); i++ {
		switch {
		case i >= len(text) || i-begin > maxValue || strings.IndexByte("\r\n \t`\"'", text[i]) >= 0:
			return Finding{}, false
		case text[i] == ':' && (i == begin || text[i-1] != '\\'):
			if fields[n] = text[from:i]; from == i {
				return Finding{}, false
			}
			n, from = n+1, i+1
		}
	}
	end := from
	for end < len(text) && end-from <= maxValue && strings.IndexByte("\r\n \t`\"'", text[end]) < 0 {
		if end++; text[end-1] == ':' && text[end-2] != '\\' {
			return Finding{}, false
		}
	}
	port, user, v := fields[1], fields[3], text[from:end]
	if port != "*" && port != postgresPort || !isLetter(user[0]) && user[0] != '_' && user != "*" {
		return Finding{}, false
	}
	ok := len(v) >= minArgument && !placeholder(v) && !documented[strings.ToLower(v)]
	return Finding{ruleAssigned, Span{from, end}}, ok
}

// header finds the credentials of an Authorization header.
func header(text string, at int) (Finding, bool) {
	if at > 0 && isWord(text[at-1]) {
		return Finding{}, false
	}
	from, to, _, ok := headerLine.match(text[at:min(len(text), at+maxSecret)])
	if !ok {
		return Finding{}, false
	}
	v := text[at+from : at+to]
	if text[at]|0x20 == 'b' && text[at+1]|0x20 == 'a' { // basic: user:password in base64
		user, password, ok := basic(v)
		if !ok || strings.EqualFold(user, "aladdin") || password == "" { // of RFC 7617's examples
			return Finding{}, false
		}
	} else if !secretive(v, true) || !strings.ContainsAny(v, "0123456789") {
		return Finding{}, false
	}
	return Finding{ruleHeader, Span{at + from, at + to}}, true
}

// basic reads what the scheme Basic sends, with the padding or without.
func basic(v string) (user, password string, ok bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(v, "-_") {
		encoding = base64.RawURLEncoding
	}
	raw, err := encoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(raw) || strings.IndexFunc(string(raw), unicode.IsControl) >= 0 {
		return "", "", false
	}
	return strings.Cut(string(raw), ":")
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
