//go:build linux || darwin

package discover

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// BenchmarkWalk walks -tree, or 50,000 files in 5,000 folders, and has git list
// the same tree in the same run. CPU is the process's own time, which another
// program's load changes less than the clock's.
func BenchmarkWalk(b *testing.B) {
	needsGit(b)
	dir := *tree
	if dir == "" {
		dir = b.TempDir()
		for i := range 5000 {
			for j := range 10 {
				jailtest.Write(b, dir, fmt.Sprintf("d%d/e%d/f%d/x%d.go", i%10, i%100, i, j), "package x")
			}
		}
		jailtest.Write(b, dir, ".gitignore", "*.log\n/bin/\nnode_modules/\n*.tmp\nout/\n.DS_Store\n")
	}
	repository := filepath.Join(b.TempDir(), "git") // beside the tree, which stays as it is
	git(b, dir, "", "--git-dir", repository, "--work-tree", ".", "init", "-q")
	root := jailtest.Open(b, dir)
	files := 0
	var ours, gits [2]time.Duration // by the clock, of the processor
	for b.Loop() {
		start, cpu := time.Now(), ownCPU()
		files = len(walk(b, root, Options{}).Files)
		ours[0] += time.Since(start)
		ours[1] += ownCPU() - cpu
		cmd := exec.Command("git", "--git-dir", repository, "--work-tree", ".", "ls-files", "-co", "--exclude-standard", "-z")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		start = time.Now()
		if _, err := cmd.Output(); err != nil {
			b.Fatal(err)
		}
		gits[0] += time.Since(start)
		gits[1] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	perRun := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(b.N) }
	b.ReportMetric(float64(files), "files")
	b.ReportMetric(float64(files)*float64(b.N)/ours[0].Seconds(), "files/s")
	b.ReportMetric(perRun(ours[0]), "walk-ms")
	b.ReportMetric(perRun(ours[1]), "walk-cpu-ms")
	b.ReportMetric(perRun(gits[0]), "git-ms")
	b.ReportMetric(perRun(gits[1]), "git-cpu-ms")
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
