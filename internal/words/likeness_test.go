package words

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestNearPathsAreNear(t *testing.T) {
	paths := []string{"mkdocs/structure/files.py", "pkg/ssh/gateway.go", "pkg/ssh/a.go", "sign/sign.go", "main.py"}
	for p, want := range map[string]string{
		"nofile.py": "", "pkg/ssh/gatewy.go": "pkg/ssh/gateway.go", "pkg/ssh/b.go": "", "sign/sing.go": "sign/sign.go",
		"lib/gateway.go": "pkg/ssh/gateway.go", "mian.py": "main.py", "zzzz": "",
	} {
		got := NearPaths(p, slices.Values(paths), 1)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", p, got, want)
		}
	}
}

// The distance by bits is that of the table.
func TestDistanceIsLevenshteins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(most int) string {
		b := make([]byte, r.IntN(most+1))
		for i := range b {
			b[i] = "abc/"[r.IntN(4)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b := text(maxPattern), text(maxPattern)
		p := NewPattern(a)
		if got, want := p.distance(b), table(a, b); got != want {
			t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
		}
	}
}

func table(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
