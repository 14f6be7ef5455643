package opensearch_test

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/organisation/opensearch"
	"github.com/brv-lsp/brv-lsp/organisation/organisationtest"
)

// BRV_OPENSEARCH has the addresses of a cluster's nodes; ./test organisation starts one.
func TestStoreOfRealCluster(t *testing.T) {
	nodes := os.Getenv("BRV_OPENSEARCH")
	if nodes == "" {
		t.Skip("no cluster: ./test organisation starts one")
	}
	s, err := opensearch.Open(t.Context(), opensearch.Options{Endpoints: strings.Split(nodes, ","), Prefix: "t" + strings.ToLower(rand.Text())})
	if err != nil {
		t.Fatal(err)
	}
	organisationtest.Run(t, s)
}
