package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func init() { oracles["rust"] = rustAnswers }

// rustTarget keeps what cargo builds between runs.
var rustTarget string

// cargoMetadata is the part of `cargo metadata` that is read.
type cargoMetadata struct {
	Packages []cargoPackage `json:"packages"`
	Resolve  struct {
		Nodes []struct {
			ID   string `json:"id"`
			Deps []struct {
				Name string `json:"name"` // as the package's code writes it
				Pkg  string `json:"pkg"`
			} `json:"deps"`
		} `json:"nodes"`
	} `json:"resolve"`
}

type cargoPackage struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Source  *string `json:"source"` // null: a folder
	Targets []struct {
		Name    string   `json:"name"`
		Kind    []string `json:"kind"`
		SrcPath string   `json:"src_path"`
	} `json:"targets"`
}

// lib is the name of the package's library, "" if it has none.
func (p *cargoPackage) lib() string {
	for _, t := range p.Targets {
		if isLib(t.Kind) {
			return crateName(t.Name)
		}
	}
	return ""
}

func isLib(kinds []string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return strings.HasSuffix(k, "lib") || k == "proc-macro" })
}

// names returns what a package's code calls the libraries of the checkout.
func (m *cargoMetadata) names(p *cargoPackage) map[string]string {
	libs := map[string]string{}
	for i := range m.Packages {
		if m.Packages[i].Source == nil {
			libs[m.Packages[i].ID] = m.Packages[i].lib()
		}
	}
	out := map[string]string{}
	for _, n := range m.Resolve.Nodes {
		for _, d := range n.Deps {
			if lib := libs[d.Pkg]; n.ID == p.ID && lib != "" {
				out[d.Name] = lib
			}
		}
	}
	if lib := p.lib(); lib != "" {
		out[lib] = lib
	}
	return out
}

// rustAnswers has rustdoc describe each library and program of the checkout's
// workspace and walks every use path and mod declaration through that
// description: which modules there are, in which files, with which names, is the
// compiler's word. A file that no described crate has gets no answer, unless it
// is the root of a test, bench or example.
func rustAnswers(ctx context.Context, dir string) ([]answer, error) {
	if _, err := os.Stat(filepath.Join(dir, "Cargo.toml")); err != nil {
		return nil, nil
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		return nil, errAbsent
	}
	target := rustTarget
	if target == "" {
		temp, err := os.MkdirTemp("", "imports-rust")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		target = temp
	}
	out, err := cargo(ctx, dir, "metadata", "--all-features", "--format-version", "1")
	if err != nil {
		return nil, err
	}
	var meta cargoMetadata
	if err := json.Unmarshal(out, &meta); err != nil {
		return nil, err
	}
	o := &rustOracle{dir: dir, crates: map[string]*rustCrate{}, homes: map[string]home{}}
	for i := range meta.Packages {
		if meta.Packages[i].Source != nil {
			continue
		}
		if err := o.add(ctx, &meta.Packages[i], meta.names(&meta.Packages[i]), filepath.Join(target, filepath.Base(dir))); err != nil {
			return nil, err
		}
	}
	return o.answers()
}

// cargo runs cargo in a checkout. Unstable options are needed for rustdoc's JSON.
func cargo(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "cargo", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "RUSTC_BOOTSTRAP=1")
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("cargo %s: %w: %.300s", args[0], err, e.Stderr)
	}
	return out, err
}

// add describes the crates of one package.
func (o *rustOracle) add(ctx context.Context, p *cargoPackage, names map[string]string, target string) error {
	lib := p.lib()
	for _, t := range p.Targets {
		root, err := filepath.Rel(o.dir, t.SrcPath)
		if err != nil {
			return err
		}
		h := home{names: names, root: filepath.ToSlash(root)}
		var which []string
		switch {
		case isLib(t.Kind):
			which = []string{"--lib"}
		case t.Kind[0] == "bin":
			which = []string{"--bin", t.Name}
		default:
			o.homes[h.root] = h
			continue
		}
		crate, err := describe(ctx, o.dir, target, p.Name, crateName(t.Name), which)
		if err != nil {
			fmt.Fprintln(os.Stderr, "imports:", err)
			continue
		}
		if which[0] == "--lib" {
			o.crates[lib] = crate
		}
		for file, module := range crate.files {
			if _, taken := o.homes[file]; !taken {
				o.homes[file] = home{names: names, root: h.root, crate: crate, module: module}
			}
		}
	}
	return nil
}

func crateName(s string) string { return strings.ReplaceAll(s, "-", "_") }

// describe runs rustdoc on one target: with all features, else with the default
// ones.
func describe(ctx context.Context, dir, target, pkg, crate string, which []string) (*rustCrate, error) {
	var last error
	for _, features := range [][]string{{"--all-features"}, nil} {
		args := append([]string{"rustdoc", "--quiet", "--ignore-rust-version", "--target-dir", target, "--package", pkg}, which...)
		args = append(append(args, features...), "--", "-Zunstable-options", "--output-format", "json",
			"--document-private-items", "--document-hidden-items", "-Awarnings")
		if _, last = cargo(ctx, dir, args...); last != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join(target, "doc", crate+".json"))
		if err != nil {
			return nil, err
		}
		return decodeCrate(b)
	}
	return nil, fmt.Errorf("%s: %w", pkg, last)
}

// answers reads every Rust file that has a home.
func (o *rustOracle) answers() ([]answer, error) {
	var out []answer
	err := filepath.WalkDir(o.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "target" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(o.dir, p)
		if err != nil || filepath.Ext(p) != ".rs" {
			return err
		}
		h, ok := o.homes[filepath.ToSlash(rel)]
		if !ok {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, s := range rustStatements(string(text)) {
			out = append(out, o.answer(filepath.ToSlash(rel), h, s))
		}
		return nil
	})
	return out, err
}
