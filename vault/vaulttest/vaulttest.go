// Package vaulttest makes folders of notes up, for tests and benchmarks: the same for the same seed.
package vaulttest

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/vault"
)

var english = strings.Fields(`cache queue broker retry backoff deploy rollback schema index shard replica leader lease token session
	cookie proxy gateway timeout budget alert metric trace log incident owner review branch release canary flag migration cursor page`)

var german = strings.Fields(`Größe Schlüssel Über Prüfung Änderung Straße Zugriff Rückfall Sitzung Kürzung Wörter Schätzung Bündel Verläufe
	Zwischenspeicher Warteschlange Übergabe Ablösung Fähigkeit Maßnahme`)

// Notes is a folder of n notes as a dialect has them, with links, aliases, tags, embedded pictures, two languages, all
// line ends, byte order marks and odd frontmatter; of the links of a vault broken ones lead nowhere.
func Notes(seed uint64, d vault.Dialect, n, broken int) vault.Folder {
	r := rand.New(rand.NewPCG(seed, 24))
	f := vault.Folder{Root: "Field notes"}
	var paths []string
	taken := map[string]bool{}
	for len(paths) < n {
		if p := notePath(r, d, len(paths)); !taken[strings.ToLower(p)] {
			taken[strings.ToLower(p)] = true
			paths = append(paths, p)
		}
	}
	for i, p := range paths {
		f.Files = append(f.Files, vault.File{Path: p, Text: text(r, d, p, paths, i < broken)})
	}
	switch d {
	case vault.Obsidian:
		f.Others = []string{".obsidian", "attachments/diagram.png"}
	case vault.Zk:
		f.Others = []string{".zk"}
	case vault.ByteRover:
		f.Root, f.Others = "context-tree", []string{"_manifest.json"}
	}
	slices.SortFunc(f.Files, func(a, b vault.File) int { return strings.Compare(a.Path, b.Path) })
	return f
}

// Topics is a tree of the reference system of n topics in HTML.
func Topics(seed uint64, n int) vault.Folder {
	r := rand.New(rand.NewPCG(seed, 25))
	f := vault.Folder{Root: "context-tree"}
	for i := range n {
		p := fmt.Sprintf("%s/%s/topic_%d.html", english[r.IntN(6)], english[6+r.IntN(8)], i)
		var b strings.Builder
		fmt.Fprintf(&b, "<bv-topic path=%q title=%q summary='%s' tags=\"a,b\" related=\"@cache/broker/topic_%d.html\">\n",
			strings.TrimSuffix(p, ".html"), words(r, 1, 4)+" &amp; <more>", words(r, 3, 9), r.IntN(n))
		for range r.IntN(6) {
			e := []string{"reason", "task", "rule severity=\"must\"", "fact subject=\"x\" category=\"project\"", "flow", "decision"}[r.IntN(6)]
			name, _, _ := strings.Cut(e, " ")
			b.WriteString("  <bv-" + e + ">" + words(r, 4, 30) + " &lt;b&gt;" + "</bv-" + name + ">\n\n")
		}
		if r.IntN(4) == 0 {
			b.WriteString("<bv-diagram type=\"mermaid\">\n---\ngraph LR\n# no heading\n</bv-diagram>\n")
		}
		b.WriteString("</bv-topic>")
		f.Files = append(f.Files, vault.File{Path: p, Text: odd(r, b.String())})
	}
	slices.SortFunc(f.Files, func(a, b vault.File) int { return strings.Compare(a.Path, b.Path) })
	return f
}

func word(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return german[r.IntN(len(german))]
	}
	return english[r.IntN(len(english))]
}

func words(r *rand.Rand, least, most int) string {
	out := make([]string, least+r.IntN(most-least+1))
	for i := range out {
		out[i] = word(r)
	}
	return strings.Join(out, " ")
}

func notePath(r *rand.Rand, d vault.Dialect, i int) string {
	switch d {
	case vault.ByteRover:
		name := strings.ToLower(strings.ReplaceAll(words(r, 2, 4), " ", "_"))
		dirs := []string{english[r.IntN(6)], english[6+r.IntN(8)]}
		if r.IntN(3) == 0 {
			dirs = append(dirs, english[14+r.IntN(5)])
		}
		return path.Join(path.Join(dirs...), name+".md")
	case vault.Zk:
		return fmt.Sprintf("%s/%04x-%s.md", english[r.IntN(3)], i, strings.ReplaceAll(words(r, 2, 3), " ", "-"))
	case vault.Decisions:
		return fmt.Sprintf("%04d-%s.md", i, strings.ReplaceAll(words(r, 2, 5), " ", "-"))
	}
	name := words(r, 1, 4)
	if name[0] >= 'a' && name[0] <= 'z' {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if r.IntN(8) == 0 {
		name += []string{" & more", " (old)", ", part 2", "!", " – draft", "'s"}[r.IntN(6)]
	}
	var dirs []string
	for range r.IntN(5) {
		dirs = append(dirs, "Area "+english[r.IntN(7)])
	}
	return path.Join(path.Join(dirs...), name+".md")
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), ".md") }

// linkTo is a link to a note as the dialect writes it.
func linkTo(r *rand.Rand, d vault.Dialect, from, to string) string {
	switch {
	case d == vault.ByteRover:
		return "@" + to
	case d == vault.Zk:
		return "[[" + stem(to)[:4] + "]]"
	case d == vault.Decisions, r.IntN(4) == 0:
		up := strings.Repeat("../", strings.Count(from, "/"))
		return "[see](" + strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(up+to) + ")"
	}
	return []string{"[[" + stem(to) + "]]", "[[" + stem(to) + "|as said]]", "[[" + strings.TrimSuffix(to, ".md") + "]]",
		"![[" + stem(to) + "#Details]]"}[r.IntN(4)]
}

func text(r *rand.Rand, d vault.Dialect, p string, all []string, broken bool) string {
	var b strings.Builder
	switch r.IntN(6) {
	case 0:
		b.WriteString("---\ntitle: '" + words(r, 2, 4) + "'\ntags: [a, b]\naliases: [" + word(r) + fmt.Sprint(r.IntN(1e9)) +
			"]\ndate: 2024-03-01\n---\n")
	case 1:
		b.WriteString("---\ntags:\n  - " + word(r) + "\ncreated: 2023-01-02T10:00\nimportance: high\n---\n\n")
	case 2:
		b.WriteString([]string{"---\n---\n", "---\nbroken: [a\n---\n", "---\nnever closed\n", "---\nkey: &a value\n---\n",
			"---\nimported_from: elsewhere\n---\n"}[r.IntN(5)])
	}
	if r.IntN(3) > 0 {
		b.WriteString("# " + words(r, 1, 5) + "\n\n")
	}
	for range 1 + r.IntN(4) {
		b.WriteString(words(r, 8, 40) + ". #" + english[r.IntN(len(english))] + "/sub\n\n")
		if r.IntN(2) == 0 {
			b.WriteString("## Details\n- " + linkTo(r, d, p, all[r.IntN(len(all))]) + "\n* `code()`\n\n")
		}
		if r.IntN(6) == 0 {
			b.WriteString("```go\n# no heading\n[[no link]]\n```\n\n![[diagram.png]]\n> [!note] quoted\n")
		}
	}
	if broken {
		b.WriteString("[[Nobody wrote this " + fmt.Sprint(r.IntN(1e6)) + "]]\n")
	}
	return odd(r, b.String())
}

// odd is a text, of which some have other line ends, none at the end, a byte order mark or blank lines behind.
func odd(r *rand.Rand, out string) string {
	switch r.IntN(12) {
	case 0:
		out = strings.ReplaceAll(out, "\n", "\r\n")
	case 1:
		out = strings.TrimRight(out, "\n")
	case 2:
		out = "\ufeff" + out
	case 3:
		out += "\n \t\n\n"
	}
	return out
}
