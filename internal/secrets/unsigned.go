package secrets

import "strings"

// unsigned finds the value behind a name with no sign between the two: --password value, WITH PASSWORD 'value',
// <password>value</password>, Setenv("PASSWORD", "value"). The name's word stands at a place and ends at word, all
// of the name ends at i.
func unsigned(text string, at, word, i int, ofPassword bool) (Finding, bool) {
	switch {
	case i+1 >= len(text):
		return Finding{}, false
	case text[i] == ' ' && i == word:
		return spaced(text, at, i+1, ofPassword)
	case text[i] == '>':
		return element(text, i+1, ofPassword)
	}
	return nextArgument(text, i, ofPassword)
}

// spaced finds the value at i, a blank behind its name: that of a flag, one in quotes behind a word for passwords,
// and what a sentence says that the name is. Elsewhere two words are a sentence about passwords.
func spaced(text string, at, i int, ofPassword bool) (Finding, bool) {
	for at > 0 && (isWord(text[at-1]) || text[at-1] == '-') {
		at--
	}
	certain := text[at] == '-'
	if strings.HasPrefix(text[i:], "is ") {
		i, certain = i+len("is "), true
	}
	if i < len(text) && strings.IndexByte("\r\n", text[i]) >= 0 {
		return Finding{}, false
	}
	f, quoted, ok := value(text, i)
	if !ok || !certain && !(quoted && ofPassword) {
		return f, false
	}
	v := text[f.At.Start:f.At.End]
	return f, !strings.HasPrefix(v, "*") && (secretive(v, quoted) || ofPassword && chosen(v)) // no pointer
}

// chosen reports whether a value is a password as people choose them, and no expression.
func chosen(v string) bool { return password(v) && !strings.ContainsAny(v, "(){}[]<>|\\") }

// element finds the value at i of an XML element that a name ends: <password>value</password>.
func element(text string, i int, ofPassword bool) (Finding, bool) {
	n := strings.IndexByte(text[i:min(len(text), i+maxValue)], '<')
	if n < 0 || !strings.HasPrefix(text[i+n:], "</") {
		return Finding{}, false
	}
	v := text[i : i+n]
	f := Finding{ruleAssigned, Span{i, i + n}}
	return f, strings.IndexByte(v, ' ') < 0 && (secretive(v, true) || ofPassword && password(v))
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
	return f, strings.ContainsAny(v, "0123456789") && secretive(v, true) || ofPassword && environment && password(v)
}

// behind finds what stands behind the words of a configuration or of a statement that a password follows:
// requirepass value.
func behind(word string) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		f, quoted, ok := value(text, at+len(word))
		v := text[f.At.Start:f.At.End]
		return f, ok && (chosen(v) || secretive(v, quoted))
	}
}
