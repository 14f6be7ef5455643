package process

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestPercentilesAreNearestRanks(t *testing.T) {
	all := []float64{5, 1, 4, 2, 3}
	for p, want := range map[float64]float64{0.01: 1, 0.2: 1, 0.5: 3, 0.61: 4, 0.95: 5, 1: 5} {
		if got := Percentile(all, p); got != want {
			t.Errorf("percentile %v of %v is %v, want %v", p, all, got, want)
		}
	}
	if Percentile(nil, 0.5) != 0 {
		t.Error("of nothing there is a percentile")
	}
}

// burn uses processor time for that long.
func burn(d time.Duration) {
	for start := OwnCPU(); OwnCPU()-start < d; {
	}
}

func TestTimedTellsTheProcessorTimeOfWork(t *testing.T) {
	if OwnCPU() == 0 {
		t.Skip("processor time is not known here")
	}
	failure := errors.New("failure")
	used, err := Timed(func() error { burn(20 * time.Millisecond); return failure })
	if err != failure || used.CPU < 20 || used.Wall <= 0 {
		t.Errorf("%+v, %v", used, err)
	}
}

func TestChildrenAreCountedWhileTheyRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	p, err := Start(context.Background(), os.Args[0], "burn")
	if err != nil {
		t.Fatal(err)
	}
	used, err := TimedWithChildren(func() error {
		_, err := p.Out.Read(make([]byte, 1)) // it writes when it has used up its time
		return err
	})
	if err != nil || used.CPU < 40 {
		t.Errorf("%+v, %v", used, err)
	}
	p.In.Close()
	if _, err := p.Wait(); err != nil {
		t.Error(err)
	}
}
