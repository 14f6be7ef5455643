package secrets

import "strings"

// unsigned finds the value after a name without an operator: --password value, WITH PASSWORD 'value',
// <password>value</password>, Setenv("PASSWORD", "value"). The name's word begins at at and ends at word; the
// whole name ends at i.
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

// spaced finds the value at i, which is a blank after the name: the value of a flag, a quoted value after a word
// for passwords, or the value in a sentence that states it. Otherwise, two words are just a sentence about
// passwords.
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
	return f, !strings.HasPrefix(v, "*") && (secretive(v, quoted) || ofPassword && chosen(v)) // not a pointer
}

// chosen reports whether a value looks like a password that people choose, and not like an expression.
func chosen(v string) bool { return password(v) && !strings.ContainsAny(v, "(){}[]<>|\\") }

// element finds the value at i of an XML element with a name that ends there: <password>value</password>.
func element(text string, i int, ofPassword bool) (Finding, bool) {
	n := strings.IndexByte(text[i:min(len(text), i+maxValue)], '<')
	if n < 0 || !strings.HasPrefix(text[i+n:], "</") {
		return Finding{}, false
	}
	v := text[i : i+n]
	f := Finding{ruleAssigned, Span{i, i + n}}
	return f, strings.IndexByte(v, ' ') < 0 && (secretive(v, true) || ofPassword && password(v))
}

// nextArgument finds the quoted value that follows a quoted name as the next argument of a call: Setenv("NAME",
// "value"). The name ends at i. The name must be the first argument, or belong to an environment variable;
// otherwise the two may be words in a list.
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

// behind returns a function that finds the value after a word of a configuration or statement that precedes a
// password: requirepass value.
func behind(word string) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		f, quoted, ok := value(text, at+len(word))
		v := text[f.At.Start:f.At.End]
		return f, ok && (chosen(v) || secretive(v, quoted))
	}
}
