package terms

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// found is one call of emit.
type found struct {
	term Term
	off  int
}

func scanned(text string) (out []found) {
	Scan(text, func(t Term, off int) { out = append(out, found{t, off}) })
	return out
}

// scannedByRunes is Scan over runes: it cuts identifiers out first and hashes words
// of their own, without tables or another way for ASCII.
func scannedByRunes(text string) (out []found) {
	for off := 0; off < len(text); {
		end := off
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if classOf(r) == other {
				break
			}
			end += size
		}
		if end == off {
			_, size := utf8.DecodeRuneInString(text[off:])
			off += size
			continue
		}
		for _, word := range wordsOf([]rune(text[off:end])) {
			out = append(out, found{Name(word), off})
		}
		off = end
	}
	return out
}

// wordsOf returns the words of more than a byte of one identifier, in lower case.
func wordsOf(id []rune) (words []string) {
	whole, cur, parts := "", "", 0
	flush := func() {
		if cur != "" {
			parts++
		}
		if len(cur) > 1 {
			words = append(words, stemmed(cur))
		}
		cur = ""
	}
	for i, r := range id {
		capital := i > 0 && classOf(r) == upper &&
			(classOf(id[i-1]) != upper || i+1 < len(id) && classOf(id[i+1]) == lower)
		if capital || classOf(r) == joint {
			flush()
		}
		if classOf(r) != joint {
			cur += string(unicode.ToLower(r))
			whole += string(unicode.ToLower(r))
		}
	}
	flush()
	if parts > 1 && len(whole) > 1 {
		words = append(words, whole)
	}
	return words
}

// stemmed is the stem of a word of ASCII letters.
func stemmed(word string) string {
	if len(word) < 3 || len(word) > 32 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return word
	}
	return words.Porter2(word)
}

func TestScanFindsWords(t *testing.T) {
	for text, want := range map[string][]string{
		"refreshTokens":        {"refresh", "token", "refreshtokens"},
		"refresh_token":        {"refresh", "token", "refreshtoken"},
		"HTTPServer":           {"http", "server", "httpserver"},
		"x":                    nil,
		"_x_":                  nil,
		"aB":                   {"ab"},
		"$el.text2":            {"el", "text2"},
		"ÄrgerLevel":           {"ärger", "level", "ärgerlevel"},
		"größeMax":             {"größe", "max", "größemax"},
		"日本 + x1":              {"日本", "x1"},
		"ABC":                  {"abc"},
		"IDs":                  {"ds", "ids"},
		"parsedTokens":         {"pars", "token", "parsedtokens"},
		"Token TOKENS tokened": {"token", "token", "token"},
		"__tests__":            {"test"},
		"größen2s":             {"größen2s"},
		"utf8s":                {"utf8s"},
		"as":                   {"as"},
		"https":                {"https"},
		"parse\xffUtf8s":       {"pars", "utf8s"},
	} {
		var terms []Term
		for _, f := range scanned(text) {
			terms = append(terms, f.term)
		}
		var words []Term
		for _, w := range want {
			words = append(words, Name(w))
		}
		if !slices.Equal(terms, words) {
			t.Errorf("Scan(%q): %v, want those of %q: %v", text, terms, want, words)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"", "refreshToken", "HTTPServer2_x", "__init__", "$scope", "aÄb", "ÄÖÜber", "HTTPÜber", "ÜberHTTPs", "İstanbul", "x\u0301y",
		"日本語Go",
		"a\xffb", "\xff", "ǅ", "٣x", "a.b(c)", "ſK",
	} {
		f.Add(s)
	}
	if text, err := os.ReadFile("terms.go"); err == nil {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := scanned(text), scannedByRunes(text); !slices.Equal(got, want) {
			t.Errorf("Scan(%q) = %v, want %v", text, got, want)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	text, err := os.ReadFile("terms.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		Scan(string(text), func(Term, int) { n++ })
	}
}
