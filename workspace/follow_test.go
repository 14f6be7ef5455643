package workspace

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// handClock is a clock that goes on only when told.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// following opens a folder as an agent's server does, with its code read.
func following(t *testing.T) (*Workspace, *handClock) {
	t.Helper()
	dir, clock := t.TempDir(), &handClock{now: now}
	for p, text := range files {
		write(t, dir, p, text)
	}
	w, err := Open(t.Context(), dir, Options{FollowCode: true, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, clock
}

func defined(t *testing.T, w *Workspace, name string) bool {
	t.Helper()
	v, err := w.View().Complete(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(v.Code().Lookup(name)) > 0
}

func TestCodeIsFollowedWithoutAnEditor(t *testing.T) {
	w, clock := following(t)
	write(t, w.Root(), "src/made.go", "package src\n\nfunc MadeByOthers() {}\n")
	if defined(t, w, "MadeByOthers") {
		t.Error("the folder is walked for each request")
	}
	clock.add(followAge)
	if !defined(t, w, "MadeByOthers") {
		t.Error("a new file is not seen")
	}
	write(t, w.Root(), "src/made.go", "package src\n\nfunc RenamedByOthers() {}\n")
	clock.add(followAge)
	if !defined(t, w, "RenamedByOthers") || defined(t, w, "MadeByOthers") {
		t.Error("a changed file is not seen")
	}
	before := w.View()
	clock.add(followAge)
	if !defined(t, w, "RenamedByOthers") || w.View() != before {
		t.Error("a walk that found nothing made a new view")
	}
}

// TestWalksAreOneAtATime has many ask at once while a walk is held up: they share the
// next one, and whoever may not wait goes on.
func TestWalksAreOneAtATime(t *testing.T) {
	w, clock := following(t)
	write(t, w.Root(), "src/made.go", "package src\n\nfunc MadeByOthers() {}\n")
	clock.add(followAge)
	w.code.updating.Lock() // as a refresh does
	end, _ := w.code.walk(clock.Now().Add(-followAge))
	if again, fresh := w.code.walk(clock.Now().Add(-followAge)); again != end || !fresh {
		t.Error("the walk under way is not shared")
	}
	if late, fresh := w.code.walk(clock.Now()); late != end || fresh {
		t.Error("there are two walks at once, or an old one counts as fresh")
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Follow(short); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was cancelled ends with %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !defined(t, w, "MadeByOthers") {
				t.Error("not seen")
			}
		})
	}
	w.code.updating.Unlock()
	all.Wait()
}

// TestFollowSoonIsBesideTheAnswer looks in passing: not again until followRest is over.
func TestFollowSoonIsBesideTheAnswer(t *testing.T) {
	w, clock := following(t)
	write(t, w.Root(), "src/made.go", "package src\n\nfunc MadeByOthers() {}\n")
	w.code.walks.took = 0
	soon := func() (end *Stage) {
		w.FollowSoon()
		w.code.walks.mu.Lock()
		defer w.code.walks.mu.Unlock()
		return w.code.walks.done
	}
	first := soon()
	if first.Wait(t.Context()) != nil || len(w.View().Code().Lookup("MadeByOthers")) != 0 {
		t.Error("it was looked for too soon")
	}
	clock.add(followRest)
	second := soon()
	if second.Wait(t.Context()) != nil || len(w.View().Code().Lookup("MadeByOthers")) == 0 {
		t.Error("a new file is not seen")
	}
	if soon() != second {
		t.Error("it is looked for at each question")
	}
	w.code.walks.took = followRest
	clock.add(2 * followRest)
	if soon() != second {
		t.Error("a long walk is made too often")
	}
	clock.add(followShare * followRest)
	if soon() == second {
		t.Error("a long walk is never made again")
	}
}
