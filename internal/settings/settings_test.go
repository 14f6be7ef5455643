package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsed reads a source that has no problems.
func parsed(t *testing.T, source Source, text string) Layer {
	t.Helper()
	l, problems := Parse(source, []byte(text))
	if problems != nil {
		t.Fatalf("%s: %v", text, problems)
	}
	return l
}

func TestNothingSetIsTheDefault(t *testing.T) {
	for _, text := range []string{`{}`, `null`, ` null `, `{"hover": {}}`, `{"hover": null, "code": {"scan": null}}`} {
		project := text
		if strings.TrimSpace(text) == "null" { // that is nothing from a client, and wrong in a file
			project = "{}"
		}
		if got := Resolve(parsed(t, Project, project), parsed(t, User, project), parsed(t, Client, text)); !reflect.DeepEqual(got,
			Default()) {
			t.Errorf("%s: %s", text, cmp.Diff(Default(), got))
		}
	}
}

func TestKeysMayBeNestedOrJoined(t *testing.T) {
	for _, text := range []string{
		`{"hover": {"code": false}}`, `{"hover.code": false}`, `{"brv.hover.code": false}`,
		`{"brv": {"hover": {"code": false}}}`, `{"brv": {"hover.code": false}}`,
	} {
		if Resolve(Layer{}, Layer{}, parsed(t, Client, text)).Hover.Code {
			t.Errorf("%s: not read", text)
		}
	}
}

func TestNeighboursAreFolders(t *testing.T) {
	home, there := t.TempDir(), filepath.Join(t.TempDir(), "[x]")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	text, err := json.Marshal(map[string]any{"code": map[string]any{"neighbours": []string{there, "~/src/shop"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []Source{User, Client} {
		var layers [3]Layer
		layers[source] = parsed(t, source, string(text))
		got := Resolve(layers[Project], layers[User], layers[Client]).Code.Neighbours
		if want := []string{there, filepath.Join(home, "src", "shop")}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	}
}

func TestEachProblemIsToldWithItsPlace(t *testing.T) {
	for _, c := range []struct {
		source     Source
		text, want string // all problems, one a line
	}{
		{Client, ``, `1:1: not JSON: unexpected end`},
		{Client, "{\n  // note\n}", `2:3: not JSON: invalid character '/'`},
		{Client, `{"hover": {"code": true},}`, `1:26: not JSON: invalid character '}'`},
		{Client, `[]`, `1:1: settings must be an object`},
		{User, "\ufeff\ufeff{\n \"no\": 1}", "2:8: brv.no: no such setting"},
		{Client, `{"hover": {"code": "yes"}}`, `1:20: brv.hover.code: expected true or false, not "yes"`},
		{Client, "{\n \"é\": 1,\n \"é\": 2}", "2:7: brv.é: no such setting; " + pages + "settings.md lists all\n3:7: brv.é: no such setting"},
		{Client, `{"hovers": {"Code": true}}`, `1:12: brv.hovers: no such setting`},
		{Client, `{"hover": {"Code": true}}`, `brv.hover.Code: no such setting; did you mean brv.hover.code?`},
		{Client, `{"hover": true}`, `brv.hover: expected an object`},
		{Client, `{"brv": 1}`, `brv: expected an object`},
		{Client, `{"pack": {"budgetTokens": 12.5}}`, `expected a whole number from 256 to 1000000, not 12.5`},
		{Client, `{"pack": {"budgetTokens": 255}}`, `expected a whole number from 256 to 1000000, not 255`},
		{Client, `{"pack": {"budgetTokens": 1e400}}`, `expected a whole number`},
		{Client, `{"pack": {"tokenizer": "gpt"}}`, `expected one of "o200k_base", "cl100k_base", "bytes", not "gpt"`},
		{Client, `{"pack": {"tokenizer": 1}}`, `expected one of "o200k_base"`},
		{Client, `{"hover": {"exclude": ["go", 1]}}`, `1:30: brv.hover.exclude: expected a string, not 1`},
		{Client, `{"hover": {"exclude": "go"}}`, `1:23: brv.hover.exclude: expected a list of strings, not "go"`},
		{Client, `{"code": {"exclude": ["a[b"]}}`, `a[b is not a valid glob pattern, such as`},
		{Client, `{"diagnostics": {"severity": {"stale": "loud"}}}`, `1:40: brv.diagnostics.severity: "stale": expected one of "error"`},
		{Client,
			"{\"diagnostics\": {\"severity\": {\n  \"stale\": \"hint\",\n  \"orphans\": \"off\", \"zzz\": \"off\", " +
				"\"more-problems\": 1}}}",
			`3:14: brv.diagnostics.severity: "orphans": no such problem; did you mean "orphan"?` + "\n" +
				`3:28: brv.diagnostics.severity: "zzz": no such problem; ` + pages + "diagnostics.md lists all\n" +
				`3:52: brv.diagnostics.severity: "more-problems": expected one of "error", "warning", "information", "hint", "off", not 1`},
		{Client, `{"diagnostics": {"severity": ["stale"]}}`, `brv.diagnostics.severity: expected an object of strings, not ["stale"]`},
		{Client, `{"code": {"exclude": ["ok", "../x"]}}`,
			`1:29: brv.code.exclude: "../x" points outside the folder; write patterns relative to the folder, such as "src/**/*.go"`},
		{Project, "{\"code\": {\"exclude\": [\"../x\", \"src/**\",\n \"[\"]}}",
			`1:23: brv.code.exclude: "../x" points outside the folder` + "\n" + `2:2: brv.code.exclude: [ is not a valid glob pattern, such as`},
		{Client, `{"code": {"include": ["a/../../b"]}}`, `"a/../../b" points outside the folder`},
		{Project, `{"code": {"exclude": ["/etc/**"]}}`, `"/etc/**" points outside the folder`},
		{Project, `null`, `1:1: settings must be an object such as {"hover": {"code": false}}, not null`},
		{Client, `{"hover.code": false, "hover": {"code": true}}`, `set twice; the last value is used`},
		{Client, `{"hover": {"exclude": "` + strings.Repeat("a", 100) + `"}}`, `…`},
		{Project, `{"server": {"path": "/tmp/evil"}}`, `brv.server.path: ignored: a project cannot set this`},
		{Project, `{"brv.server.path": ["/tmp/evil"]}`, `brv.server.path: ignored: a project cannot set this`},
		{User, `{"code": {"neighbours": ["src/shop", "~", ""]}}`, `1:26: brv.code.neighbours: "src/shop" must be an absolute path such as` +
			"\n" + `"~" must be an absolute path` + "\n" + `"" must be an absolute path`},
		{Project, `{"code": {"neighbours": ["/src/shop"]}}`, `brv.code.neighbours: ignored: a project cannot set this`},
		{Project, `{"code": {"include": ["**"]}}`, `brv.code.include: ignored: a project cannot set this`},
		{Project, `{"diagnostics": {"severity": {"stale": "off"}}}`, `ignored: a project cannot switch problems off`},
		{Project, `{"pack": {"budgetTokens": 90000}}`, `ignored: a project can only lower this, and the default is 8000`},
	} {
		_, problems := Parse(c.source, []byte(c.text))
		want := strings.Split(c.want, "\n")
		if len(problems) != len(want) {
			t.Errorf("%s: %d problems: %v", c.text, len(problems), problems)
			continue
		}
		for i, p := range problems {
			if !strings.Contains(p.String(), want[i]) {
				t.Errorf("%s:\n got %s\nwant %s", c.text, p, want[i])
			}
		}
	}
}

func TestTheRestOfASourceHolds(t *testing.T) {
	l, problems := Parse(
		Project, []byte(`{"server": {"path": "x"}, "hover": {"code": 1, "exclude": ["go"]}, "nope": 1, "codeLens": {"code": false}}`))
	s := Resolve(l, Layer{}, Layer{})
	if len(problems) != 3 || s.CodeLens.Code || !s.Hover.Code || s.Server.Path != "" ||
		!reflect.DeepEqual(s.Hover.Exclude, []string{"go"}) {
		t.Errorf("%v\n%+v", problems, s)
	}
}

func TestTheRestOfAListHolds(t *testing.T) {
	for text, want := range map[string][]string{
		`{"code": {"exclude": ["../x", "src/**", "[", 1, "lib/**"]}}`: {"src/**", "lib/**"},
		`{"code": {"exclude": ["../x"]}}`:                             {"low/**"},
		`{"code": {"exclude": []}}`:                                   {},
	} {
		l, _ := Parse(Client, []byte(text))
		lower := parsed(t, Client, `{"code": {"exclude": ["low/**"]}}`)
		if got := Resolve(Layer{}, Layer{}, l.Over(lower)).Code.Exclude; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		about, project, user, client string
		want                         func(*Settings)
	}{
		{"the project's value holds", `{"codeLens": {"code": false}}`, `{}`, `{}`, func(s *Settings) { s.CodeLens.Code = false }},
		{"the client's stands over it", `{"inlayHints": {"titles": true}}`, `{}`, `{"inlayHints": {"titles": false}}`,
			func(s *Settings) { s.InlayHints.Titles = false }},
		{"the client's default counts as not said", `{"code": {"scan": false}, "codeLens": {"code": false}}`, `{}`,
			`{"code": {"scan": true}, "codeLens": {"code": true}}`,
			func(s *Settings) { s.Code.Scan, s.CodeLens.Code = false, false }},
		{"what is left out is joined", `{"code": {"exclude": ["a/**", "b/**"]}}`, `{}`, `{"code": {"exclude": ["b/**", "c/**"]}}`,
			func(s *Settings) { s.Code.Exclude = []string{"a/**", "b/**", "c/**"} }},
		{"what is included is the client's", `{}`, `{}`, `{"code": {"include": ["src/**"]}}`,
			func(s *Settings) { s.Code.Include = []string{"src/**"} }},
		{"severities are joined by code", `{"diagnostics": {"severity": {"stale": "error", "orphan": "hint"}}}`, `{}`,
			`{"diagnostics": {"severity": {"stale": "off"}}}`,
			func(s *Settings) { s.Diagnostics.Severity = map[string]string{"stale": "off", "orphan": "hint"} }},
		{"a user may raise what a project lowered", `{"pack": {"budgetTokens": 1000}}`, `{}`, `{"pack": {"budgetTokens": 20000}}`,
			func(s *Settings) { s.Pack.BudgetTokens = 20000 }},
		{"a project lowers the default", `{"pack": {"budgetTokens": 1000}}`, `{}`, `{"pack": {"budgetTokens": 8000}}`,
			func(s *Settings) { s.Pack.BudgetTokens = 1000 }},
		{"the user's file stands over the project's", `{"pack": {"budgetTokens": 1000}, "codeLens": {"code": false}}`,
			`{"pack": {"budgetTokens": 2000}}`, `{}`,
			func(s *Settings) { s.Pack.BudgetTokens, s.CodeLens.Code = 2000, false }},
		{"its defaults are said", `{"pack": {"budgetTokens": 1000}}`, `{"pack": {"budgetTokens": 8000}}`, `{}`, func(*Settings) {}},
		{"the client's stands over the user's file", `{}`, `{"model": {"provider": "openai", "name": "a"}}`,
			`{"model": {"provider": "editor"}}`,
			func(s *Settings) { s.Model.Provider, s.Model.Name = "editor", "a" }},
		{"but for its defaults", `{}`, `{"model": {"provider": "anthropic", "patienceSeconds": 9}}`,
			`{"model": {"provider": "off", "endpoint": "", "patienceSeconds": 5}}`,
			func(s *Settings) { s.Model.Provider, s.Model.PatienceSeconds = "anthropic", 9 }},
		{"three lists are joined", `{"code": {"exclude": ["a"]}}`, `{"code": {"exclude": ["b"]}}`, `{"code": {"exclude": ["a", "c"]}}`,
			func(s *Settings) { s.Code.Exclude = []string{"a", "b", "c"} }},
		{"and severities, the later over the earlier", `{"diagnostics": {"severity": {"stale": "error", "orphan": "hint"}}}`,
			`{"diagnostics": {"severity": {"stale": "off"}}}`,
			`{"diagnostics": {"severity": {"orphan": "error"}}}`,
			func(s *Settings) { s.Diagnostics.Severity = map[string]string{"stale": "off", "orphan": "error"} }},
	} {
		want := Default()
		c.want(&want)
		if got := Resolve(parsed(t, Project, c.project), parsed(t, User, c.user), parsed(t, Client, c.client)); !reflect.DeepEqual(
			got, want) {
			t.Errorf("%s: %s", c.about, cmp.Diff(want, got))
		}
	}
	early, late := parsed(t, Client, `{"hover": {"code": false}, "code": {"scan": false}}`),
		parsed(t, Client, `{"hover": {"code": true}}`)
	if s := Resolve(Layer{}, Layer{}, late.Over(early)); !s.Hover.Code || s.Code.Scan {
		t.Errorf("later over earlier: %+v", s)
	}
}

func TestOneBadSeverityLeavesTheOthers(t *testing.T) {
	l, problems := Parse(Project, []byte(`{"diagnostics": {"severity": {"stale": "error", "orphan": "loud"}}}`))
	if got := Resolve(l, Layer{}, Layer{}).Diagnostics.Severity; len(problems) != 1 || len(got) != 1 || got["stale"] != "error" {
		t.Errorf("%v, %v", got, problems)
	}
}

func TestProjectFile(t *testing.T) {
	dir := t.TempDir()
	if l, problems := ReadProject(dir); problems != nil || !reflect.DeepEqual(Resolve(l, Layer{}, Layer{}), Default()) {
		t.Errorf("without a file: %v, %v", l, problems)
	}
	file := filepath.Join(dir, ProjectFile)
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"hover": {"code": false}}`)
	if l, problems := ReadProject(dir); problems != nil || Resolve(l, Layer{}, Layer{}).Hover.Code {
		t.Errorf("with a file: %v, %v", l, problems)
	}
	write(`{"hover": "` + strings.Repeat("x", maxFile) + `"}`)
	if _, problems := ReadProject(dir); len(problems) != 1 || !strings.Contains(problems[0].Message, "too large") {
		t.Errorf("too large: %v", problems)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", file); err != nil {
		t.Skip(err)
	}
	if _, problems := ReadProject(dir); len(problems) != 1 || !strings.Contains(problems[0].Message, "points outside") {
		t.Errorf("a link: %v", problems)
	}
}

func TestUserFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, UserFile)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, none := range []string{"", filepath.Join(dir, "nowhere"), dir} {
		if l, problems := ReadUser(none); problems != nil || !reflect.DeepEqual(Resolve(Layer{}, l, Layer{}), Default()) {
			t.Errorf("%q: without a file: %v, %v", none, l, problems)
		}
	}
	write(
		`{"brv.model.provider": "openai", "brv": {"model": {"name": "m"}}, "model": {"endpoint": "http://127.0.0.1:1/v1"}, "server.path": "/bin/brv-lsp"}`)
	l, problems := ReadUser(dir)
	want := Default()
	want.Model = Model{Provider: "openai", Name: "m", Endpoint: "http://127.0.0.1:1/v1", PatienceSeconds: 5, Log: "hashes"}
	want.Server.Path = "/bin/brv-lsp"
	if got := Resolve(Layer{}, l, Layer{}); problems != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %s", problems, cmp.Diff(want, got))
	}
	write("{\"model\": {\"provider\": \"openai\",\n \"key\": \"sk-canary\", \"patienceSeconds\": 0}}")
	_, problems = ReadUser(dir)
	if len(problems) != 2 || problems[0].String() != "2:9: brv.model.key: no such setting; "+pages+"settings.md lists all" ||
		!strings.HasPrefix(problems[1].String(), "2:41: ") {
		t.Errorf("%v", problems)
	}
	write(`null`)
	if _, problems := ReadUser(dir); len(problems) != 1 {
		t.Errorf("null: %v", problems)
	}
	write(`{"model": "` + strings.Repeat("x", maxFile) + `"}`)
	if _, problems := ReadUser(dir); len(problems) != 1 || !strings.Contains(problems[0].Message, "too large") {
		t.Errorf("too large: %v", problems)
	}
	if err := os.Rename(file, file+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, problems := ReadUser(dir); len(problems) != 1 || !strings.Contains(problems[0].Message, "not a regular file") {
		t.Errorf("a folder: %v", problems)
	}
	write = func(text string) {
		if err := os.WriteFile(file+".kept", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"model": {"provider": "editor"}}`)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+".kept", file); err != nil {
		t.Skip(err)
	}
	if l, problems := ReadUser(dir); problems != nil || Resolve(Layer{}, l, Layer{}).Model.Provider != "editor" {
		t.Errorf("a link of the user's: %v", problems)
	}
}

// TestProjectNeverSetsAModel holds for the fields of the group to come, too.
func TestProjectNeverSetsAModel(t *testing.T) {
	l, problems := Parse(
		Project,
		[]byte(
			`{"model": {"provider": "openai", "endpoint": "https://evil.example/v1", "name": "x", "keyVariable": "OPENAI_API_KEY", "patienceSeconds": 300, "contextTokens": 9, "log": "texts"}}`))
	if len(problems) != reflect.TypeFor[Model]().NumField() {
		t.Errorf("%v", problems)
	}
	for _, p := range problems {
		if !strings.Contains(p.Message, "ignored: a project cannot set this") {
			t.Error(p)
		}
	}
	if s := Resolve(l, Layer{}, Layer{}); s.Model != Default().Model || s.Model.Provider != "off" {
		t.Errorf("%+v", s.Model)
	}
}

// TestMachineSettingsAreTheUsersOwn holds for settings to come, too.
func TestMachineSettingsAreTheUsersOwn(t *testing.T) {
	for _, f := range fields() {
		if f.scope != machineScope && f.scope != "resource" {
			t.Errorf("%s: scope %q", f.key, f.scope)
		}
		if _, known := projectWords[f.project]; !known || (f.scope == machineScope) && f.project != projectNever {
			t.Errorf("%s: a project must not set it", f.key)
		}
		dangerous := []string{"path", "command", "endpoint", "url", "header", "key", "token", "dir"}
		for _, word := range dangerous {
			if strings.HasSuffix(strings.ToLower(f.key), word) && f.scope != machineScope {
				t.Errorf("%s names a %s and is not for the machine", f.key, word)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"hover": {"code": false}, "code.exclude": ["**/x"], "brv": {"pack": {"budgetTokens": 300}}}`)
	f.Add(`{"diagnostics": {"severity": {"stale": "off"}}, "server": {"path": "x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, source := range []Source{Project, User, Client} {
			l, problems := Parse(source, []byte(text))
			for _, p := range problems {
				if p.Start < 0 || p.End < p.Start || p.End > len(text) || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("%q: %+v", text, p)
				}
			}
			s := Resolve(l, Layer{}, Layer{})
			if source == Project && (s.Model != Default().Model || s.Server.Path != "" || len(s.Code.Include) > 0 ||
				s.Pack.BudgetTokens > Default().Pack.BudgetTokens) {
				t.Errorf("%q loosens: %+v", text, s)
			}
		}
	})
}
