package secrets

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
)

// TestPlantedCredentialsAreKnown: what no scanner knows cannot be looked for in answers. Part leaves
// none of them, wherever they stand in the file.
func TestPlantedCredentialsAreKnown(t *testing.T) {
	files, planted := secretstest.Project()
	for name, text := range files {
		veiled := Veil(text)
		if shown := planted.In(veiled.Part(0, len(text))); len(shown) > 0 {
			t.Errorf("%s: %s", name, strings.Join(shown, "\n"))
		}
	}
}
