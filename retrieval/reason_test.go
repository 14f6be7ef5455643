package retrieval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree"
)

// codeOf stands in for the outlines of a project's files.
func codeOf(_ context.Context, file string) (string, error) {
	if file == "src/checkout.ts" {
		return "class Checkout\n  readKeys()\n", nil
	}
	return "", errors.New(file + " is no code of the project")
}

func now() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }

// asked asks a reasoner in a tier.
func asked(ctx context.Context, t *testing.T, m llm.Model, snap *tree.Snapshot, tier Tier, text string) (Answer, error) {
	t.Helper()
	x := indexOf(t, snap)
	q := Query{Text: text, Now: now()}
	r := &reasoner{model: m, outline: codeOf}
	return r.ask(ctx, reasonTiers[tier], &inquiry{snap: snap, query: q, search: x.Search}, search(t, x, q))
}

// Each archive is a tree, a question, what a model is foreseen to be asked and says,
// and goldens: what it is asked first (prompt, tier 3) or last (transcript, tier 4), and
// the answer. The goldens are reviewed by hand and rewritten with -update.
func TestReasoning(t *testing.T) {
	files, _ := filepath.Glob("testdata/reason/*.txtar")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := readArchive(t, file)
			golden, tier := "prompt", TierModel
			if _, ok := a.fileText("transcript"); ok {
				golden, tier = "transcript", TierLoop
			}
			script, _ := a.fileText("script")
			question, _ := a.fileText("question")
			snap := a.tree()
			m := llmtest.Record(llmtest.Load(t, script))
			got, err := asked(t.Context(), t, m, snap, tier, question)
			if err != nil {
				t.Fatal(err)
			}
			requests := m.Requests()
			a.check(t, golden, llmtest.Format(requests[len(requests)-1]))
			a.check(t, "answer", shownAnswer(snap, got))
		})
	}
}

// fileText is the text of a file of the fixture.
func (a *archive) fileText(name string) (string, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

func shownAnswer(snap *tree.Snapshot, a Answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tier %d, model %s, usage %d %d\nwhy: %s\nnote: %s\n", a.Tier, a.Model, a.Usage.Input, a.Usage.Output, a.Why, a.Note)
	for _, s := range a.Sources {
		e, _ := snap.Entry(s.Path)
		fmt.Fprintf(&b, "source %s (%s): %.60q\n", s.Path, s.Title, s.At.Of(e.Text))
	}
	return b.String() + "\n" + a.Text
}

func rotationTree() *tree.Snapshot {
	return snapshotOf(
		"auth/jwt/rotation.md", "---\ntitle: Rotation\n---\n\nRefresh tokens are rotated at every use.\n",
		"auth/jwt/storage.md", "---\ntitle: Storage\n---\n\nRefresh tokens are kept in Postgres.\n",
		"web/menus/colour.md", "---\ntitle: Colour\n---\n\nMenus are blue.\n",
		"web/menus/long.md", strings.Repeat("No lane takes this. ", 2000))
}

// What a model says, and what becomes of it.
func TestRepliesAreReadCritically(t *testing.T) {
	for _, c := range []struct {
		name, said    string
		sources, note string
		text          string // part of the text; "-" in front: no part of it
		why           string
	}{
		{"plain text", "At every use [auth/jwt/rotation.md].", "auth/jwt/rotation.md", "",
			"## Summary\n\nAt every use [auth/jwt/rotation.md].\n\n## Sources\n\n- [auth/jwt/rotation.md] Rotation\n",
			"answered"},
		{"no citation", "At each use.", "", "", "## Summary\n\nAt each use.\n", "answered"},
		{"a quotation", "> Refresh tokens are rotated at every use.", "auth/jwt/rotation.md", "",
			"at every use. [auth/jwt/rotation.md]\n\n## Sources\n\n- [auth/jwt/rotation.md]", "answered"},
		{"only invented citations", "At every use [auth/jwt/expiry.md].", "",
			"the model cited an entry that does not exist: auth/jwt/expiry.md", "At every use [unknown source].", ""},
		{"not covered", "## Summary\nNOT COVERED: nothing is said about rotation by hand.", "", "",
			"## Summary\n\nThe context tree does not cover this question. nothing is said about rotation by hand.\n\nIf you find the " +
				"answer, write it down for the next person.", "found not covered"},
		{"not covered, in bold, but near", "**NOT COVERED**: see [auth/jwt/rotation.md].", "auth/jwt/rotation.md", "",
			"does not cover this question. see [auth", "found not covered"},
		{"other spellings of a path",
			"A [@auth/jwt/rotation], b [Auth/JWT/Rotation.md#Rotation], c [`auth/jwt/rotation.md`], d " +
				"[.brv/context-tree/auth/jwt/rotation.md].", "auth/jwt/rotation.md", "",
			"A [auth/jwt/rotation.md], b [auth/jwt/rotation.md], c [auth/jwt/rotation.md], d [auth/jwt/rotation.md].", ""},
		{"several in a bracket", "A [auth/jwt/rotation.md; auth/jwt/storage.md] b [[auth/jwt/rotation.md]]",
			"auth/jwt/rotation.md auth/jwt/storage.md", "", "A [auth/jwt/rotation.md] [auth/jwt/storage.md] b", ""},
		{"in inline code", "See `auth/jwt/storage.md` and `rotate()`.", "auth/jwt/storage.md", "", "See `auth/jwt/storage.md` and", ""},
		{"a folder without overview", "See [auth/jwt].", "", "",
			"See [auth/jwt].", ""},
		{"brackets that cite nothing", "- [x] read/write [1/2] a[0] [text](https://example.org) [open [auth/jwt/rotation.md",
			"", "",
			"- [x] read/write [1/2] a[0] [text](https://example.org) [open [auth/jwt/rotation.md\n", ""},
		{"a citation that leads elsewhere", "See [auth/jwt/rotation.md](https://example.org/).", "auth/jwt/rotation.md", "",
			"See [auth/jwt/rotation.md].", ""},
		{"a picture", "![a[b]](https://example.org/?q=1) ![c][d] `#![x]` [auth/jwt/rotation.md]\n\n> [d]: https://example.org/2",
			"auth/jwt/rotation.md", "", "-![a", ""},
		{"a definition", "![c][d] [auth/jwt/rotation.md]\n\n> [d]: https://example.org/2", "auth/jwt/rotation.md", "",
			`> \[d]: https`, ""},
		{"an entry of the structure", "Blue [web/menus/colour.md].", "web/menus/colour.md", "", "[web/menus/colour.md] Colour", ""},
		{"an entry that it never saw", "Blue [web/menus/long.md].", "web/menus/long.md",
			"the model cited entries that it did not read: web/menus/long.md", "[web/menus/long.md] ", ""},
		{"no gaps", "Yes [auth/jwt/rotation.md].\n## Gaps\n- None.", "auth/jwt/rotation.md", "", "-## Gaps", ""},
		{"its own sources and gaps",
			"**Summary**: Yes [auth/jwt/rotation.md].\n**Details**\nMore.\nSources:\n- [auth/jwt/storage.md]\n**Gaps:** None.",
			"auth/jwt/rotation.md auth/jwt/storage.md", "",
			"## Summary\n\nYes [auth/jwt/rotation.md].\n\n## Details\n\nMore.\n\n## Sources\n\n- [auth/jwt/rotation.md] " +
				"Rotation\n- [auth/jwt/storage.md] Storage\n", ""},
		{"an open fence", "Run [auth/jwt/rotation.md]:\n```sh\n## Gaps\nrotate [auth/jwt/no.md]", "auth/jwt/rotation.md", "",
			"```sh\n## Gaps\nrotate [auth/jwt/no.md]\n```\n\n## Sources", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap, q := rotationTree(), Query{Text: "how are refresh tokens rotated", Now: now()}
			in := &inquiry{snap: snap, query: q}
			if _, err := (&reasoner{}).request(reasonTiers[TierModel], in, search(t, indexOf(t, snap), q), 32_000); err != nil {
				t.Fatal(err)
			}
			var a Answer
			in.read(&a, c.said)
			var sources []string
			for _, s := range a.Sources {
				sources = append(sources, s.Path)
			}
			if got := strings.Join(sources, " "); got != c.sources {
				t.Errorf("sources %s", got)
			}
			if c.note == "" && a.Note != "" || !strings.Contains(a.Note, c.note) {
				t.Errorf("note %q", a.Note)
			}
			part, not := strings.CutPrefix(c.text, "-")
			if !strings.HasPrefix(c.text, "- ") && strings.Contains(a.Text, part) == not || strings.HasPrefix(c.text, "- ") &&
				!strings.Contains(a.Text, c.text) {
				t.Errorf("text\n%s", a.Text)
			}
			if !strings.Contains(a.Why, c.why) || a.OutOfDomain || a.ForReader {
				t.Errorf("%+v", a)
			}
		})
	}
}

// What is not in the entries that an answer cites is not shown.
func TestAnswersAreVerified(t *testing.T) {
	for said, want := range map[string]string{
		"They are rotated at every use [auth/jwt/rotation.md].":                                  "",
		"Refresh tokens are rotated at every use.":                                               "",
		"## Summary\nRotated at every use [auth/jwt/rotation.md].\n## Gaps\nWhere in Kafka.":     `names "Kafka"`,
		"## Summary\nRotated at every use [auth/jwt/rotation.md].\n## Gaps\nHow, is not said.":   "",
		"NOT COVERED: nothing is said about rotation by hand.":                                   "",
		"NOT COVERED: Vault is not spoken of.":                                                   `names "Vault"`,
		"At each use.":                                                                           "cites none of the passages",
		"They are rotated at every use [auth/jwt/expiry.md].":                                    "cites none of the passages",
		"Menus are green [web/menus/long.md].":                                                   "cites none of the passages",
		"They are rotated every 30 days [auth/jwt/rotation.md].":                                 "says 30",
		"They are kept in MySQL [auth/jwt/storage.md].":                                          `names "SQL"`,
		"They are kept in Postgres [auth/jwt/rotation.md].":                                      `names "Postgres"`,
		"Refresh tokens are not rotated [auth/jwt/rotation.md].":                                 "differ from the source",
		"The question was answered by the [project] team. This is a part of the [story].":        "cites none of the passages",
		"Rotated at every use [auth/jwt/rotation.md]. Clients must sign in again with password.": "none of these words",
	} {
		m := llmtest.New(t, llmtest.Turn{Say: llm.Response{Text: said}})
		a, err := asked(t.Context(), t, m, rotationTree(), TierModel, "how are refresh tokens rotated")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", said, err, want)
		}
		if err == nil && (a.Usage.Input == 0 || !a.Usage.Estimated || !strings.Contains(a.Why, " by scripted, which was shown ")) {
			t.Errorf("%+v", a)
		}
	}
}

func TestLongQuestionsAreShortened(t *testing.T) {
	for _, takes := range []int{20_000, 8000, 900} {
		m := &llmtest.Sized{Model: modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{Text: "NOT COVERED: it is not said."}, nil
		}), Says: 128_000, Takes: takes}
		snap := largeTree()
		q := Query{Text: "how is the queue of shard 7 drained in step 3", Limit: MaxLimit, Now: now()}
		_, err := (&reasoner{model: m}).ask(t.Context(), reasonTiers[TierModel], &inquiry{snap: snap, query: q}, search(t, indexOf(t, snap), q))
		if errors.Is(err, llm.ErrTooLong) != (takes == 900) || takes > 900 && err != nil {
			t.Errorf("%d: %v", takes, err)
		}
	}
}

// A small model is asked to copy a sentence; behind the end of a quotation it goes on with the prompt.
func TestShortAnswersEndWithTheQuotation(t *testing.T) {
	m := &llmtest.Sized{Model: modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
		nonce := r.System[strings.Index(r.System, "<entry-")+7:][:12]
		return llm.Response{Text: "Refresh tokens are rotated at every use.\n</entry-" + nonce + ">\n<entry-" + nonce + ">\nMenus are green"}, nil
	}), Says: 4096, Takes: 4096}
	a, err := asked(t.Context(), t, m, rotationTree(), TierModel, "how are refresh tokens rotated")
	if err != nil || !strings.HasPrefix(a.Text, "## Summary\n\nRefresh tokens are rotated at every use. [auth/jwt/rotation.md]\n") ||
		strings.Contains(a.Text, "green") {
		t.Errorf("%v\n%s", err, a.Text)
	}
}

func TestFailuresLieWithTheModel(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	again := llm.Response{Calls: []llm.Call{{Tool: "list"}}}
	for _, c := range []struct {
		name  string
		tier  Tier
		turns []llmtest.Turn
		want  string
	}{
		{"an error", TierModel, []llmtest.Turn{{Err: errors.New("overloaded")}},
			"the model gave no answer: scripted: overloaded"},
		{"silence", TierModel, []llmtest.Turn{{Say: llm.Response{Text: " \n"}}}, "the model gave no answer: scripted said nothing"},
		{"not a word", TierModel, []llmtest.Turn{{Wait: hang}}, "the model gave no answer: scripted: no data came for 4.8s"},
		{"not a word later", TierLoop, []llmtest.Turn{{Say: again}, {Wait: hang}},
			"the model gave no answer: scripted, turn 2: no data came for 4.8s"},
		{"no end", TierModel, []llmtest.Turn{{Reply: func(r llm.Request) (llm.Response, error) {
			for range 1000 {
				time.Sleep(time.Second)
				r.Stream("and once more: ")
				r.Stream("no end. ")
			}
			return llm.Response{}, nil
		}}}, "the model gave no answer: scripted stopped at its limit of time; try again, or choose a faster model in brv.model.name"},
		{"an error later", TierLoop, []llmtest.Turn{{Say: again}, {Err: errors.New("overloaded")}},
			"the model gave no answer: scripted, turn 2: overloaded"},
		{"calls for ever", TierLoop, []llmtest.Turn{{Say: again}, {Say: again}, {Say: again}, {Say: again}, {Say: again},
			{Say: again}, {Say: again}, {Say: again}},
			"the model gave no answer: scripted stopped at its limit of turns; ask about less, or choose another model in brv.model.name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := rotationTree()
			x := indexOf(t, snap)
			q := Query{Text: "refresh tokens", Now: now()}
			found := search(t, x, q)
			synctest.Test(t, func(t *testing.T) {
				r, began := &reasoner{model: llmtest.New(t, c.turns...)}, time.Now()
				_, err := r.ask(t.Context(), reasonTiers[c.tier], &inquiry{snap: snap, query: q, search: x.Search}, found)
				if !errors.Is(err, errModel) || err.Error() != c.want || time.Since(began) > 30*time.Second {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				time.Sleep(time.Hour) // what was left behind ends
			})
		})
	}
}

func TestTheLastTurnOfALoopAnswers(t *testing.T) {
	again := llmtest.Turn{Say: llm.Response{Calls: []llm.Call{{Tool: "list"}}}}
	last := llmtest.Turn{Want: []llmtest.Want{{In: "calls", Text: "no"}}, Say: llm.Response{Text: "Refresh tokens are rotated [auth/jwt/rotation.md]."}}
	a, err := asked(t.Context(), t, llmtest.New(t, again, again, again, again, again, again, again, last), rotationTree(), TierLoop,
		"refresh tokens")
	if err != nil || a.Tier != TierLoop || !strings.HasSuffix(a.Why,
		"(turns: 8, tool calls: 7); it had to answer at the limit of turns") {
		t.Errorf("%v %s", err, a.Why)
	}
}

func TestAnAnswerThatWasCutSaysSo(t *testing.T) {
	said := llmtest.Turn{Say: llm.Response{Text: "Refresh tokens are rotated [auth/jwt/rotation.md]. They", Cut: true}}
	a, err := asked(t.Context(), t, llmtest.New(t, said), rotationTree(), TierModel, "refresh tokens")
	if err != nil || a.Note != "the answer was cut at its token limit" {
		t.Errorf("%v %q", err, a.Note)
	}
}

// Nobody waits for an answer any more: that is no failure of the model.
func TestCancelledQuestion(t *testing.T) {
	for _, tier := range []Tier{TierModel, TierLoop} {
		ctx, cancel := context.WithCancel(t.Context())
		m := llmtest.New(t, llmtest.Turn{Wait: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }})
		if _, err := asked(ctx, t, m, rotationTree(), tier, "refresh tokens"); !errors.Is(err, context.Canceled) ||
			errors.Is(err, errModel) {
			t.Errorf("tier %d: %v", tier, err)
		}
	}
}
