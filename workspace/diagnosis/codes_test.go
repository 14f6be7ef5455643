package diagnosis

import (
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/settings"
)

func TestSettingsKnowEachProblem(t *testing.T) {
	var codes []string
	for _, k := range ProblemKinds() {
		codes = append(codes, k.Code)
	}
	if !slices.Equal(codes, settings.Codes) {
		t.Errorf("settings.Codes is not what ProblemKinds lists:\n%q\n%q", settings.Codes, codes)
	}
}
