package secrets

import "strings"

// maxOwner bounds what stands between a name and its verb, in bytes: whose it is.
const maxOwner = 48

// verbs stand between a name and its value in a sentence.
var verbs = []string{" is now ", " is ", " was ", " must be ", " should be ", " will be ", " ist ", " lautet ", " est ", " es ", " è ", " é "}

// prepositions begin whose it is.
var prepositions = []string{" for ", " of ", " on ", " to ", " in ", " at ", " für ", " auf ", " von ", " pour ", " de ", " du ", " para ", " del "}

// said finds the value that a sentence gives: password is value, token for staging is value, set the
// password to value, with password value, secret value. The name stands from at to i.
func said(text string, at, i int, ofPassword bool) (Finding, bool) {
	i += prefix(text[i:], []string{"**", "__"})
	if f, ok := cell(text, at, i); ok {
		return f, true
	}
	if i+3 >= len(text) || text[i] != ' ' {
		return element(text, i, ofPassword)
	}
	if n := prefix(text[i:], dashes); n > 0 && ofPassword {
		f, ok := behind("")(text, i+n)
		return f, ok && strings.Trim(text[f.At.End:min(len(text), f.At.End+1)], "`*\"'\r\n") == ""
	}
	verb, ok := verbOf(text[i:min(len(text), i+maxOwner)])
	if f, ok := phrase(text, i+verb, ofPassword && ok); ok {
		return f, true
	}
	from, end, quoted := spoken(text, i+verb)
	v := text[from:end]
	f := Finding{ruleAssigned, Span{from, end}}
	switch {
	case len(v) > maxValue || limit(v) || strings.HasPrefix(v, "*"): // a pointer
		return f, false
	case !ok && !ofPassword:
		return f, strong(v)
	case !ok && !quoted && !besideUser(text[max(0, at-len(" with ")):at]):
		return f, chosen(v)
	case ok && secretive(v, quoted):
		return f, true
	}
	return f, ofPassword && (password(v) || jumbled(v)) && !strings.ContainsAny(v, "(){}[]<>|\\")
}

// cell finds the value in the cell of a table that stands behind its name's, | name | value |. The name stands
// from at to i. All of the cell is the value, which speaks for itself: tables of fields have words there.
func cell(text string, at, i int) (f Finding, ok bool) {
	i += prefix(text[i:], []string{"`"})
	n := prefix(text[i:], []string{" | ", "|"})
	line := text[max(0, at-maxTitle):at]
	if n == 0 || strings.IndexByte(line[strings.LastIndexByte(line, '\n')+1:], '|') < 0 {
		return f, false
	}
	bar := strings.IndexByte(text[i+n:min(len(text), i+n+maxValue)], '|')
	if bar < 0 {
		return f, false
	}
	text = text[:i+n+bar]
	from, end, quoted := spoken(text, i+n)
	return Finding{ruleAssigned, Span{from, end}}, strings.Trim(text[end:], "`*\"' ") == "" && secretive(text[from:end], quoted)
}

// dashes stand between a name and its value in a line of its own.
var dashes = []string{" - ", " – ", " — ", " -> ", " → ", " => "}

// element finds the value of an XML element whose name ends at i: <password>value</password>.
func element(text string, i int, ofPassword bool) (Finding, bool) {
	if i >= len(text) || text[i] != '>' {
		return Finding{}, false
	}
	n := strings.IndexByte(text[i:min(len(text), i+maxValue)], '<')
	if n < 0 || !strings.HasPrefix(text[i+n:], "</") {
		return Finding{}, false
	}
	v := text[i+1 : i+n]
	return Finding{ruleAssigned, Span{i + 1, i + n}}, secretive(v, true) && strings.IndexByte(v, ' ') < 0 || ofPassword && (password(v) || jumbled(v))
}

// besideUser reports whether what stands before a password's name makes its value follow: with password value.
func besideUser(before string) bool {
	return strings.HasSuffix(before, " with ") || strings.HasSuffix(before, " and ") || strings.HasSuffix(before, ", ")
}

// verbOf returns where the value begins in the rest of a sentence behind a name; ok is false where no verb
// says so, and it begins behind the name.
func verbOf(rest string) (value int, ok bool) {
	if n := prefix(rest, verbs); n > 0 {
		return n, true
	}
	if prefix(rest, prepositions) == 0 {
		return 1, false
	}
	for i := 1; i < len(rest) && strings.IndexByte("\n.;:,(", rest[i]) < 0; i++ {
		if rest[i] == ' ' {
			if n := prefix(rest[i:], verbs); n > 0 {
				return i + n, true
			}
		}
	}
	if strings.HasPrefix(rest, " to ") {
		return len(" to "), true
	}
	return 1, false
}

// prefix returns the length of the word that a text begins with, 0 for none.
func prefix(text string, words []string) int {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return len(w)
		}
	}
	return 0
}

// spoken is the word of a sentence at i, without the quotes, the emphasis and the end of the sentence around it.
func spoken(text string, i int) (from, end int, quoted bool) {
	start := i
	for i < len(text) && strings.IndexByte("\"'`*", text[i]) >= 0 {
		quoted = quoted || text[i] != '*'
		i++
	}
	end = i
	for end < len(text) && end-i <= maxValue && strings.IndexByte(" \t\r\n\"'`", text[end]) < 0 {
		end++
	}
	v := strings.TrimRight(text[i:end], ".,;:)")
	if bare := strings.TrimRight(v, "*"); len(bare) < len(v) {
		v, quoted = bare, true
	} else if i > start && text[i-1] == '*' { // no emphasis: it does not end
		return i - 1, i + len(v), false
	}
	return i, i + len(v), quoted
}

// limit reports whether a text is a number and what is counted: 8+chars, 12-character, 90days.
func limit(v string) bool {
	unit := strings.TrimLeft(v, "0123456789+-")
	return len(unit) < len(v) && (unit == "" || prefix(unit, []string{"char", "byte", "bit", "day", "hour", "min", "month", "word", "letter", "digit", "sec"}) > 0)
}

// minStrong is from which length on a random value right behind a name such as token is a secret, in bytes;
// minSeed that of the seed of one-time passwords, which is base32: 80 bits are the least that programs make.
const (
	minStrong = 20
	minSeed   = 16
	minMixed  = 32 // with two numbers in it, of random characters
)

// strong reports whether a value speaks for itself.
func strong(v string) bool {
	if len(v) >= minSeed && strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		return strings.ContainsAny(v, "234567") && secretive(v, true)
	}
	runs, row, longest := 0, 0, 0
	for i := range len(v) {
		c := v[i]
		if row++; !isWord(c) {
			if row = 0; strings.IndexByte("-+/=.~", c) < 0 {
				return false
			}
		}
		longest = max(longest, row)
		if c >= '0' && c <= '9' && (i == 0 || v[i-1] < '0' || v[i-1] > '9') {
			runs++
		}
	}
	return len(v) >= minStrong && longest >= minSeed && (runs >= 3 || runs == 2 && longest >= minMixed && bits(v) >= 4.2) && secretive(v, false)
}

// nextArgument finds the value in quotes that follows a name in quotes as the next argument of a call:
// Setenv("NAME", "value"). The name ends at i. It is the first argument, or that of an environment variable, else the
// two may be words in a list.
func nextArgument(text string, i int, ofPassword bool) (Finding, bool) {
	if i+3 >= len(text) || strings.IndexByte("\"'`", text[i]) < 0 || text[i+1] != ',' {
		return Finding{}, false
	}
	end, from := i+2, i
	if text[end] == ' ' {
		end++
	}
	for from > 0 && i-from < maxOwner && (isWord(text[from-1]) || text[from-1] == '-') {
		from--
	}
	name, quote := text[from:i], text[i:i+1]
	environment := strings.Contains(name, "_") && strings.ToUpper(name) == name
	if text[end:min(len(text), end+1)] != quote || !environment && !strings.HasSuffix(text[:from], "("+quote) {
		return Finding{}, false
	}
	f, _, ok := value(text, end)
	if !ok {
		return f, false
	}
	v := text[f.At.Start:f.At.End]
	return f, strings.IndexByte(v, '\\') < 0 && (strings.ContainsAny(v, "0123456789") && secretive(v, true) || ofPassword && environment && (password(v) || jumbled(v)))
}

// jumbled reports whether letters of both cases are no words written together: two or more of the parts
// that capitals begin have no vowel, four consonants in a row or one letter. It knows 4 of 5 of ten random letters, 9 of
// 10 of 16.
func jumbled(v string) bool {
	if len(v) < minPlain || len(v) > 64 || strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	isUpper := func(i int) bool { return i < len(v) && v[i] < 'a' }
	odd, from := 0, 0
	for i := 1; i <= len(v); i++ {
		if i < len(v) && (!isUpper(i) || isUpper(i-1) && (i+1 == len(v) || isUpper(i+1))) {
			continue
		}
		switch n := i - from; {
		case n == 1, n == 2 && isUpper(from+1) && i < len(v):
			odd++
		case !isUpper(from+1) && unspoken(v[from:i]):
			odd++
		}
		from = i
	}
	return odd >= 2 && strings.ToLower(v) != v && strings.ToUpper(v) != v && !placeholder(v)
}

// unspoken reports whether a word has no vowel, or four consonants in a row.
func unspoken(word string) bool {
	row, vowels := 0, 0
	for i := range len(word) {
		if strings.IndexByte("aeiouyAEIOUY", word[i]) >= 0 {
			vowels, row = vowels+1, 0
		} else if row++; row == 4 {
			return true
		}
	}
	return vowels == 0
}

// Bounds of a phrase for a secret, in words.
const (
	minPhrase = 4
	maxPhrase = 24
)

// phrase finds a value of words, in quotes: small letters only, and none of the words that sentences have.
func phrase(text string, i int, ofPassword bool) (Finding, bool) {
	if !ofPassword || i+1 >= len(text) || strings.IndexByte("\"'`", text[i]) < 0 {
		return Finding{}, false
	}
	quote := text[i]
	from, word, words := i+1, i+1, 0
	for end := from; end < len(text) && end-from <= maxValue; end++ {
		switch c := text[end]; {
		case c >= 'a' && c <= 'z':
			continue
		case c != ' ' && c != '-' && c != quote, end-word < 3 || end-word > 12, ordinary[text[word:end]]:
			return Finding{}, false
		case c == quote:
			return Finding{ruleAssigned, Span{from, end}}, words+1 >= minPhrase && words < maxPhrase
		}
		word, words = end+1, words+1
	}
	return Finding{}, false
}

// seedWords finds the words that a wallet is made from, behind their name: as many as BIP 39 has, none of three
// letters or less that sentences have and its list has not.
func seedWords(name string) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		i := at + len(name)
		if end, ok := sign(text, i); ok {
			i = end
		} else if n := prefix(text[i:], verbs); n > 0 {
			i += n
		} else {
			return Finding{}, false
		}
		i, _ = nextLine(text, i)
		for i < len(text) && strings.IndexByte("\"'`", text[i]) >= 0 {
			i++
		}
		end := i
		for end < len(text) && end-i <= maxValue && (text[end] >= 'a' && text[end] <= 'z' || text[end] == ' ') {
			end++
		}
		end = i + len(strings.TrimRight(text[i:end], " "))
		n := 0
		for w := range strings.SplitSeq(text[i:end], " ") {
			if n++; len(w) < 3 || len(w) > 8 || w == "the" || w == "and" || w == "for" || w == "are" || w == "not" {
				return Finding{}, false
			}
		}
		return Finding{ruleAssigned, Span{i, end}}, n >= 12 && n <= maxPhrase && n%3 == 0
	}
}

// ordinary are words that sentences and messages about passwords have, and phrases drawn at random seldom.
var ordinary = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`the your for and you are was not with without has have had this that these those from into must may can cannot could should would will shall than
		then too use used uses using user users enter entered type typed choose set sets unset new old any all some none only also but when where which who what how why if its his her their our
		password passwords passphrase passphrases secret secrets key keys token tokens name value field string text empty blank here there please repeat confirm again change
		changed default invalid valid incorrect wrong missing required optional protect protected protects protecting encrypt encrypted decrypt least long short more less most file files
		account service server database login admin one two three four example sample test testing fake dummy about before after between because does done did per via
		characters letters digits words random hash hashed salt reset forgot match matches same different`) {
		set[w] = true
	}
	return set
}()

// behind finds what stands behind the words of a configuration or of a statement that a password follows: requirepass value.
func behind(word string) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		from, end, quoted := spoken(text, at+len(word))
		v := text[from:end]
		return Finding{ruleAssigned, Span{from, end}}, len(v) <= maxValue && (password(v) || jumbled(v) || secretive(v, quoted)) && !strings.ContainsAny(v, "(){}[]<>|\\")
	}
}

// Bounds of a table with a column of passwords, in bytes: of its title, up to the column, and of all rows.
const (
	maxTitle = 128
	maxTable = 2 << 10
)

// column finds the passwords of a Markdown table. The name that titles their column, the first such in it, stands at a place.
func column(text string, at int) (found []Finding) {
	begin := max(0, at-maxTitle)
	begin += strings.LastIndexByte(text[begin:at], '\n') + 1
	head := text[begin:at]
	if begin > 0 && text[begin-1] != '\n' || !strings.HasPrefix(strings.TrimLeft(head, " "), "|") || !strings.HasSuffix(strings.TrimRight(head, " *`"), "|") ||
		strings.Contains(strings.ToLower(head), "pass") {
		return nil
	}
	columns := strings.Count(head, "|")
	from, row := at, 0
	for line := range strings.SplitSeq(text[at:min(len(text), at+maxTable)], "\n") {
		if rule := strings.Contains(line, "--") && strings.Trim(line, "|-: \t\r") == ""; row > 0 && rule != (row == 1) {
			break
		}
		if row > 1 {
			start := 0
			for n := 0; n < columns; n++ {
				bar := strings.IndexByte(line[start:], '|')
				if bar < 0 {
					return found
				}
				start += bar + 1
			}
			start += len(line[start:]) - len(strings.TrimLeft(line[start:], " "))
			if f, ok := behind("")(text, from+start); ok {
				found = append(found, f)
			}
		}
		from, row = from+len(line)+1, row+1
	}
	return found
}

// login finds the password behind the name of a user that every program has: admin / value, | root | value |.
func login(user string) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		i := at + len(user)
		if at > 0 && (isWord(text[at-1]) || text[at-1] == '-') || i >= len(text) {
			return Finding{}, false
		}
		i += prefix(text[i:], []string{"`", "\"", "'", "**"})
		n := prefix(text[i:], []string{" / ", " | ", ", ", ":", "/"})
		if n == 0 || text[i] == ',' && text[i-1] != '"' && text[i-1] != '\'' {
			return Finding{}, false
		}
		from, end, quoted := spoken(text, i+n)
		f := Finding{ruleAssigned, Span{from, end}}
		return f, (quoted || text[i] != ',') && end-from >= minValue && chosen(text[from:end])
	}
}

// chosen reports whether a value is a password by itself: with capitals and small letters, digits and signs.
func chosen(v string) bool {
	return password(v) && strings.ContainsAny(v, "!@#$%^&*+?~") && strings.ContainsAny(v, "0123456789") && strings.ToLower(v) != v && strings.ToUpper(v) != v &&
		!strings.ContainsAny(v, "(){}[]<>|\\/:=")
}

// maxCookies bounds the cookies that are looked at in a header, in bytes.
const maxCookies = 512

// cookie finds the first session of a Cookie or Set-Cookie header.
func cookie(text string, at int) (Finding, bool) {
	from := at + len("cookie:")
	line := text[from:min(len(text), from+maxCookies)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	for part := range strings.SplitSeq(line, ";") {
		name, v, _ := strings.Cut(part, "=")
		if end := strings.IndexAny(v[:min(len(v), maxValue)], " \r\"'`"); end >= 0 {
			v = v[:end]
		}
		if len(v) <= maxValue && strong(v) && ofSession(strings.ToLower(name)) {
			start := from + len(name) + 1
			return Finding{ruleHeader, Span{start, start + len(v)}}, true
		}
		from += len(part) + 1
	}
	return Finding{}, false
}

func ofSession(name string) bool {
	for _, part := range []string{"sess", "sid", "auth", "token", "jwt", "remember"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// maxJoints bounds the pieces of a string that a program puts together.
const maxJoints = 4

// joined returns a text without the quotes and the signs between the strings of one sum at its beginning ("a" + "b"),
// and whether there are any; where tells the place in the text that a place without them has.
func joined(text string, word int) (whole string, where func(int) int, ok bool) {
	if word >= len(text) || strings.IndexByte("\"'`", text[word]) < 0 {
		return text, nil, false
	}
	quote := text[word]
	var b strings.Builder
	var at, skipped []int // from which place of the whole on so many bytes are left out
	b.WriteString(text[:word])
	from, sum := word, 0
	for range maxJoints {
		next := from + 1
		for next < len(text) && next < from+maxIndent && strings.IndexByte(" \t\r\n+.\\", text[next]) >= 0 {
			next++
		}
		if next >= len(text) || text[next] != quote || next == from+1 {
			break
		}
		sum += next + 1 - from
		at, skipped = append(at, b.Len()), append(skipped, sum)
		end := next + 1
		for end < len(text) && isWord(text[end]) || end < len(text) && strings.IndexByte("-.=/+", text[end]) >= 0 {
			end++
		}
		b.WriteString(text[next+1 : end])
		if from = end; from >= len(text) || text[from] != quote {
			break
		}
	}
	return b.String(), func(i int) int {
		n := 0
		for k := range at {
			if i > at[k] {
				n = skipped[k]
			}
		}
		return i + n
	}, sum > 0
}
