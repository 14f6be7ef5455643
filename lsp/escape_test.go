package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// escapes are spellings of files that are not in the folder: ways up, absolute paths,
// other schemes, encodings that something might decode.
func escapes(outside string) []string {
	ups := []string{
		"..", "../..", "../../..", "../../../../../../../..", "..\\..", "..\\..\\..", "%2e%2e/%2e%2e", "%2E%2E%2F%2E%2E", "..%2f..",
		"%252e%252e/%252e%252e",
		"..%5c..", ".%2e/.%2e", "..;/..", "..%00/..", "․․/․․", "．．/．．", "..∕..", "..⁄..", "..／..", "..\u2215..", ".\u200b./..",
		"..\u200d/..", "%c0%ae%c0%ae/%c0%ae%c0%ae",
		"..%c0%af..", "%uff0e%uff0e/..", "&#46;&#46;/..", "auth/../../..", "auth/jwt/../../../..", "./../..", ".//..//..", "...//...",
		"auth/..%2f..%2f..", "auth\\..\\..\\..",
	}
	targets := []string{"secret.md", "etc/passwd", "root/.ssh/id_rsa"}
	var out []string
	for _, up := range ups {
		for _, target := range targets {
			out = append(out, up+"/"+target)
		}
	}
	for _, scheme := range []string{
		"file://", "file:", "FILE:///", "file:///", "file://localhost", "file:////", "vscode-remote://ssh", "vscode://file",
		"command:workbench.action.terminal.sendSequence?", "command:",
		"javascript:", "data:text/markdown,", "http://127.0.0.1:1", "https://example.invalid", "brv://", "brv://diff/..",
		"brv://pack/../..", "smb://host", "jar:file:", "view-source:file://", "\\\\host\\share",
		"\\\\?\\C:\\", "\\\\.\\", "//host/share", "C:", "C:\\", "c:/", "/c:", "Z:relative", "~", "~root", "$HOME", "${HOME}",
		"%USERPROFILE%\\", "`id`", "$(id)", "|", "-", "/proc/self/root", "/dev/fd",
	} {
		out = append(out, scheme+outside+"/secret.md", scheme+"/etc/passwd")
	}
	return append(out,
		outside+"/secret.md", "/etc/passwd", "/etc/passwd.md", "/", "//", "///etc/passwd", "\x00/etc/passwd", "a\x00.md", "a\nb.md",
		"secret.md\x00.md",
		"NUL", "CON.md", "COM1", "a:b.md", "a.md:stream", "a.md::$DATA", "auth/jwt/other.md/../../../../../secret.md",
		"auth/jwt/link/secret.md", "link/secret.md",
		"../"+strings.Repeat("a/", 2000)+"x.md", strings.Repeat("../", 2000)+"etc/passwd", strings.Repeat("a", 5000)+".md",
	)
}

// forms are the ways in which an entry or a comment names something.
var forms = []func(string) string{
	func(p string) string { return "@" + p },
	func(p string) string { return "[x](" + p + ")" },
	func(p string) string { return "[x](<" + p + ">)" },
	func(p string) string { return "[[" + p + "]]" },
	func(p string) string { return "`" + p + "`" },
	func(p string) string { return "\n**Files:**\n- " + p },
	func(p string) string { return "![x](" + p + ") <" + p + ">" },
	func(p string) string { return "[x]: " + p },
}

// escapeProject makes a folder with a secret beside it, and an entry and a code file for
// each escape.
func escapeProject(t *testing.T) (root, outside string, payloads []string) {
	top := t.TempDir()
	root, outside = filepath.Join(top, "root"), filepath.Join(top, "outside")
	writeFile(t, filepath.Join(outside, "secret.md"), "---\ntitle: "+canaryText+"\n---\n"+canaryText+"\n")
	writeFile(t, filepath.Join(top, "secret.md"), canaryText)
	writeFile(t, filepath.Join(root, tokens), "---\ntitle: Tokens\n---\nSee @auth/jwt/other.md\n")
	writeFile(t, filepath.Join(root, other), "---\ntitle: Other\n---\nSee @auth/jwt/tokens.md\n")
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/app\n")
	payloads = escapes(filepath.ToSlash(outside))
	for i, p := range payloads {
		quoted, _ := json.Marshal(p)
		text := fmt.Sprintf("---\ntitle: E%d\nrelated: [%s]\nsources: [%s]\ntags: [%s]\n---\n", i, quoted, quoted, quoted)
		for _, form := range forms {
			text += form(p) + "\n\n"
		}
		writeFile(t, filepath.Join(root, fmt.Sprintf(".brv/context-tree/auth/escape/e%d.md", i)), text)
		line := strings.NewReplacer("\n", " ", "\x00", "").Replace(p)
		writeFile(t, filepath.Join(root, fmt.Sprintf("e%d.go", i)), fmt.Sprintf("package e\n\n// @brv:%s\nimport _ %q\n", line, line))
	}
	return root, outside, payloads
}

const canaryText = "canary-9b2e44aa-secret"

// TestNoAnswerLeadsOutside asks everything about everything that names a file outside: two
// sessions at once, each about one half. A part of the names is taken, and each way up and each scheme
// with one of its targets at the least.
func TestNoAnswerLeadsOutside(t *testing.T) {
	const halves = 2
	for half := range halves {
		t.Run(strconv.Itoa(half), func(t *testing.T) {
			t.Parallel()
			root, outside, payloads := escapeProject(t)
			if len(payloads) < 200 {
				t.Errorf("%d payloads are too few", len(payloads))
			}
			escape(t, root, payloads, len(payloads)*half/halves, len(payloads)*(half+1)/halves)
			if got := allFiles(t, outside); !slices.Equal(got, []string{"secret.md"}) {
				t.Errorf("outside holds %q", got)
			}
		})
	}
}

// escape asks about the payloads from first to before last.
func escape(t *testing.T, root string, payloads []string, first, last int) {
	t.Helper()
	payloadDue, formDue := sampletest.Every(t, 6), sampletest.Every(t, 3)
	e := begin(lsp.Options{Now: fixedNow})
	t.Cleanup(e.Close) // what is forged comes back as it was sent: nobody keeps an agreement here
	result, err := e.Initialize(t.Context(), lsptest.Session{Folders: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	p := newProbe(t, e, root)
	var commands []string
	for _, c := range result.Capabilities["executeCommandProvider"].(map[string]any)["commands"].([]any) {
		commands = append(commands, c.(string))
	}
	asked := 0
	for i := first; i < last; i++ {
		if !payloadDue(i) {
			continue
		}
		asked++
		payload, due := payloads[i], func(form int) bool { return formDue(asked*10 + form) }
		p.name = fmt.Sprintf("payload %d, %.80q", i, payload)
		for _, name := range []string{fmt.Sprintf(".brv/context-tree/auth/escape/e%d.md", i), fmt.Sprintf("e%d.go", i)} {
			askEscape(p, filepath.Join(root, name), payload, due)
		}
		p.forged(root, payload, commands, i)
	}
	p.folder()
	p.received()
	p.complete(commands)
	t.Logf("%d of %d payloads", asked, last-first)
	p.report()
}

// askEscape asks about the places of a document that name a payload.
func askEscape(p *probe, file, payload string, due func(form int) bool) {
	p.t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	text := string(raw)
	p.open(file, text)
	p.whole(file)
	part := payload[:min(len(payload), 40)]
	for from, n := 0, 0; ; n++ {
		at := strings.Index(text[from:], part)
		if at < 0 || n > 9 {
			break
		}
		if due(n) {
			p.everywhere(file, text, from+at+min(3, len(part)-1))
		}
		from += at + len(part)
	}
	if err := p.e.CloseDocument(file); err != nil {
		p.t.Fatal(err)
	}
}

// forged sends requests that themselves name a file outside: documents, new names, data
// that the server is to have sent, arguments of commands.
// Each is sent with some of the payloads, all of them in a long run.
func (p *probe) forged(root, payload string, commands []string, turn int) {
	p.t.Helper()
	due := func(n, of int) bool { return long || n%of == turn%of }
	inside := lsptest.URI(filepath.Join(root, tokens))
	zero := map[string]any{"line": 3, "character": 6}
	rng := map[string]any{"start": zero, "end": zero}
	uris := []string{payload, "file://" + payload, inside + "/" + payload, inside + "/../" + payload, lsptest.URI(root) + "/" + payload}
	item := map[string]any{"name": payload, "kind": 1, "uri": uris[1], "range": rng, "selectionRange": rng, "title": payload,
		"label": payload, "detail": payload}
	for _, data := range []any{payload, map[string]any{"path": payload, "entry": payload, "uri": uris[1], "file": payload,
		"folder": payload, "target": payload}} {
		item["data"] = data
		for _, method := range []string{"codeAction/resolve", "completionItem/resolve"} {
			p.forge(method, item, payload, uris)
		}
	}
	p.forge("brv/curate/apply", map[string]any{"dryRun": true,
		"operations": []any{map[string]any{"type": "DELETE", "path": payload, "reason": "x"}}}, payload, uris)
	for _, method := range []string{"brv/review/approve", "brv/review/reject"} {
		p.forge(method, map[string]any{"id": 1, "paths": []string{payload}}, payload, uris)
	}
	for _, from := range []map[string]any{
		{"files": []string{payload}}, {"folder": payload},
		{"selection": map[string]any{"path": payload, "start": 0, "end": 9}}, {"changes": payload}, {"uri": uris[1]},
	} {
		from["dryRun"] = true
		p.forge("brv/curate/propose", from, payload, uris)
	}
	p.forge("brv/review/proposed", map[string]any{"batch": 1, "path": payload}, payload, uris)
	at := map[string]any{"textDocument": map[string]any{"uri": inside}, "position": zero, "newName": payload}
	p.call("textDocument/rename", at)
	for n, u := range uris {
		if !due(n, len(uris)) {
			continue
		}
		files := map[string]any{"files": []any{
			map[string]any{"oldUri": u, "newUri": inside, "uri": u}, map[string]any{"oldUri": inside, "newUri": u, "uri": u},
		}}
		for _, method := range []string{"willRenameFiles", "willCreateFiles", "willDeleteFiles"} {
			p.forge("workspace/"+method, files, payload, uris)
		}
		for _, host := range []string{"diff", "pack", "answer", "review", "graph", "archive", ""} {
			p.call("workspace/textDocumentContent", map[string]any{"uri": "brv://" + host + "/" + payload})
		}
		doc := map[string]any{"textDocument": map[string]any{"uri": u}, "position": zero, "range": rng,
			"context": map[string]any{"diagnostics": []any{}, "includeDeclaration": true}}
		for _, method := range []string{"hover", "definition", "references", "documentLink", "completion", "diagnostic", "codeAction",
			"codeLens"} {
			p.forge("textDocument/"+method, doc, payload, uris)
		}
	}
	for n, c := range commands {
		if !due(n, 4) {
			continue
		}
		for key, value := range map[string]any{"path": payload, "paths": []string{payload}, "uri": uris[1], "scope": payload,
			"open": []string{payload}, "entries": []string{payload}, "id": payload, "task": payload} {
			if c != "brv.curate" && c != "brv.init" {
				p.forge("workspace/executeCommand", map[string]any{"command": c, "arguments": []any{map[string]any{key: value}}},
					payload, uris)
			}
		}
	}
}

// forge calls with a request whose own strings may come back: they are what was asked.
func (p *probe) forge(method string, params any, payload string, uris []string) {
	p.t.Helper()
	p.echoed = append(slices.Clone(uris), payload)
	p.call(method, params)
	p.echoed = nil
}

// allFiles lists a folder.
func allFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
