package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// configs are files of configuration as users write them.
var configs = []string{
	"[core]\nexcludesFile = ~/a\n", "[core]\n\texcludesfile=/a b/c\r\n", "[CORE]\nEXCLUDESFILE = \"/a # b\" # c\n", "[core]excludesFile=/x;y\n",
	"[core]\nexcludesFile = \"/a\\\"b\\\\c\\td\"\n", "[core]\nexcludesFile = /a\\\nb\n", "[core]\nx = y\n[user]\nexcludesFile = /a\n",
	"[core \"s\"]\nexcludesFile = /a\n", "[core]\nexcludesFile = /a\n[core]\nexcludesFile = /b\n", "\ufeff[core]\nexcludesFile = /a\n",
	"[core]\nexcludesFile = /a \" b \" \n", "# [core]\n[ core ]\n", "[core]\n; excludesFile = /a\n", "", "]", "[]\n=\n", "[include]\npath = /\n",
}

// TestConfigurationIsReadAsGitDoes compares what is read of core.excludesFile with what git says.
func TestConfigurationIsReadAsGitDoes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, text := range configs {
		file := filepath.Join(home, "config")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "config", "--file", file, "--type=path", "--get", "core.excludesFile").Output()
		if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() > 1 {
			continue // git refuses the whole file
		}
		c := userConfig{home: home, excludes: "none"}
		c.read(file, 0)
		want := strings.TrimSuffix(string(out), "\n")
		if err != nil {
			want = "none"
		}
		if c.excludes != want {
			t.Errorf("%q: %q, git says %q", text, c.excludes, want)
		}
	}
}

func FuzzUserConfig(f *testing.F) {
	for _, text := range configs {
		f.Add(text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, "config")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c := userConfig{home: dir, gitDir: "/x/.git"}
		c.read(file, maxIncludes)
		if strings.Contains(c.excludes, "\n") && !strings.Contains(text, `\n`) && !strings.Contains(text, "\n") {
			t.Errorf("%q: %q", text, c.excludes)
		}
	})
}
