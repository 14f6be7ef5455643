package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
)

func TestBreaker(t *testing.T) {
	type event struct {
		after time.Duration
		enter string      // "" goes, else in the error
		leave llm.Verdict // of the one that went
	}
	fail := event{leave: llm.Failed}
	five := []event{fail, fail, fail, fail, fail}
	for name, events := range map[string][]event{
		"four failures": {fail, fail, fail, fail, {}, fail, fail, fail, fail, {}},
		"five, and rest": append(five[:5:5], event{enter: "5 times in a row and is asked again in 60 s; last error: why"},
			event{after: 59_500 * time.Millisecond, enter: "in 1 s"},
			event{after: 500 * time.Millisecond}, fail, event{}),
		"a probe that fails": append(five[:5:5], event{after: time.Minute, leave: llm.Failed},
			event{enter: "6 times in a row and is asked again in 60 s"}, event{after: time.Minute}, event{}),
		"a question that is refused shows a working server": {fail, fail, fail, fail, {leave: llm.Works}, fail, fail, fail, fail, {}},
		"a probe that is refused": append(five[:5:5], event{after: time.Minute, leave: llm.Works}, fail,
			event{}),
		"one given up says nothing": {fail, fail, fail, fail, {leave: llm.GivenUp}, fail, {enter: "5 times"}},
		"a probe given up": append(five[:5:5], event{after: time.Minute, leave: llm.GivenUp},
			event{leave: llm.Failed}, event{enter: "6 times"}),
	} {
		t.Run(name, func(t *testing.T) {
			var b llm.Breaker
			now := time.Now()
			for i, e := range events {
				now = now.Add(e.after)
				got := ""
				if err := b.Enter(now); err != nil {
					got = err.Error()
				} else {
					b.Leave(now, e.leave, "why")
				}
				if (got == "") != (e.enter == "") || !strings.Contains(got, e.enter) {
					t.Errorf("event %d: %q", i+1, got)
				}
			}
		})
	}
	t.Run("one probe at a time", func(t *testing.T) {
		var b llm.Breaker
		now := time.Now()
		for range 5 {
			b.Enter(now)
			b.Leave(now, llm.Failed, "why")
		}
		now = now.Add(time.Minute)
		if b.Enter(now) != nil || b.Enter(now) == nil || !strings.Contains(b.Enter(now).Error(), "being tried again") {
			t.Error("not one probe")
		}
		b.Leave(now, llm.Works, "")
		for range 2 {
			if err := b.Enter(now); err != nil {
				t.Error(err)
			}
		}
	})
}

// What an editor or client has rests only when it hangs: five times in a row.
func TestModelBehindABreaker(t *testing.T) {
	hangs := func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		<-ctx.Done()
		return llm.Response{}, context.Cause(ctx)
	}
	fails := func(err error) modelFunc {
		return func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, err }
	}
	for name, c := range map[string]struct {
		ask  modelFunc
		open bool
	}{
		"hangs":    {hangs, true},
		"is late":  {fails(fmt.Errorf("x: %w", llm.TimedOut("m", time.Second))), true},
		"fails":    {fails(errors.New("not allowed yet")), false},
		"is fine":  {fails(nil), false},
		"given up": {fails(context.Canceled), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int32
				last := ""
				m := llm.WithBreaker(modelFunc(func(ctx context.Context, r llm.Request) (llm.Response, error) {
					asked.Add(1)
					return c.ask(ctx, r)
				}), time.Now, 0)
				for range 6 {
					_, err := llm.Run(t.Context(), llm.Guard(m), question("why"), llm.Limits{Silence: 30 * time.Second})
					last = fmt.Sprint(err)
					synctest.Wait() // one that was left ends
				}
				const resting = "test failed 5 times in a row and is asked again in 60 s; last error: it did not answer in time"
				if want := map[bool]int{true: 5, false: 6}[c.open]; int(asked.Load()) != want ||
					strings.Contains(last, resting) != c.open {
					t.Errorf("asked %d times; %s", asked.Load(), last)
				}
				time.Sleep(time.Minute)
				before := asked.Load()
				if llm.Run(t.Context(), m, question("why"), llm.Limits{Silence: time.Second}); asked.Load() != before+1 {
					t.Error("no probe after a minute")
				}
			})
		})
	}
}
