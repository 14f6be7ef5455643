package gateway

import (
	"cmp"
	"context"
	"crypto"
	"errors"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/organisation"
)

// Jobs names the CI jobs that push with a token of their own (OpenID Connect) in the place of a key. Issuer signs the tokens, such
// as https://token.actions.githubusercontent.com or https://gitlab.example.org.
type Jobs struct {
	Issuer   string `json:"issuer"`
	Audience string `json:"audience"` // what the tokens must be issued for: this gateway's address
	Branch   string `json:"branch"`   // that is pushed; "main" if ""
}

// job holds the claims of a token: in the words of GitHub, then in those of GitLab for the same.
type job struct {
	Repository string `json:"repository"`
	Event      string `json:"event_name"`
	Commit     string `json:"sha"`
	Ref        string `json:"ref"`
	RefType    string `json:"ref_type"`
	Project    string `json:"project_path"`
	Source     string `json:"pipeline_source"`
}

// errJob is the error of a token that is none of the repository's jobs on its branch.
var errJob = errors.New("the job's token does not belong to a job on this repository's default branch, or has expired")

// pushes checks that a token belongs to a job of the repository on the branch that is pushed. A job of a
// merge request runs its author's code, even if it runs for that branch. commit is the commit that is pushed,
// "" if it is not known.
func (r *rights) pushes(ctx context.Context, by Jobs, repository, commit, token string) error {
	keys, err := r.keysOf(ctx, by.Issuer)
	if err != nil {
		return errUnknown
	}
	verifier := oidc.NewVerifier(by.Issuer, &oidc.StaticKeySet{PublicKeys: keys}, &oidc.Config{ClientID: by.Audience, Now: r.now,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.ES256, oidc.EdDSA}})
	t, err := verifier.Verify(ctx, token)
	if err != nil {
		return errJob
	}
	var j job
	if err := t.Claims(&j); err != nil {
		return errJob
	}
	event := cmp.Or(j.Event, j.Source)
	if cmp.Or(j.Repository, j.Project) != repository || commit != "" && j.Commit != commit ||
		j.RefType != "branch" || strings.TrimPrefix(j.Ref, "refs/heads/") != cmp.Or(by.Branch, "main") ||
		strings.Contains(event, "pull_request") || strings.Contains(event, "merge_request") {
		return errJob
	}
	return nil
}

// keySet holds the keys that an issuer published.
type keySet struct {
	keys []crypto.PublicKey
	at   time.Time
}

// keysOf requests an issuer's keys, and caches them as long as permissions. They must be at the issuer's own
// address.
func (r *rights) keysOf(ctx context.Context, issuer string) ([]crypto.PublicKey, error) {
	r.mu.Lock()
	set := r.keys
	r.mu.Unlock()
	if set.keys != nil && r.now().Sub(set.at) < kept {
		return set.keys, nil
	}
	at, err := outbound.Parse(issuer)
	if err != nil {
		return nil, err
	}
	var provider struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	from := outbound.NewClient(at, nil, organisation.MaxBody)
	if _, err := from.Do(ctx, "GET", "/.well-known/openid-configuration", nil, &provider); err != nil {
		return nil, err
	}
	path, ok := strings.CutPrefix(provider.Keys, at.Base+"/")
	if !ok || provider.Issuer != issuer {
		return nil, errUnknown
	}
	var published jose.JSONWebKeySet
	if _, err := from.Do(ctx, "GET", "/"+path, nil, &published); err != nil {
		return nil, err
	}
	set = keySet{at: r.now()}
	for _, k := range published.Keys {
		if k.IsPublic() {
			set.keys = append(set.keys, k.Key)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys = set
	return set.keys, nil
}
