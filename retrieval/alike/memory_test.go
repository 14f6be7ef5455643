package alike

import (
	"fmt"
	"testing"
	"time"
)

// TestAnswersHoldWhileTheirBasisDoes: an answer about code is given only while the code
// is what it was, one about the tree whatever the code is.
func TestAnswersHoldWhileTheirBasisDoes(t *testing.T) {
	for _, c := range []struct {
		rests, now Basis
		holds      bool
	}{
		{Basis{"t1", "c1"}, Basis{"t1", "c1"}, true},
		{Basis{"t1", "c1"}, Basis{"t2", "c1"}, false},
		{Basis{"t1", "c1"}, Basis{"t1", "c2"}, false},
		{Basis{"t1", "c1"}, Basis{"t1", ""}, false},
		{Basis{"t1", "c1"}, Basis{"", "c1"}, false},
		{Basis{"t1", ""}, Basis{"t1", "c2"}, true},
		{Basis{"t1", ""}, Basis{"t2", "c2"}, false},
		{Basis{"", "c1"}, Basis{"t2", "c1"}, true},
		{Basis{"", "c1"}, Basis{"t2", "c2"}, false},
		{Basis{}, Basis{"t1", "c1"}, false},
		{Basis{}, Basis{}, false},
	} {
		m, _ := fresh()
		m.keep("refresh token expiry", c.rests, "an hour")
		if _, ok := m.Same(asked("Refresh token expiry?"), c.now); ok != c.holds {
			t.Errorf("resting on %+v, now %+v: the same question is answered: %t", c.rests, c.now, ok)
		}
		if _, _, ok := m.Like(asked("refresh tokens expiry"), c.now); ok != c.holds {
			t.Errorf("resting on %+v, now %+v: a like question is answered: %t", c.rests, c.now, ok)
		}
	}
}

// TestWhatNoLongerHoldsIsForgotten: what is known to be of another state makes room.
func TestWhatNoLongerHoldsIsForgotten(t *testing.T) {
	for _, c := range []struct {
		old, rests Basis
		kept       int
	}{
		{Basis{"t1", ""}, Basis{"t2", ""}, 1},
		{Basis{"t1", "c1"}, Basis{"t1", "c2"}, 1},
		{Basis{"t1", "c1"}, Basis{"t1", ""}, 2}, // says nothing of the code
		{Basis{"t1", ""}, Basis{"t1", "c1"}, 2},
		{Basis{"", "c1"}, Basis{"t2", ""}, 2},
	} {
		m, _ := fresh()
		m.keep("one", c.old, "")
		m.keep("two", c.rests, "")
		if m.Len() != c.kept {
			t.Errorf("after %+v, %+v: %d kept, want %d", c.old, c.rests, m.Len(), c.kept)
		}
	}
}

func TestAnswersGrowOld(t *testing.T) {
	for age, want := range map[time.Duration]bool{0: true, time.Minute - 1: true, time.Minute: false, -1: false} {
		m, now := fresh()
		m.keep("refresh token expiry", Basis{Tree: "t"}, "an hour")
		*now = now.Add(age)
		_, same := m.Same(asked("refresh token expiry"), Basis{Tree: "t"})
		_, _, like := m.Like(asked("refresh tokens expiry"), Basis{Tree: "t"})
		if same != want || like != want {
			t.Errorf("at an age of %v: same %t, like %t", age, same, like)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m, _ := fresh()
	for i := range 25 {
		m.keep(fmt.Sprint("question ", i), Basis{Tree: "t"}, "")
	}
	if m.Len() != 10 {
		t.Errorf("%d kept", m.Len())
	}
}

func TestAnswersAreCopied(t *testing.T) {
	m := NewMemory(1, time.Minute, time.Now, func(a []int) []int { return append([]int(nil), a...) })
	q, b, mine := asked("one"), Basis{Tree: "t"}, []int{1}
	m.Keep(q, b, mine)
	for range 2 {
		mine[0] = 2
		mine, _ = m.Same(q, b)
		if mine[0] != 1 {
			t.Error("a caller changed what is remembered")
		}
	}
}

func TestLikeTakesTheAnswerUsedLast(t *testing.T) {
	m, _ := fresh()
	for _, text := range []string{"where is the cache", "where is cache", "where are caches"} {
		m.keep(text, Basis{Tree: "t"}, text)
	}
	for _, last := range []string{"where is cache", "where is the cache"} {
		m.Same(asked(last), Basis{Tree: "t"})
		if a, text, ok := m.Like(asked("where is the caches"), Basis{Tree: "t"}); !ok || a != last || text != last {
			t.Errorf("%t: %q, want %q", ok, text, last)
		}
	}
}

// phrases is a memory of texts.
type phrases struct{ *Memory[string] }

func fresh() (phrases, *time.Time) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return phrases{NewMemory(10, time.Minute, func() time.Time { return now }, func(s string) string { return s })}, &now
}

func (p phrases) keep(question string, rests Basis, answer string) {
	p.Keep(asked(question), rests, answer)
}

func asked(text string) Question { return Read(text, "") }
