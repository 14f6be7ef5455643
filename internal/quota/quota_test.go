package quota

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

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
	if err == nil || !OutOfMemory(string(out)) {
		t.Errorf("%v: %.300s", err, out)
	}
}

func TestOutOfMemory(t *testing.T) {
	for said, want := range map[string]bool{
		"": false, "panic: malformed PDF": false, "fatal error: runtime: out of memory\n\nruntime stack:": true,
		"runtime: out of memory: cannot allocate 4-byte block\nfatal error: out of memory": true,
		"runtime: failed to create new OS thread (have 2 already; errno=11)":               true,
		"SIGSEGV: segmentation violation\nPC=0x430e3d m=3 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x16b2df100780 m=3 " +
			"mp=0x16b2df10a008 [idle]:\nruntime.(*spanQueue).tryDrain(0x16b200000400?, 0x4395c5?)\n": true,
		"SIGSEGV: segmentation violation\nPC=0x1 m=0 sigcode=1\nsignal arrived during cgo execution\n\ngoroutine 1 gp=0x1 " +
			"m=0:\nruntime.cgocall(0x1)\n": false,
		"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation " +
			"code=0x1 addr=0x0 pc=0x1]": false,
	} {
		if got := OutOfMemory(said); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}
