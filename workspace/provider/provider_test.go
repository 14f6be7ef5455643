package provider

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
)

func keysIn(name string) string {
	return map[string]string{"OPENAI_API_KEY": openAIKey, "ANTHROPIC_API_KEY": anthropicKey, "OWN_KEY": ownKey}[name]
}

func noKeys(string) string { return "" }

// stored is a secret store that has keys for some origins.
func stored(origins ...string) func(string) string {
	return func(origin string) string {
		for _, o := range origins {
			if o == origin {
				return storedKey
			}
		}
		return ""
	}
}

// TestWhichKeyGoesWhere is the table of keys and origins.
func TestWhichKeyGoesWhere(t *testing.T) {
	for _, c := range []struct {
		about  string
		set    settings.Model
		store  func(string) string
		env    func(string) string
		key    string // that is sent
		origin string // where
		err    string // part of it; "" for none
	}{
		{about: "off", set: settings.Model{Provider: "off", Endpoint: "https://evil.example/v1", KeyVariable: "OPENAI_API_KEY"},
			env: keysIn},
		{about: "the editor's own", set: settings.Model{Provider: "editor", Endpoint: "https://evil.example/v1"}, env: keysIn},

		{about: "a maker's variable, its own address", set: settings.Model{Provider: "openai", Name: "m"}, env: keysIn,
			key: openAIKey, origin: "https://api.openai.com"},
		{about: "the other maker", set: settings.Model{Provider: "anthropic", Name: "m"}, env: keysIn, key: anthropicKey,
			origin: "https://api.anthropic.com"},
		{about: "its own address spelled out", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://API.openai.com:443/v1/"}, env: keysIn, key: openAIKey, origin: "https://api.openai.com"},
		{about: "named, and its own address", set: settings.Model{Provider: "openai", Name: "m", KeyVariable: "OPENAI_API_KEY"},
			env: keysIn, key: openAIKey, origin: "https://api.openai.com"},
		{about: "the user's variable", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "https://llm.example/v1",
			KeyVariable: "OWN_KEY"}, env: keysIn, key: ownKey, origin: "https://llm.example"},
		{about: "the user's variable comes before the maker's", set: settings.Model{Provider: "openai", Name: "m",
			KeyVariable: "OWN_KEY"}, env: keysIn, key: ownKey, origin: "https://api.openai.com"},
		{about: "the store comes first", set: settings.Model{Provider: "openai", Name: "m", KeyVariable: "OWN_KEY"},
			store: stored("https://api.openai.com"), env: keysIn, key: storedKey, origin: "https://api.openai.com"},
		{about: "the store has another origin's", set: settings.Model{Provider: "openai", Name: "m"},
			store: stored("https://api.openai.com:8443", "http://api.openai.com"), env: keysIn, key: openAIKey,
			origin: "https://api.openai.com"},

		{about: "this machine needs none", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "http://localhost:11434/v1"},
			env: keysIn, origin: "http://localhost:11434"},
		{about: "this machine by number", set: settings.Model{Provider: "anthropic", Name: "m", Endpoint: "http://[::1]:1/v1"},
			env: keysIn, origin: "http://[::1]:1"},
		{about: "this machine by https", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "https://127.0.0.1:8443/v1"},
			env: keysIn, origin: "https://127.0.0.1:8443"},
		{about: "this machine gets the one that is named", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "http://127.0.0.1:1/v1", KeyVariable: "OWN_KEY"}, env: keysIn, key: ownKey, origin: "http://127.0.0.1:1"},
		{about: "this machine, and the variable is empty", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "http://127.0.0.1:1/v1", KeyVariable: "OWN_KEY"}, env: noKeys, origin: "http://127.0.0.1:1"},

		{about: "a maker's key stays away from another address", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://evil.example/v1"}, env: keysIn,
			origin: "https://evil.example",
			err:    "there is no key for https://evil.example: set brv.model.keyVariable to the name of an environment variable with the key"},
		{about: "also where it is named", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "https://evil.example/v1",
			KeyVariable: "OPENAI_API_KEY"}, env: keysIn,
			origin: "https://evil.example",
			err:    "the key in OPENAI_API_KEY is only for its provider's own address and was not sent to https://evil.example"},
		{about: "also on this machine", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "http://127.0.0.1:1/v1",
			KeyVariable: "ANTHROPIC_API_KEY"}, env: keysIn,
			origin: "http://127.0.0.1:1", err: "was not sent to http://127.0.0.1:1"},
		{about: "also at the other maker's", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://api.anthropic.com/v1", KeyVariable: "OPENAI_API_KEY"}, env: keysIn,
			origin: "https://api.anthropic.com", err: "was not sent to https://api.anthropic.com"},
		{about: "another port is another origin", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://api.openai.com:8443/v1"}, env: keysIn,
			origin: "https://api.openai.com:8443", err: "there is no key for https://api.openai.com:8443"},
		{about: "a name that begins alike", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://api.openai.com.evil.example/v1"}, env: keysIn,
			origin: "https://api.openai.com.evil.example", err: "there is no key for https://api.openai.com.evil.example"},
		{about: "a name that begins like this machine", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://localhost.evil.example/v1"}, env: keysIn,
			origin: "https://localhost.evil.example", err: "there is no key for"},
		{about: "a user name that looks like a host", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://api.openai.com@evil.example/v1"}, env: keysIn, err: "brv.model"},
		{about: "a password", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://me:canary-password@llm.example/v1"}, env: keysIn, err: "brv.model"},
		{about: "a key in the address", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://llm.example/v1?key=canary-query"}, env: keysIn, err: "brv.model"},
		{about: "http to another machine", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "http://api.openai.com/v1"},
			env: keysIn, err: "http"},
		{about: "http to a name like this machine's", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "http://127.0.0.1.evil.example/v1"}, env: keysIn, err: "http"},
		{about: "another scheme", set: settings.Model{Provider: "openai", Name: "m", Endpoint: "file:///etc/passwd"}, env: keysIn,
			err: "brv.model"},

		{about: "a variable that is empty", set: settings.Model{Provider: "openai", Name: "m"}, env: noKeys,
			origin: "https://api.openai.com",
			err: "there is no key for https://api.openai.com: the environment variable OPENAI_API_KEY is not set where this " +
				"program runs"},
		{about: "the user's variable is empty: the maker's is not taken instead", set: settings.Model{Provider: "openai", Name: "m",
			KeyVariable: "EMPTY"}, env: keysIn,
			origin: "https://api.openai.com", err: "the environment variable EMPTY is not set"},
		{about: "an editor could store it", set: settings.Model{Provider: "anthropic", Name: "m"}, store: stored(), env: noKeys,
			origin: "https://api.anthropic.com",
			err:    "ANTHROPIC_API_KEY is not set where this program runs; you can also store the key with your editor's command"},
		{about: "a store without it, and another address", set: settings.Model{Provider: "openai", Name: "m",
			Endpoint: "https://llm.example/v1"}, store: stored(), env: func(string) string { return openAIKey },
			origin: "https://llm.example", err: "there is no key for https://llm.example: set brv.model.keyVariable"},
		{about: "a key where its variable's name belongs", set: settings.Model{Provider: "openai", Name: "m",
			KeyVariable: "canary-key"}, env: keysIn, origin: "https://api.openai.com",
			err: "brv.model.keyVariable must be an environment variable"},
		{about: "no name", set: settings.Model{Provider: "openai", Name: " "}, env: keysIn, key: openAIKey,
			origin: "https://api.openai.com",
			err:    "brv.model.name is empty; set it to the name of a model at https://api.openai.com"},
	} {
		got, err := Choose(c.set, c.store, c.env)
		said := fmt.Sprint(got, got.ModelState, err)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.about, err, c.err)
		}
		if got.options.Key != c.key || got.Origin != c.origin || got.Provider != c.set.Provider || (got.KeyFrom == "") != (c.key == "") {
			t.Errorf("%s: the key %q (%s) goes to %q; want %q to %q", c.about, got.options.Key, got.KeyFrom, got.Origin, c.key, c.origin)
		}
		if strings.Contains(said, "canary") {
			t.Errorf("%s: a key is told: %s", c.about, said)
		}
		if m, same := newModel(c.set, c.store, c.env, nil); (m != nil) != (c.err == "" && got.Asks()) ||
			fmt.Sprint(same) != fmt.Sprint(err) {
			t.Errorf("%s: %v, %v", c.about, m, same)
		}
	}
}

// TestProjectSendsNoKeyAnywhere goes the whole way from a project's file.
func TestProjectSendsNoKeyAnywhere(t *testing.T) {
	project, problems := settings.Parse(
		settings.Project,
		[]byte(`{"model": {"provider": "openai", "endpoint": "https://evil.example/v1", "name": "m", "keyVariable": "OPENAI_API_KEY"}}`))
	if len(problems) != 4 {
		t.Errorf("%v", problems)
	}
	user, problems := settings.Parse(settings.User, []byte(`{"model": {"provider": "openai", "name": "mine"}}`))
	if problems != nil {
		t.Fatal(problems)
	}
	got, err := Choose(settings.Resolve(project, user, settings.Layer{}).Model, nil, keysIn)
	if err != nil || got.Origin != "https://api.openai.com" || got.Name != "mine" || got.options.Key != openAIKey {
		t.Errorf("%+v, %v", got, err)
	}
	if m, err := newModel(settings.Resolve(project, settings.Layer{}, settings.Layer{}).Model, nil, keysIn, nil); m != nil || err != nil {
		t.Errorf("a project alone sets up %v, %v", m, err)
	}
}

// TestModelIsAskedWithItsKeyAndWithoutSecrets asks a server on this machine.
func TestModelIsAskedWithItsKeyAndWithoutSecrets(t *testing.T) {
	var heard []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard = append(heard, r.Header.Get("Authorization")+"\n"+string(body))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	for key, want := range map[string]string{"": "\n", "OWN_KEY": "Bearer " + ownKey + "\n"} {
		heard = nil
		m, err := newModel(settings.Model{Provider: "openai", Endpoint: server.URL + "/v1", Name: "m", KeyVariable: key,
			PatienceSeconds: 5}, nil, keysIn, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Complete(
			t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: `db_password = "Zq8vLw3nTr0ub4dor9"`}}})
		if err != nil || r.Text != "yes" || len(heard) != 1 || !strings.HasPrefix(heard[0], want) ||
			strings.Contains(heard[0], "Tr0ub4dor") {
			t.Errorf("key %q: %+v, %v\n%s", key, r, err, heard)
		}
	}
}

func TestWhatIsNoKeyIsNotTold(t *testing.T) {
	_, err := newModel(settings.Model{Provider: "openai", Name: "m"}, nil, func(string) string { return "canary\r\nX-Evil: canary" }, nil)
	if err == nil || !strings.Contains(err.Error(), "the environment variable OPENAI_API_KEY") ||
		strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
}

// newModel is the model that settings name, nil if it is none behind an address.
func newModel(s settings.Model, key func(origin string) string, getenv func(string) string, log *slog.Logger) (llm.Model, error) {
	c, err := Choose(s, key, getenv)
	if err != nil {
		return nil, err
	}
	return c.New(log)
}

// Keys that stand in the environment and the secret store of these tests. None may be seen.
const (
	openAIKey    = "canary-openai"
	anthropicKey = "canary-anthropic"
	ownKey       = "canary-own"
	storedKey    = "canary-stored"
)

// TestPatienceThatIsSetCounts has servers on this machine and elsewhere, with a patience that is set or not.
func TestPatienceThatIsSetCounts(t *testing.T) {
	const here, elsewhere = "http://127.0.0.1:8080/v1", "https://example.com/v1"
	for _, c := range []struct {
		endpoint string
		seconds  int
		want     time.Duration
	}{
		{here, settings.DefaultPatience, localPatience}, {here, 2, 2*time.Second - showsFound}, {here, 90, 90*time.Second - showsFound},
		{elsewhere, settings.DefaultPatience, settings.DefaultPatience*time.Second - showsFound},
	} {
		set := settings.Model{Provider: "openai", Endpoint: c.endpoint, Name: "m", PatienceSeconds: c.seconds, KeyVariable: "OWN_KEY"}
		got, err := Choose(set, nil, keysIn)
		if err != nil || got.options.Patience != c.want {
			t.Errorf("%s, %d s: %v, %v", c.endpoint, c.seconds, got.options.Patience, err)
		}
	}
}
