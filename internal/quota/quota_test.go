package quota

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// refused are the forms in which Go's runtime and its race detector say that they got no memory. The collector itself can follow
// a nil pointer then (Go 1.26): a signal is told without a panic.
var refused = regexp.MustCompile(`out of memory|cannot allocate memory|failed to create new OS thread` +
	`|ThreadSanitizer failed to allocate|(?s)SIGSEGV: segmentation violation\nPC=.*\nruntime\.`)

// TestMain makes the test binary a worker that takes memory: some, or too much.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "take-") {
		Memory(128 << 20)
		size := 32 << 20
		if os.Args[1] == "take-much" {
			size = 512 << 20
		}
		b := make([]byte, size)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		os.Exit(int(b[0]) - 1)
	}
	os.Exit(m.Run())
}

func TestMemoryEndsWhoTakesMore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no limit here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(exe, "take-some").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	out, err := exec.Command(exe, "take-much").CombinedOutput()
	if err == nil || !refused.Match(out) {
		t.Errorf("%v: %.300s", err, out)
	}
}
