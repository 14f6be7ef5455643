package imports

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// outsideAll resolves all imports of some files in another repository: nothing panics, and what they lead to is there.
func outsideAll(t *testing.T, r, user *Resolver, files []*File) (found int) {
	t.Helper()
	for _, f := range files {
		for _, imp := range f.Imports {
			paths, sure := Outside(r, user, f, imp)
			for _, p := range paths {
				if found++; !r.has(p) || sure == "" {
					t.Errorf("%s: %s leads to %s, %q", f.Path, imp.Spec, p, sure)
				}
			}
		}
	}
	return found
}

func TestOutsideOfArchives(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]*File
	var resolvers []*Resolver
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files, configs := readArchive(t, a)
		all, resolvers = append(all, files), append(resolvers, New(files, configs, nil))
	}
	found := 0
	for i, user := range resolvers {
		for _, r := range resolvers {
			found += outsideAll(t, r, user, all[i])
		}
	}
	if found == 0 {
		t.Error("no import leads anywhere")
	}
}

func TestOutsideOfRandomTrees(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		trees := func() (*Resolver, []*File) {
			var files []*File
			for _, p := range randomPlaces {
				if rnd.IntN(4) > 0 {
					files = append(files, randomFile(rnd, p))
				}
			}
			return New(files, randomConfigs, nil), files
		}
		user, files := trees()
		r, _ := trees()
		outsideAll(t, r, user, files)
	}
}
