package foreign

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// gloss is what is read of a text, word by word.
func gloss(text string, known ...string) string {
	var out []string
	for _, w := range Read(text, func(word string) bool { return slices.Contains(known, word) }) {
		if len(w.English) > 0 {
			if n := len(out); n == 0 || out[n-1] != w.English[0] {
				out = append(out, w.English[0])
			}
		}
	}
	return strings.Join(out, " ")
}

func TestReadsWordsOfSixLanguages(t *testing.T) {
	for _, c := range []struct {
		text, want string
		known      []string
	}{
		{text: "Wie kann ich das Passwort ändern?", want: "password changes"},
		{text: "Comment supprimer un dossier ?", want: "delete folder"},
		{text: "¿Cómo elimino una carpeta?", want: "delete folder"},
		{text: "Como excluir uma pasta?", want: "delete folder"},
		{text: "修改密码", want: "modified password"},
		{text: "フォルダーを削除する", want: "folder remove"},
		{text: "Dateisystemfehler beheben", want: "filesystem error fix"}, // a compound
		{text: "How do I change the password of an account?"},
		{text: "retryBudget maxRetries"},
		{text: "exterior gateway protocol"},
		{text: "JET_SESID"},
		{text: "Ordner"}, // one word may be a name
		{text: "密码", known: []string{"密码"}},
		{text: ""},
	} {
		if got := gloss(c.text, c.known...); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWordsLieInTheText(t *testing.T) {
	text := "In `server.go`: die Zeitüberschreitung «zurücksetzen» — リポジトリ？"
	for _, language := range Languages {
		end := 0
		tables[language]().Words(language, text, func(w Word, _ bool) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Errorf("%s: %d-%d behind %d", language, w.Start, w.End, end)
			}
			end = w.End
		})
	}
}

func TestTablesAreSmall(t *testing.T) {
	size := 0
	for _, language := range Languages {
		data, err := files.ReadFile("tables/" + language + ".gz")
		if err != nil || len(tables[language]()) < 2000 {
			t.Errorf("%s: %d words, %v", language, len(tables[language]()), err)
		}
		size += len(data)
	}
	if size > 1<<20 {
		t.Errorf("the tables have %d bytes", size)
	}
}

func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	fmt.Fprint(w, "ordn folder\n=andern change\n\nder\n  \n密码 password code")
	w.Close()
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("no table"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		Decode(packed).Words("de", "Ordner ändern 密码", func(Word, bool) {})
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"Wie ändere ich das Passwort?", "修改 a.b 密码", "リポ\xffジ", "ﷺÄé¿", strings.Repeat("ab", 99)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, w := range Read(text, func(string) bool { return false }) {
			if w.Start < end || w.End <= w.Start || w.End > len(text) {
				t.Fatalf("%q: %d-%d behind %d", text, w.Start, w.End, end)
			}
			end = w.End
		}
	})
}
