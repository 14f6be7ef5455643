package secrets

import (
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"

	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCanariesAreFound(t *testing.T) {
	all := secretstest.Canaries()
	found, kinds := 0, map[string]bool{}
	for _, f := range secretstest.Formats() {
		kinds[f.Rule+f.Around] = true
	}
	for _, c := range all {
		at := strings.Index(c.Text, c.Secret)
		got := Scan(c.Text)
		if len(got) == 1 && got[0].Rule == c.Rule && got[0].At == (Span{at, at + len(c.Secret)}) {
			found++
		} else {
			t.Logf("%s: found %v, want %d-%d in %q", c.Rule, got, at, at+len(c.Secret), c.Text)
		}
	}
	t.Logf("%d of %d secrets in %d formats found, %.1f %%", found, len(all), len(secretstest.Formats()),
		100*float64(found)/float64(len(all)))
	if len(all) < 200 || len(secretstest.Formats()) < 40 || float64(found) < 0.99*float64(len(all)) {
		t.Error("fewer than 99 % of 200 secrets in 40 formats")
	}
}

// What stands for a secret, speaks of one, or only looks like one.
func TestOthersAreNot(t *testing.T) {
	for _, text := range []string{
		"password: ${DB_PASSWORD}", "password: <your password>", "token = os.Getenv(\"TOKEN\")", "API_KEY=your-api-key-here-0001",
		"secret: xxxxxxxxxxxxxxxx",
		"The password must have at least 12 characters.", "The access token expires after 15 minutes: refresh_token_rotation2 is on.",
		"token := tok.Lit2.Value",
		"if password == \"hunter2hunter2\" {", "passwordHash: src/auth/password2/hash3.go", "token: 2026-01-31T10:00:00Z",
		"secretName: my-service-credentials-v2",
		"postgres://user:password@localhost/db", "postgres://${USER}:${PASSWORD}@host/db", "https://host:8080/path@2x.png",
		"http://a/b:c@d",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n" + strings.Repeat("A1b2", 16) + "\n-----END PUBLIC KEY-----",
		"Authorization: Bearer <token>", "sha256: " + strings.Repeat("0a1b2c3d", 8), "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"sk-learn-pipeline-for-classification-of-texts",
		"password:\n  see page 12 of the vault2 manual", "secret:\n  name: db-credentials-v2", "token:\n- auth/jwt2/rotation3.md",
		"Passwords:\n\nat least 12", "token:\n\n\n", "secret:\nfunc Renew2(ctx context.Context)",
		"token: getURLOf2", "token = MyHTTPServer2", "token_count: 1234567",
		"PASS: TestHTTP2Server3x", "--- PASS: TestA1b2c3d4e5f6 (0.01s)", "pass: step2", "PWD=/srv/app2/main", "PWD=$HOME/x1y2z3",
		"DB_PASS=$DB_PASS2", "DB_PASS=\"$2\"", "BYPASS=cache12", "passes=12abcdef", "PASSWORD=password1", "PASS=<a1b2c3>",
		"the password is stored as argon2id", "the password is SHA256-hashed", "its password is sha256",
		"the password is 12 characters long", "The password for it is kept in 1Password", "password is required since 1.2.3",
		"the password is utf8",
		"the token is valid2", "The token of a session is refresh_token_2, see below.", "the password is `${DB_PASSWORD_2}`",
		"password=arg1, user=arg2", "f(user, password=pass2)", "Password: pass1,", "password: string1;", "password := pass.Of1",
		`"password": "string"`, `"password": "user.password2"`, `"password": "my-password-2"`, `"password": "/etc/pass1.txt"`,
		`"pass": true`, `pass = "second"`,
		"https://sub.domain.example2.org/@me", "https://documentation-of-users@example.com/x", "https://user@host/a1b2c3",
		"ssh://git@github.com/a1b2c3d4", "https://packages.example.org/@babel2/core",
		"Basic usage of the parser", "basic authentication", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "a basic idea1234 of it",
		"Authorization: Basic <credentials>",
		"curl -u \"$USER:$PASS\" https://x", "curl -u user:password https://x", "curl -u admin https://x",
		"curl -o out1234 https://x", "docker run -u 1000:1000 x", "mysql -u root -p app", "mysql -uroot -ppassword", "mysql -P3306",
		"mysql -p$PW1234",
		"curl https://x | tar -xz -u abc:d1e2f3", "`curl -u name:token`, `curl`", "curl --user neo4j:[PASSWORD1] http://x",
		"curl -u \"${name}\":\"${password}\"", "curl -u a:'$PW1234' x", "sshpass -p \"$PASS\" ssh h", "docker login -u x -p ${TOKEN}",
		"redis-cli -a <password>",
		"api_key = \"1234567890abcdefghij\"", "token: 0123456789abcdef0123456789abcdef", "password=1234567890", "password: abcdefgh1",
		"SECRET=abcdefghijklmnopqrstuvwxyz012345", "auth token: see authentication/jwt/rotation2.md",
		"the password must be at least 12 characters", "set the password to something long", "password: string", `"token": "next"`,
		"The password must be 12+ characters", "the password should be 8-64chars", "password to sha256",
		"the signing secret must be rotated every 90days", "the auth token 12 times", "a token github.com/a1/b2/c3d4e5f6",
		"token RFC6750-section2.1-bearer3", "secret access key: <40 characters>", "the access key is AccessKeyID2",
		`password = "userPasswordHash"`, `password = "JSONWebTokenURL"`, "password *uint16", "private key is *ed25519.PrivateKey",
		"token at the cursor (this was golang/go#69505)", "token 123e4567-e89b-12d3-a456-426614174000",
		`["ASPasswordCredential", "ASWebAuthenticationSession"]`, `{"go/token", "\x04~\x87\x01@"}`, `{"/etc/passwd", "a\x00.md"}`,
		`("jwt/tokens", "src/sign.go:3-4")`,
		`PASSWORD: "getURLOfHTTPServer"`, `setdefault("password", "field2")`, `["password", "token2"]`,
		`os.Setenv("TOKEN_URL", "next")`, `Setenv("DB_PASSWORD", "${DB_PW_2}")`,
		"Passwort: mindestens 12 Zeichen", "Passwort: siehe Tresor", "Mot de passe oublié ?", "La contraseña es obligatoria",
		"Das Passwort ist falsch", "contraseña: string",
		"with password authentication2", "with password `user_2`", "a user with password hashing via bcrypt2",
		"Login with admin / password", "| admin | Full2Access |", "| root | /var/lib/x1 |", "admin / operator", "root, wheel2!",
		`f("root", "wheel")`,
		"?sig=abc", "&sig=" + strings.Repeat("A", 44), "Cookie: theme=dark; lang=en", "Cookie: session=<64 hex>", "Set-Cookie: sid=" +
			strings.Repeat("x", 40), "a cookie: session=abcdef2",
		"    password: dbPwdStrFmt\n", "password=dbPwdStrFmt",
		"mnemonic: the words that a wallet of yours is made from and nobody else knows", "the mnemonic is short",
		"seed phrase: twelve words", "admin:x1", "admin/Tests2/C++", "root:x:0:0:root:/root:/bin/bash",
		"| field | password |\n|---|---|\n| type | varchar(255) |\n| kept | see vault2 |\n| length | 12-64 |",
		"| password | shown12 |\n| token | hidden34 |", "each is identified by `node12`",
		"with password field2, and password string2", "password - sha256",
		"<password>${db.password2}</password>", "<password>your-password-1</password>", "<token>see vault 2</token>",
		"password - the one of step2 of it", "**Password** `string`", "password -> hash2 of it", "private token<T1>",
		"hf_hub_download(repo_id)", "hf_" + strings.Repeat("a", 40), "use hf_transformers_pipeline_of_text_generation_v2",
		"shf_" + strings.Repeat("Ab1", 12),
		"| password | string | required |", "| password | see vault2 of ops |", "| token | `string12` |", "| password | |",
		"| API key | ${API_KEY_2} |", "| password | 2026-01-31T10:00 |", "the password | sort2uniq3a",
		"| api_key | auth/keys/rotation2.md |",
		"hostname:port:database:username:password", "localhost:5432:app:app:password", "localhost:5432:app:app:${PGPASSWORD}",
		"db:5432:app:app:", "2026-01-31 10:45:30:120:45", "main.go:12:34: undefined: x1y2z3", "2001:10:85a3:a12:370b1",
		"root:x:10:10:root:/root:/bin/bash",
		"00:16:3e:5e:6c:0a", "127.0.0.1:8080:80", "a:10:b:c:word", "10:15:20:25:30:35a", "sha256:1234:abcd:ef:ab", "app:10:f:x:y.go",
		"host:65a:db:user:a1b2c3d4",
		`"ghp_" + token`, `"ghp_" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`, `"ghp_" + strings.Repeat("a", 36)`,
		`{"ghp_", "gho_", "ghu_"}`,
		`passphrase = "enter the passphrase for key"`, `password: "must not contain blanks"`, `"passphrase": "some words in a row"`,
		`passphrase: 'my-service-passphrase-name'`, "passphrase: words that open the vault",
	} {
		if got := Scan(text); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestRedactedTextIsFreeOfSecrets(t *testing.T) {
	for _, c := range secretstest.Canaries() {
		got := Redact(c.Text)
		if strings.Contains(c.Text, "\n"+c.Secret+"\n") && strings.Contains(got, c.Secret) || len(Scan(got)) > 0 {
			t.Errorf("%s: %s", c.Rule, got)
		}
	}
	secret := "AK" + "IA" + strings.Repeat("ABCD", 4)
	if got := Redact(secret + " " + secret); got != "[REDACTED:aws-access-token] [REDACTED:aws-access-token]" {
		t.Errorf("redacted: %s", got)
	}
}

// TestStandardLibraryIsQuiet counts what is taken for a secret in Go's own source, where
// each but the keys of its tests is a mistake.
func TestStandardLibraryIsQuiet(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, statErr := os.Stat(filepath.Join(root, "fmt")); err != nil || statErr != nil {
		t.Skipf("no source of Go's standard library here: %v %v", err, statErr)
	}
	size, rules := 0, map[string]int{}
	var wrong []string
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		raw, err := os.ReadFile(path)
		text := string(raw)
		size += len(text)
		for _, f := range Scan(text) {
			rules[f.Rule]++
			if f.Rule != rulePEM {
				rel, _ := filepath.Rel(root, path)
				wrong = append(wrong, fmt.Sprintf("%s:%d %s %.60q", rel, 1+strings.Count(text[:f.At.Start], "\n"), f.Rule,
					text[f.At.Start:f.At.End]))
			}
		}
		return err
	}
	if err := filepath.WalkDir(root, walk); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, of := range rules {
		n += of
	}
	mb := float64(size) / 1e6
	t.Logf("%d findings in %.1f MB, %.2f for each MB; by rule %v\n%s", n, mb, float64(n)/mb, rules, strings.Join(wrong, "\n"))
	if float64(n) > 0.5*mb {
		t.Error("over 0.5 for each MB")
	}
}

// Hostile texts cost what plain ones do, within a small factor: what a rule looks at is
// bounded.
func BenchmarkScan(b *testing.B) {
	const size = 1 << 20
	repeated := func(s string) string { return strings.Repeat(s, size/len(s)) }
	prose := "The session cookie is renewed on each request; see @auth/session/cookies.md for the token's lifetime.\nfunc (s " +
		"*Store) Renew(ctx context.Context, id string) error {\n"
	for _, c := range []struct{ name, text string }{
		{"prose", repeated(prose)},
		{"assignments", repeated("password=")}, {"armour", repeated("-----BEGIN PRIVATE KEY-----")}, {"addresses", repeated("a://b:c")},
		{"web tokens", repeated("eyJhbGciOiJIUzI1NiJ9.")}, {"bearers", repeated("bearer ")}, {"dashes", repeated("sk-")},
		{"machines", repeated("machine a ")},
		{"zeros", repeated("\x00")}, {"one prefix", "github_pat_" + repeated("a")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				Scan(c.text)
			}
		})
	}
}

// BenchmarkThroughput reads this project's documents and code of Go's standard library. MB/s
// is of processor time, as the machine may be shared, and "of_counting" is that against
// bytes.Count of one byte in the same run, which shows what memory gives.
func BenchmarkThroughput(b *testing.B) {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	for name, pattern := range map[string]string{"prose": "../../docs/*.md", "code": filepath.Join(strings.TrimSpace(string(out)),
		"src/net/http/*.go")} {
		files, _ := filepath.Glob(pattern)
		var all []byte
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, data...)
		}
		text := string(all)
		b.Run(name, func(b *testing.B) {
			if text == "" {
				b.Skip("nothing to read")
			}
			var scanning, counting time.Duration
			n := 0
			for b.Loop() {
				begin := processorTime()
				Scan(text)
				middle := processorTime()
				for range 20 { // one is too short to be timed
					n += bytes.Count(all, []byte{'e'})
				}
				scanning, counting = scanning+middle-begin, counting+processorTime()-middle
			}
			mb := float64(len(text)) / 1e6 * float64(b.N)
			b.ReportMetric(mb/scanning.Seconds(), "MB/cpu-s")
			b.ReportMetric(counting.Seconds()/20/scanning.Seconds(), "of_counting")
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, c := range secretstest.Canaries()[:40] {
		f.Add(c.Text)
	}
	f.Add("password=" + "://:@-----BEGIN PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range Scan(text) {
			if found.Rule == "" || found.At.Start < end || found.At.End <= found.At.Start || found.At.End > len(text) {
				t.Fatalf("%v in %q", found, text)
			}
			end = found.At.End
		}
		Redact(text)
	})
}

// A credential is found as a part of an identifier too, where it can be one.
func TestCredentialsWithinIdentifiers(t *testing.T) {
	github, aws, stripe := "gh"+"p_"+"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6", "AK"+"IA"+"Q3EGRIZ7MXLTNVWP",
		"sk"+"_live_"+"aB3dE6gH9jK2mN5pQ8sT1vW4"
	for _, c := range []struct{ around, secret string }{
		{"const key_% = 1", github}, {"func Test_%_old() {}", github}, {"%_test", github}, {"my__%", github}, {"KEY_%", aws}, {"keyOf%", aws},
		{"KEY_%_2", aws}, {"use_%", stripe}, {"a.key_%.b", stripe},
	} {
		text := strings.ReplaceAll(c.around, "%", c.secret)
		if got := Redact(text); strings.Contains(got, c.secret) {
			t.Errorf("%s is shown", got)
		}
	}
	for _, text := range []string{
		"cache_key-0123a5678b9abcdef0c23456d89ab8de", "a_sk-" + strings.Repeat("Ab1c", 12), "FOO" + aws, "x" + github,
	} {
		if got := Redact(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}
