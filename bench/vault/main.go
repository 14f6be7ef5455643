// Command vault writes a folder of made-up notes, for trying imports at size:
//
//	go run ./bench/vault -n 1000 /tmp/notes
//	time brv-lsp import /tmp/notes --write
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/vault/vaulttest"
)

func main() {
	n := flag.Int("n", 1000, "notes")
	dialect := flag.String("dialect", string(vault.Obsidian), "of the folder")
	flag.Parse()
	f := vaulttest.Notes(1, vault.Dialect(*dialect), *n, 40)
	for _, file := range f.Files {
		write(filepath.Join(flag.Arg(0), file.Path), file.Text)
	}
	for _, other := range f.Others {
		write(filepath.Join(flag.Arg(0), other, "settings"), "")
	}
}

func write(path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}
