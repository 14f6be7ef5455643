//go:build linux || darwin

package codebase

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// BenchmarkUpdateUnchanged walks through a folder in which nothing changed, and has
// the standard library walk it and ask for each entry's record in the same run. Three
// files of code stand in each folder beside three others. Times are of the processor.
func BenchmarkUpdateUnchanged(b *testing.B) {
	for _, files := range []int{1000, 5000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			tree := map[string]string{}
			for i := range files {
				dir := fmt.Sprintf("d%d/e%d/f%d", i%7, i%70, i/3)
				tree[fmt.Sprintf("%s/x%d.go", dir, i)] = fmt.Sprintf("package x\n\nfunc F%d() {}\n", i)
				tree[fmt.Sprintf("%s/x%d.txt", dir, i)] = "none"
			}
			root := jailtest.Folder(b, tree)
			time.Sleep(2 * time.Second) // files as young as that are read again: discover.File.Racy
			m := scan(b, root)
			var ours, plain time.Duration
			for b.Loop() {
				ours += cpuOf(b, func() error {
					next, err := m.Update(b.Context(), []string{"."})
					if next != m {
						b.Error("something changed")
					}
					return err
				})
				plain += cpuOf(b, func() error { return lstatAll(root.Dir()) })
			}
			b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(plain.Microseconds())/1000/float64(b.N), "WalkDir-cpu-ms")
			b.ReportMetric(ours.Seconds()/plain.Seconds(), "of-WalkDir")
		})
	}
}

func lstatAll(dir string) error {
	return filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			_, err = e.Info()
		}
		return err
	})
}

// cpuOf returns what work takes of the processor.
func cpuOf(b *testing.B, work func() error) time.Duration {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	if err := work(); err != nil {
		b.Fatal(err)
	}
	return used() - before
}
