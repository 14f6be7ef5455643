package folder_test

import (
	"errors"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/organisation/folder"
	"github.com/brv-lsp/brv-lsp/organisation/organisationtest"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

func TestStore(t *testing.T) {
	dir := t.TempDir()
	s, err := folder.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Open(t.Context(), dir); !errors.Is(err, jail.ErrLocked) {
		t.Errorf("a second process: %v", err)
	}
	organisationtest.Run(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = folder.Open(t.Context(), dir); err != nil { // and it is all there again
		t.Fatal(err)
	}
	defer s.Close()
	docs, _, err := s.Find(t.Context(), []string{"a/one", "a/two"}, []retrieval.Term{{Text: "alpha", Weight: 1}}, 50)
	if err != nil || len(docs) != 6 {
		t.Errorf("%v, %v", docs, err)
	}
}
