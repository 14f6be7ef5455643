// Package notices holds tests only: they write THIRD-PARTY-NOTICES.txt, which goes with the
// program and with the VS Code extension, and fail where it is stale.
//
// What is listed comes from what is linked and bundled: the modules of the packages that the
// go command lists for cmd/brv-lsp, with the texts in the module cache; the grammars that are
// linked, with the revisions that go-tree-sitter states in its _automation/grammars.json; the
// files that our packages embed; and the npm packages that the extension's sources import, by
// package-lock.json, with the texts in node_modules. Grammars and vocabularies come without
// their licences: what those say stands in a table, by hand. Whatever has no licence, or one
// that does not permit to distribute it with a program under the Apache License 2.0, fails.
//
//	go test ./internal/notices -update
package notices
