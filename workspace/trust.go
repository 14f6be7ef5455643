package workspace

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
			w.commits.read(w.ctx)
			w.tellCode()
		})
	}
}
