package process

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for a server that echoes one line,
// complains, and fails, and for one that computes and then waits.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "burn" {
		burn(60 * time.Millisecond)
		os.Stdout.WriteString("x")
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "echo" {
		buf := make([]byte, 64)
		n, _ := os.Stdin.Read(buf)
		os.Stdout.Write(buf[:n])
		os.Stderr.WriteString("no more\n")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func TestProcessIsReadToItsEndAndReportsItsFailure(t *testing.T) {
	p, err := Start(context.Background(), os.Args[0], "echo")
	if err != nil {
		t.Fatal(err)
	}
	if p.Tree().PSS <= 0 && runtime.GOOS == "linux" {
		t.Error("what a running process uses is not known")
	}
	if p.Peak() <= 0 && runtime.GOOS == "linux" {
		t.Error("memory of a running process is not known")
	}
	p.In.Write([]byte("hello"))
	cpu, err := p.Wait()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "no more") {
		t.Errorf("Wait: %v", err)
	}
	if cpu <= 0 {
		t.Errorf("processor time %s", cpu)
	}
	buf := make([]byte, 64)
	if n, _ := p.Out.Read(buf); string(buf[:n]) != "hello" {
		t.Errorf("read %q after the end", buf[:n])
	}
}
