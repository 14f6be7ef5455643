//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// stranger is a repository that somebody else wrote, and what the program does when it is opened,
// by each of its system calls.
type stranger struct {
	*testing.T
	program string
	home    string // of the user, with caches and configuration
	root    string // the repository
	outside string // a folder of the user's that is no business of the repository's
	random  *rand.Rand
}

func newStranger(t *testing.T, program string, seed uint64) *stranger {
	t.Helper()
	top := t.TempDir()
	s := &stranger{T: t, program: program, home: filepath.Join(top, "home"), root: filepath.Join(top, "repository"),
		outside: filepath.Join(top, "outside"), random: rand.New(rand.NewPCG(seed, 19))}
	for name, text := range map[string]string{
		"src/main.go": "package main\n\n// Start begins.\nfunc Start() {}\n", "README.md": "# App\n\nA readme.\n",
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\trepositoryformatversion = 0\n", ".git/hooks/README": "hooks\n",
		".git/objects/info/packs": "", ".git/refs/heads/.keep": "",
	} {
		s.ship(name, text)
	}
	for name, text := range map[string]string{"secret.md": "---\ntitle: Outside\n---\nThe canary outside.\n", "0000000001": "outside"} {
		s.at(filepath.Join(s.outside, name), text)
	}
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// at writes a file.
func (s *stranger) at(file, text string) {
	s.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		s.Fatal(err)
	}
}

// ship writes a file of the repository, by no link out of it.
func (s *stranger) ship(name, text string) {
	s.inside(name, func(root *os.Root) error { return root.WriteFile(name, []byte(text), 0o644) })
}

// link ships a link.
func (s *stranger) link(name, to string) {
	s.inside(name, func(root *os.Root) error { return root.Symlink(to, name) })
}

// inside makes a file in the repository; what an earlier link or file hinders is not shipped.
func (s *stranger) inside(name string, create func(*os.Root) error) {
	s.Helper()
	if err := os.MkdirAll(s.root, 0o755); err != nil {
		s.Fatal(err)
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		s.Fatal(err)
	}
	defer root.Close()
	if root.MkdirAll(filepath.Dir(name), 0o755) == nil {
		_ = create(root)
	}
}

// record is a change under way that puts a file in place, as the format has it (internal/txn).
// Without a seal it is what the version before seals carried out.
func record(id int, path, mode, text, sealedBy string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}
	header := fmt.Sprintf(
		`{"version":1,"id":%d,"time":"2026-01-02T03:04:05Z","files":[{"path":%q,"after":{"sha256":"%s","size":%d,"mode":"%s"}}]}`,
		id, path, hash(text), len(text), mode)
	if sealedBy != "" {
		header = strings.TrimSpace(string(seal.In(sealedBy).For("1").Seal("change", []byte(header))))
	}
	data := header + "\n" + text
	return data + "\nsha256 " + hash(data) + "\n"
}

const hook = "#!/bin/sh\ntouch /tmp/owned\n"

// entry is an entry that answers questions.
const strangersEntry = "---\ntitle: Upload retry budget\nrelated: [net/up/down.md, ../../../outside/secret.md]\n---\n" +
	"The retry budget is three, see `Start` in `src/main.go` and @../../outside/secret.md and @net/up/down.md.\n"

// forge ships a random `.brv`: links at every level, records, reviews, counters, states of dreams,
// settings, archives and generated files.
func (s *stranger) forge() {
	s.Helper()
	pick := func(of ...string) string { return of[s.random.IntN(len(of))] }
	often := func(percent int) bool { return s.random.IntN(100) < percent }
	if often(10) {
		s.link(".brv", pick(".", "src", "../outside", ".git", "/etc"))
	}
	targets := []string{"..", "../..", "../context-tree", "../../.git/hooks", "../../src", "../../../outside", "/etc", "/tmp",
		"nowhere", "context-tree/net/up/up.md", "../context-tree/net/up/up.md"}
	for _, at := range []string{"state", "context-tree", "dream-log", "config.json", ".gitignore", "state/lock", "state/lock.next",
		"state/replace.lock", "state/replace.tmp", "state/txn",
		"state/journal", "state/review", "state/usage", "state/saved", "state/damaged", "state/audit.jsonl", "state/dream-state.json",
		"state/.gitignore", "context-tree/net", "context-tree/net/up",
		"context-tree/_archived", "context-tree/_manifest.json", "context-tree/_index.md", "context-tree/net/up/linked.md"} {
		if often(6) {
			s.link(".brv/"+at, pick(targets...))
		}
	}
	s.ship(".brv/context-tree/net/up/up.md", strangersEntry)
	s.ship(".brv/context-tree/net/up/down.md", "---\ntitle: Down\nimportance: 100\n---\nFive.\n")
	paths := []string{"../.git/hooks/pre-commit", ".git/hooks/pre-commit", ".git/config", "context-tree/net/up/up.md",
		"context-tree/new/x.md", "config.json", "state/review/000009.json", "hooks/pre-commit", "../outside/secret.md"}
	for range 1 + s.random.IntN(6) {
		id := []int{1, 2, 7, 500, 999_999_999}[s.random.IntN(5)]
		by := ""
		if often(30) {
			by = filepath.Join(s.outside, "key") // another user's
		}
		name := fmt.Sprintf(".brv/state/%s/%010d", pick("txn", "txn", "journal", "damaged"), id)
		s.ship(name, record(id, pick(paths...), pick("0755", "0644", "4755"), hook, by))
		if often(20) {
			s.ship(name+"-0123456789ab.0", pick("staged", hook))
		}
	}
	files := map[string]string{
		"state/audit.jsonl": "\n" + strings.Split(record(999_999_999, "context-tree/net/up/up.md", "0644", "x", ""),
			"\n")[0] + "\nnonsense\n",
		"state/review/000001.json":    `{"batch":1,"author":"you","items":[{"operation":{"type":"DELETE","path":"net/up/up.md","reason":"r"},"held":true,"path":"net/up/up.md"}]}`,
		"state/review/000002.json":    "{",
		"state/usage/00.json":         `{"net/up/up.md":{"access":2147483647,"bonus":100,"maturity":"core","at":"2026-01-02T03:04:05Z","keptAt":"9000-01-01T00:00:00Z"}}`,
		"state/dream-state.json":      `{"version":1,"totalDreams":9,"lastDreamAt":"2999-01-01T00:00:00Z","pendingMerges":[{"sourceFile":"../../x","mergeTarget":"net/up/up.md","reason":"r"}]}`,
		"state/dream-looked.json":     `{"net/up/up.md":"x"}`,
		"dream-state.json":            `{"version":1,"pendingMerges":[{"sourceFile":"net/up/down.md","mergeTarget":"net/up/up.md","reason":"r"}]}`,
		"dream.lock":                  `{"pid":1,"acquiredAt":"2999-01-01T00:00:00Z"}`,
		"state/dream-cancel-drm-1":    "drm-1\n",
		"dream-log/drm-1.json":        `{"id":"drm-1","startedAt":"2026-01-02T03:04:05Z","status":"completed","operations":[{"phase":"prune","batch":1}],"stateBefore":"{}"}`,
		"dream-log/drm-2.json":        `{"id":"drm-2","startedAt":"2026-01-02T03:04:05Z","status":"processing","operations":[],"stateBefore":""}`,
		"state/saved/0000000001.0":    hook,
		"state/lock":                  `99999999 host token`,
		"config.json":                 `{"brv":{"model":{"provider":"openai","endpoint":"http://127.0.0.1:9/v1"},"dream":{"auto":true},"trusted":true},"command":"touch /tmp/owned"}`,
		".git/config":                 "[core]\n\tfsmonitor = touch /tmp/owned\n",
		".git/HEAD":                   "ref: refs/heads/main\n",
		"context-tree/_manifest.json": `{"version":1,"files":[{"path":"../../../outside/secret.md"}]}`,
		"context-tree/_index.md":      "---\ntype: summary\nchildren_hash: x\n---\nSee ../../outside/secret.md\n",
		"context-tree/.git":           "gitdir: ../../../outside\n",
		"context-tree/_archived/a.stub.md": "---\ntype: archive_stub\npoints_to: ../../../../outside/secret.md\noriginal_path: " +
			"../x.md\n---\n# a\n",
		"context-tree/net/up/bad.md": "---\nrelated: [" + strings.Repeat("[", 500) + "\n---\n\x00",
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		if often(50) {
			s.ship(".brv/"+name, files[name])
		}
	}
}

// drive leads the program through a session; said takes what it and strace say on standard error.
type drive func(c *exec.Cmd, said *bytes.Buffer) error

// traced runs the program on the repository, and returns the calls that it should not have made. On a loaded
// machine strace itself fails now and then: then nothing is known of the session, and there is another.
func (s *stranger) traced(d drive, args ...string) (wrong []string) {
	s.Helper()
	before := s.snapshot()
	for range 3 {
		calls, said, err := s.trace(d, args)
		if failed := straceFailed.FindString(said); failed != "" {
			wrong = []string{failed + ", each time: what the program does is NOT known"}
			continue
		}
		wrong = nil
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("ended with %v: %s", err, said))
		}
		if !strings.Contains(calls, "execve(") {
			s.Fatalf("nothing is traced: %s", calls)
		}
		for call := range strings.Lines(calls) {
			if why := s.judge(call); why != "" {
				wrong = append(wrong, why+": "+strings.TrimSpace(call))
			}
		}
		break
	}
	if after := s.snapshot(); after != before {
		wrong = append(wrong, "the repository or what is outside has changed:\n"+before+"\n->\n"+after)
	}
	return wrong
}

// straceFailed is how strace says that it cannot go on with a process that it stopped.
var straceFailed = regexp.MustCompile(`strace: .*PTRACE_LISTEN.*: Input/output error`)

// tracedCalls are those by which a program reaches files, others, and programs.
const tracedCalls = "trace=open,openat,openat2,creat,execve,execveat,mkdir,mkdirat,rename,renameat,renameat2," +
	"link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown," +
	"truncate,ftruncate,mknod,mknodat,utimensat,setxattr,connect,sendto"

// trace is one session under strace: its calls, what was said, and how it ended.
func (s *stranger) trace(d drive, args []string) (calls, said string, err error) {
	s.Helper()
	file := filepath.Join(s.TempDir(), "calls")
	line := []string{"-f", "-y", "-qq", "--seccomp-bpf", "-e", tracedCalls, "-o", file, s.program}
	var out bytes.Buffer
	c := exec.Command("strace", append(line, args...)...)
	c.Dir, c.Stderr = s.root, &out
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "BRV_")
	}), "HOME="+s.home, "XDG_CACHE_HOME="+s.home+"/cache", "XDG_CONFIG_HOME="+s.home+"/config")
	err = d(c, &out)
	if c.Process != nil && c.ProcessState == nil { // a session that broke off
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	data, readErr := os.ReadFile(file)
	if readErr != nil && !straceFailed.Match(out.Bytes()) {
		s.Fatal(readErr)
	}
	return string(data), out.String(), err
}

// snapshot is every name below the repository and outside, with what it is and holds.
func (s *stranger) snapshot() string {
	s.Helper()
	var b strings.Builder
	for _, top := range []string{s.root, s.outside} {
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content := ""
			switch {
			case info.Mode()&fs.ModeSymlink != 0:
				content, err = os.Readlink(p)
			case info.Mode().IsRegular():
				var data []byte
				data, err = os.ReadFile(p)
				sum := sha256.Sum256(data)
				content = hex.EncodeToString(sum[:4])
			}
			fmt.Fprintln(&b, p, info.Mode(), content)
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	return b.String()
}

var (
	// writes are calls that change a file or a name.
	writes = regexp.MustCompile(
		`^\d+ +(creat|mkdir|mkdirat|rename|renameat|renameat2|link|linkat|symlink|symlinkat|unlink|unlinkat|rmdir|chmod|fchmod|fchmodat|chown|fchown|fchownat|lchown|truncate|ftruncate|mknod|mknodat|utimensat|setxattr)\(`)
	opens  = regexp.MustCompile(`^\d+ +(open|openat|openat2)\(`)
	runs   = regexp.MustCompile(`^\d+ +execve(at)?\("([^"]*)"`)
	talks  = regexp.MustCompile(`^\d+ +(connect|sendto)\(`)
	opened = regexp.MustCompile(`= \d+<([^>]*)>$`) // the file that was really opened
	// named are the names in a call, each behind the folder that it is looked up in, and open files.
	named = regexp.MustCompile(`<([^>]*)>(?:, "([^"]*)")?`)
)

// touches reports whether a call is about a file of the repository, or one outside that is not the
// program's business.
func (s *stranger) touches(call string) bool {
	for _, m := range named.FindAllStringSubmatch(call, -1) {
		name := filepath.Join(m[1], m[2])
		if filepath.IsAbs(m[2]) {
			name = m[2]
		}
		if strings.HasPrefix(name+"/", s.root+"/") || strings.HasPrefix(name+"/", s.outside+"/") {
			return true
		}
	}
	return false
}

// judge says what is wrong with a call, "" if nothing is.
func (s *stranger) judge(call string) string {
	call = strings.TrimSpace(call)
	if !strings.Contains(call, ") = ") || strings.Contains(call, " = -1 ") {
		if writes.MatchString(call) && s.touches(call) {
			return "tries to write"
		}
		return ""
	}
	switch {
	case runs.MatchString(call):
		if path := runs.FindStringSubmatch(call)[2]; path != s.program && path != "/proc/self/exe" && filepath.Base(path) != "git" &&
			filepath.Base(path) != filepath.Base(os.Args[0]) {
			return "runs"
		}
	case talks.MatchString(call):
		return "talks"
	case writes.MatchString(call):
		if s.touches(call) {
			return "writes"
		}
	case opens.MatchString(call):
		file := opened.FindStringSubmatch(call)
		if file == nil {
			return "opens something unknown"
		}
		inside := file[1] == s.root || strings.HasPrefix(file[1], s.root+"/")
		if inside && regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC`).MatchString(call) {
			return "opens for writing"
		}
		asked := named.FindStringSubmatch(call)
		if strings.HasPrefix(file[1], s.outside) || !inside && asked != nil && !filepath.IsAbs(asked[2]) &&
			strings.HasPrefix(asked[1]+"/", s.root+"/") {
			return "reads outside"
		}
	}
	return ""
}

// toEnd lets a program run to its end; what it says is of no interest, only that it does not crash.
func toEnd(c *exec.Cmd, said *bytes.Buffer) error {
	c.Stdout = said
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !bytes.Contains(said.Bytes(), []byte("panic")) && errors.As(err, &exit) && exit.ExitCode() > 0 &&
		exit.ExitCode() < 64 {
		return nil // it has refused, with a message
	}
	return err
}

// inEditor is a session that does not trust the folder: an entry and code are opened and asked about.
func (s *stranger) inEditor(c *exec.Cmd, _ *bytes.Buffer) error {
	in, out, err := piped(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
	defer cancel()
	e := lsptest.Attach(out, in)
	params := fmt.Sprintf(`{"processId":null,"rootUri":%q,"capabilities":{},"initializationOptions":{"trusted":false}}`,
		lsptest.URI(s.root))
	if _, err := e.Initialize(ctx, lsptest.Session{Params: json.RawMessage(params)}); err != nil {
		return err
	}
	for file, language := range map[string]string{".brv/context-tree/net/up/up.md": "markdown", "src/main.go": "go"} {
		text, err := os.ReadFile(filepath.Join(s.root, file))
		if err != nil {
			continue
		}
		if err := e.Open(filepath.Join(s.root, file), language, string(text)); err != nil {
			return err
		}
		for at := 0; at < len(text); at += 1 + len(text)/8 {
			_, _ = e.Hover(ctx, filepath.Join(s.root, file), at) // refused or answered
		}
		_, _ = e.Links(ctx, filepath.Join(s.root, file))
	}
	for method, request := range map[string]map[string]any{
		"brv/query": {"text": "retry budget three"}, "brv/search": {"text": "retry"}, "brv/context": {"task": "retry uploads",
			"budgetTokens": 2000},
		"brv/status": {}, "brv/review/list": nil, "brv/map": {},
	} {
		_ = e.Call(ctx, method, request, nil)
	}
	if _, err := e.Shutdown(ctx); err != nil {
		return err
	}
	e.Close()
	return c.Wait()
}

// asAgent is a session of an agent.
func asAgent(c *exec.Cmd, said *bytes.Buffer) error {
	call := func(id int, name, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
	}
	return answered(c, said, 7, strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call(1, "brv_query", `{"question":"retry budget three"}`), call(2, "brv_search", `{"query":"retry"}`),
		call(3, "brv_context", `{"task":"retry uploads"}`),
		call(4, "brv_review", `{"action":"list"}`), call(5, "brv_read", `{"path":"net/up/up.md"}`),
		`{"jsonrpc":"2.0","id":6,"method":"resources/list"}`,
	}, "\n")+"\n")
}

// answered sends requests, and ends the session when so many of them are answered: its end cancels
// those that are not.
func answered(c *exec.Cmd, said *bytes.Buffer, requests int, text string) error {
	in, out, err := piped(c)
	if err != nil {
		return err
	}
	go io.WriteString(in, text)
	giveUp := time.AfterFunc(2*time.Minute, func() { in.Close() })
	defer giveUp.Stop()
	var all strings.Builder // said may be standard error's too, until the program has ended
	lines := bufio.NewReader(out)
	for answers := 0; ; {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if strings.Contains(line, `"id":`) && !strings.Contains(line, `"method":`) {
			answers++
		}
		if answers == requests {
			in.Close()
		}
		if err != nil {
			break
		}
	}
	err = c.Wait()
	said.WriteString(all.String())
	if last := fmt.Sprintf(`"id":%d`, requests-1); err == nil && !strings.Contains(all.String(), last) {
		err = errors.New("not all requests were answered")
	}
	return err
}

// faces are the ways to open a repository. Nothing of them asks for a change.
func (s *stranger) faces() map[string]func() []string {
	out := map[string]func() []string{
		"editor": func() []string { return s.traced(s.inEditor) },
		"agent":  func() []string { return s.traced(asAgent, "mcp") },
	}
	for _, verb := range [][]string{
		{"status"}, {"check"}, {"query", "retry budget three"}, {"search", "retry"}, {"pack", "--task", "retry uploads", "--budget",
			"2000"}, {"log"}, {"review"}, {"review", "show", "1"},
		{"map"}, {"symbols", "Start"}, {"deps", "src/main.go"}, {"graph", "--svg"}, {"archive"}, {"dream", "--dry-run", "--force"}, {"dream", "--list"},
		{"curate", "--dry-run", "--op", "DELETE", "--path", "net/up/up.md", "--reason", "r"},
	} {
		out[strings.Join(verb, " ")] = func() []string { return s.traced(toEnd, verb...) }
	}
	return out
}

// newTraced is the program, where the system can trace it.
func newTraced(t *testing.T) (program string) {
	t.Helper()
	for _, tool := range []string{"strace", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: what opening a repository does is NOT known: %v", err)
		}
	}
	if program = os.Getenv("BRV_PROGRAM"); program != "" {
		return program
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "brv-lsp") // TestMain makes this executable the program
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return program
}

// A clone installs nothing, whoever opens it: the two ways in which a journal record could, in
// every face.
func TestOpeningAClonesRunsNothingOfIt(t *testing.T) {
	program := newTraced(t)
	for name, ship := range map[string]func(*stranger){
		"link": func(s *stranger) {
			s.link(".brv", ".")
			s.ship("context-tree/net/up/up.md", strangersEntry)
			s.ship("state/txn/0000000001", record(1, ".git/hooks/pre-commit", "0755", hook, ""))
		},
		"git folder": func(s *stranger) {
			s.ship(".brv/context-tree/net/up/up.md", strangersEntry)
			s.ship(".brv/.git/HEAD", "ref: refs/heads/main\n")
			s.ship(".brv/state/txn/0000000001", record(1, ".git/config", "0644", "[core]\n\tfsmonitor = touch /tmp/owned\n", ""))
		},
	} {
		for face := range new(stranger).faces() {
			s := newStranger(t, program, 1)
			ship(s)
			for _, wrong := range s.faces()[face]() {
				t.Errorf("%s, %s: %s", name, face, wrong)
			}
		}
	}
}

// A session in which strace failed is repeated, and shows nothing where it fails each time.
func TestASessionThatStraceLostIsRepeated(t *testing.T) {
	program := newTraced(t)
	real, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal(err)
	}
	for fails, want := range map[int]bool{0: true, 2: true, 3: false} {
		dir := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\necho x >>%[1]s/runs\nif [ $(wc -l <%[1]s/runs) -le %[2]d ]; then\n"+
			"echo 'strace: ptrace(PTRACE_LISTEN,pid:1,sig:0): Input/output error' >&2; exit 1; fi\nexec %[3]s \"$@\"\n", dir, fails, real)
		if err := os.WriteFile(filepath.Join(dir, "strace"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+filepath.Dir(real)+":"+os.Getenv("PATH"))
		s := newStranger(t, program, 1)
		wrong := s.traced(toEnd, "status")
		runs, err := os.ReadFile(filepath.Join(dir, "runs"))
		if err != nil || (len(wrong) == 0) != want || bytes.Count(runs, []byte("x")) != min(fails+1, 3) {
			t.Errorf("%d failures: %q runs, %q, %v", fails, runs, wrong, err)
		}
	}
}

// A `.brv` in a folder that everybody may write to is nobody's project: not of who types a command
// below it, and not of who starts an agent there.
func TestAnothersFolderAboveIsNotTaken(t *testing.T) {
	s := newStranger(t, newTraced(t), 1)
	shared := s.root
	s.ship(".brv/context-tree/net/up/up.md", strangersEntry)
	s.ship(".brv/state/txn/0000000001", record(1, "context-tree/net/up/up.md", "0755", hook, ""))
	if err := errors.Join(os.RemoveAll(filepath.Join(shared, ".git")), os.Mkdir(filepath.Join(shared, "mine"), 0o755),
		os.Chmod(shared, 0o777|fs.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(s.program, args...)
		c.Dir = filepath.Join(shared, "mine")
		c.Env = append(os.Environ(), "HOME="+s.home, "XDG_CACHE_HOME="+s.home+"/cache", "XDG_CONFIG_HOME="+s.home+"/config")
		return c
	}
	tell := func(args ...string) string {
		out, _ := command(args...).CombinedOutput() // most refuse, as there is no tree
		return string(out)
	}
	var agent bytes.Buffer
	if err := answered(
		command("mcp"), &agent, 2,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brv_search","arguments":{"query":"upload retry budget"}}}
`); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"status": tell("status"), "query": tell("query", "upload retry budget"),
		"mcp": agent.String()} {
		if strings.Contains(out, "net/up") || strings.Contains(out, "1 entry") || !strings.Contains(out, "context tree") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if out := tell("status", "--root", ".."); !strings.Contains(out, "1 entry") {
		t.Errorf("who names the folder has it: %s", out)
	}
}

// Random forged folders are opened each in one face.
func TestForgedFolders(t *testing.T) {
	program := newTraced(t)
	opened := map[string]int{}
	for random := range sampletest.Seeds(t, 10, 1000, nil) {
		seed, s := int(random), newStranger(t, program, random)
		s.forge()
		faces := s.faces()
		names := make([]string, 0, len(faces))
		for name := range faces {
			names = append(names, name)
		}
		slices.Sort(names)
		face := names[seed%len(names)]
		if seed%4 == 1 { // sessions do most
			face = []string{"editor", "agent"}[seed/4%2]
		}
		opened[face]++
		for _, wrong := range faces[face]() {
			t.Errorf("folder %d, %s: %s", seed, face, wrong)
		}
	}
	t.Log("folders:", opened)
}
