package secrets

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// hostile are lines of a megabyte made of what rules begin with, or of secrets.
func hostile() map[string]string {
	const size = 1 << 20
	repeated := func(s string) string { return strings.Repeat(s, size/len(s)) }
	texts := map[string]string{
		"assignments": repeated("password="), "armour": repeated("-----BEGIN PRIVATE KEY-----"), "addresses": repeated("a://b:c"),
		"web tokens": repeated("eyJhbGciOiJIUzI1NiJ9."), "bearers": repeated("bearer "), "dashes": repeated("sk-"),
		"machines": repeated("machine a "),
		"zeros":    repeated("\x00"), "one prefix": "github_pat_" + repeated("a"),
		"armour words":     repeated("-----BEGIN RSA PRIVATE KEY-----A1b2"),
		"short web tokens": repeated("eyJ."), "bearer tokens": repeated("bearer abcdefghijklmnop1 "),
		"addresses with passwords": repeated("a://b:c1234567@d "),
		"sessions":                 repeated("sessionid="), "flags": repeated("--password "), "names of flags": repeated("-password"),
		"owners":    repeated("password for "),
		"sentences": repeated("token is "), "quotes": repeated(`password "aaa `), "arguments": repeated(`"A_PASSWORD", `),
		"elements":    repeated("password>"),
		"netrc lines": repeated("machine a login b password "),
	}
	m := secretstest.Maker{Rand: rand.New(rand.NewPCG(1, 2))}
	for _, f := range secretstest.Formats() {
		one := strings.ReplaceAll(f.Around, "%s", f.Secret(m)) + " "
		texts[f.Rule+" "+f.Around] = repeated(one)
		texts["cut "+f.Rule+" "+f.Around] = repeated(one[:len(one)/2])
	}
	return texts
}

// TestNoLineIsExpensive holds each to half a second of processor time: on a quiet machine each takes 50 ms.
func TestNoLineIsExpensive(t *testing.T) {
	texts := hostile()
	due := sampletest.Every(t, 4)
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if !due(i) {
			continue
		}
		text, took := texts[name], time.Hour
		for try := 0; try < 3 && took > sampletest.RaceSlows*50*time.Millisecond; try++ {
			begin := processorTime()
			Scan(text)
			took = min(took, processorTime()-begin)
		}
		if testing.Verbose() && took > 25*time.Millisecond {
			t.Logf("%s: %v", name, took.Round(time.Millisecond))
		}
		if took > sampletest.RaceSlows*500*time.Millisecond {
			t.Errorf("%s: %v", name, took)
		}
	}
}
