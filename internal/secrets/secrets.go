// Package secrets finds credentials in text: tokens that a vendor marks by a prefix, private keys, signed web
// tokens, passwords in addresses, in headers and on the command lines of some programs. It also finds values that
// belong to a name such as password: after an operator, as a flag or an element, as the next argument, or after
// the word "is".
//
// One pass looks for the words with which rules begin, by three bytes and a table. A rule is tried only at such a
// word, on a piece of text of limited length. Rules are RE2 expressions or loops, so that the time is linear even
// in a hostile text.
//
// A secret that [Scan] finds because of the text next to it is a secret at every other place of the text too
// ([Veil]).
//
// A placeholder (<token>, ${TOKEN}, xxxx, changeme, 0123456789) is no finding. A password of letters alone looks
// like a word. It is found only in a form that belongs to passwords, or if it mixes both cases over 24 characters.
// A value like a word with a number (hunter2, serverName12) is a finding only if the form leaves little doubt:
// after a name that ends in a word for passwords, in quotes, directly after an equals sign, or as the rest of a
// line. The value may be on the line below its name.
//
// English is not parsed. So a password is not found if only a sentence or a table's title marks it ("the password
// for staging must be …", a column of passwords). In public repositories with labelled credentials, rules for
// these found fewer than one in five hundred, and twice as many false ones.
package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// Revision is incremented when the findings for a text change: cached texts without their secrets are valid
// only together with it.
const Revision = "3"

// Span is a half-open byte range.
type Span struct{ Start, End int }

// Finding is one secret: the rule that recognised it, and its place. At covers the secret alone, not the name
// it is assigned to or the address around it.
type Finding struct {
	Rule string
	At   Span
}

// Scan returns the secrets of a text, in order of position and without overlaps.
func Scan(text string) []Finding {
	var found []Finding
	table := table()
	hash, known := uint32(0), 0 // known is the end of the last secret with a known form
	for i := range len(text) {
		hash = (hash<<5 | uint32(text[i]&31)) & (1<<15 - 1)
		if table.filter[hash>>6]>>(hash&63)&1 == 0 || i < 2 || i-2 < known {
			continue
		}
		for _, k := range table.words[hash] {
			if !k.stands(text, i-2) {
				continue
			}
			if f, ok := k.match(text, i-2); ok && f.At.Start >= known {
				found = append(found, f)
				if vague[f.Rule] == 0 {
					known = f.At.End
				}
			}
		}
	}
	return disjoint(found)
}

// disjoint sorts findings, and keeps the most specific of those that overlap: a rule for the form of a secret is
// preferred to one that only knows the name before it, and then the longer finding.
func disjoint(found []Finding) []Finding {
	byValue := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(vague[a.Rule], vague[b.Rule]), cmp.Compare(b.At.End-b.At.Start, a.At.End-a.At.Start),
			cmp.Compare(a.At.Start, b.At.Start))
	}
	byPlace := func(a, b Finding) int { return cmp.Compare(a.At.Start, b.At.Start) }
	if len(found) < 2 {
		return found
	}
	slices.SortFunc(found, byPlace)
	var out []Finding
	for len(found) > 0 {
		// A group of overlapping findings, from the first on.
		n, end := 1, found[0].At.End
		for n < len(found) && found[n].At.Start < end {
			end = max(end, found[n].At.End)
			n++
		}
		group := slices.Clone(found[:n])
		slices.SortFunc(group, byValue)
		var kept []Finding
		for _, f := range group[:min(n, maxGroup)] {
			if !slices.ContainsFunc(kept, func(k Finding) bool { return f.At.Start < k.At.End && k.At.Start < f.At.End }) {
				kept = append(kept, f)
			}
		}
		slices.SortFunc(kept, byPlace)
		out, found = append(out, kept...), found[n:]
	}
	return out
}

// maxGroup bounds how many overlapping findings are compared with each other. Only a hostile text has more.
const maxGroup = 64

// vague ranks the rules that depend only on the text beside a secret after all others.
var vague = map[string]int{ruleURL: 1, ruleHeader: 2, ruleCommand: 3, ruleAssigned: 4}

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
