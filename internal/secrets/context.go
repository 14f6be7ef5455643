package secrets

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// assignedWords are ends of names for secrets. The part before them does not matter (DB_PASSWORD, clientSecret).
var assignedWords = []string{
	"secret", "token", "api_key", "apikey", "api-key", "api key",
	"access_key", "accesskey", "access-key", "private_key", "privatekey", "auth_key", "authkey", "credential", "encryption_key",
	"signing_key",
	"access key", "secret key", "private key", "auth key", "encryption key", "signing key", "otp seed", "mfa seed", "2fa seed",
	"sessid", "session_id", "sessionid",
}

// passwordWords are ends of names for passwords that people choose, which are shorter and look more like words.
// They include words of the most common languages with Latin script among developers.
var passwordWords = []string{
	"password", "passwd", "passphrase", "passcode", "pwd",
	"passwort", "kennwort", french, "contraseña", "contrasena", "senha", "wachtwoord",
}

const french = "mot de passe"

// Bounds of an assignment, in bytes: of the text between the word in the name and the value, and of the value.
const (
	maxNameRest    = 24
	minValue       = 8
	maxValue       = 256
	minPlain       = 10  // for a value without quotes
	minBits        = 2.7 // entropy of a character; hunter2hunter2 has 2.8, and English words of this length about as much, but no digits
	minLetterValue = 24  // for a value of letters in both cases
	maxOwner       = 48  // for the part before a name that belongs to it
)

// assigned returns a function that finds the value after a name with this end: name = value, name: value, "name":
// "value" and the like.
func assigned(word string, ofPassword bool) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		name := at + len(word)
		i := name
		for i < len(text) && i < name+maxNameRest && (isWord(text[i]) || text[i] == '-') {
			i++
		}
		closed := i == name
		if word == french { // its colon may follow a blank
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

// pass finds the value of a name that ends in the word pass, as in DB_PASS=value and "pass": "value". Pass is also
// a word of prose, of tests and of other names. So the name must end there, and the value must be quoted or follow
// an equals sign without blanks.
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

// value returns the value of an assignment whose operator ends at i.
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
			return f, false, false // an equals sign follows, so it is another assignment
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

// isPassword reports whether a value is a password, even a short one, because the form of the assignment leaves
// little doubt. It is in quotes. Or it follows an equals sign without blanks, in a line of its own. Or it is the
// whole rest of a line after a colon, or the whole next line. The name ends at name, and begins at at or before.
func isPassword(text string, at, name int, value Span, quoted bool) bool {
	v := text[value.Start:value.End]
	if !password(v) || !quoted && strings.ContainsAny(v, "(){}[]<>|,\\") {
		return false
	}
	next := text[value.End:min(len(text), value.End+1)]
	switch from := at; {
	case quoted:
		return true
	case text[name] == '=' && value.Start == name+1: // NAME=value, alone or with others
		for from > 0 && at-from < maxNameRest && (isWord(text[from-1]) || text[from-1] == '.' || text[from-1] == '-') {
			from--
		}
		return (from == 0 || strings.IndexByte("\n \t", text[from-1]) >= 0) && strings.Trim(next, " \t\r\n") == ""
	case text[name] == ':' || strings.HasPrefix(text[name:], "**:"):
		return value.Start > name+1 && strings.Trim(next, "\r\n") == ""
	}
	return false
}

// minPassword is the length of the shortest password that can be distinguished from a word, in bytes.
const minPassword = 6

// password reports whether a value looks like a password that people choose: a word with digits or punctuation
// that is not the name of a method, a version, a path or a field.
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

// technical reports whether a value is a technical name with a number that often occurs near the word password: a
// hash function, or a numbered thing.
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

// sign skips the text between a name and its value. ok is false if it is not an assignment.
func sign(text string, i int) (int, bool) {
	start, assigns := i, false
	for i < len(text) && i < start+12 {
		switch c := text[i]; c {
		case '=', ':':
			if assigns && text[i-1] == '=' && c == '=' {
				return 0, false // it is a comparison
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

// nextLine continues with the next line after a name at the end of a line, as in YAML and notes. A bar or an angle
// bracket before the line end begins a block of text.
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

// maxIndent bounds the indentation of a value in the next line.
const maxIndent = 32

// wordsAt reports whether the line at i contains several words, so that it is a sentence or code.
func wordsAt(text string, i int) bool {
	line := text[i:min(len(text), i+maxValue)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return strings.ContainsAny(strings.TrimRight(line, " \t\r"), " \t")
}

// endsValue reports whether the byte at i ends a value: its quote, or else a byte that passwords in configuration
// files do not contain.
func endsValue(text string, i int, quote byte) bool {
	c := text[i]
	if c == '\n' || c == '\r' || quote != 0 && c == quote {
		return true
	}
	return c == ' ' || c == '\t' || quote == 0 && (strings.IndexByte("\"'`;", c) >= 0 || c == '&' && joint(text[i+1:]))
}

// joint reports whether the text after an ampersand does not belong to the value: a blank, another ampersand, the
// next parameter of an address, or the name of a character.
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

// secretive reports whether a value looks like a secret, and not like a word, a name, a call or a placeholder.
func secretive(v string, quoted bool) bool {
	return len(v) >= minValue && (quoted || len(v) >= minPlain) && random(v, quoted) && !placeholder(v)
}

// random reports whether the characters of a value are mixed like those of secrets.
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

// brackets and similar characters are common in expressions of code and rare in secrets.
const brackets = "(){}[]<>|\\"

// isName reports whether a value consists of words and numbers, as a path, a version, a date, an address, a
// selector or an identifier does.
func isName(v string) bool {
	for _, form := range pathNames {
		if wholly(form, v) {
			return true
		}
	}
	return numbers(v) || selector(v) || compound(v)
}

// scrambled reports whether the letters before a number look random, and not like joined words. A word after the
// first looks random in three cases: several capitals with one small letter (except the s of IDs), a capital with
// one small letter before another word, and, in a longer value, a single capital before the number.
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

// minScrambled is the length from which a capital at the end of the letters shows a random value. Shorter ones are
// often names: VitaminB12.
const minScrambled = 12

var pathNames = []form{newForm(`[\w.-]*/[\w./-]*`), newForm(`[A-Za-z]+\d{1,3}`), newForm(`https?:[^\n]*`)}

// part splits off a word with the number after it. rest is the remaining text.
func part(v string, underscored bool) (letters, digits int, rest string) {
	for letters < len(v) && (v[letters]|0x20 >= 'a' && v[letters]|0x20 <= 'z' || underscored && v[letters] == '_') {
		letters++
	}
	for letters+digits < len(v) && v[letters+digits] >= '0' && v[letters+digits] <= '9' {
		digits++
	}
	return letters, digits, v[letters+digits:]
}

// numbers matches v1.22.3, 2026-01-31T10:00Z, go-1.26: a word, and at least two numbers.
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

// identifier matches possible identifiers: words with one number inside.
var identifier = newForm(`[A-Za-z_]+\d{1,4}[A-Za-z_]+`)

// wholly reports whether a form matches the whole value.
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

// bits returns the entropy of a text in bits for each byte, by the frequency of its bytes.
func bits(v string) float64 {
	var count [256]uint16
	sum := 0.0 // the sum of n·log2(n) over the counts n
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

// growth returns how much n·log2(n) grows from n to n+1; grown holds it for small n.
func growth(n float64) float64 { return (n+1)*math.Log2(n+1) - n*math.Log2(max(n, 1)) }

var grown = func() (table [64]float64) {
	for n := range table {
		table[n] = growth(float64(n))
	}
	return table
}()

// Words that mark a value as a placeholder. Letter case does not count.
var placeholders = []string{
	"example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "yourpass", "redacted", "xxxx", "****", "....",
	"dummy", "insert",
	"todo", "process.env", "os.getenv", "getenv",
}

// minSequence is the number of consecutive characters (abcdef, 567890) that cannot be a coincidence. One in 10⁸
// sequences of six random letters and digits is such a row.
const minSequence = 6

// counted reports whether a value is written by counting: few of its characters, and less than half, are outside
// of rows such as 1234567890 and abcdefgh.
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

// maxCounted is the length from which a value with rows is not a person's password, in bytes. Shorter passwords
// often consist of a row and a word.
const maxCounted = 24

// placeholder reports whether a value represents a secret: a variable, a template, an example.
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

// addressed matches the user and the password in an address.
var addressed = newForm(`://[^\s:@/"'<>\x60]{0,64}:([^\s@/"'<>\x60]{2,128})@[\w.\[-]`)

// tokenAddressed matches a user in an address that is long enough to be a token.
var tokenAddressed = newForm(`://([\w.~+=-]{16,128})(?:@|:@|:x-oauth-basic@|:x-oauth-token@)[\w.\[-]`)

// Passwords in examples of documentation.
var documented = map[string]bool{
	"password": true, "passwd": true, "pass": true, "pass123": true, "password1": true, "password123": true, "secret": true,
	"user": true, "token": true, "test": true, "p": true, "pwd": true,
}

// databases are schemes whose addresses contain real passwords, however short.
var databases = []string{
	"postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps", "mssql", "sqlserver", "clickhouse",
	"cockroachdb",
	"nats", "kafka", "smtp", "smtps", "ldap", "ldaps", "imap", "imaps",
}

// ofDatabase reports whether a text ends with such a scheme, or with one that has a driver's name.
func ofDatabase(s string) bool {
	s = strings.ToLower(s)
	if i := strings.LastIndexByte(s, '+'); i >= 0 && i+1 < len(s) && strings.Trim(s[i+1:], "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
		s = s[:i]
	}
	return slices.ContainsFunc(databases, func(scheme string) bool { return strings.HasSuffix(s, scheme) })
}

// address finds the password in scheme://user:password@host, or the token in place of the user in
// scheme://token@host and scheme://token:x-oauth-basic@host.
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

// passes reports whether a value is a password in an address with a scheme.
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

// netrc finds the password in a line of .netrc.
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

// postgresPort is PostgreSQL's port, as registered with IANA.
const postgresPort = "5432"

// pgpass finds the password in a line host:port:database:user:password of PostgreSQL's password file. Each of the
// first four fields may be a star, and a backslash escapes a colon. The line counts only if it has PostgreSQL's
// own port, or a star as host, port or database: other numbers between colons are mostly identifiers of requests.
// at is the position of the first colon.
func pgpass(text string, at int) (Finding, bool) {
	begin := at
	for begin > 0 && at-begin < maxOwner && strings.IndexByte("\n \t`\"'", text[begin-1]) < 0 {
		if begin--; text[begin] == ':' && (begin == 0 || text[begin-1] != '\\') {
			return Finding{}, false // at is not behind the first field
		}
	}
	var fields [4]string // host, port, database and user
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
		if !ok || strings.EqualFold(user, "aladdin") || password == "" { // from the examples in RFC 7617
			return Finding{}, false
		}
	} else if !secretive(v, true) || !strings.ContainsAny(v, "0123456789") {
		return Finding{}, false
	}
	return Finding{ruleHeader, Span{at + from, at + to}}, true
}

// basic decodes credentials in the scheme Basic, with or without padding.
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

// pemBegin begins the armour of a key. At most maxPEMWords words come before the key's type.
const (
	pemBegin    = "-----BEGIN "
	maxPEMWords = 3
	minPEMRun   = 32 // consecutive characters of base64
)

// pemHead returns the end of the first line of a private key's armour.
func pemHead(text string) (end int, ok bool) {
	near := text[len(pemBegin):min(len(text), 96)]
	label, _, closed := strings.Cut(near, "-----")
	end = len(pemBegin) + len(label) + len("-----")
	label, ok = strings.CutSuffix(strings.TrimSuffix(label, " BLOCK"), "PRIVATE KEY")
	if !closed || !ok || label == "" {
		return end, closed && ok
	}
	words := strings.Split(label, " ") // the last word is the text after the last space
	for _, word := range words[:len(words)-1] {
		ok = ok && word != "" && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
	}
	return end, ok && len(words)-1 <= maxPEMWords && words[len(words)-1] == ""
}

// pemBody reports whether a text contains a possible line of a key.
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

// privateKey finds a key in PEM armour, even with escaped line ends. Armour without a key is no finding; a key
// that is cut off before its end is one.
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

// minArgument is the length of the shortest password on a command line, in bytes; shorter ones are mostly
// examples.
const minArgument = 4
