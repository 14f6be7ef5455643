package curate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase"
)

func TestReadFile(t *testing.T) {
	code := strings.Repeat("x = 1\n", 2500)
	for _, c := range []struct {
		name, data string
		kind       Kind
		language   string
		text       string // "" for the data
		note       string
	}{
		{"a.txt", "plain\r\ntext\rhere", KindText, "", "plain\ntext\nhere", ""},
		{"docs/A.MD", "# A\n", KindMarkdown, "markdown", "", ""},
		{"src/a.go", "package a\n", KindCode, "go", "", ""},
		{"run", "#!/bin/sh\necho\n", KindCode, "bash", "", ""},
		{"a.py", code, KindCode, "python", code[:6*MaxCodeLines], "the first 2000 of 2500 lines"},
		{"a.yaml", "a: b\n", KindText, "", "", ""},
		{"bom.txt", "\xef\xbb\xbfhello", KindText, "", "hello", ""},
		{"le.txt", "\xff\xfeh\x00\xe9\x00\x3d\xd8\x00\xde", KindText, "", "hé😀", ""},
		{"be.txt", "\xfe\xff\x00h\x00\xe9", KindText, "", "hé", ""},
		{"half.txt", "\xff\xfeh\x00\x3d\xd8x", KindText, "", "h", ""}, // a lone surrogate and an odd byte
		{"hidden.txt", "a\u202eb\U000E0041c\u0007d", KindText, "", "abcd", ""},
		{"empty.txt", "", KindText, "", "", ""},
		{"long.txt", strings.Repeat("é", 50_000), KindText, "", strings.Repeat("é", MaxSource), "the first 40000 of 50000 characters"},
		{"exact.txt", strings.Repeat("é", MaxSource), KindText, "", "", ""},
		{"wide.go", strings.Repeat(strings.Repeat("y", 99)+"\n", 2100), KindCode, "go", strings.Repeat(strings.Repeat("y", 99)+"\n",
			400), "the first 2000 of 2100 lines; the first 40000 of 210000 characters"},
		{"noise.txt", strings.Repeat("\u0001", 1<<20) + "end", KindText, "", "-", "the first 0 of 1048579 characters"},
	} {
		if c.text == "" {
			c.text = c.data
		}
		got, err := ReadFile(t.Context(), c.name, []byte(c.data), codebase.Empty())
		if err != nil || got.Path != c.name || got.Kind != c.kind || got.Language != c.language || got.Note != c.note ||
			got.Text != strings.TrimPrefix(c.text, "-") {
			t.Errorf("%s: %v %+.200v", c.name, err, got)
		}
	}
	if s, _ := ReadFile(t.Context(), ".brv/context-tree/a/b/c.md", []byte("# C"), nil); s.Entry != "a/b/c.md" {
		t.Errorf("entry %q", s.Entry)
	}
}

func TestFilesThatAreNoSource(t *testing.T) {
	for data, want := range map[string]string{
		"a\nb\x00c":                     "x: no text: a zero byte in line 2; sources are text files and PDFs",
		"caf\xe9":                       "x: no text: line 1 is not UTF-8; save the file as UTF-8",
		"\xff\xfe\x00\x00a\x00\x00\x00": "x: no text: a zero byte in line 1; sources are text files and PDFs", // UTF-32
		"\n\n\xf0\x28":                  "x: no text: line 3 is not UTF-8; save the file as UTF-8",
	} {
		if _, err := ReadFile(t.Context(), "x", []byte(data), nil); !errors.Is(err, ErrBinary) || err.Error() != want {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := ReadFile(t.Context(), "x", make([]byte, MaxFile+1), nil); err == nil ||
		err.Error() != "x: 20971521 bytes, a source has at most 20971520" {
		t.Error(err)
	}
	if _, err := ReadFile(t.Context(), "x.pdf", []byte("%PDF-1.4\nnothing"), nil); err == nil ||
		!strings.HasPrefix(err.Error(), "x.pdf: a PDF whose text cannot be read: ") {
		t.Error(err)
	}
}

func TestPDFIsASource(t *testing.T) {
	stream := "BT (Refresh tokens live for 14 days.) Tj ET"
	var b strings.Builder
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, object := range []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d >> stream\n%s\nendstream", len(stream), stream)} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj %s endobj\n", i+1, object)
	}
	start := b.Len()
	b.WriteString("xref\n0 5\n0000000000 65535 f \n")
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", start)
	got, err := ReadFile(t.Context(), "a.bin", []byte(b.String()), nil)
	if err != nil || got.Kind != KindText || got.Text != "Refresh tokens live for 14 days." || got.Note != "" {
		t.Errorf("%v %+v", err, got)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add("a.go", "package a\r\n")
	f.Add("x", "\xff\xfea\x00")
	f.Add("x.md", "\xef\xbb\xbf# \u202e")
	f.Fuzz(func(t *testing.T, name, data string) {
		if isPDF([]byte(data)) {
			return
		}
		s, err := ReadFile(t.Context(), name, []byte(data), nil)
		if err == nil && (!utf8.ValidString(s.Text) || utf8.RuneCountInString(s.Text) > MaxSource ||
			strings.ContainsAny(s.Text, "\r\x00\u202e") || s.Kind == KindCode && strings.Count(s.Text, "\n") > MaxCodeLines) {
			t.Errorf("%+v", s)
		}
	})
}

// A folder's files, and those that are chosen.
func TestTelling(t *testing.T) {
	files := map[string]string{
		"README.md": "# Project", "docs/a.md": "a", "docs/b.md": "bb", "docs/deep/c.md": "c", "CONTRIBUTING.md": "how", "LICENSE": "x",
		"src/main.go": "package main\n\nfunc main() {}\n", "src/auth/auth.go": "package auth\n",
		"src/auth/auth_test.go": "package auth\n", "src/auth/doc.go": "// Package auth\npackage auth\n",
		"src/auth/README.md": "# Auth", "src/auth/.hidden.md": "h", "src/auth/empty.md": "", "src/auth/big.go": "package auth\n" +
			strings.Repeat("// more\n", 500),
		"src/auth/notes.txt": "n", "src/auth/readme.png": "png",
		"src/auth/gen.go": "// Code generated by x. DO NOT EDIT.\npackage auth\n", "src/authority/x.go": "package x\n",
		"texts/a.txt": "a", "texts/b.md": "bb", "texts/c.rst": "ccc", "texts/d.md": "dddd", "texts/e.md": "eeeee",
		"texts/sub/README.txt": "r",
	}
	p := realProject(t, files)
	var list []File
	for name, text := range files {
		list = append(list, File{name, int64(len(text))})
	}
	list = append(list, File{"src/auth/huge.pdf", MaxFile + 1}, list[0])
	for folder, want := range map[string]string{
		"":          "README.md CONTRIBUTING.md src/auth/doc.go src/main.go src/auth/big.go; docs/b.md 12 more",
		"src/auth":  "src/auth/README.md src/auth/doc.go src/auth/big.go src/auth/auth.go src/auth/notes.txt; ",
		"src/auth/": "src/auth/README.md src/auth/doc.go src/auth/big.go src/auth/auth.go src/auth/notes.txt; ",
		"texts":     "texts/sub/README.txt texts/e.md texts/d.md texts/c.rst texts/b.md; texts/a.txt",
		"../src":    "",
		"none":      "",
	} {
		for range 3 {
			paths, left := Telling(folder, list, p.Code)
			got := strings.Join(paths, " ") + "; "
			if len(left) > 1 {
				got += left[0] + fmt.Sprintf(" %d more", len(left)-1)
			} else {
				got += strings.Join(left, "")
			}
			if want == "" {
				want = "; "
			}
			if folder != "../src" && got != want {
				t.Errorf("%s: %s", folder, got)
			}
			slices.Reverse(list)
		}
	}
	if paths, _ := Telling("src/auth", list, nil); strings.Join(paths, " ") != "src/auth/README.md src/auth/notes.txt" {
		t.Errorf("without a map: %v", paths)
	}
}

func BenchmarkReadFile(b *testing.B) {
	for _, size := range []int{4 << 10, 64 << 10, 4 << 20} {
		data := []byte(strings.Repeat(longText, size/len(longText)+1)[:size])
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := ReadFile(b.Context(), "a.md", data, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
