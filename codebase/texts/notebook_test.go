package texts

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what notebooks read as into testdata")

// TestNotebooks compares what notebooks read as with reviewed scripts: each file that ends in .ipynb, and its script behind it.
func TestNotebooks(t *testing.T) {
	const name = "testdata/notebooks.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil || len(archive.Files) < 2 {
		t.Fatal("no notebooks", err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		got := Decode(archive.Files[i].Name, archive.Files[i].Data)
		if *update {
			archive.Files[i+1].Data = got
		} else if diff := cmp.Diff(string(archive.Files[i+1].Data), string(got)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", archive.Files[i].Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzNotebook(f *testing.F) {
	f.Add([]byte(`{"cells": [` + "\n" + `"source": [` + "\n" + `"x\\n",` + "\n]]}"))
	f.Fuzz(func(t *testing.T, b []byte) { Decode("a.ipynb", b) })
}
