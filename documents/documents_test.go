package documents

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is made of the texts")

// described is a document in lines, for tests.
func described(d *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", d.Kind, d.Title)
	if d.Status != "" {
		fmt.Fprintf(&b, "status %q by %s\n", d.Status, d.SupersededBy)
	}
	if d.Kind == RuleFile {
		fmt.Fprintf(&b, "rule %q", d.Rule.Description)
		if d.Rule.Always {
			b.WriteString(" always")
		}
		if len(d.Rule.Globs) > 0 {
			b.WriteString(" for " + strings.Join(d.Rule.Globs, " "))
		}
		if d.Rule.Dropped > 0 {
			fmt.Fprintf(&b, " dropped %d", d.Rule.Dropped)
		}
		b.WriteByte('\n')
	}
	for _, s := range d.Sections {
		first, last := s.Lines(d.Text)
		fmt.Fprintf(&b, "%d %q", s.Level, s.Title)
		if s.Anchor != "" {
			b.WriteString(" #" + s.Anchor)
		}
		fmt.Fprintf(&b, " %d-%d", first, last)
		if len(s.Above) > 0 {
			b.WriteString(" above " + strings.Join(s.Above, " > "))
		}
		if len(s.Files) > 0 {
			b.WriteString(" files " + strings.Join(s.Files, " "))
		}
		b.WriteByte('\n')
	}
	var names []string
	for _, at := range d.Names() {
		names = append(names, at.Of(d.Text))
	}
	b.WriteString("names " + strings.Join(names, " | ") + "\n")
	return b.String()
}

func TestParse(t *testing.T) {
	a, err := txtar.ParseFile("testdata/parse.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(a.Files); i += 2 {
		f, want := a.Files[i], a.Files[i+1]
		got := described(Parse(f.Name, string(f.Data)))
		if *update {
			a.Files[i+1].Data = []byte(got)
		} else if got != string(want.Data) {
			t.Errorf("%s\ngot\n%swant\n%s", f.Name, got, want.Data)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/parse.txtar", txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKindOf(t *testing.T) {
	for p, want := range map[string]Kind{
		"README": Readme, "readme.rst": Readme, "sub/README.md": Readme, "docs/a/b.txt": Page, "doc/x.adoc": Page,
		"CHANGES": Changelog, "release-notes.md": Changelog, "docs/adr/0001-x.md": Decision, "changelog/12.fix.rst": Changelog, "docs/adr/index.md": Page,
		"pkg/AGENTS.md": RuleFile, "CLAUDE.md": RuleFile, ".windsurfrules": RuleFile, ".github/copilot-instructions.md": RuleFile,
		".continue/rules/a.md": RuleFile, ".claude/skills/release/SKILL.md": RuleFile, ".claude/skills/release/api.md": "", ".agents/rules/base.md": RuleFile,
		"sub/.cursor/rules/deep/a.mdc": RuleFile, ".serena/memories/m.md": Memory,
		"lat.md/x.md": Page, ".github/SECURITY.md": Security,
		"requirements.txt": "", "LICENSE.md": "", ".obsidian/x.md": "", "src/main.go": "", "a/testdata/x.md": "", ".cursor/rules/x.json": "",
	} {
		if got, _ := kindOf(p); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
}

// TestTranslations: a family is told by paths that differ in a language's tag alone.
func TestTranslations(t *testing.T) {
	for _, c := range []struct{ paths, want string }{
		{"README.md README.zh-CN.md README_fr.md README_CN.md README_EN.md README_CI.md", "README.zh-CN.md zh-CN README.md, " +
			"README_CN.md CN README.md, README_EN.md EN README.md, README_fr.md fr README.md"},
		{"docs/en/a.md docs/fr/a.md docs/js/x.md docs/api/x.md docs/faq/x.md", "docs/fr/a.md fr docs/en/a.md"},
		{"docs/en/a.md docs/zh-hant/a.md docs/zh-hant/b.md", "docs/zh-hant/a.md zh-hant docs/en/a.md, docs/zh-hant/b.md zh-hant "},
		{"docs/a.md docs/config/README.md docs/de-DE/a.md docs/de-DE/config/README.md docs/ckb-IR/a.md",
			"docs/ckb-IR/a.md ckb-IR docs/a.md, docs/de-DE/a.md de-DE docs/a.md, docs/de-DE/config/README.md de-DE docs/config/README.md"},
		{"doc/x.md doc/how-to/x.md doc/how-to/y.md doc/how-to/z.md guide/use-js.md guide/use.md README_cli.md", ""},
		{"src/README.md src/io/README.md src/os/README.md", ""},
		{"x.md x.fr.md faq.md faq_zh.md sign.md sign_in.md", "x.fr.md fr x.md"},
		{"faq.md faq_zh.md faq_ja.md", "faq_ja.md ja faq.md, faq_zh.md zh faq.md"},
		{"i18n/ja/docs/current/guides/a.md docs/guides/a.md blog/a.md i18n/ja/code.md",
			"i18n/ja/code.md ja , i18n/ja/docs/current/guides/a.md ja docs/guides/a.md"},
		{"docs/zh/a.md docs/ja/a.md", ""}, // which is the original is not known
	} {
		var got []string
		for p, tw := range translations(strings.Fields(c.paths)) {
			got = append(got, p+" "+tw.language+" "+tw.of)
		}
		slices.Sort(got)
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.paths, s, c.want)
		}
	}
}
