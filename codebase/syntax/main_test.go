package syntax

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain makes the test binary its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerArg {
		var stdin io.Reader = os.Stdin
		if len(os.Args) > 2 {
			stdin = &hangOn{r: os.Stdin, mark: []byte(os.Args[2])}
		}
		os.Exit(WorkerMain(stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// hangingWorker is a worker that stops reading for ever when a request holds
// the text of hang.
func hangingWorker(t *testing.T) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, WorkerArg, "never answers"}
}

// hangOn passes a stream through until mark has been read.
type hangOn struct {
	r    io.Reader
	mark []byte
	seen []byte
}

func (h *hangOn) Read(b []byte) (int, error) {
	if bytes.Contains(h.seen, h.mark) {
		select {}
	}
	n, err := h.r.Read(b)
	h.seen = append(h.seen, b[:n]...)
	if i := bytes.Index(h.seen, h.mark); i >= 0 && n > 0 {
		before := len(h.seen) - n
		return i + len(h.mark) - 1 - before, err // the mark's last byte never arrives
	}
	if len(h.seen) > 1<<16 {
		h.seen = h.seen[len(h.seen)-1024:]
	}
	return n, err
}
