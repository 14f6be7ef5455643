package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/organisation"
)

// Access says who may push and read what. It is the operator's file, in JSON:
//
//	{
//	  "link": "https://github.com/{repository}/blob/{commit}/{path}",
//	  "repositories": {"acme/api": "HASH", "acme/web": "HASH"},
//	  "people": {"anna": {"token": "HASH", "read": ["acme/*"]}},
//	  "forge": {"kind": "github", "endpoint": "https://api.github.com"},
//	  "jobs": {"issuer": "https://token.actions.githubusercontent.com", "audience": "https://knowledge.example.org"}
//	}
//
// HASH is the SHA-256, in hexadecimal digits, of a repository's key or a person's token: random texts of 128 bits or more,
// which the file does not hold. "read" lists patterns, in which * is any text without a slash. "forge" may stand in the
// place of "people": persons then show the forge's token, and may read which repositories the forge lists for it ("github" or "gitlab").
// With "jobs" a repository whose hash is "" is pushed by its CI's own tokens.
type Access struct {
	Link         string            `json:"link"`
	Repositories map[string]string `json:"repositories"` // name → hash of its key
	People       map[string]Person `json:"people"`
	Forge        Forge             `json:"forge"`
	Jobs         Jobs              `json:"jobs"`
}

// Person is a user who may ask questions.
type Person struct {
	Token string   `json:"token"` // hash
	Read  []string `json:"read"`
}

// Forge is the service that decides which repositories persons may read.
type Forge struct {
	Kind     string `json:"kind"`
	Endpoint string `json:"endpoint"`
}

// kept is how long permissions are cached: a withdrawn permission ends after this time.
const kept = 5 * time.Minute

// Errors of rights.
var (
	errToken   = errors.New("the gateway does not know this token; check brv.organisation.tokenFile")
	errKey     = errors.New("the key is not valid for this repository")
	errUnknown = errors.New("access rights cannot be checked at the moment, so access is refused")
)

// rights are an access file and the forge's answers. A wrong file, or a forge that does not answer, grants
// nothing.
type rights struct {
	file string
	now  func() time.Time

	mu    sync.Mutex // guards what follows
	all   Access
	err   error
	read  time.Time
	lists map[string]listed // by the hash of a token
	keys  keySet            // of the CI's tokens
}

// listed has the repositories that a forge listed for a token.
type listed struct {
	names []string
	at    time.Time
}

// access is the file's content, read anew when it is older than [kept].
func (r *rights) access() (Access, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && !r.read.IsZero() && r.now().Sub(r.read) < kept {
		return r.all, r.err
	}
	r.all, r.err = readAccess(r.file)
	r.read, r.lists, r.keys = r.now(), map[string]listed{}, keySet{}
	return r.all, r.err
}

func readAccess(file string) (a Access, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return a, err
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Access{}, fmt.Errorf("%s: %w", file, err)
	}
	for name := range a.Repositories {
		if !organisation.IsRepository(name) {
			return Access{}, fmt.Errorf("%s: %q is not the name of a repository", file, name)
		}
	}
	if a.Forge.Kind != "" && pages[a.Forge.Kind].path == "" {
		return Access{}, fmt.Errorf("%s: forge: kind must be github or gitlab", file)
	}
	if (a.Jobs.Issuer == "") != (a.Jobs.Audience == "") {
		return Access{}, fmt.Errorf("%s: jobs: give both issuer and audience", file)
	}
	if a.Link != "" && !strings.HasPrefix(a.Link, "https://") {
		return Access{}, fmt.Errorf("%s: link: must begin with https://", file)
	}
	return a, nil
}

// pusher checks a repository's key, or the token of its job.
func (r *rights) pusher(ctx context.Context, repository, commit, key string) error {
	a, err := r.access()
	if err != nil {
		return errUnknown
	}
	switch hash, ok := a.Repositories[repository]; {
	case ok && hash == "" && a.Jobs.Issuer != "":
		return r.pushes(ctx, a.Jobs, repository, commit, key)
	case !ok || hash == "" || hash != organisation.Digest(key):
		return errKey
	}
	return nil
}

// reader returns the person with a token, by a name for limits, and the repositories that they may read.
func (r *rights) reader(ctx context.Context, token string, of map[string]*organisation.Manifest) (who string, may []string, err error) {
	a, err := r.access()
	if err != nil {
		return "", nil, errUnknown
	}
	hash := organisation.Digest(token)
	var patterns []string
	for name, p := range a.People {
		if p.Token == hash {
			who, patterns = name, p.Read
		}
	}
	if who == "" && a.Forge.Kind != "" && token != "" {
		who = hash
		if patterns, err = r.listed(ctx, a.Forge, token, hash); err != nil {
			return "", nil, err
		}
	}
	if who == "" {
		return "", nil, errToken
	}
	for name := range of {
		if _, known := a.Repositories[name]; known && allowed(patterns, name) {
			may = append(may, name)
		}
	}
	slices.Sort(may)
	return who, may, nil
}

func allowed(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// pages are the requests for a forge's list of the repositories that a token may read.
var pages = map[string]struct{ path, name string }{
	"github": {"/user/repos?per_page=100&page=%d", "full_name"},
	"gitlab": {"/projects?min_access_level=20&simple=true&per_page=100&page=%d", "path_with_namespace"},
}

// maxPages bounds the pages read from a forge: 100 repositories a page.
const maxPages = 100

// listed asks a forge which repositories the token may read. A forge that refuses the token knows no such person.
func (r *rights) listed(ctx context.Context, f Forge, token, hash string) ([]string, error) {
	r.mu.Lock()
	l, ok := r.lists[hash]
	r.mu.Unlock()
	if ok && r.now().Sub(l.at) < kept {
		return l.names, nil
	}
	at, err := outbound.Parse(f.Endpoint)
	if err != nil {
		return nil, errUnknown
	}
	forge, how := outbound.NewClient(at, outbound.Bearer(token), organisation.MaxBody), pages[f.Kind]
	var names []string
	for page := 1; page <= maxPages; page++ {
		var list []map[string]json.RawMessage
		_, err := forge.Do(ctx, "GET", fmt.Sprintf(how.path, page), nil, &list)
		var refused *outbound.Status
		if errors.As(err, &refused) && (refused.Code == 401 || refused.Code == 403) {
			return nil, errToken
		}
		if err != nil {
			return nil, errUnknown
		}
		for _, item := range list {
			var name string
			if json.Unmarshal(item[how.name], &name) == nil && organisation.IsRepository(name) {
				names = append(names, name) // a name without the signs of patterns
			}
		}
		if len(list) < 100 {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists[hash] = listed{names, r.now()}
	return names, nil
}
