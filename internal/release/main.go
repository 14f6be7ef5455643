package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// format is a kind of package: a folder of templates below ci/packages, the binary, and a packer.
type format struct {
	name   string // of the package; a template
	from   string
	binary string // the binary's path, a template; "": one package for all platforms
	lic    string // the folder of the licences; a template
	write  packer
	fits   func(*platform) bool // nil: all platforms
}

var formats = []format{
	{name: "npm/brv-lsp-<<.Node>>-<<.Version>>.tgz", from: "npm/platform", binary: "package/bin/<<.Exe>>", lic: "package", write: writeTar},
	{name: "npm/brv-lsp-<<.Version>>.tgz", from: "npm/root", lic: "package", write: writeTar},
	{name: "pypi/brv_lsp-<<.Version>>-py3-none-<<.Wheel>>.whl", from: "pypi", binary: "brv_lsp-<<.Version>>.data/scripts/<<.Exe>>",
		lic: "brv_lsp-<<.Version>>.dist-info/licenses", write: writeWheel},
	{name: "deb/brv-lsp_<<.Version>>_<<.Deb>>.deb", from: "deb", binary: "usr/bin/brv-lsp", lic: "usr/share/doc/brv-lsp", write: writeDeb,
		fits: func(p *platform) bool { return p.Deb != "" }},
	{name: "mcpb/brv-lsp-<<.Version>>-<<.OS>>-<<.Arch>>.mcpb", from: "mcpb", binary: "server/<<.Exe>>", lic: ".", write: writeZip},
}

// licences are included in every package.
var licences = []string{"LICENSE", "NOTICE", "THIRD-PARTY-NOTICES.txt"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f, err := readFacts(".")
	switch {
	case err != nil:
		return err
	case slices.Equal(args, []string{"targets"}):
		for _, p := range f.Platforms {
			fmt.Println(p.OS, p.Arch, p.Node, p.Binary(), cmp.Or(p.Zig, "none"))
		}
		return nil
	case len(args) != 2 || args[0] != "pack" && args[0] != "verify":
		return errors.New("usage: release targets | pack DIST | verify DIST")
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	f.Date, f.Commit = time.Unix(seconds, 0).UTC(), os.Getenv("COMMIT")
	r := &release{facts: f, dist: args[1]}
	if args[0] == "verify" {
		return r.verify()
	}
	return r.pack()
}

// release describes a release in a folder.
type release struct {
	*facts
	dist string
}

// built lists the platforms with a binary.
func (r *release) built() (there []*platform) {
	for _, p := range r.Platforms {
		if _, err := os.Stat(filepath.Join(r.dist, p.Binary())); err == nil {
			there = append(there, p)
		}
	}
	return there
}

// put writes a file of the release and records its checksum.
func (r *release) put(name string, data []byte) error {
	r.Sums[name] = sum(data)
	to := filepath.Join(r.dist, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// pack makes packages, bills of materials, manifests, the statement of provenance, and the checksums of all of
// them. Packages that another program made, such as the extension's, must exist already, and their checksums are
// included.
func (r *release) pack() error {
	if err := r.count(); err != nil {
		return err
	}
	for _, kind := range formats {
		var err error
		if kind.binary == "" {
			err = r.packOne(kind)
		}
		for _, p := range r.built() {
			if r.platform = p; kind.binary != "" && err == nil && (kind.fits == nil || kind.fits(p)) {
				err = r.packOne(kind)
			}
		}
		if r.platform = nil; err != nil {
			return fmt.Errorf("%s: %w", kind.from, err)
		}
	}
	for _, p := range r.built() {
		data, err := os.ReadFile(filepath.Join(r.dist, p.Binary()))
		if err != nil {
			return err
		}
		bill, err := r.bill(p, data)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Binary(), err)
		}
		if err := errors.Join(r.put(p.Binary()+".cdx.json", bill),
			r.put(p.Binary()+".sha256", []byte(sum(data)+"  "+p.Binary()+"\n"))); err != nil {
			return err
		}
	}
	if len(r.built()) == len(r.Platforms) { // manifests name all platforms
		for _, folder := range []string{"manifests", "repository"} {
			files, err := r.render("ci/packages/" + folder)
			if err != nil {
				return err
			}
			for _, e := range files {
				if err := r.put(folder+"/"+e.name, e.data); err != nil {
					return err
				}
			}
		}
	}
	statement, err := r.provenance()
	if err != nil {
		return err
	}
	if err := r.put("provenance.intoto.json", statement); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dist, sumsFile), []byte(r.sums()), 0o644)
}

const sumsFile = "SHA256SUMS"

// sums returns the lines that sha256sum reads.
func (r *release) sums() string {
	var out strings.Builder
	for _, name := range r.names() {
		fmt.Fprintf(&out, "%s  %s\n", r.Sums[name], name)
	}
	return out.String()
}

// count records the checksums of the existing files, except for the file of checksums.
func (r *release) count() error {
	in := os.DirFS(r.dist)
	return fs.WalkDir(in, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == sumsFile {
			return err
		}
		data, err := fs.ReadFile(in, name)
		r.Sums[name] = sum(data)
		return err
	})
}

// packOne makes a package, for the current platform.
func (r *release) packOne(kind format) error {
	name, err := r.fill("name", kind.name)
	if err != nil {
		return err
	}
	files, err := r.render(filepath.Join("ci/packages", filepath.FromSlash(kind.from)))
	if err != nil {
		return err
	}
	if kind.binary != "" {
		at, err := r.fill("binary", kind.binary)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(r.dist, r.Binary()))
		if err != nil {
			return err
		}
		files = append(files, entry{at, true, data})
	}
	folder, err := r.fill("licences", kind.lic)
	if err != nil {
		return err
	}
	for _, l := range licences {
		data, err := os.ReadFile(l)
		if err != nil {
			return err
		}
		files = append(files, entry{path.Join(folder, l), false, data})
	}
	var out bytes.Buffer
	if err := kind.write(&out, files, r.Date); err != nil {
		return err
	}
	return r.put(name, out.Bytes())
}

// verify reads a release again. Every file must have its checksum, there must be no other file, each package must
// contain its platform's binary byte for byte as an executable, and each binary must be built from the commit.
func (r *release) verify() error {
	stated, err := os.ReadFile(filepath.Join(r.dist, sumsFile))
	if err != nil {
		return err
	}
	if err := r.count(); err != nil {
		return err
	}
	if r.sums() != string(stated) {
		return errors.New(sumsFile + " does not fit the files")
	}
	binaries := map[string]*platform{}
	var wrong []error
	for _, p := range r.built() {
		binaries[r.Sums[p.Binary()]] = p
		wrong = append(wrong, r.verifyBinary(p))
	}
	packages := 0
	for _, name := range r.names() {
		if !slices.Contains([]string{".tgz", ".whl", ".deb", ".mcpb", ".vsix"}, path.Ext(name)) ||
			name == "npm/brv-lsp-"+r.Version+".tgz" {
			continue
		}
		packages++
		wrong = append(wrong, r.verifyPackage(name, binaries))
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	fmt.Printf("verified: %d binaries of commit %.12s, %d packages with them, %d sums\n", len(binaries), r.Commit, packages, len(r.Sums))
	return nil
}

func (r *release) verifyBinary(p *platform) error {
	info, err := buildinfo.ReadFile(filepath.Join(r.dist, p.Binary()))
	if err != nil {
		return fmt.Errorf("%s: %w", p.Binary(), err)
	}
	for _, want := range []struct{ key, value string }{
		{"vcs.revision", r.Commit}, {"vcs.modified", "false"}, {"GOOS", p.OS}, {"GOARCH", p.Arch}, {"-trimpath", "true"},
	} {
		if got := settingOf(info, want.key); got != want.value {
			return fmt.Errorf("%s: it was built with %s=%s, not %s", p.Binary(), want.key, got, want.value)
		}
	}
	return nil
}

func (r *release) verifyPackage(name string, binaries map[string]*platform) error {
	data, err := os.ReadFile(filepath.Join(r.dist, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	files, err := contents(name, data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range files {
		p := binaries[sum(e.data)]
		switch {
		case p == nil:
		case !e.runs && p.OS != "windows":
			return fmt.Errorf("%s: %s is no program", name, e.name)
		case !r.isFor(name, p):
			return fmt.Errorf("%s holds the binary of %s/%s", name, p.OS, p.Arch)
		default:
			return nil
		}
	}
	return fmt.Errorf("%s: no binary of this release is in it", name)
}

// isFor reports whether a package's name contains one of a platform's names.
func (r *release) isFor(name string, p *platform) bool {
	for _, is := range []string{p.Node, p.Wheel + ".whl", "_" + cmp.Or(p.Deb, "-") + ".deb", p.OS + "-" + p.Arch + ".mcpb"} {
		if strings.Contains(name, is) {
			return true
		}
	}
	return strings.HasSuffix(name, ".vsix") && p.OS == "linux" && strings.Contains(name, "alpine-"+p.NodeArch())
}
