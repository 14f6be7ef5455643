package retrieval

import (
	"strings"
	"testing"
)

func TestLinksAreOtherPages(t *testing.T) {
	for text, want := range map[string]string{
		"see [the guide](/docs/guide) for it": "[the guide](/docs/guide",
		"[a](b), [c](d)":                      "[a](b|[c](d",
		"![a map](img/map.png) shows it":      "](img/map.png",
		"calls[i](x) runs":                    "",
		"[open](never closed":                 "",
		"](x) [y]":                            "](x",
		"[[a]](b)":                            "[a]](b",
		"no link [at] all (really)":           "",
		"é[x](y)":                             "[x](y",
	} {
		var got []string
		for _, l := range linksIn(text) {
			got = append(got, text[l.Start:l.End])
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: links %q, want %q", text, s, want)
		}
	}
}

func TestWhatOnlyLinksIsNotAboutIt(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"a/b/links.md", "[Animation techniques](/guide/x) and [animation techniques](/guide/y)",
		"a/b/text.md", "Read about animation techniques here, and something of the rest of all of it.",
	))
	if got := first(t, x, "animation techniques"); got != "a/b/text.md" {
		t.Errorf("%s comes first", got)
	}
	if n := len(search(t, x, Query{Text: "animation techniques"}).Hits); n != 2 {
		t.Errorf("%d hits: what links is still found", n)
	}
}

func FuzzLinks(f *testing.F) {
	f.Add("see [the guide](/docs/guide), ![x](y), a[i](j) and [[z]](w")
	f.Add("](](](")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, l := range linksIn(text) {
			if l.Start < last || l.End <= l.Start || l.End > len(text) {
				t.Fatalf("link %v behind %d", l, last)
			}
			last = l.End
		}
	})
}

// TestCommentsAnswerNothing searches for what stands in comments only.
func TestCommentsAnswerNothing(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"a/b/inline.md", "The limit holds <!-- zebra --> for all. {/* zebra */} %% zebra %%\n\n- item <!-- of a\n  zebra --> here\n\n[//]: # (zebra)\n",
		"a/b/block.md", "The limit.\n\n<!--\nzebra\n-->\n\n%%\n\nzebra\n\n%%\n\n{/*\n\nzebra\n*/}\n",
	))
	if n := len(search(t, x, Query{Text: "zebra"}).Hits); n > 0 {
		t.Errorf("%d hits", n)
	}
	if n := len(search(t, x, Query{Text: "limit"}).Hits); n != 2 {
		t.Errorf("%d hits, want 2", n)
	}
}

// TestWordsInElisionAndEmoji finds words behind an elided article, and signs that are no letters.
func TestWordsInElisionAndEmoji(t *testing.T) {
	for _, c := range [][2]string{
		{"la fin de l'authentification d'un client", "authentification"}, {"l’authentification", "authentification"}, {"qu'authentification", "authentification"},
		{"dell'autenticazione", "autenticazione"}, {"un'autenticazione", "autenticazione"}, {"l'autenticació", "autenticació"}, {"d'autenticació", "autenticació"},
		{"L'Authentification", "authentification"}, {"jusqu'authentification", "authentification"}, {"all'autenticazione", "autenticazione"},
		{"authentification", "l'authentification"}, {"autenticazione", "dell’autenticazione"},
		{"🚀 Launch", "🚀"}, {"Launch 🚀", "🚀 launch"}, {"a 🚀b", "🚀"}, {"⚠️ careful", "⚠️"}, {"careful ⚠", "⚠️"}, {"👩‍💻 work", "👩‍💻"}, {"🇫🇷 team", "🇫🇷"},
		{"✅ done", "✅"}, {"**🔒** locked", "🔒"}, {"- 🐛 bug", "🐛"}, {"x 🚀🚀", "🚀"},
	} {
		x := indexOf(t, snapshotOf("a/b/it.md", c[0]+"\n", "a/b/other.md", "Nothing of the kind stands in here.\n"))
		if hits := search(t, x, Query{Text: c[1]}).Hits; len(hits) == 0 || hits[0].Path != "a/b/it.md" {
			t.Errorf("%q is not found by %q", c[0], c[1])
		}
	}
}
