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
		if _, ok := m.Same(KeyOf("Refresh token expiry?", ""), c.now); ok != c.holds {
			t.Errorf("resting on %+v, now %+v: the same question is answered: %t", c.rests, c.now, ok)
		}
		if _, _, ok := m.Like(asked("expiry of refresh tokens"), c.now); ok != c.holds {
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
		_, same := m.Same(KeyOf("refresh token expiry", ""), Basis{Tree: "t"})
		_, _, like := m.Like(asked("expiry of refresh tokens"), Basis{Tree: "t"})
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
	k, b, mine := KeyOf("one", ""), Basis{Tree: "t"}, []int{1}
	m.Keep(k, asked("one"), b, mine)
	for range 2 {
		mine[0] = 2
		mine, _ = m.Same(k, b)
		if mine[0] != 1 {
			t.Error("a caller changed what is remembered")
		}
	}
}

func TestOtherBoundsAreAnotherQuestion(t *testing.T) {
	if KeyOf("a", "b") == KeyOf("a", "") || KeyOf("bc", "a") == KeyOf("c", "ab") {
		t.Error("bounds run into the text")
	}
	a, b := asked("refresh token expiry"), asked("expiry of refresh tokens")
	if a.Says(b) == 0 {
		t.Error("the questions are not alike")
	}
	if b.Bounds = "auth"; a.Says(b) != 0 {
		t.Error("questions in other bounds are alike")
	}
}

// phrases is a memory of texts.
type phrases struct{ *Memory[string] }

func fresh() (phrases, *time.Time) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return phrases{NewMemory(10, time.Minute, func() time.Time { return now }, func(s string) string { return s })}, &now
}

func (p phrases) keep(question string, rests Basis, answer string) {
	p.Keep(KeyOf(question, ""), asked(question), rests, answer)
}

func asked(text string) Asked { return Asked{Text: text, Question: Read(text)} }
