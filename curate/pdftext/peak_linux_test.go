package pdftext

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// maxPeak is what a worker may take at most, in bytes: its limit, and what the program takes itself, under
// the race detector too.
const maxPeak = workerMemory + 64<<20

// TestWorkersStaySmall measures the peak of a worker's memory on files that unpack to gigabytes, and on a
// large one that is none.
func TestWorkersStaySmall(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("lorem ipsum ", 1<<20/12)
	for name, data := range map[string][]byte{
		"operands":   onePage(deflated("", strings.Repeat("1 ", 1<<19), 4096), flate),
		"one string": onePage(deflated("(", long, 4096), flate),
		"columns": onePage(deflated("", strings.Repeat("\x02 (a) Tj", 1<<17), 4096),
			flate+" /DecodeParms << /Predictor 12 /Columns 400000000 >>"),
		"large": onePage("(text) Tj\n"+strings.Repeat(" ", MaxFile-4096), ""),
	} {
		cmd := exec.Command(exe, WorkerArg)
		cmd.Env = []string{"GOTRACEBACK=none"}
		cmd.Stdin, cmd.Stdout = bytes.NewReader(data), io.Discard
		said := &head{left: 4 << 10}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		peak, kill := 0, time.After(KillAfter)
		for done := false; !done; {
			select {
			case <-ended:
				done = true
			case <-kill:
				_ = cmd.Process.Kill()
			case <-time.After(10 * time.Millisecond):
				peak = max(peak, highest(cmd.Process.Pid))
			}
		}
		t.Logf("%s: %d MB, %v, %.60q", name, peak/1e6, cmd.ProcessState, said.text.String())
		if name == "large" && !cmd.ProcessState.Success() && !strings.Contains(said.text.String(), "ThreadSanitizer") {
			t.Errorf("%s: %s", name, said.text.String())
		}
		if peak > maxPeak || peak == 0 {
			t.Errorf("%s: %d MB", name, peak/1e6)
		}
	}
}

// highest is the most memory that a process had so far, in bytes, 0 if the system does not say.
func highest(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	n := 0
	_, _ = fmt.Sscan(rest, &n)
	return n << 10
}
