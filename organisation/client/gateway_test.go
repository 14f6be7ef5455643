package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/folder"
	"github.com/brv-lsp/brv-lsp/organisation/gateway"
	"github.com/brv-lsp/brv-lsp/organisation/organisationtest"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// site is a gateway over a store, with a clock.
type site struct {
	*gateway.Gateway
	url    string
	access string
	mu     sync.Mutex
	clock  time.Time
}

func (s *site) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *site) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

const accessText = `{"link": "https://forge.example.org/{repository}/blob/{commit}/{path}",
	"repositories": {"acme/open": %q, "acme/secret": %q, "acme/more": %q},
	"people": {"anna": {"token": %q, "read": ["acme/open"]}, "bob": {"token": %q, "read": ["acme/*"]}}}`

func newSite(t testing.TB, store organisation.Store) *site {
	t.Helper()
	s := &site{access: filepath.Join(t.TempDir(), "access.json"), clock: time.Unix(1_700_000_000, 0)}
	key := organisation.Digest
	s.permit(t, fmt.Sprintf(accessText, key("key-open"), key("key-secret"), key("key-more"), key("anna"), key("bob")))
	s.Gateway = gateway.New(gateway.Options{Store: store, Access: s.access, Now: s.now, Questions: 10_000})
	server := httptest.NewServer(s.Gateway)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *site) permit(t testing.TB, text string) {
	t.Helper()
	if err := os.WriteFile(s.access, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *folder.Store {
	t.Helper()
	s, err := folder.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pusher pushes without waiting between attempts.
func (s *site) pusher(t testing.TB, key string) *Pusher {
	t.Helper()
	p, err := NewPusher(s.url, key)
	if err != nil {
		t.Fatal(err)
	}
	p.sleep = func(context.Context, time.Duration) {}
	return p
}

func (s *site) push(t testing.TB, name string, number int64, texts map[string]string) (Report, error) {
	t.Helper()
	return s.pusher(t, "key-"+strings.TrimPrefix(name, "acme/")).Push(t.Context(),
		organisation.Push{Repository: name, Commit: "0123abcd", Number: number}, texts)
}

func (s *site) ask(t testing.TB, token, text string) ([]organisation.Hit, string) {
	t.Helper()
	c, err := New(s.url, token)
	if err != nil {
		t.Fatal(err)
	}
	c.within = 20 * time.Second
	return c.Ask(t.Context(), text).Wait()
}

func textsOf(docs []organisation.Document) map[string]string {
	out := map[string]string{}
	for _, d := range docs {
		out[d.Path] = d.Text
	}
	return out
}

func described(hits []organisation.Hit) (out []string) {
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %s %.4f", h.Repository, h.Path, h.Score))
	}
	return out
}

func TestPushAndAsk(t *testing.T) {
	s := newSite(t, open(t, t.TempDir()))
	texts := map[string]string{
		"net/http/retries.md": "---\ntitle: Retry budget\n---\n# Retry budget\n\nThe retry budget of the gateway is three in ten seconds.\n",
		"net/tls/keys.md":     "# Keys\n\npassword = \"hunter2-Zk9fQ1xWv7\"\n",
		"net/dns/names.md":    "# Names\n\nNames are resolved once in a minute.\n",
	}
	r, err := s.push(t, "acme/open", 1, texts)
	if err != nil || r.Entries != 2 || r.Sent != 2 || !slices.Equal(r.Paths(), []string{"net/tls/keys.md"}) {
		t.Fatalf("%+v, %v", r, err)
	}
	hits, note := s.ask(t, "anna", "what is the retry budget")
	if len(hits) == 0 || note != "" {
		t.Fatalf("%v, %q", hits, note)
	}
	h := hits[0]
	if h.Repository != "acme/open" || h.Path != "net/http/retries.md" || h.Title != "Retry budget" || !strings.Contains(h.Passage, "three in ten") ||
		h.Link != "https://forge.example.org/acme/open/blob/0123abcd/.brv/context-tree/net/http/retries.md" || !h.Pushed.Equal(s.now()) {
		t.Errorf("%+v", h)
	}
	if r, err = s.push(t, "acme/open", 2, texts); err != nil || r.Sent != 0 {
		t.Errorf("unchanged: %+v, %v", r, err)
	}
	delete(texts, "net/http/retries.md")
	if r, err = s.push(t, "acme/open", 3, texts); err != nil || r.Entries != 1 || r.Sent != 0 {
		t.Errorf("one less: %+v, %v", r, err)
	}
	if hits, note = s.ask(t, "anna", "what is the retry budget"); len(hits) > 0 || note != "" {
		t.Errorf("%v, %q", hits, note)
	}
	for name, refused := range map[string]func() error{
		"an older commit":     func() error { _, err := s.push(t, "acme/open", 2, texts); return err },
		"another of a number": func() error { _, err := s.push(t, "acme/open", 3, nil); return err },
		"another's key": func() error {
			_, err := s.pusher(t, "key-open").Push(t.Context(), organisation.Push{Repository: "acme/more", Commit: "0123abcd", Number: 1}, texts)
			return err
		},
		"a person's token": func() error {
			_, err := s.pusher(t, "anna").Push(t.Context(), organisation.Push{Repository: "acme/open", Commit: "0123abcd", Number: 9}, nil)
			return err
		},
	} {
		if refused() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, note := s.ask(t, "key-open", "names"); !strings.Contains(note, "refused the token") {
		t.Errorf("a repository's key asks: %q", note)
	}
}

// A text with a credential is refused by the gateway too, and the rest of the push is taken.
func TestGatewayRefusesSecrets(t *testing.T) {
	s := newSite(t, open(t, t.TempDir()))
	body, _ := json.Marshal(organisation.Texts{Repository: "acme/open", Documents: []organisation.Document{
		{Path: "a/b/c.md", Text: "# C\n\npassword = \"hunter2-Zk9fQ1xWv7\"\n"}, {Path: "../c.md", Text: "# C\n"}, {Path: "a/b/d.md", Text: "# D\n\nIt is so.\n"}}})
	code, said := s.raw(t, "/v1/texts", "key-open", string(body))
	if code != 200 || !strings.Contains(said, "it contains a credential") || !strings.Contains(said, "not the path") || strings.Contains(said, "d.md") ||
		strings.Contains(said, "hunter2") {
		t.Errorf("%d %s", code, said)
	}
}

func (s *site) raw(t testing.TB, path, token, body string) (int, string) {
	t.Helper()
	r, _ := http.NewRequest("POST", s.url+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	said, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(said)
}

// What a person may not read changes no byte of what they are told: two gateways, one of which has a repository more.
func TestNothingTellsOfWhatMayNotBeRead(t *testing.T) {
	with, without := newSite(t, open(t, t.TempDir())), newSite(t, open(t, t.TempDir()))
	shared := map[string]string{
		"net/http/retries.md": "# Retry budget\n\nThe retry budget of the gateway is three in ten seconds. Fast requests are authenticated.\n",
		"net/dns/names.md":    "# Names\n\nNames are resolved once in a minute, and the cache is warm.\n",
		"data/store/rows.md":  "# Rows\n\nRows are deleted by the janitor, never by a request.\n",
	}
	secret := map[string]string{
		"net/http/zanzibar.md":    "# Zanzibar merger\n\nThe zanzibar merger closes in march: quixotic retry budget gateway names.\n",
		"net/http/kaleidoscop.md": "# Kaleidoscope\n\nThe kaleidoscope rows are removed quickly; the janitor is HttpJanitorService.\n",
	}
	for i := range 30 {
		secret[fmt.Sprintf("many/of/e%d.md", i)] = fmt.Sprintf("# Retry %d\n\nretry budget gateway names rows janitor minute %d\n", i, i)
	}
	for _, s := range []*site{with, without} {
		if _, err := s.push(t, "acme/open", 1, shared); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := with.push(t, "acme/secret", 1, secret); err != nil {
		t.Fatal(err)
	}
	if hits, _ := with.ask(t, "bob", "zanzibar merger"); len(hits) == 0 {
		t.Fatal("who may read it does not find it")
	}
	words := []string{"zanzibar", "zanzibr", "zanz", "merger", "quixotic", "kaleidoscope", "kaleidoscop", "retry", "budget", "gateway", "janitor",
		"HttpJanitorService", "removed", "deleted", "rapid", "names", "rows", "minute", "retires", "unheardof"}
	questions := slices.Clone(words)
	for _, a := range words {
		for _, b := range words[:15] {
			questions = append(questions, a+" "+b)
		}
	}
	probes := 0
	same := func(path, token, body string) {
		t.Helper()
		probes++
		code, said := with.raw(t, path, token, body)
		if wantCode, want := without.raw(t, path, token, body); code != wantCode || said != want || strings.Contains(said, "zanzibar merger closes") {
			t.Errorf("%s %s: %d %s\nnot %d %s", path, body, code, said, wantCode, want)
		}
	}
	for _, q := range questions {
		body, _ := json.Marshal(organisation.Question{Text: q})
		same("/v1/ask", "anna", string(body))
	}
	for _, name := range []string{"acme/secret", "acme/none", "acme/more", "acme/open", "../x"} {
		for _, token := range []string{"anna", "key-open", "nobody"} {
			same("/v1/push", token, fmt.Sprintf(`{"repository": %q, "commit": "0123abcd", "number": 1}`, name))
			same("/v1/texts", token, fmt.Sprintf(`{"repository": %q, "documents": []}`, name))
		}
	}
	for _, body := range []string{"", "{", `{"text": ""}`, `{"text": 3}`, `{"text": "` + strings.Repeat("x", 9000) + `"}`, `{"text": "zanzibar", "limit": -1}`} {
		same("/v1/ask", "anna", body)
		same("/v1/ask", "nobody", body)
	}
	t.Logf("%d probes", probes)
}

// Rights end after five minutes at the latest; without an access file nothing is shown, and it is said.
func TestRightsEnd(t *testing.T) {
	s := newSite(t, open(t, t.TempDir()))
	if _, err := s.push(t, "acme/open", 1, map[string]string{"a/b/c.md": "# Retry budget\n\nThe retry budget is three.\n"}); err != nil {
		t.Fatal(err)
	}
	if hits, _ := s.ask(t, "anna", "retry budget"); len(hits) != 1 {
		t.Fatal(hits)
	}
	s.permit(t, `{"people": {"anna": {"token": "`+organisation.Digest("anna")+`", "read": ["acme/*"]}}}`)
	s.pass(5*time.Minute + time.Second)
	if hits, note := s.ask(t, "anna", "retry budget"); len(hits) > 0 || note != "" {
		t.Errorf("%v, %q", hits, note)
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.permit(t, `{`)
	s.pass(5*time.Minute + time.Second)
	if hits, note := s.ask(t, "anna", "retry budget"); len(hits) > 0 || !strings.Contains(note, "access is refused") {
		t.Errorf("%v, %q", hits, note)
	}
	key := organisation.Digest
	s.permit(t, fmt.Sprintf(accessText, key("key-open"), "", "", key("anna"), key("bob")))
	s.pass(5*time.Minute + time.Second)
	if hits, note := s.ask(t, "anna", "retry budget"); len(hits) > 0 || note != "" {
		t.Errorf("what was cleaned away is back: %v, %q", hits, note)
	}
}

// A forge says who may read what; where it does not answer, nothing is shown.
func TestForgeSaysWhoMayRead(t *testing.T) {
	answer := http.HandlerFunc(nil)
	forge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	defer forge.Close()
	for kind, name := range map[string]string{"github": "full_name", "gitlab": "path_with_namespace"} {
		s := newSite(t, open(t, t.TempDir()))
		if _, err := s.push(t, "acme/open", 1, map[string]string{"a/b/c.md": "# Retry budget\n\nThe retry budget is three.\n"}); err != nil {
			t.Fatal(err)
		}
		s.permit(t, fmt.Sprintf(`{"repositories": {"acme/open": ""}, "forge": {"kind": %q, "endpoint": %q}}`, kind, forge.URL))
		asked := 0
		list := func(repository string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if asked++; r.Header.Get("Authorization") != "Bearer cleo" {
					w.WriteHeader(401)
				}
				fmt.Fprintf(w, `[{%q: %q}, {%q: "acme/*"}, {"other": 1}]`, name, repository, name)
			}
		}
		expect := func(token string, n int, said string) {
			t.Helper()
			if hits, note := s.ask(t, token, "retry budget"); len(hits) != n || !strings.Contains(note, said) || said == "" && note != "" {
				t.Errorf("%s, %s: %v, %q", kind, token, hits, note)
			}
		}
		s.pass(5*time.Minute + time.Second)
		answer = list("acme/open")
		expect("cleo", 1, "")
		expect("cleo", 1, "")
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		expect("dora", 0, "refused the token")
		s.pass(5*time.Minute + time.Second)
		answer = list("acme/other") // it was made private
		expect("cleo", 0, "")
		s.pass(5*time.Minute + time.Second)
		answer = func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1", http.StatusFound)
		}
		expect("cleo", 0, "access is refused")
	}
}

// dying is a store whose process ends at a step: nothing is done from then on. Each document is a step.
type dying struct {
	organisation.Store
	left int
}

var errKilled = errors.New("killed")

func (d *dying) step(do func() error) error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	err := do()
	if d.left--; d.left < 0 { // it was done, and the answer is lost
		return errKilled
	}
	return err
}

func (d *dying) Write(ctx context.Context, repository string, put []organisation.Document, remove []string) error {
	for _, doc := range put {
		if err := d.step(func() error { return d.Store.Write(ctx, repository, []organisation.Document{doc}, nil) }); err != nil {
			return err
		}
	}
	for _, id := range remove {
		if err := d.step(func() error { return d.Store.Write(ctx, repository, nil, []string{id}) }); err != nil {
			return err
		}
	}
	return nil
}

func (d *dying) Commit(ctx context.Context, m, before *organisation.Manifest) error {
	return d.step(func() error { return d.Store.Commit(ctx, m, before) })
}

// A push that is killed anywhere leaves the old state or the new one, and the next makes the store equal to a fresh one.
func TestPushIsKilledAnywhere(t *testing.T) {
	old, next := organisationtest.Documents("acme/open", 8, 1), organisationtest.Documents("acme/open", 6, 2)
	next = append(next[:5:5], old[7])
	answers := func(s *site) string {
		hits, note := s.ask(t, "anna", "what does alpha say in version1 or version2")
		return fmt.Sprint(described(hits), note)
	}
	fresh := func(docs []organisation.Document) (string, organisation.Store) {
		store := open(t, t.TempDir())
		s := newSite(t, store)
		if _, err := s.push(t, "acme/open", 1, textsOf(docs)); err != nil {
			t.Fatal(err)
		}
		return answers(s), store
	}
	wantOld, _ := fresh(old)
	wantNew, finished := fresh(next)
	if wantOld == wantNew || !strings.Contains(wantNew, "acme/open") {
		t.Fatal(wantOld, wantNew)
	}
	kills, steps := 0, 1
	for n := 0; n < steps; n++ {
		dir := t.TempDir()
		store := open(t, dir)
		if _, err := newSite(t, store).push(t, "acme/open", 1, textsOf(old)); err != nil {
			t.Fatal(err)
		}
		mortal := &dying{Store: store, left: n}
		_, err := newSite(t, mortal).push(t, "acme/open", 2, textsOf(next))
		if err != nil || mortal.left < 0 {
			kills++
			steps = n + 2
		}
		store.Close()
		store = open(t, dir)
		s := newSite(t, store)
		if got := answers(s); got != wantOld && got != wantNew || err == nil && got != wantNew {
			t.Errorf("killed at step %d: %s", n, got)
		}
		if _, err := s.push(t, "acme/open", 3, textsOf(next)); err != nil {
			t.Errorf("after step %d: %v", n, err)
		}
		if got := answers(s); got != wantNew {
			t.Errorf("after step %d: %s", n, got)
		}
		has, _ := store.Texts(t.Context(), "acme/open")
		want, _ := finished.Texts(t.Context(), "acme/open")
		if fmt.Sprint(has) != fmt.Sprint(want) {
			t.Errorf("after step %d: %d texts, not %d", n, len(has), len(want))
		}
		store.Close()
	}
	if t.Logf("%d kills", kills); kills < 15 {
		t.Errorf("only %d kills", kills)
	}
}

// Of two pushes at once, and of an old one that ends later, the higher number stands.
func TestTwoPushesAtOnce(t *testing.T) {
	for round := range 10 {
		store := open(t, t.TempDir())
		s := newSite(t, store)
		var wait sync.WaitGroup
		for number := int64(1); number <= 2; number++ {
			wait.Go(func() {
				docs := organisationtest.Documents("acme/open", 5+int(number), int(number))
				if _, err := s.push(t, "acme/open", number, textsOf(docs)); err != nil && (number == 2 || !strings.Contains(err.Error(), "older")) {
					t.Errorf("round %d, push %d: %v", round, number, err)
				}
			})
		}
		wait.Wait()
		all, _ := store.Manifests(t.Context(), nil)
		if m := all["acme/open"]; m == nil || m.Number != 2 || len(m.Entries) != 7 {
			t.Errorf("round %d: %+v", round, m)
		}
		r, err := s.push(t, "acme/open", 3, textsOf(organisationtest.Documents("acme/open", 7, 2)))
		texts, _ := store.Texts(t.Context(), "acme/open")
		if err != nil || r.Sent > 0 || len(texts) != 7 { // of the refused push nothing is left
			t.Errorf("round %d: %+v, %v, %d texts", round, r, err, len(texts))
		}
		store.Close()
	}
}

// lying is a store that says what no store should.
type lying struct {
	organisation.Store
	docs  []organisation.Document
	count int
}

func (l *lying) Find(context.Context, []string, []retrieval.Term, int) ([]organisation.Document, bool, error) {
	return l.docs, true, nil
}

func (l *lying) Count(_ context.Context, _ []string, groups [][]string) ([]int, error) {
	return slices.Repeat([]int{l.count}, len(groups)), nil
}

// What the engine returns beyond what was asked for is not shown.
func TestStoreThatCannotBeTrusted(t *testing.T) {
	store := open(t, t.TempDir())
	s := newSite(t, store)
	texts := map[string]string{"a/b/c.md": "# Retry budget\n\nThe retry budget is three.\n", "a/b/d.md": "# Names\n\nNames are long.\n"}
	for _, name := range []string{"acme/open", "acme/secret"} {
		if _, err := s.push(t, name, 1, texts); err != nil {
			t.Fatal(err)
		}
	}
	good := organisation.Document{Repository: "acme/open", Path: "a/b/c.md", Text: texts["a/b/c.md"]}
	foreign, forged, none := good, good, good
	foreign.Repository, forged.Text, none.Path = "acme/secret", "# Retry budget\n\nForged retry budget.\n", "x/y/z.md"
	for _, count := range []int{-5, 0, 1, 1 << 40} {
		docs := []organisation.Document{foreign, forged, none, {}, good, good}
		for range 100 {
			docs = append(docs, good)
		}
		hits, note := newSite(t, &lying{store, docs, count}).ask(t, "anna", "retry budget")
		if len(hits) != 1 || hits[0].Repository != "acme/open" || !strings.Contains(hits[0].Passage, "is three") || !strings.Contains(note, "a part") {
			t.Errorf("%d: %+v, %q", count, hits, note)
		}
	}
}

// Who asks too often waits for the next minute.
func TestQuestionsAreLimited(t *testing.T) {
	s := newSite(t, open(t, t.TempDir()))
	g := gateway.New(gateway.Options{Store: open(t, t.TempDir()), Access: s.access, Now: s.now, Questions: 2})
	ask := func() int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/v1/ask", bytes.NewReader([]byte(`{"text": "names"}`)))
		r.Header.Set("Authorization", "Bearer anna")
		g.ServeHTTP(w, r)
		return w.Code
	}
	if got := []int{ask(), ask(), ask()}; !slices.Equal(got, []int{200, 200, 429}) {
		t.Error(got)
	}
	if s.pass(time.Minute); ask() != 200 {
		t.Error("the next minute is refused")
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.RemoteAddr = "127.0.0.1:1"
	if g.ServeHTTP(w, r); !strings.Contains(w.Body.String(), `brv_requests_total{request="ask",status="429"} 1`) {
		t.Error(w.Body.String())
	}
	w, r.RemoteAddr = httptest.NewRecorder(), "10.0.0.1:1"
	if g.ServeHTTP(w, r); w.Code != 404 {
		t.Error("the counters are shown to other machines")
	}
}
