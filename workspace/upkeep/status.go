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

// StatusRequest says how problems are counted.
type StatusRequest struct {
	Severity diagnosis.Grades `json:"severity,omitempty"` // by code, as that of a check
}

// StatusReport says how the tree is, and whether the folder is trusted.
type StatusReport struct {
	*store.State
	Errors   int `json:"errors"` // as [diagnosis.Check] counts them
	Warnings int `json:"warnings"`
	// LeftBehind are the entries that no longer fit the code, among what is counted.
	LeftBehind int                 `json:"leftBehind"`
	Tracked    string              `json:"tracked,omitempty"` // a personal file that git tracks, for which nothing is written
	Trusted    bool                `json:"trusted"`
	Untrusted  string              `json:"untrusted,omitempty"` // why not, and what to do
	Model      provider.ModelState `json:"model"`
	Dreams     *DreamStatus        `json:"dreams"`
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
