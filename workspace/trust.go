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
	w.waiting.Lock()
	begun := w.code.begun
	w.waiting.Unlock()
	switch {
	case (before == nil) == (now == nil):
	case now != nil:
		w.Go(w.forgetHistory)
	case begun: // else the first read of the code reads the history too
		w.Go(func() {
			w.ReadHistory(w.ctx)
			w.tellCode()
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

func (w *Workspace) trusted() bool { return w.untrusted.Load() == nil }

// forgetHistory drops what git said.
func (w *Workspace) forgetHistory() {
	w.reading.Lock()
	defer w.reading.Unlock()
	if w.trusted() { // again
		return
	}
	w.files = nil
	w.setPast(nil)
	w.setHistory(nil)
	w.tellCode()
}
