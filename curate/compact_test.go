package curate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

func compactorOf(model llm.Model) *compactor {
	return &compactor{model: model, look: retrieval.NewLook(tree.NewSnapshot(nil, nil), nil, now, ""), context: 128_000}
}

const longText = "# Retries\n\nAn upload in `src/upload.ts` is retried 500 ms after it failed, at most 3 times, by retryUpload.\n"

// Each level is asked once, and what fails its gate leads to the next.
func TestCompactionEscalates(t *testing.T) {
	text := strings.Repeat(longText, 100)
	say := func(s string) llmtest.Turn { return llmtest.Turn{Say: llm.Response{Text: s}} }
	short := "# Retries\nUploads (src/upload.ts) are retried 500 ms after a failure, at most 3 times: retryUpload."
	overshoots := strings.Repeat("An upload is retried. ", 60) + "See retryUpload."
	if n := tokens.Count(overshoots); n <= 240 || n > 400 {
		t.Fatalf("%d tokens", n)
	}
	for _, c := range []struct {
		name  string
		turns []llmtest.Turn
		how   string
		want  string
	}{
		{"a summary", []llmtest.Turn{say(short)}, "summarised by scripted from 3200 tokens", short},
		{"a refusal, then a summary", []llmtest.Turn{say("I'm sorry, I cannot summarize this document for you at this time."),
			say(short)}, "summarised by scripted from 3200 tokens", short},
		{"too short, then too long", []llmtest.Turn{say("Retries."), say(strings.Repeat("An upload is retried. ", 200))},
			"cut from 3200 tokens to 400", ""},
		{"a terse one that is longer than it was asked for, and fits", []llmtest.Turn{say("Retries."), say(overshoots)},
			"summarised by scripted from 3200 tokens", overshoots},
		{"an invented path", []llmtest.Turn{say(short + " See src/download.ts."), say(short)},
			"summarised by scripted from 3200 tokens", short},
		{"invented names", []llmtest.Turn{say(short + " downloadRetry, MAX_TRIES, retryAll."), say(short)},
			"summarised by scripted from 3200 tokens", short},
		{"errors", []llmtest.Turn{{Err: errors.New("overloaded")}, {Err: errors.New("overloaded")}}, "cut from 3200 tokens to 400", ""},
		{"a panic", []llmtest.Turn{{Reply: func(llm.Request) (llm.Response, error) { panic("ouch") }}, say(short)},
			"summarised by scripted from 3200 tokens", short},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.turns) > 1 {
				c.turns[1].Want = []llmtest.Want{{In: "system", Text: "Leave out everything else"},
					{In: "system", Text: "at most 160 words"}}
			}
			c.turns[0].Want = []llmtest.Want{{In: "system", Text: "Leave out repetitions"}, {In: "system", Text: "at most 266 words"},
				{In: "any", Text: "max tokens 400"}}
			if len(c.turns) > 1 {
				c.turns[1].Want = append(c.turns[1].Want, llmtest.Want{In: "any", Text: "max tokens 240"})
			}
			got, how, err := compactorOf(llmtest.New(t, c.turns...)).compact(t.Context(), t.Context(), "upload.md", text, 400)
			if err != nil || how != c.how || c.want != "" && got != c.want || tokens.Count(got) > 400 {
				t.Errorf("%v %s\n%s", err, how, got)
			}
			if c.want == "" && (!strings.HasPrefix(got, longText) ||
				!strings.HasSuffix(got, "\n[upload.md; truncated from 3200 tokens]") || tokens.Count(got) < 380) {
				t.Errorf("%d tokens: %s", tokens.Count(got), got)
			}
		})
	}
}

func TestCompactionOfAModelThatHangs(t *testing.T) {
	text := strings.Repeat(longText, 100)
	synctest.Test(t, func(t *testing.T) {
		hang := llmtest.Turn{Wait: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		began := time.Now()
		_, how, err := compactorOf(llmtest.New(t, hang, hang)).compact(t.Context(), t.Context(), "x", text, 400)
		if err != nil || how != "cut from 3200 tokens to 400" || time.Since(began) != 2*compactTime {
			t.Errorf("%v %s after %v", err, how, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		stop := llmtest.Turn{Wait: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }}
		if _, _, err := compactorOf(llmtest.New(t, stop)).compact(ctx, ctx, "x", text, 400); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestWhatFitsIsLeftAlone(t *testing.T) {
	got, how, err := compactorOf(llmtest.New(t)).compact(t.Context(), t.Context(), "x", longText, tokens.Count(longText))
	if got != longText || how != "" || err != nil {
		t.Errorf("%v %s\n%s", err, how, got)
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		sizes  []int
		budget int
		want   string
	}{
		{[]int{100, 200}, 1000, "[100 200]"},
		{[]int{5000, 100, 5000}, 3100, "[1500 100 1500]"},
		{[]int{9, 9, 9, 9, 9}, 10, "[2 2 2 2 2]"},
		{[]int{}, 10, "[]"},
		{[]int{0, 7}, 5, "[0 5]"},
	} {
		got := shares(c.sizes, c.budget)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v in %d: %v", c.sizes, c.budget, got)
		}
	}
}

// For any text and budget L3 ends within the budget, with fewer tokens where it cuts, with
// a beginning of the text in whole characters, and as much of it as fits.
func FuzzTruncate(f *testing.F) {
	for _, s := range []string{"", longText, strings.Repeat("é", 300), strings.Repeat("令牌", 200), strings.Repeat(" ", 500),
		strings.Repeat("👩‍💻", 60), strings.Repeat("a", 1000), "\n[x; truncated from 9 tokens]"} {
		for _, budget := range []int{-1, 0, 1, 5, 12, 40, 400} {
			f.Add("notes.md", s, budget)
		}
	}
	f.Add(strings.Repeat("n\n", 400), longText, 20)
	f.Fuzz(func(t *testing.T, name, text string, budget int) {
		text = strings.ToValidUTF8(text, "?")
		name = strings.ToValidUTF8(name, "?")
		n := tokens.Count(text)
		got := truncate(name, text, budget)
		if n <= budget {
			if got != text {
				t.Errorf("changed what fits")
			}
			return
		}
		if has := tokens.Count(got); has > max(0, budget) || has >= n && n > 0 {
			t.Errorf("%d tokens of %d for a budget of %d", has, n, budget)
		}
		if !utf8.ValidString(got) {
			t.Errorf("splits a character: %q", got)
		}
		kept := got
		if at := strings.LastIndex(got, "\n["); at >= 0 && strings.HasSuffix(got, fmt.Sprintf("; truncated from %d tokens]", n)) {
			kept = got[:at]
		}
		if !strings.HasPrefix(text, kept) {
			t.Errorf("%q is no beginning", kept)
		}
	})
}

func TestSuffixNamesTheTextInOneLine(t *testing.T) {
	got := truncate("a\nb\u0007 "+strings.Repeat("é", 100), strings.Repeat(longText, 9), 150)
	want := "\n[a b " + strings.Repeat("é", 56) + "; truncated from 288 tokens]"
	if !strings.HasSuffix(got, want) || strings.Count(got, "\n[") != 1 {
		t.Errorf("%q", got)
	}
}

func BenchmarkTruncate(b *testing.B) {
	text := strings.Repeat(longText, maxSource/len(longText))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		truncate("x", text, 2400)
	}
}

func BenchmarkSound(b *testing.B) {
	text := strings.Repeat(longText, maxSource/len(longText))
	summary := text[:len(text)/4]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if !acceptable(summary, text) {
			b.Fatal("not sound")
		}
	}
}
