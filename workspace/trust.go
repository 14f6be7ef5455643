package workspace

import (
	"cmp"
)

// untrusted says why a folder is not trusted; nil where it is.
type untrusted struct{ reason string }

// notGranted is the reason where the program gives none.
const notGranted = "the folder is not trusted"

// SetTrusted says whether the folder is trusted from now on, and if not why. Whoever
// trusts it gets git's history with the next answers; where trust ends, what git said is
// forgotten.
//
// It returns at once.
func (w *Workspace) SetTrusted(trusted bool, reason string) {
	now := trust(trusted, reason)
	before := w.untrusted.Swap(now)
	w.changes.mu.Lock()
	begun := w.code.begun
	w.changes.mu.Unlock()
	switch {
	case (before == nil) == (now == nil):
	case now != nil:
		w.Go(w.commits.forget)
	case begun: // else the first read of the code reads the history too
		w.Go(func() {
			w.ReadHistory(w.ctx)
			w.code.tell()
		})
	}
}

func trust(trusted bool, reason string) *untrusted {
	if trusted {
		return nil
	}
	return &untrusted{cmp.Or(reason, notGranted)}
}

// Trusted reports whether the folder is trusted, and if not why. In a folder that is not
// nothing runs git or asks a model, and nothing is written but by what somebody asks for.
func (w *Workspace) Trusted() (bool, string) {
	if u := w.untrusted.Load(); u != nil {
		return false, u.reason
	}
	return true, ""
}

func trusted(w *Workspace) bool { return w.untrusted.Load() == nil }

// forget drops what git said.
func (s *commitState) forget() {
	w := s.w
	w.commits.reading.Lock()
	defer w.commits.reading.Unlock()
	if trusted(w) { // again
		return
	}
	w.commits.files = nil
	s.setPast(nil)
	s.set(nil)
	w.code.tell()
}
