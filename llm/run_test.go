package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

// tools are what the scripts of this file call.
func tools() []llm.Tool {
	type text struct {
		Text string `json:"text" about:"what to say"`
	}
	type count struct {
		N int `json:"n" about:"how many"`
	}
	return []llm.Tool{
		llm.NewTool("echo", "Says it again.", func(_ context.Context, a text) (string, error) { return a.Text, nil }),
		llm.NewTool("long", "Says x.", func(_ context.Context, a count) (string, error) { return strings.Repeat("xé ", a.N), nil }),
		llm.NewTool("fail", "Fails.", func(context.Context, struct{}) (string, error) { return "", errors.New("out of order") }),
		llm.NewTool("panic", "Panics.", func(context.Context, struct{}) (string, error) { panic("ouch") }),
		llm.NewTool("sleep", "Waits.", func(_ context.Context, a count) (string, error) {
			time.Sleep(time.Duration(a.N) * time.Second)
			return "rested", nil
		}),
	}
}

func question(text string) llm.Request {
	return llm.Request{System: "be brief", Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}, Tools: tools(), MaxTokens: 100}
}

// Each case is a script, the limits, and what comes out.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits llm.Limits
		script string
		want   llm.Outcome // without Messages, Spent
	}{
		{"answers at once", llm.Limits{}, `
turn
want system: be brief
want last: why
want tools: echo long fail panic sleep
want calls: yes
say because
usage 10 5`, llm.Outcome{Text: "because\n", End: llm.EndAnswer, Turns: 1, Usage: llm.Usage{Input: 10, Output: 5}}},

		{"hands back what tools say, in order", llm.Limits{Turns: 3}, `
turn
say let me see
call echo {"text": "one"}
call echo {"text": "two"}
usage 10 5
turn
want any: let me see
want last: result c1
want last: one
want last: two
say done
usage 20 5`, llm.Outcome{Text: "done\n", End: llm.EndAnswer, Turns: 2, Calls: 2, Usage: llm.Usage{Input: 30, Output: 10}}},

		{"tells the model its mistakes", llm.Limits{}, `
turn
call nothing {}
call echo {"text": 5}
call echo {}
call echo {"text": "a", "more": 1}
call echo [1]
call echo {"text"
call fail
call panic {}
turn
want last: there is no tool "nothing"; the tools are echo, long, fail, panic, sleep
want last: argument text: 5 is not of type string; echo takes text (string)
want last: argument text is missing
want last: there is no argument "more"
want last: the arguments are not a JSON object
want last: the arguments are not JSON
want last: out of order
want last: panic: ouch
want last: failed c8
say done`, llm.Outcome{Text: "done\n", End: llm.EndAnswer, Turns: 2, Calls: 8}},

		{"the last turn must answer", llm.Limits{Turns: 2}, `
turn
call echo {"text": "one"}
turn
want calls: no
want last: You cannot call tools any more
say as far as I know
call echo {"text": "two"}`, llm.Outcome{Text: "as far as I know\n", End: llm.EndTurns, Turns: 2, Calls: 1}},

		{"the only turn of a request with tools", llm.Limits{Turns: 1}, `
turn
want calls: no
want last: why
say because`, llm.Outcome{Text: "because\n", End: llm.EndTurns, Turns: 1}},

		{"keeps tokens for an answer, as the model counts", llm.Limits{Tokens: 6000}, `
turn
call echo {"text": "one"}
usage 2600 20
turn
want calls: no
say done
usage 2700 20`, llm.Outcome{Text: "done\n", End: llm.EndTokens, Turns: 2, Calls: 1, Usage: llm.Usage{Input: 5300, Output: 40}}},

		{"cuts results to what is left", llm.Limits{Tokens: 2000}, `
turn
call long {"n": 5000}
call long {"n": 5000}
turn
want calls: no
want last: [cut here:
say done`, llm.Outcome{Text: "done\n", End: llm.EndTokens, Turns: 2, Calls: 2}},

		{"does not ask what is too much from the start", llm.Limits{Tokens: 50}, ``, llm.Outcome{End: llm.EndTokens}},

		{"too many calls of one turn", llm.Limits{}, "\nturn\n" + strings.Repeat("call echo {\"text\": \"x\"}\n", 20) + `
turn
want last: [4 more calls were not run: at most 16 a turn]
want not last: c17
say done`, llm.Outcome{Text: "done\n", End: llm.EndAnswer, Turns: 2, Calls: 16}},

		{"says nothing", llm.Limits{}, "turn\n", llm.Outcome{End: llm.EndAnswer, Turns: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := llm.Run(t.Context(), llmtest.Load(t, c.script), question("why"), c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if spent := got.Usage.Input + got.Usage.Output; c.limits.Tokens > 0 && spent > c.limits.Tokens {
				t.Errorf("%d tokens spent of %d", spent, c.limits.Tokens)
			}
			if got.Messages = nil; got.Usage.Estimated {
				if got.Usage.Input == 0 {
					t.Error("nothing is estimated")
				}
				got.Usage = llm.Usage{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestEveryTurnHasCallsAndResultsInPairs(t *testing.T) {
	m := llmtest.New(t,
		llmtest.Turn{Say: llm.Response{Calls: []llm.Call{{Tool: "echo"}, {ID: "a", Tool: "fail"}, {ID: "a", Tool: "panic"}}}},
		llmtest.Turn{Say: llm.Response{Text: "done"}})
	r := question("why")
	out, err := llm.Run(t.Context(), m, r, llm.Limits{})
	if err != nil || len(r.Messages) != 1 || len(out.Messages) != 4 {
		t.Fatalf("%v; %d and %d messages", err, len(r.Messages), len(out.Messages))
	}
	calls, results := out.Messages[1].Calls, out.Messages[2].Results
	var ids []string
	for i := range calls {
		if ids = append(ids, calls[i].ID); calls[i].ID != results[i].ID || !results[i].IsError {
			t.Errorf("%+v answers %+v", results[i], calls[i])
		}
	}
	if diff := cmp.Diff([]string{"call-1-1", "a", "call-1-3"}, ids); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTheCallersRequestStaysAsItIs(t *testing.T) {
	r := question("why")
	r.Messages = append(make([]llm.Message, 0, 9), r.Messages...)
	if _, err := llm.Run(t.Context(), llmtest.Load(t, "turn\nsay because"), r, llm.Limits{}); err != nil || r.Messages[:2][1].Text != "" {
		t.Errorf("%v %+v", err, r.Messages[:2][1])
	}
}

func TestAToolNeverSeesWhatIsNoJSON(t *testing.T) {
	var got []string
	r := question("why")
	r.Tools = []llm.Tool{{Name: "raw", Run: func(_ context.Context, arguments json.RawMessage) (string, error) {
		got = append(got, string(arguments))
		return "", nil
	}}}
	_, err := llm.Run(t.Context(), llmtest.Load(t, "turn\ncall raw\ncall raw {\ncall raw 1\nturn\nsay done"), r, llm.Limits{})
	if diff := cmp.Diff([]string{"{}", "1"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestALoopOfItsOwnAccordEnds(t *testing.T) {
	for tool, want := range map[string]llm.End{`echo {"text": "again"}`: llm.EndTurns, `long {"n": 1000000}`: llm.EndSize} {
		name, arguments, _ := strings.Cut(tool, " ")
		turns := 0
		m := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
			turns++
			var calls []llm.Call
			for range 16 {
				calls = append(calls, llm.Call{Tool: name, Arguments: json.RawMessage(arguments)})
			}
			return llm.Response{Text: strings.Repeat("never ", 20_000), Calls: calls}, nil
		})
		out, err := llm.Run(t.Context(), m, question("why"), llm.Limits{})
		size := 0
		for _, m := range out.Messages {
			size += len(m.Text)
			for _, r := range m.Results {
				size += len(r.Text)
			}
		}
		if err != nil || turns > 50 || size > 2<<20 {
			t.Errorf("%v; %d turns, %d bytes", err, turns, size)
		}
		if out.End != llm.EndSize && out.End != want || !strings.HasSuffix(out.Text, "bytes]") {
			t.Errorf("%s: ended by %s with %d bytes", tool, out.End, len(out.Text))
		}
	}
}

type modelFunc func(ctx context.Context, r llm.Request) (llm.Response, error)

func (modelFunc) Name() string { return "test" }
func (f modelFunc) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	return f(ctx, r)
}

func TestErrorOfTheModelComesWithWhatThereIs(t *testing.T) {
	out, err := llm.Run(t.Context(), llmtest.Load(t, "turn\ncall fail {}\nusage 7 3\nturn\nfail overloaded"), question("why"),
		llm.Limits{})
	if err == nil || err.Error() != "scripted, turn 2: overloaded" || out.Turns != 2 || out.Calls != 1 || out.Usage.Input != 7 ||
		len(out.Messages) != 3 {
		t.Errorf("%v; %+v", err, out)
	}
	panics := modelFunc(func(context.Context, llm.Request) (llm.Response, error) { panic("ouch") })
	if _, err = llm.Run(t.Context(), panics, question("why"), llm.Limits{}); err == nil || !strings.Contains(err.Error(), "ouch") {
		t.Error(err)
	}
}

// Neither a tool nor a model has to heed the context.
func TestCancelledContextEndsAtOnce(t *testing.T) {
	deaf := func(context.Context) error { time.Sleep(time.Hour); return nil }
	for name, turn := range map[string]llmtest.Turn{
		"in a tool":  {Say: llm.Response{Calls: []llm.Call{{Tool: "sleep", Arguments: json.RawMessage(`{"n": 3600}`)}, {Tool: "echo"}}}},
		"in a model": {Wait: deaf},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				began := time.Now()
				out, err := llm.Run(ctx, llmtest.New(t, turn), question("why"), llm.Limits{Time: time.Minute})
				if !errors.Is(err, context.Canceled) || time.Since(began) != time.Second || out.Turns != 1 {
					t.Errorf("%v after %v, %d turns", err, time.Since(began), out.Turns)
				}
				time.Sleep(time.Hour) // what was left behind ends
			})
		})
	}
}

func TestTimeIsKeptForAnAnswer(t *testing.T) {
	slow := func(d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	rest := llm.Response{Calls: []llm.Call{{Tool: "sleep", Arguments: json.RawMessage(`{"n": 1}`)}}}
	for _, c := range []struct {
		name  string
		turns []llmtest.Turn
		want  string // end, text, turns, time
	}{
		{"one more of these does not fit", []llmtest.Turn{
			{Wait: slow(2 * time.Second), Say: rest}, {Wait: slow(2 * time.Second), Say: rest},
			{Want: []llmtest.Want{{In: "calls", Text: "no"}}, Wait: slow(3 * time.Second), Say: llm.Response{Text: "done"}},
		}, "time done 3 9s"},
		{"a turn longer than all before", []llmtest.Turn{
			{Say: rest}, {Wait: slow(time.Minute), Say: llm.Response{Text: "late"}},
		}, "time  2 10s"},
		{"no limit without need", []llmtest.Turn{
			{Wait: slow(time.Second), Say: rest}, {Wait: slow(time.Second), Say: llm.Response{Text: "done"}},
		}, "answer done 2 3s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				out, err := llm.Run(t.Context(), llmtest.New(t, c.turns...), question("why"), llm.Limits{Time: 10 * time.Second})
				if got := fmt.Sprintf("%s %s %d %s", out.End, out.Text, out.Turns, time.Since(began)); err != nil || got != c.want {
					t.Errorf("%v; got %s, want %s", err, got, c.want)
				}
			})
		})
	}
}

// A loop ends at 50 turns, also where more or none are allowed, and the last of them is without
// tools.
func TestNoLoopHasMoreThanFiftyTurns(t *testing.T) {
	for _, turns := range []int{0, 5000, 51} {
		asked := 0
		m := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
			if asked++; r.NoCalls {
				return llm.Response{Text: "done"}, nil
			}
			return llm.Response{Calls: []llm.Call{{Tool: "echo", Arguments: json.RawMessage(`{"text": "a"}`)}}}, nil
		})
		out, err := llm.Run(t.Context(), m, question("why"), llm.Limits{Turns: turns})
		if err != nil || asked != 50 || out.Turns != 50 || out.Calls != 49 || out.End != llm.EndTurns || out.Text != "done" {
			t.Errorf("%d turns: asked %d times, %d turns, %d calls, ended at %s: %v", turns, asked, out.Turns, out.Calls, out.End, err)
		}
	}
}

// patient is a model with a patience of its own, behind a wrapper.
type patient struct {
	modelFunc
	patience time.Duration
}

func (p patient) Patience() time.Duration { return p.patience }

type wrapped struct{ llm.Model }

func (w wrapped) Unwrap() llm.Model { return w.Model }

// A model that says nothing, or next to nothing, is left; one that goes on is not.
func TestSilenceEndsATurn(t *testing.T) {
	// streams says pieces of that many bytes, one every so often.
	streams := func(pieces, size int, every time.Duration) modelFunc {
		return func(ctx context.Context, r llm.Request) (llm.Response, error) {
			for range pieces {
				select {
				case <-time.After(every):
					r.Stream(strings.Repeat("x", size))
				case <-ctx.Done():
					return llm.Response{}, context.Cause(ctx)
				}
			}
			return llm.Response{Text: "done"}, nil
		}
	}
	deaf := modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		time.Sleep(time.Hour)
		return llm.Response{Text: "late"}, nil
	})
	const s = time.Second
	for _, c := range []struct {
		name  string
		model llm.Model
		want  string // text, error, time
	}{
		{"at once", streams(0, 0, 0), "done <nil> 0s"},
		{"goes on for long", streams(60, 20, s), "done <nil> 1m0s"},
		{"slow but steady", streams(20, 16, 4*s), "done <nil> 1m20s"},
		{"drips", streams(100, 1, 3*s/2), " test: only 3 bytes came in 5s (fewer than 16 count as no answer) 5s"},
		{"drips later", streams(100, 4, s), "done <nil> 1m40s"},
		{"stops", streams(3, 20, 6*s), " test: no data came for 5s 5s"},
		{"stops in the middle", streams(2, 20, 4*s+s/2), "done <nil> 9s"},
		{"one piece too late", streams(1, 20, 6*s), " test: no data came for 5s 5s"},
		{"does not heed the end", deaf, " test: no data came for 5s 5s"},
		{"may take its time", wrapped{patient{streams(1, 1, 20*s), 30 * s}}, "done <nil> 20s"},
		{"hangs, and may take its time", patient{streams(1, 1, 40*s), 30 * s}, " test: no data came for 30s 30s"},
		{"is less patient", patient{streams(1, 1, 4*s), s}, "done <nil> 4s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				out, err := llm.Run(t.Context(), c.model, question("why"), llm.Limits{Silence: 5 * s})
				if got := fmt.Sprint(out.Text, " ", err, " ", time.Since(began)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if err != nil && !errors.Is(err, llm.ErrSilent) {
					t.Error(err)
				}
				time.Sleep(2 * time.Hour) // what was left behind ends
			})
		})
	}
}

// The patience is each turn's; what a question takes in all is bounded by its time, also where
// every turn says just enough in time.
func TestTimeBoundsAllTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nearly := modelFunc(func(ctx context.Context, r llm.Request) (llm.Response, error) {
			for range 3 {
				select {
				case <-time.After(4900 * time.Millisecond):
					r.Stream("sixteen bytes it")
				case <-ctx.Done():
					return llm.Response{}, context.Cause(ctx)
				}
			}
			return llm.Response{Calls: []llm.Call{{Tool: "echo", Arguments: json.RawMessage(`{"text": "a"}`)}}}, nil
		})
		began := time.Now()
		out, err := llm.Run(t.Context(), nearly, question("why"), llm.Limits{Turns: 8, Time: 90 * time.Second, Silence: 5 * time.Second})
		if took := time.Since(began); err != nil || out.End != llm.EndTime || took > 90*time.Second || took < 60*time.Second {
			t.Errorf("%s after %v and %d turns: %v", out.End, took, out.Turns, err)
		}
	})
}

// A form is asked for only where nothing can be called: at once, at a limit, or once more
// behind an answer that the model gave while it could have called.
func TestFormIsAskedForLast(t *testing.T) {
	schema := &llm.Schema{Name: "count", JSON: json.RawMessage(`{"type":"object"}`)}
	for name, c := range map[string]struct {
		limits  llm.Limits
		noCalls bool
		noTools bool
		script  string
		want    string // end, turns, text
	}{
		"without tools": {noTools: true, script: `
turn
want any: schema count
say {"n": 5}`, want: "answer 1 {\"n\": 5}\n"},
		"where nothing may be called": {noCalls: true, script: `
turn
want any: schema count
say {"n": 5}`, want: "answer 1 {\"n\": 5}\n"},
		"behind an answer": {script: `
turn
want not any: schema
want calls: yes
call echo {"text": "5"}
turn
want not any: schema
say five
turn
want any: schema count
want last: Give your answer now in the requested form.
want any: five
want calls: no
say {"n": 5}`, want: "answer 3 {\"n\": 5}\n"},
		"at a limit": {limits: llm.Limits{Turns: 2}, script: `
turn
want not any: schema
call echo {"text": "5"}
turn
want any: schema count
want last: You cannot call tools any more
say {"n": 5}`, want: "turns 2 {\"n\": 5}\n"},
		"in the last turn but one": {limits: llm.Limits{Turns: 2}, script: `
turn
want not any: schema
say five
turn
want any: schema count
want last: in the requested form
say {"n": 5}`, want: "answer 2 {\"n\": 5}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := question("how many")
			if r.Schema, r.NoCalls = schema, c.noCalls; c.noTools {
				r.Tools = nil
			}
			out, err := llm.Run(t.Context(), llmtest.Load(t, c.script), r, c.limits)
			if got := fmt.Sprintf("%s %d %s", out.End, out.Turns, out.Text); err != nil || got != c.want {
				t.Errorf("%v; got %q", err, got)
			}
		})
	}
}

// Pieces reach who asked for them until the turn is over, and none comes behind it.
func TestPiecesArePassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
			r.Stream("a")
			time.Sleep(10 * time.Second)
			r.Stream("b")
			return llm.Response{}, nil
		})
		var got string
		r := question("why")
		r.Stream = func(piece string) { got += piece }
		_, err := llm.Run(t.Context(), m, r, llm.Limits{Silence: time.Second})
		time.Sleep(time.Minute)
		if got != "a" || !errors.Is(err, llm.ErrSilent) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// Pieces of all turns are told, and none once the loop is over.
func TestPiecesOfALoop(t *testing.T) {
	r := question("why")
	var got []string
	r.Stream = func(piece string) { got = append(got, piece) }
	if _, err := llm.Run(t.Context(), llmtest.Load(t, "turn\nsay let me see\ncall echo {\"text\": \"a\"}\nturn\nsay one\n| two"), r,
		llm.Limits{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"let me see\n", "one\n", "two\n"}; !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
	synctest.Test(t, func(t *testing.T) {
		late := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
			r.Stream("in time")
			time.Sleep(time.Hour)
			r.Stream("late")
			return llm.Response{}, nil
		})
		got = nil
		out, err := llm.Run(t.Context(), late, r, llm.Limits{Time: time.Second})
		time.Sleep(2 * time.Hour)
		if err != nil || out.End != llm.EndTime || !cmp.Equal(got, []string{"in time"}) {
			t.Errorf("%v %s %q", err, out.End, got)
		}
	})
}
