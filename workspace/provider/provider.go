// Package provider finds the model, the encoder and the organisation's gateway that the settings name, with their
// keys. It also records which ones each folder uses.
package provider

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
)

// A key is sent to one origin (scheme, host and port) and nowhere else. The origin depends on the first of these
// sources that has a key:
//
//	the editor's secret store    kept by origin
//	the variable brv.model.keyVariable names    the origin of brv.model.endpoint
//	OPENAI_API_KEY, ANTHROPIC_API_KEY           the provider's own, https
//
// The last two keys are never sent elsewhere, even if brv.model.keyVariable names them. Otherwise somebody could
// persuade a user to set an endpoint that receives them. A server on this machine needs no key. Errors never
// repeat a key, or a text that may be one (a name that is not a variable's).

// showsFound is the part of the patience that is reserved for showing the search results instead.
const showsFound = 200 * time.Millisecond

// localPatience is the patience with a server on this machine if the user sets none. Two processors read 1,000
// tokens in 10 to 20 s, and loading a model from disk takes as long.
const localPatience = 60 * time.Second

// makers holds the variables with the keys for providers' own addresses.
var makers = map[remote.Protocol]string{remote.OpenAI: "OPENAI_API_KEY", remote.Anthropic: "ANTHROPIC_API_KEY"}

// Choice is the model that the settings name, with the source of its key.
type Choice struct {
	ModelState
	KeyFrom string `json:"keyFrom,omitempty"` // never the key itself; "" if none is sent

	options remote.Options
}

// IsEditor reports whether it is the editor's own model, which only the editor's server has.
func (c Choice) IsEditor() bool { return c.Provider == Editor }

// Asks reports whether it is a model on a server.
func (c Choice) Asks() bool {
	return c.Provider != Off && c.Provider != Editor
}

// Choose determines which model the settings name, and finds its key. key returns the key for an origin from the
// editor's secret store, "" if there is none; it is nil without such a store. getenv returns environment
// variables. With an error, it still returns what it knows. It opens no connection.
func Choose(s settings.Model, key func(origin string) string, getenv func(string) string) (Choice, error) {
	c := Choice{ModelState: ModelState{Provider: s.Provider, Name: strings.TrimSpace(s.Name)}}
	if !c.Asks() {
		return c, nil
	}
	p := remote.Protocol(s.Provider)
	own, err := remote.Origin(p, "")
	if err != nil {
		return c, err
	}
	if c.Origin, err = remote.Origin(p, s.Endpoint); err != nil {
		return c, err
	}
	c.options = remote.Options{Protocol: p, Endpoint: s.Endpoint, Model: c.Name, Context: s.ContextTokens,
		Patience: time.Duration(s.PatienceSeconds)*time.Second - showsFound}
	if (s.PatienceSeconds == 0 || s.PatienceSeconds == settings.DefaultPatience) && isLocal(c.Origin) {
		c.options.Patience = localPatience
	}
	k := keyring{setting: "brv.model.keyVariable", own: own, maker: makers[p], origin: c.Origin,
		named: strings.TrimSpace(s.KeyVariable), stored: key, getenv: getenv}
	if c.options.Key, c.KeyFrom, err = k.find(); err != nil {
		return c, err
	}
	if c.Name == "" {
		return c, fmt.Errorf("brv.model.name is empty; set it to the name of a model at %s", c.Origin)
	}
	return c, nil
}

// New makes the model. It is nil if the model is not on a server. Questions are not logged.
func (c Choice) New(log *slog.Logger) (llm.Model, error) {
	if !c.Asks() {
		return nil, nil
	}
	c.options.Log = log
	m, err := remote.New(c.options)
	switch {
	case err != nil && c.KeyFrom != "":
		return nil, fmt.Errorf("%w; the key comes from %s", err, c.KeyFrom)
	case err != nil:
		return nil, err
	}
	return llm.Guard(m), nil
}

// keyring finds the key for an origin.
type keyring struct {
	setting string // the setting that names the user's variable
	origin  string
	own     string // the provider's own origin
	maker   string // the variable for the provider's own origin
	named   string // the variable that the user names, "" if there is none
	stored  func(origin string) string
	getenv  func(string) string
}

// find returns the key and its source; both are empty if none is needed.
func (k keyring) find() (key, from string, err error) {
	if k.stored != nil {
		if key = k.stored(k.origin); key != "" {
			return key, "the editor's secret store", nil
		}
	}
	switch {
	case k.named != "" && !variableName().MatchString(k.named):
		return "", "", errors.New(k.setting +
			" must be an environment variable's name such as MY_MODEL_KEY (capital letters, digits and _), never the key itself")
	case k.named != "" && k.isMakers() && !(k.named == k.maker && k.origin == k.own):
		return "", "", fmt.Errorf(
			"%s: the key in %s is only for its provider's own address and was not sent to %s; put the key of that "+
				"server into another variable", k.setting, k.named, k.origin)
	case k.named != "":
		from = k.named
	case k.origin == k.own:
		from = k.maker
	}
	if from != "" {
		if key = k.getenv(from); key != "" {
			return key, "the environment variable " + from, nil
		}
	}
	if isLocal(k.origin) {
		return "", "", nil
	}
	return "", "", k.missing(from)
}

// variableName matches names of variables. Another value in that place may be a key.
var variableName = lazyregexp.New(`^[A-Z_][A-Z0-9_]{0,63}$`)

func (k keyring) isMakers() bool {
	for _, name := range makers {
		if k.named == name {
			return true
		}
	}
	return false
}

// missing returns the error for a missing key, with advice. from is the environment variable that is empty, "" if
// there is none.
func (k keyring) missing(from string) error {
	what := "set " + k.setting + " to the name of an environment variable with the key"
	if from != "" {
		what = fmt.Sprintf("the environment variable %s is not set where this program runs", from)
	}
	if k.stored != nil {
		what += "; you can also store the key with your editor's command for the model's key"
	}
	return fmt.Errorf("there is no key for %s: %s", k.origin, what)
}

// isLocal reports whether an origin is on this machine.
func isLocal(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
