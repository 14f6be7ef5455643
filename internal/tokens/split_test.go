package tokens

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tiktoken-go/tokenizer/codec"
)

// split is one encoding's cutting, and its definition in split.go for
// the standard library. This has no look-ahead: the alternatives that need it, which
// are the last, are done in referencePieces.
type split struct {
	next       func(string) int
	definition *regexp.Regexp
	library    func() *codec.Codec
	vocabulary vocabulary
}

// A class of characters may hold white: \s is ASCII in the standard library.
const white = `\s\v\x85\p{Z}`

var splits = map[string]split{
	"o200k_base": {nextPiece, regexp.MustCompile(`^(?:` +
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}` +
		`| ?[^` + white + `\p{L}\p{N}]+[\r\n/]*` +
		`|[` + white + `]*[\r\n]+)`), codec.NewO200kBase, o200k},
	"cl100k_base": {nextPieceCl100k, regexp.MustCompile(`^(?:` +
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)` +
		`|[^\r\n\p{L}\p{N}]?\p{L}+` +
		`|\p{N}{1,3}` +
		`| ?[^` + white + `\p{L}\p{N}]+[\r\n]*` +
		`|[` + white + `]*[\r\n]+)`), codec.NewCl100kBase, cl100k},
}

var spaces = regexp.MustCompile(`^[` + white + `]+`)

func (c split) referencePieces(s string) (pieces []string) {
	for len(s) > 0 {
		piece := c.definition.FindString(s)
		if piece == "" {
			piece = spaces.FindString(s)
			if _, last := utf8.DecodeLastRuneInString(piece); len(piece) < len(s) && len(piece) > last {
				piece = piece[:len(piece)-last]
			}
		}
		pieces = append(pieces, piece)
		s = s[len(piece):]
	}
	return pieces
}

func (c split) pieces(s string) (pieces []string) {
	for len(s) > 0 {
		end := c.next(s)
		pieces = append(pieces, s[:end])
		s = s[end:]
	}
	return pieces
}

var odd = []string{
	"Don't we'LL they'ſ I'Re O'Reilly 's'S", "func (s *Server) ListenAndServe() error {\n\treturn nil\n}\n\n\n\t  \nx",
	"a\n  \n  b", "  \r\n \r\n  c", "x = 12345.678e9 // 10/20\n/\n//\r\n", "\u0301ABC \u0301a \u0301\u0301", "ªABCªD ǅa ʰX 設計Aa設",
	"日本語 テキスト。\u3000\u3000次", "\u00a0\u00a0a\u2028b\x85c\v\f", "!!!\n\n/  ?/\n", "٣٤٥٦ Ⅷ ½²", "\xff\xfea\xc3 \xe2\x82", " 'd 'D'",
	"😀😀👩‍👩‍👧 ok",
	"\t\tif a {\n\t\t\tb()\n\t\t}\n", "   ", " x", "  x", "\n x", "x  ", "<|endoftext|>", "e\u0301E\u0301", "A\u0301B",
}

func followsTheDefinition(t *testing.T, s string) {
	t.Helper()
	for name, c := range splits {
		if diff := cmp.Diff(c.referencePieces(s), c.pieces(s)); diff != "" {
			t.Errorf("%s: %q (-definition +got):\n%s", name, s, diff)
		}
	}
}

func TestPiecesFollowTheDefinition(t *testing.T) {
	for _, s := range append(odd, hostile...) {
		followsTheDefinition(t, s)
	}
}

func FuzzPiecesFollowTheDefinition(f *testing.F) {
	for _, s := range append(odd, hostile...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && len(s) <= 4096 {
			followsTheDefinition(t, s)
		}
	})
}

// The library cuts pieces without look-around right, so given one piece it must
// merge as we do.
func FuzzMergesAsTheLibrary(f *testing.F) {
	libraries := map[string]*codec.Codec{}
	for name, c := range splits {
		libraries[name] = c.library()
	}
	for _, s := range append(odd, hostile...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || len(s) > 2048 {
			return
		}
		for name, c := range splits {
			for _, piece := range c.pieces(s) {
				if blank(piece) == len(piece) || strings.ContainsRune(piece, 0x7f) {
					continue // the library cuts white space at the wrong line end, and drops this sign
				}
				want, err := libraries[name].Count(piece)
				if got := c.vocabulary.countPiece(piece); err != nil || got != want {
					t.Errorf("%s: %q: %d tokens, the library counts %d, %v", name, piece, got, want, err)
				}
			}
		}
	})
}

// On ordinary text the library is right as a whole: on that of this project, and on what
// it does not hold.
func TestSourceIsCountedAsByTheLibrary(t *testing.T) {
	texts := append([]string{}, ordinary...)
	for _, pattern := range []string{"*.go", "../../tree/*.go", "../../docs/*.md", "../../editor/vscode/src/*.ts"} {
		names, _ := filepath.Glob(pattern)
		if len(names) == 0 {
			t.Errorf("no files %s", pattern)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	for name, c := range splits {
		library := c.library()
		e, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			want, err := library.Count(text)
			if got := e.Count(text); err != nil || got != want {
				t.Errorf("%s: %.60q: %d tokens, the library counts %d, %v", name, text, got, want, err)
			}
		}
	}
}

// ordinary is prose and code of other scripts and habits than this project's.
var ordinary = []string{
	"They're sure it's what we'd have DONE'S, said O'Neill; I'm not, you'll see they've gone.",
	"Größe, naïve Ärger: „Straße“ — Ελληνικά, кириллица, עברית, العربية ١٢٣٤٥, हिन्दी, 한국어 123456.",
	"def f(x):\n    if x:\n        return {'a': 1, 'b': [1.5e10, 0xFF]}  # why\n\n\n    return None\n",
	"if (a) {\r\n\t\tb();\r\n\t}\r\n", "SELECT * FROM users WHERE id = 1234567890 AND name LIKE '%d''s';",
	"| a | b |\n|---|---|\n| 1 | 😀 |\n",
	"$$\\frac{1}{2}$$ <div class=\"x\">&nbsp;</div>\n<!-- -->", "https://example.com/a/b?c=d&e=%20#f", strings.Repeat("=", 120) + "\n",
}
