package markup

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
)

func TestSanitize(t *testing.T) {
	for in, want := range map[string]string{
		"plain *text* with `code`":                "plain *text* with `code`",
		"a < b and <b>bold</b>":                   "a &lt; b and &lt;b>bold&lt;/b>",
		"<script>alert(1)</script>":               "&lt;script>alert(1)&lt;/script>",
		"\\<img src=x>":                           "\\&lt;img src=x>",
		"![pixel](https://evil.example/p.png)":    "[pixel](https://evil.example/p.png)",
		"[run](command:workbench.action.quit)":    "[run] (command:workbench.action.quit)",
		"[run](<command:x>)":                      "[run] (&lt;command:x>)",
		"[run]( command:x)":                       "[run] ( command:x)",
		"[run](COMMAND:x)":                        "[run] (COMMAND:x)",
		"[run](&#99;ommand:x)":                    "[run] (&#99;ommand:x)",
		"[run](javascript:x) [ok](https://a.b/c)": "[run] (javascript:x) [ok](https://a.b/c)",
		"[x](http://a](command:y)":                "[x](http://a] (command:y)",
		"[ref]\n\n[ref]: command:x":               "[ref]\n\n[ref]&#58; command:x",
		"> [ref]: command:x":                      "> [ref]&#58; command:x",
		"[local](other.md)":                       "[local] (other.md)",
		"<https://auto.link>":                     "&lt;https://auto.link>",
		"`<b>` stays, `` a`b `` too":              "`<b>` stays, `` a`b `` too",
		"``two`` and ```three```":                 "`two` and `three`",
		"`unclosed <b>":                           "&#96;unclosed &lt;b>",
		"\\`<b>\\`":                               "\\&#96;&lt;b>\\&#96;",
		"`one` `two <b>":                          "`one` &#96;two &lt;b>",
		"```go\nx := <-c\n```\n<b>":               "```go\nx := <-c\n```\n&lt;b>",
		"~~~\n```\n<b>\n~~~\n<i>":                 "````\n```\n<b>\n````\n&lt;i>",
		"  ```\n<b>":                              "```\n<b>\n```",
		"```a`b\n<b>":                             "&#96;&#96;&#96;a&#96;b\n&lt;b>",
		"````\n```\n<b>\n````\n<i>":               "````\n```\n<b>\n````\n&lt;i>",
		"```\" onload=x\n```":                     "```\n```",
		"a\x00b\x1b[31mc\u202edef":                "ab[31mcdef",
		"one\r\ntwo":                              "one\ntwo",
		strings.Repeat("é", 500):                  strings.Repeat("é", 400) + "…",
	} {
		if got := Harmless(in); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
		for _, p := range sanitize.Unsafe(Harmless(in)) {
			t.Errorf("%q: %s", in, p.What)
		}
	}
}

func TestLiteral(t *testing.T) {
	for in, want := range map[string]string{
		"Token *handling* [x](command:y)": `Token \*handling\* \[x\](command:y)`,
		"a\nb\tc":                         "a b c",
		"<b> & `c` | d":                   "&lt;b> \\& \\`c\\` \\| d",
		"snake_case _em_ __all__":         `snake_case \_em\_ \_\_all\_\_`,
		"# no heading":                    `\# no heading`,
	} {
		if got := Literal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzSanitize checks what the editor must never see: outside of the code blocks
// and spans that were written here, no "<", no image, and no link but to http.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"`a` <b>", "```\n<b>\n```", "[x](command:y)", "![x](y)", "\\`` ` <b>", "~~~\n`", "[a]: b",
		"- ```\n  <b>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page := Harmless(text)
		for l := range markdown.Lines(page) {
			if l.Fence == markdown.FenceNone {
				checkInline(t, text, l.At.Of(page))
			}
		}
		if markdown.Unclosed(page) != "" {
			t.Fatalf("%q: a code block stays open in %q", text, page)
		}
		if cut := Fit(page); strings.Count(cut, "\n") >= maxHoverLines || len(cut) > maxHoverBytes+8 {
			t.Fatalf("%q: %d lines, %d bytes", text, 1+strings.Count(cut, "\n"), len(cut))
		}
	})
}

// checkInline reads a line as CommonMark does: a backslash before a backtick
// takes it away from the run.
func checkInline(t *testing.T, text, line string) {
	t.Helper()
	last := 0
	for _, c := range markdown.CodeSpans(line) {
		if strings.HasSuffix(line[:c.At.Start], "\\") {
			t.Fatalf("%q: an escaped backtick in %q", text, line)
		}
		checkPlain(t, text, line[last:c.At.Start])
		last = c.At.End
	}
	checkPlain(t, text, line[last:])
}

func checkPlain(t *testing.T, text, plain string) {
	t.Helper()
	for _, bad := range []string{"<", "![", "]:", "`"} {
		if strings.Contains(plain, bad) {
			t.Fatalf("%q: %q in %q", text, bad, plain)
		}
	}
	for _, after := range strings.Split(plain, "](")[1:] {
		if !plainHTTP(after) {
			t.Fatalf("%q: a link to %q", text, after)
		}
	}
}

func TestFitClosesWhatItCuts(t *testing.T) {
	long := "title\n\n```go\n" + strings.Repeat("x := 1\n", 60) + "```\nend"
	got := Fit(long)
	lines := strings.Split(got, "\n")
	if len(lines) > maxHoverLines || lines[len(lines)-1] != "…" || lines[len(lines)-2] != "```" {
		t.Errorf("%d lines, ending in %q", len(lines), lines[max(0, len(lines)-3):])
	}
	if got := Fit("a\nb\n"); got != "a\nb" {
		t.Errorf("a short page was changed: %q", got)
	}
	wide := strings.Repeat(strings.Repeat("é", 300)+"\n", 20)
	if got := Fit(wide); len(got) > maxHoverBytes || !strings.HasSuffix(got, "\n…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestFitEndsWithNoHeading(t *testing.T) {
	filler := strings.Repeat("text\n", maxHoverLines-6)
	for _, c := range []struct{ end, want string }{
		{"\n## Facts\n\n### Dates\n\n- one\n- two\n- three\n", "text\n…"},
		{"\n## Facts\n- one\n- two\n- three\n- four\n- five\n", "## Facts\n- one\n- two\n- three\n…"},
		{"```\n# include\n# define\n# if\n# else\n# endif\n```\n", "# define\n# if\n```\n…"},
		{Harmless("\n## Facts\n\n### Dates\n\n- one\n- two\n- three\n"), "text\n…"},
		{"\n**Facts**, **Dates**\n\n**a**\n\n- one\n- two\n- three\n", "text\n\n**Facts**, **Dates**\n…"},
	} {
		if got := Fit(filler + c.end); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q: ends in %q, want %q", c.end, got[max(0, len(got)-60):], c.want)
		}
	}
}
