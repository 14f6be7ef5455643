package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// zodFolder is the environment variable that names the folder of the npm package.
const zodFolder = "BRV_ZOD"

func TestEveryAnswerAboutNetIsRight(t *testing.T) {
	t.Parallel()
	testRepository(t, netRepository(t.Context()))
}

func TestEveryAnswerAboutThisProjectIsRight(t *testing.T) {
	t.Parallel()
	testRepository(t, ownRepository(t.Context()))
}

func TestEveryAnswerAboutZodIsRight(t *testing.T) {
	t.Parallel()
	r := zodRepository(os.Getenv(zodFolder))
	if os.Getenv(zodFolder) != "" && r.source == "" {
		t.Fatal(r.absent)
	}
	if r.source == "" {
		t.Skipf("%s is not set to the folder of the npm package zod %s", zodFolder, zodVersion)
	}
	testRepository(t, r)
}

// testRepository runs all checks on a repository. Of packs, it asks that a
// budget of 8,000 tokens holds the labelled entry of nearly every task: that is
// what packs are for, and a broken ranking would not pass.
func testRepository(t *testing.T, r repository) {
	if testing.Short() {
		t.Skip("builds the server and reads a whole repository")
	}
	if r.source == "" {
		t.Fatal(r.absent)
	}
	bin, err := process.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := check(t.Context(), bin, r, filepath.Join(t.TempDir(), r.name))
	if err != nil {
		t.Fatal(err)
	}
	for _, checks := range c.Checks {
		for _, wrong := range checks.Wrong {
			t.Errorf("%s: %s", checks.Name, wrong)
		}
	}
	i := slices.IndexFunc(c.Packs, func(p packRow) bool { return p.Budget == 8000 })
	if p := c.Packs[i]; p.Entry < p.N-1 {
		t.Errorf("packs of %d tokens hold the labelled entry for %d of %d tasks: %q", p.Budget, p.Entry, p.N, p.Missing)
	}
}
