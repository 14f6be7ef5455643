package config

import "github.com/brv-lsp/brv-lsp/lsp/state"

// TrustMethod is a notification with which a client states that the user trusts the folders now, or no
// longer: {"trusted": true}. Without the key, the user has granted or revoked trust by `brv-lsp trust`, which
// is then checked again. At the start the initialization option of the same name states it; the protocol has
// no field for it.
const TrustMethod = "brv/didChangeTrust"

// TrustChange is the parameter object of `brv/didChangeTrust`.
type TrustChange struct {
	Trusted *bool `json:"trusted"`
}

// trusts reports whether a folder is trusted, and if not why: the editor's statement counts if there is one,
// else the user's by `brv-lsp trust`.
func (s *Config) trusts(f *state.Folder) (trusted bool, why string) {
	if said := s.trust.reported.Load(); said != nil {
		if *said {
			return true, ""
		}
		return false, "the editor does not trust the folder"
	}
	if s.opts.Trust == nil {
		return false, ""
	}
	return s.opts.Trust(f.Real)
}

// logTrust logs the features that an untrusted folder lacks.
func (s *Config) logTrust(f *state.Folder) {
	if ws := f.Current(); ws != nil {
		if trusted, why := ws.Trusted(); !trusted {
			s.Client.Log.Warn("git history is not used because the folder is not trusted", "folder", f.Spelled, "reason", why)
		}
	}
}

// TrustChanged handles the editor's statement at run time.
func (s *Config) TrustChanged(p *TrustChange) {
	if p.Trusted != nil {
		s.trust.say(*p.Trusted)
	}
	for _, f := range s.Folders.All() {
		s.Client.Spawn("trust", func() error {
			_, err := f.Wait(s.Client.Ctx)
			s.applyTrust(f)
			return err
		})
	}
}

// applyTrust tells an open workspace whether it is trusted now.
func (s *Config) applyTrust(f *state.Folder) {
	if ws := f.Current(); ws != nil {
		before, _ := ws.Trusted()
		now, why := s.trusts(f)
		if ws.SetTrusted(now, why); now != before {
			s.applyModel(f)
		}
		s.Refresh.Want(state.RefreshStatus)
	}
}
