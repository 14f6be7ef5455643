package upkeep

import (
	"context"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// Status reports the state of the tree: counts, stale and pending entries, and whether the folder is trusted. Its
// errors and warnings come from [diagnosis.Check], and it waits for the same data.
func Status(ctx context.Context, v *workspace.View, req StatusRequest) (*StatusReport, error) {
	w := v.Workspace()
	store, err := w.Store()
	if err != nil {
		return nil, err
	}
	state, err := store.State()
	if err != nil {
		return nil, err
	}
	found, err := diagnosis.Check(ctx, v, diagnosis.CheckRequest{Severity: req.Severity})
	if err != nil {
		return nil, err
	}
	r := &StatusReport{State: state}
	r.Errors, r.Warnings = found.Errors, found.Warnings
	left := map[string]bool{}
	for _, f := range found.Findings {
		left[f.Path] = left[f.Path] || f.Code == format.CodeStale
	}
	for _, is := range left {
		if is {
			r.LeftBehind++
		}
	}
	r.Trusted, r.Untrusted = w.Trusted()
	r.Tracked = w.TrackedFile()
	r.Model, r.Dreams = provider.StateOf(w), dreamStatus(w, store)
	return r, nil
}

// StatusRequest says how to count problems.
type StatusRequest struct {
	Severity diagnosis.Grades `json:"severity,omitempty"` // the severity by code, as for a check
}

// StatusReport describes the state of the tree, and says whether the folder is trusted.
type StatusReport struct {
	*store.State
	Errors   int `json:"errors"` // the number of errors, as a check counts them
	Warnings int `json:"warnings"`
	// LeftBehind is the number of stale entries among these errors and warnings.
	LeftBehind int `json:"leftBehind"`
	// a personal file that git tracks; while git tracks it, brv-lsp writes nothing
	Tracked   string              `json:"tracked,omitempty"`
	Trusted   bool                `json:"trusted"`
	Untrusted string              `json:"untrusted,omitempty"` // why the folder is not trusted, and what to do
	Model     provider.ModelState `json:"model"`
	Dreams    *DreamStatus        `json:"dreams"`
}

// ReindexResponse says that the folder is being read again.
type ReindexResponse struct {
	Started bool `json:"started"`
}

// Reindex starts to read the tree and the code again, for use if notifications of changes on disk are not
// reliable. It does not wait for the end.
func Reindex(_ context.Context, w *workspace.Workspace, _ struct{}) (*ReindexResponse, error) {
	w.DiskChanged(nil)
	return &ReindexResponse{Started: true}, nil
}
