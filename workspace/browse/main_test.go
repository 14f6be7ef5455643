package browse

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestMain(m *testing.M) { os.Exit(workspacetest.Main(m)) }
