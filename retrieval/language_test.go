package retrieval

import (
	"strings"
	"testing"
)

func TestQuestionsInOtherLanguages(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"auth/passwords.md", "# Changing passwords\n\nA user changes the password in the settings; the old one is asked for.\n",
		"storage/folders.md", "# Temporary folders\n\nThree temporary folders are kept; older ones are removed at the start.\n",
		"build/images.md", "# Container images\n\nImages are built from a scratch base and signed.\n",
		"notizen/warteschlange.md", "# Warteschlange\n\nDie Warteschlange hat höchstens hundert Plätze, dann wartet der Absender.\n"))
	for _, c := range []struct{ text, first, note string }{
		{"Wie ändert ein Benutzer sein Passwort?", "auth/passwords.md", "read as: changes, user, password"},
		{"修改密码", "auth/passwords.md", "read as: changes, password"},
		{"一時フォルダーはいつ削除されますか？", "storage/folders.md", ""},
		{"Où sont les dossiers temporaires ?", "storage/folders.md", ""},
		{"¿Cuándo se eliminan las carpetas temporales?", "storage/folders.md", ""},
		{"Quando as pastas temporárias são removidas?", "storage/folders.md", ""},
		{"Wie viele Plätze hat die Warteschlange?", "notizen/warteschlange.md", "-"}, // entries have its words
		{"when are temporary folders removed?", "storage/folders.md", "-"},
	} {
		res := search(t, x, Query{Text: c.text})
		if len(res.Hits) == 0 || res.Hits[0].Path != c.first {
			t.Errorf("%s: %v, want %s; %s", c.text, paths(res), c.first, res.Note)
			continue
		}
		read := strings.HasPrefix(res.Note, "read as: ")
		if read == (c.note == "-") || read && c.note != "" && res.Note != c.note {
			t.Errorf("%s: note %q, want %q", c.text, res.Note, c.note)
		}
		if direct, why := isDirect(res); read && direct {
			t.Errorf("%s is answered directly: %s", c.text, why)
		}
	}
}
