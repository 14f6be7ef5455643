package structure

import (
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TokenType is the meaning of a token.
type TokenType int

// The types of tokens.
const (
	TokenFolder    TokenType = iota // a relation's domain, topic or subtopic
	TokenFile                       // the entry that a relation names
	TokenAnchor                     // the heading that a relation names
	TokenKey                        // a key that the format knows
	TokenOtherKey                   // any other key of the frontmatter
	TokenWord                       // a value of which there are only a few: a tier, a category
	TokenNumber                     // a signal's value
	TokenSubject                    // what a fact is about
	TokenFactValue                  // what a fact says its subject is
)

// Token is a word of the format.
type Token struct {
	At     markdown.Span // never longer than its line
	Type   TokenType
	Broken bool // of a relation that leads nowhere
}

// Tokens lists the words of the format, in order of place, side by side.
func Tokens(e *format.Entry, relations []tree.Relation) []Token {
	t := tokenizer{text: e.Text}
	for _, r := range relations {
		t.relation(r)
	}
	for _, f := range e.Fields {
		t.field(f)
	}
	for _, f := range e.Facts {
		t.fact(f)
	}
	slices.SortStableFunc(t.out, func(a, b Token) int { return a.At.Start - b.At.Start })
	return t.sideBySide()
}

type tokenizer struct {
	text string
	out  []Token
}

func (t *tokenizer) add(start, end int, kind TokenType) {
	if start < end && !strings.ContainsAny(t.text[start:end], "\r\n") {
		t.out = append(t.out, Token{At: markdown.Span{Start: start, End: end}, Type: kind})
	}
}

// relation adds the segments of a path, and the heading behind it.
func (t *tokenizer) relation(r tree.Relation) {
	first := len(t.out)
	s := r.At.Of(t.text)
	path, _, anchored := strings.Cut(s, "#")
	if anchored {
		t.add(r.At.Start+len(path)+1, r.At.End, TokenAnchor)
	}
	start := r.At.Start
	for seg := range strings.SplitSeq(path, "/") {
		trimmed := strings.TrimLeft(seg, "@< ")
		from := start + len(seg) - len(trimmed)
		end := from + len(strings.TrimRight(trimmed, "> "))
		t.add(from, end, TokenFolder)
		start += len(seg) + 1
	}
	if n := len(t.out); n > first && t.out[n-1].Type == TokenFolder && !namesFolder(r) {
		t.out[n-1].Type = TokenFile
	}
	for i := first; i < len(t.out); i++ {
		t.out[i].Broken = r.Target == "" && len(r.Candidates) == 0
	}
}

// namesFolder reports whether a relation is to a folder: it leads to the folder's
// overview, or to what it holds, without naming a file.
func namesFolder(r tree.Relation) bool {
	raw := strings.TrimSuffix(r.Raw, "/")
	target := r.Target
	if target == "" && len(r.Candidates) > 0 {
		target = r.Candidates[0]
	}
	dir, _, _ := strings.Cut(target, "/context.md")
	return target != "" && dir != target && strings.EqualFold(dir, raw)
}

// numbers are the keys whose value is a number.
var numbers = []string{"importance", "recency", "accessCount", "updateCount"}

// types are the values of the key type that the format knows.
var types = []string{"synthesis", "summary", "archive_stub"}

func (t *tokenizer) field(f format.Field) {
	kind := TokenOtherKey
	if format.FieldDoc(f.Key) != "" {
		kind = TokenKey
	}
	t.add(f.KeyAt.Start, f.KeyAt.End, kind)
	if f.List || len(f.Items) != 1 {
		return
	}
	value := f.Items[0]
	switch _, err := strconv.ParseFloat(value.Value, 64); {
	case slices.Contains(numbers, f.Key) && err == nil:
		t.add(value.At.Start, value.At.End, TokenNumber)
	case f.Key == "maturity" && isTier(value.Value), f.Key == "type" && slices.Contains(types, value.Value):
		t.add(value.At.Start, value.At.End, TokenWord)
	}
}

func isTier(s string) bool {
	switch format.Maturity(strings.ToLower(s)) {
	case format.Draft, format.Validated, format.Core:
		return true
	}
	return false
}

// fact adds what the parser found in an item where it stands in its text: the subject
// between the first **, the category in the last brackets, the value in front of it.
func (t *tokenizer) fact(f format.Fact) {
	s := f.At.Of(t.text)
	if open := strings.Index(s, "**"); f.Subject != "" && open >= 0 {
		from := open + len("**")
		from += len(s[from:]) - len(strings.TrimLeft(s[from:], " "))
		if strings.HasPrefix(s[from:], f.Subject) {
			t.add(f.At.Start+from, f.At.Start+from+len(f.Subject), TokenSubject)
		}
	}
	end := len(s)
	if open := strings.LastIndexByte(s, '['); f.Category != "" && open >= 0 {
		t.add(f.At.Start+open+1, f.At.Start+open+1+len(f.Category), TokenWord)
		end = open
	}
	if at := strings.LastIndex(s[:end], f.Value); f.Value != "" && at >= 0 {
		t.add(f.At.Start+at, f.At.Start+at+len(f.Value), TokenFactValue)
	}
}

// sideBySide drops tokens that contain another one. If two overlap, the later one is more precise: a relation
// can be part of a subject, but not the other way round.
func (t *tokenizer) sideBySide() []Token {
	kept := t.out[:0]
	for _, token := range t.out {
		for len(kept) > 0 && kept[len(kept)-1].At.End > token.At.Start {
			kept = kept[:len(kept)-1]
		}
		kept = append(kept, token)
	}
	return kept
}
