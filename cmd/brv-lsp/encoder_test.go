package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestRealEncoder asks a real encoder, see ./test models.
func TestRealEncoder(t *testing.T) {
	endpoint := os.Getenv("BRV_ENCODER_ENDPOINT")
	if endpoint == "" {
		t.Skip("BRV_ENCODER_ENDPOINT is not set: ./test models")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/encoder",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/.cache")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/.config")
			file := filepath.Join(e.WorkDir, ".config", "brv-lsp", "settings.json")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			return os.WriteFile(file, []byte(`{"embedding": {"endpoint": `+strconv.Quote(endpoint)+`, "model": "e5"}}`), 0o600)
		},
	})
}
