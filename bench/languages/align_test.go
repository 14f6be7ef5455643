package main

import "testing"

func TestWordsOfMessagesAreAligned(t *testing.T) {
	table := tableOf("de", []pair{
		{"Ordner löschen", "Delete folder"}, {"Ordner öffnen", "Open folder"}, {"Datei löschen", "Delete file"},
		{"Datei öffnen", "Open file"}, {"Ordner", "Folder"}, {"Neuer Ordner", "New folder"},
	}, chosen)[0]
	for key, want := range map[string]string{"ordn": "folder", "datei": "file", "losch": "delete", "offn": "open"} {
		if table[key] != want {
			t.Errorf("%s: %q, want %q", key, table[key], want)
		}
	}
}

func TestCataloguesAreRead(t *testing.T) {
	readPO("#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"\"\n\"Delete \"\n\"file\"\nmsgstr \"Datei \"\n\"löschen\"\n", func(english, said string) {
		if english != "Delete file" || said != "Datei löschen" {
			t.Errorf("%q, %q", english, said)
		}
	})
	if got := flat("x.properties", []byte("# no\na.b = f\\u00fcr \\\n  alle\n"))["a.b"]; got != "für   alle" {
		t.Errorf("%q", got)
	}
	found := 0
	files := map[string][]byte{"l/en/a.json": []byte(`{"a": {"b": "Open"}}`), "l/de/a.json": []byte(`{"a": {"b": "Öffnen"}}`)}
	readTwins(files, nil, func(language, english, said string) {
		if found++; language != "de" || english != "Open" || said != "Öffnen" {
			t.Errorf("%s: %q, %q", language, english, said)
		}
	})
	if found != 1 {
		t.Errorf("%d messages", found)
	}
}
