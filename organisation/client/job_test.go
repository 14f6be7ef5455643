package client

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/brv-lsp/brv-lsp/organisation"
)

// issuer signs the tokens of jobs.
type issuer struct {
	url   string
	key   *rsa.PrivateKey
	at    string // where it says that its keys are; "" for its own address
	named string // as it calls itself; "" for its own address
	down  bool
}

func newIssuer(t *testing.T) *issuer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case i.down:
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/.well-known/openid-configuration":
			at, name := i.at, i.named
			if at == "" {
				at = i.url + "/keys"
			}
			if name == "" {
				name = i.url
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": name, "jwks_uri": at})
		default:
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &i.key.PublicKey, KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
		}
	}))
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

// signed is a token with these claims.
func signed(t *testing.T, alg jose.SignatureAlgorithm, key any, claims map[string]any) string {
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(s).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestJobsPushWithTheirOwnToken pushes as the jobs of GitHub and GitLab do, and as those that may not.
func TestJobsPushWithTheirOwnToken(t *testing.T) {
	from := newIssuer(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, open(t, t.TempDir()))
	const audience = "https://knowledge.example.org"
	permit := func(issuer string) {
		s.permit(t, fmt.Sprintf(`{"repositories": {"acme/open": "", "acme/keyed": %q}, "jobs": {"issuer": %q, "audience": %q}}`,
			organisation.Digest("key"), issuer, audience))
		s.pass(6 * time.Minute)
	}
	permit(from.url)
	github := func() map[string]any {
		return map[string]any{"iss": from.url, "aud": audience, "exp": s.now().Add(5 * time.Minute).Unix(), "iat": s.now().Unix(),
			"repository": "acme/open", "ref": "refs/heads/main", "ref_type": "branch", "event_name": "push", "sha": "0123abcd"}
	}
	gitlab := func() map[string]any {
		return map[string]any{"iss": from.url, "aud": audience, "exp": s.now().Add(5 * time.Minute).Unix(),
			"project_path": "acme/open", "ref": "main", "ref_type": "branch", "pipeline_source": "push", "sha": "0123abcd"}
	}
	with := func(claims map[string]any, key string, value any) map[string]any {
		claims[key] = value
		return claims
	}
	number := int64(0)
	push := func(repository, token string) error {
		number++
		_, err := s.pusher(t, token).Push(t.Context(), organisation.Push{Repository: repository, Commit: "0123abcd", Number: number},
			map[string]string{"a/b/c.md": fmt.Sprintf("# C\n\nText %d.\n", number)})
		return err
	}
	for name, c := range map[string]struct {
		token   string
		refused bool
	}{
		"github":                     {signed(t, jose.RS256, from.key, github()), false},
		"gitlab":                     {signed(t, jose.RS256, from.key, gitlab()), false},
		"another repository":         {signed(t, jose.RS256, from.key, with(github(), "repository", "evil/open")), true},
		"no repository":              {signed(t, jose.RS256, from.key, with(github(), "repository", "")), true},
		"another branch":             {signed(t, jose.RS256, from.key, with(github(), "ref", "refs/heads/work")), true},
		"a tag of the branch's name": {signed(t, jose.RS256, from.key, with(gitlab(), "ref_type", "tag")), true},
		"a pull request's target":    {signed(t, jose.RS256, from.key, with(github(), "event_name", "pull_request_target")), true},
		"a merge request":            {signed(t, jose.RS256, from.key, with(gitlab(), "pipeline_source", "merge_request_event")), true},
		"another commit":             {signed(t, jose.RS256, from.key, with(github(), "sha", "ffff")), true},
		"no commit":                  {signed(t, jose.RS256, from.key, with(github(), "sha", nil)), true},
		"another audience":           {signed(t, jose.RS256, from.key, with(github(), "aud", "https://elsewhere.example.org")), true},
		"another issuer":             {signed(t, jose.RS256, from.key, with(github(), "iss", "https://evil.example.org")), true},
		"too old":                    {signed(t, jose.RS256, from.key, with(github(), "exp", s.now().Add(-time.Second).Unix())), true},
		"not signed by the issuer":   {signed(t, jose.RS256, other, github()), true},
		"signed by a public text":    {signed(t, jose.HS256, from.key.PublicKey.N.Bytes(), github()), true},
		"no signature":               {"eyJhbGciOiJub25lIn0.eyJyZXBvc2l0b3J5IjoiYWNtZS9vcGVuIn0.", true},
		"no token":                   {"key", true},
	} {
		err := push("acme/open", c.token)
		if (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), "job's token") {
			t.Errorf("%s: %v", name, err)
		}
	}
	token := signed(t, jose.RS256, from.key, github())
	if err := push("acme/keyed", token); err == nil {
		t.Error("a repository with a key was pushed by a token")
	}
	if err := push("acme/unknown", token); err == nil {
		t.Error("a repository that the file does not name was pushed")
	}
	for name, change := range map[string]func(){
		"down":            func() { from.down = true },
		"keys elsewhere":  func() { from.at = "https://evil.example.org/keys" },
		"another name":    func() { from.named = "https://evil.example.org" },
		"no such address": func() { permit("http://knowledge.example.org") },
	} {
		at, named, down := from.at, from.named, from.down
		change()
		s.pass(6 * time.Minute) // the keys are read anew
		if err := push("acme/open", signed(t, jose.RS256, from.key, github())); err == nil || !strings.Contains(err.Error(), "cannot be checked") {
			t.Errorf("%s: %v", name, err)
		}
		from.at, from.named, from.down = at, named, down
		permit(from.url)
	}
	if err := push("acme/open", signed(t, jose.RS256, from.key, github())); err != nil {
		t.Errorf("when the issuer is back: %v", err)
	}
}
