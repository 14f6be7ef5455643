package lsp_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// oddLine names an entry behind characters of two and four bytes, one that is not there,
// and is followed by something.
const oddLine = "𝒳é See @auth/jwt/other.md, @auth/nosuch.md 𝒳"

// oddTexts are files as other systems, editors and accidents write them.
func oddTexts() map[string][]byte {
	all := map[string][]byte{
		"bom":        []byte("\ufeff# é𝒳\n" + oddLine + "\n"),
		"bomfront":   []byte("\ufeff---\ntitle: é𝒳\n---\n" + oddLine + "\n"),
		"nul":        []byte("# é\x00𝒳\n\x00" + oddLine + "\x00\n"),
		"noend":      []byte(oddLine),
		"mixed":      []byte("# é𝒳\r\n\r" + oddLine + "\r\n\n\r"),
		"invalid":    []byte("# \xff\xc3\x28 é\n\xf0\x9d" + oddLine + "\xed\xa0\x80\n"),
		"latin1":     []byte("# caf\xe9\nSee @auth/jwt/other.md, @auth/nosuch.md\n"),
		"utf16le":    utf16Bytes(binary.LittleEndian, oddLine),
		"utf16be":    utf16Bytes(binary.BigEndian, oddLine),
		"utf16lebom": utf16Bytes(binary.LittleEndian, "\ufeff"+oddLine+"\n"),
		"utf16bebom": utf16Bytes(binary.BigEndian, "\ufeff"+oddLine+"\n"),
	}
	for name, end := range map[string]string{
		"lf": "\n", "crlf": "\r\n", "cr": "\r", "ls": "\u2028", "ps": "\u2029", "nel": "\u0085", "vt": "\v", "ff": "\f",
	} {
		all[name] = []byte("# é𝒳" + end + oddLine + end + "more" + end)
	}
	return all
}

func utf16Bytes(order binary.AppendByteOrder, text string) (out []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// TestOddTexts has each as an entry and as a Markdown file: all places are right in each
// encoding, whether the file is open or not, and no byte of it is changed but by an edit
// that names it. Everything is asked about each text in each encoding, in a short run in
// one of the two places: so that text, encoding and place meet two by two.
func TestOddTexts(t *testing.T) {
	for turn, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			capabilities := lsptest.Modern()
			capabilities["general"] = map[string]any{"positionEncodings": []string{encoding}}
			capabilities["textDocument"].(map[string]any)["diagnostic"] = map[string]any{}
			root, texts := project(t), oddTexts()
			for name, text := range texts {
				for _, dir := range []string{".brv/context-tree/odd/", "odd/"} {
					writeFile(t, filepath.Join(root, dir+name+".md"), string(text))
				}
			}
			e, _ := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
			p := newProbe(t, e, root)
			for i, name := range slices.Sorted(maps.Keys(texts)) {
				askOdd(t, p, root, name, texts[name], turn+i)
			}
			p.folder()
			renameBehindOdd(t, e, root, texts)
			for name, text := range texts {
				for _, dir := range []string{".brv/context-tree/odd/", "odd/"} {
					now, err := os.ReadFile(filepath.Join(root, dir+name+".md"))
					if err != nil || !bytes.Equal(now, text) {
						t.Errorf("%s%s was rewritten: %v\n%q\n%q", dir, name, err, text, now)
					}
				}
			}
			p.report()
		})
	}
}

// askOdd asks about such a file, closed and open.
func askOdd(t *testing.T, p *probe, root, name string, text []byte, turn int) {
	t.Helper()
	e, shown := p.e, strings.ToValidUTF8(string(text), "\ufffd") // as an editor shows it
	at := max(strings.Index(shown, "@auth/jwt/other.md"), 0)
	for i, dir := range []string{"odd/", ".brv/context-tree/odd/"} {
		file := filepath.Join(root, dir+name+".md")
		p.name = dir + name
		if !long && (turn+i)%2 > 0 {
			p.open(file, shown)
			continue
		}
		p.whole(file)
		p.everywhere(file, shown, at+3)
		p.open(file, shown)
		p.whole(file)
		p.everywhere(file, shown, at+3)
		p.everywhere(file, shown, len(shown))
	}
	file := filepath.Join(root, ".brv/context-tree/odd", name+".md")
	if at == 0 {
		return // UTF-16 has no relation that anybody could read
	}
	want := lsptest.RangeIn(shown, at, at+len("@auth/jwt/other.md"), e.Encoding())
	h, err := e.Hover(t.Context(), file, at+3)
	if err != nil || h == nil || h.Range == nil || *h.Range != want {
		t.Errorf("%s: hover %+v, %v; want at %v", name, h, err, want)
	}
	to, err := e.Definition(t.Context(), file, at+3)
	if err != nil || len(to) != 1 || to[0].Origin == nil || *to[0].Origin != want || !strings.HasSuffix(to[0].URI, "other.md") {
		t.Errorf("%s: definition %+v, %v; want from %v", name, to, err, want)
	}
	broken := strings.Index(shown, "@auth/nosuch.md")
	want = lsptest.RangeIn(shown, broken, broken+len("@auth/nosuch.md"), e.Encoding())
	found, _, _, err := e.PullDiagnostics(t.Context(), file, "")
	if err != nil || !slices.ContainsFunc(found, func(d lsptest.Diagnostic) bool { return d.Range == want }) {
		t.Errorf("%s: problems %+v, %v; want one at %v", name, found, err, want)
	}
	if err := e.CloseDocument(file); err != nil {
		t.Fatal(err)
	}
	if err := e.CloseDocument(filepath.Join(root, "odd", name+".md")); err != nil {
		t.Fatal(err)
	}
}

// renameBehindOdd renames the entry that they name, and leaves the disk as it was: the
// edits of each file are those of its relation, and a file that is no UTF-8 has none.
func renameBehindOdd(t *testing.T, e *lsptest.Editor, root string, texts map[string][]byte) {
	t.Helper()
	file := open(t, e, root, tokens)
	var edit struct {
		Changes []struct {
			TextDocument struct{ URI string }
			Edits        json.RawMessage
		} `json:"documentChanges"`
	}
	if err := e.Call(t.Context(), "textDocument/rename", renameIn(t, e, file, "other.md"), &edit); err != nil {
		t.Fatal(err)
	}
	edited := 0
	for _, c := range edit.Changes {
		name := strings.TrimSuffix(filepath.Base(c.TextDocument.URI), ".md")
		text, odd := texts[name]
		if !odd || !strings.Contains(c.TextDocument.URI, "/odd/") {
			continue
		}
		edited++
		if !utf8.Valid(text) {
			t.Errorf("%s is no UTF-8 and would be edited", name)
		}
		want := strings.ReplaceAll(string(text), "@auth/jwt/other.md", "@auth/jwt/renamed.md")
		got, err := lsptest.Edited(string(text), c.Edits, e.Encoding())
		if err != nil || got != want {
			t.Errorf("%s: %v\n%q\n%q", name, err, got, want)
		}
	}
	t.Logf("a rename edits %d of %d files", edited, len(texts))
}

// TestOddNames has entries whose names other systems take for one, or for none: each is
// answered about, and led to by its own name alone.
func TestOddNames(t *testing.T) {
	t.Parallel()
	root := project(t)
	names := []string{
		"auth/jwt/Tokens.md", "auth/JWT/tokens.md", "auth/caf\u00e9.md", "auth/cafe\u0301.md", "auth/CON.md", "auth/nul.md",
		"auth/com1.md",
		"auth/dot..md", "auth/space .md", " lead/x.md", "trail./x.md", "trail /x.md", "auth/a.md/inner.md", "auth/.hidden.md",
		"auth/a:b.md",
		"auth/a\\b.md", "auth/%2e%2e.md", "auth/-rf.md", "auth/\u202egpj.md", "auth/zero\u200b.md",
		"auth/" + strings.Repeat("x", 240) + ".md",
	}
	list := "---\ntitle: List\n---\n"
	made := map[string]string{}
	for _, name := range names {
		file, text := filepath.Join(root, ".brv/context-tree", name), "---\ntitle: T "+name+"\n---\nSee @auth/jwt/other.md.\n"
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil || os.WriteFile(file, []byte(text), 0o644) != nil {
			continue // not a name on this system
		}
		made[file] = text
		list += "\n@" + name + "\n\n[x](<" + name + ">)\n"
	}
	for file, text := range made { // of twins that this system takes for one the last is there
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			delete(made, file)
		}
	}
	e, _ := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	p := newProbe(t, e, root)
	for file, text := range made {
		p.name = file
		p.whole(file)
		p.everywhere(file, text, strings.Index(text, "@auth")+3)
	}
	lists := filepath.Join(root, ".brv/context-tree/list.md")
	p.open(lists, list)
	p.whole(lists)
	led := 0
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "@")
		if !ok {
			continue
		}
		p.everywhere(lists, list, strings.Index(list, line)+1)
		to, err := e.Definition(t.Context(), lists, strings.Index(list, line)+1)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, l := range to {
			led++
			if len(to) == 1 && l.URI != lsptest.URI(filepath.Join(root, ".brv/context-tree", name)) {
				t.Errorf("%q leads to %s", name, l.URI)
			}
		}
	}
	p.folder()
	for file, text := range made {
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			t.Errorf("%s: %q, %v", file, now, err)
		}
	}
	t.Logf("%d files, %d places led to", len(made), led)
	p.report()
}
