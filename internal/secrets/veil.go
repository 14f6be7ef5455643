package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// Veiled is a text whose parts can be shown without secrets, wherever they are cut. A part of a line may not be
// recognisable as a password. So a secret that is found at one place of the text is redacted at all its
// occurrences.
type Veiled struct {
	text  string
	found []Finding
	known values
}

// Veil finds the secrets of a text.
func Veil(text string) Veiled {
	found := Scan(text)
	if len(found) == 0 {
		return Veiled{text: text}
	}
	known := valuesOf(text, found)
	return Veiled{text, disjoint(append(found, known.places(text, minTwin)...)), known}
}

// Clean reports whether the text contains no secrets.
func (v Veiled) Clean() bool { return len(v.found) == 0 }

// Found returns the secrets in order of position, without overlaps: those found by [Scan], and their other
// occurrences.
func (v Veiled) Found() []Finding { return v.found }

// Masked returns the text without its secrets.
func (v Veiled) Masked() string { return v.Part(0, len(v.text)) }

// Part returns a part of the text with [REDACTED:rule] for each secret that it touches. Line ends inside a secret
// stay, so that line numbers do not change.
func (v Veiled) Part(start, end int) string {
	if v.Clean() {
		return v.text[start:end]
	}
	var b strings.Builder
	for _, f := range v.found {
		from, to := max(f.At.Start, start), min(f.At.End, end)
		if from >= to {
			continue
		}
		b.WriteString(v.text[start:from] + f.mark() + strings.Repeat("\n", strings.Count(v.text[from:to], "\n")))
		start = to
	}
	b.WriteString(v.text[start:end])
	return b.String()
}

// mark returns the replacement for a secret.
func (f Finding) mark() string { return "[REDACTED:" + f.Rule + "]" }

// Without removes the text's secrets from a string that was made from the text, such as a title or a signature on
// one line. It removes whole secrets, and the beginning of one at the string's end.
func (v Veiled) Without(made string) string {
	if v.Clean() || made == "" {
		return made
	}
	found := append(Scan(made), v.known.places(made, minArgument)...)
	if f, ok := v.known.cut(made); ok {
		found = append(found, f)
	}
	return Veiled{text: made, found: disjoint(found)}.Masked()
}

// values holds the secrets of a text by their beginning, longest first.
type values map[string][]credential

// credential is a secret, or one line of it, with the rule that recognised it.
type credential struct{ text, rule string }

// valuesOf collects the credentials. Each long line of a secret with several lines counts separately, since a
// string made from the text may contain it on one line.
func valuesOf(text string, found []Finding) values {
	known := values{}
	for _, f := range found {
		for line := range strings.SplitSeq(text[f.At.Start:f.At.End], "\n") {
			line = strings.Trim(line, " \t\r")
			if len(line) < minArgument || len(line) < f.At.End-f.At.Start && len(line) < minPEMRun {
				continue
			}
			key := line[:minArgument]
			if same := known[key]; len(same) < maxGroup && !slices.ContainsFunc(same, func(v credential) bool { return v.text == line }) {
				known[key] = append(same, credential{line, f.Rule})
			}
		}
	}
	for _, same := range known {
		slices.SortFunc(same, func(a, b credential) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	return known
}

// minTwin is the least length of a secret whose other occurrences are searched, in bytes: the length of the
// shortest password that can be distinguished from a word.
const minTwin = minPassword

// places finds values of at least the given length in a text, as whole words. It does not search for a value of
// lower-case letters alone, since that may be an ordinary word of the text.
func (known values) places(text string, least int) (found []Finding) {
	for i := 0; i+minArgument <= len(text); i++ {
		for _, v := range known[text[i:i+minArgument]] {
			end := i + len(v.text)
			if len(v.text) < least || !strings.HasPrefix(text[i:], v.text) || joins(text, i) || joins(text, end) || wordOf(v.text) {
				continue
			}
			found = append(found, Finding{v.rule, Span{i, end}})
			i = end - 1
			break
		}
	}
	return found
}

// joins reports whether a word continues across a position.
func joins(text string, i int) bool {
	return i > 0 && i < len(text) && isWord(text[i-1]) && isWord(text[i])
}

// wordOf reports whether a value consists of lower-case letters.
func wordOf(v string) bool { return strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") == "" }

// cut finds the beginning of a value at the end of a string, where the string may have been cut.
func (known values) cut(text string) (Finding, bool) {
	whole := strings.TrimSuffix(text, "…")
	for i := max(0, len(whole)-maxSecret); len(whole) < len(text) && i+minArgument <= len(whole); i++ {
		for _, v := range known[whole[i:i+minArgument]] {
			if strings.HasPrefix(v.text, whole[i:]) {
				return Finding{v.rule, Span{i, len(whole)}}, true
			}
		}
	}
	return Finding{}, false
}

// Redact returns the text with [REDACTED:rule] in place of each secret; see [Veiled.Masked].
func Redact(text string) string { return Veil(text).Masked() }
