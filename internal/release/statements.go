package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// object is JSON that only this package writes.
type object = map[string]any

func encoded(o object) ([]byte, error) {
	out, err := json.MarshalIndent(o, "", "  ")
	return append(out, '\n'), err
}

// noticed matches a line of THIRD-PARTY-NOTICES.txt: a part, its version, its licences and the place of their
// texts.
var noticed = regexp.MustCompile(`(?m)^  (\S+)(?: (\S+))?: ([^\[\n]+) \[`)

// bill returns a binary's bill of materials (CycloneDX 1.6): the modules in its build information, and the linked
// parts in the notices that are not Go.
func (f *facts) bill(p *platform, data []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	notices, err := os.ReadFile("THIRD-PARTY-NOTICES.txt")
	if err != nil {
		return nil, err
	}
	linked, _, _ := strings.Cut(string(notices), "\nThe VS Code extension")
	parts := []object{part("golang", "std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause")}
	modules := map[string]bool{"Go": true}
	licence := map[string]string{}
	for _, m := range noticed.FindAllStringSubmatch(linked, -1) {
		licence[m[1]] = m[3]
	}
	for _, d := range info.Deps {
		modules[d.Path] = true
		if licence[d.Path] == "" {
			return nil, fmt.Errorf("%s is linked, and is not in THIRD-PARTY-NOTICES.txt", d.Path)
		}
		parts = append(parts, part("golang", d.Path, d.Version, licence[d.Path]))
	}
	for _, m := range noticed.FindAllStringSubmatch(linked, -1) {
		name, kind := m[1], "generic"
		linked := slices.Contains(runtimes[p.OS], name) || strings.Contains(name, "tree-sitter")
		if modules[name] || !linked || settingOf(info, "CGO_ENABLED") != "1" {
			continue
		}
		if short, is := strings.CutPrefix(name, "github.com/"); is {
			name, kind = short, "github"
		}
		parts = append(parts, part(kind, name, m[2], m[3]))
	}
	id := sum(data)
	return encoded(object{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"serialNumber": fmt.Sprintf("urn:uuid:%s-%s-5%s-a%s-%s", id[:8], id[8:12], id[13:16], id[17:20], id[20:32]),
		"metadata": object{
			"timestamp": f.Date.Format(time.RFC3339),
			"component": object{
				"type": "application", "bom-ref": "main", "name": f.Name, "version": f.Version,
				"purl":               "pkg:golang/github.com/brv-lsp/brv-lsp@v" + f.Version + "?goos=" + p.OS + "&goarch=" + p.Arch,
				"licenses":           []object{{"license": object{"id": f.Licence}}},
				"hashes":             []object{{"alg": "SHA-256", "content": id}},
				"externalReferences": []object{{"type": "vcs", "url": f.Homepage, "comment": "commit " + f.Commit}},
			},
		},
		"components": parts,
	})
}

// runtimes holds the libraries that zig links into programs of a system, by their names in the notices.
var runtimes = map[string][]string{"linux": {"musl", "zig"}, "windows": {"mingw-w64", "zig"}, "darwin": {"zig"}}

// part returns a component. licences come from the notices, and some of them are families without an SPDX
// identifier.
func part(kind, name, version, licences string) object {
	out := object{"type": "library", "bom-ref": name, "name": name}
	var all []object
	for l := range strings.SplitSeq(licences, ", ") {
		key := "name"
		if slices.Contains([]string{"MIT", "Apache-2.0", "ISC", "MPL-2.0", "BSD-3-Clause"}, l) {
			key = "id"
		}
		all = append(all, object{"license": object{key: l}})
	}
	if out["licenses"] = all; version != "" {
		out["version"] = version
		out["purl"] = "pkg:" + kind + "/" + name + "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	return out
}

// provenance returns a statement of how and from what the files were built: an in-toto statement with an SLSA 1.0
// predicate. It is not signed; an identifiable workflow signs a statement of its own.
func (f *facts) provenance() ([]byte, error) {
	var subjects []object
	for _, name := range f.names() {
		subjects = append(subjects, object{"name": name, "digest": object{"sha256": f.Sums[name]}})
	}
	source := "git+" + f.Homepage
	needs := []object{{"uri": source + "@v" + f.Version, "digest": object{"gitCommit": f.Commit}}}
	for _, tool := range strings.Fields(os.Getenv("TOOLS")) { // name@version
		needs = append(needs, object{"uri": "pkg:generic/" + tool})
	}
	return encoded(object{
		"_type": "https://in-toto.io/Statement/v1", "subject": subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": object{
			"buildDefinition": object{
				"buildType":            f.Homepage + "/blob/v" + f.Version + "/release",
				"externalParameters":   object{"source": source, "version": f.Version},
				"internalParameters":   object{"SOURCE_DATE_EPOCH": f.Date.Unix()},
				"resolvedDependencies": needs,
			},
			"runDetails": object{"builder": object{"id": f.Homepage + "/release-script"}},
		},
	})
}

func settingOf(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
