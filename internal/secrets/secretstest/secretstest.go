// Package secretstest makes credentials of all formats that package secrets knows, for tests of
// whatever must not keep, send or show one.
package secretstest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Alphabets of random parts. No secret stands in this file: each is put together when
// the tests run.
const (
	digits   = "0123456789"
	hexes    = digits + "abcdef"
	lowers   = "abcdefghijklmnopqrstuvwxyz"
	uppers   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alphabet = lowers + uppers
	// Alnum are the letters and digits.
	Alnum   = alphabet + digits
	URLSafe = Alnum + "-_"
	base32  = uppers + "234567"
)

// Maker draws random texts.
type Maker struct{ *rand.Rand }

// Of draws n of the characters.
func (m Maker) Of(chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[m.IntN(len(chars))]
	}
	return string(b)
}

// password has letters of both cases and digits.
func (m Maker) password(n int) string { return m.Of(lowers, 2) + m.Of(Alnum, n-4) + m.Of(digits, 2) }

// Canary is a made-up credential: the rule that finds it, a text that it stands in, and itself.
type Canary struct{ Rule, Text, Secret string }

// Format makes canaries of one kind.
type Format struct {
	Rule   string
	Secret func(Maker) string
	Around string // with %s for the secret
}

// prefixed is a format of a prefix and a random rest.
func prefixed(rule, prefix, chars string, n int) Format {
	return Format{rule, func(m Maker) string { return prefix + m.Of(chars, n) }, "%s"}
}

// password is a password in some notation.
func password(rule string, n int, around string) Format {
	return Format{rule, func(m Maker) string { return m.password(n) }, around}
}

// short is a password as people choose them: a word and a number.
func short(around string) Format {
	return Format{"assigned-secret", func(m Maker) string { return m.Of(lowers, 6) + m.Of(digits[1:], 1) }, around}
}

// Formats are all kinds.
func Formats() []Format {
	return []Format{
		prefixed("aws-access-token", "AK"+"IA", base32, 16), prefixed("aws-access-token", "AS"+"IA", base32, 16),
		prefixed("github-token", "gh"+"p_", Alnum, 36), prefixed("github-token", "gh"+"s_", Alnum, 36),
		{"github-fine-grained-token", func(m Maker) string { return "github_" + "pat_" + m.Of(Alnum, 22) + "_" + m.Of(Alnum, 59) }, "%s"},
		prefixed("gitlab-token", "gl"+"pat-", URLSafe, 20), prefixed("gitlab-token", "gl"+"rt-", URLSafe, 20),
		{"slack-token", func(m Maker) string {
			return "xo" + "xb-" + m.Of(digits, 12) + "-" + m.Of(digits, 12) + "-" + m.Of(Alnum, 24)
		}, "%s"},
		{"slack-webhook", func(m Maker) string { return "T" + m.Of(uppers, 8) + "/B" + m.Of(uppers, 10) + "/" + m.Of(Alnum, 24) },
			"https://hooks.slack." + "com/services/%s"},
		prefixed("stripe-key", "sk_"+"live_", Alnum, 24), prefixed("stripe-key", "rk_"+"test_", Alnum, 40),
		prefixed("stripe-key", "wh"+"sec_", Alnum, 32),
		prefixed("google-api-key", "AI"+"za", URLSafe, 35), prefixed("google-oauth", "GOC"+"SPX-", URLSafe, 28),
		prefixed("openai-key", "sk-"+"proj-", Alnum, 60), prefixed("openai-key", "s"+"k-", Alnum, 48),
		prefixed("anthropic-key", "sk-"+"ant-api03-", URLSafe, 93),
		{"sendgrid-key", func(m Maker) string { return "S" + "G." + m.Of(URLSafe, 22) + "." + m.Of(URLSafe, 43) }, "%s"},
		prefixed("twilio-key", "S"+"K", hexes, 32), prefixed("mailgun-key", "ke"+"y-", hexes, 32),
		prefixed("npm-token", "np"+"m_", Alnum, 36),
		prefixed("pypi-token", "py"+"pi-AgEIcHlwaS5vcmc", URLSafe, 80), prefixed("rubygems-key", "ruby"+"gems_", hexes, 48),
		prefixed("crates-token", "ci"+"o", Alnum, 32),
		prefixed("nuget-key", "oy"+"2", lowers+digits, 43), prefixed("docker-token", "dckr_"+"pat_", URLSafe, 27),
		prefixed("digitalocean-token", "do"+"p_v1_", hexes, 64),
		prefixed("shopify-token", "sh"+"pat_", hexes, 32), prefixed("square-token", "sq0"+"csp-", URLSafe, 43),
		prefixed("databricks-token", "da"+"pi", hexes, 32),
		prefixed("vault-token", "hv"+"s.", URLSafe, 90), prefixed("heroku-key", "HR"+"KU-", URLSafe, 60),
		prefixed("linear-key", "lin_"+"api_", Alnum, 40),
		{"terraform-token", func(m Maker) string { return ".atlas" + "v1." + m.Of(URLSafe, 67) }, "x%s"},
		prefixed("notion-token", "nt"+"n_", Alnum, 46), prefixed("figma-token", "fi"+"gd_", URLSafe, 40),
		{"airtable-token", func(m Maker) string { return "pa" + "t" + m.Of(Alnum, 14) + "." + m.Of(hexes, 64) }, "%s"},
		{"postman-key", func(m Maker) string { return "PM" + "AK-" + m.Of(hexes, 24) + "-" + m.Of(hexes, 34) }, "%s"},
		prefixed("newrelic-key", "NR"+"AK-", uppers+digits, 27),
		{"grafana-token", func(m Maker) string { return "gl" + "sa_" + m.Of(Alnum, 32) + "_" + m.Of(hexes, 8) }, "%s"},
		prefixed("sentry-token", "sntry"+"u_", hexes, 64), prefixed("huggingface-token", "h"+"f_", alphabet, 34),
		prefixed("replicate-token", "r"+"8_", Alnum, 37),
		prefixed("groq-key", "gs"+"k_", Alnum, 52), prefixed("perplexity-key", "pp"+"lx-", Alnum, 48),
		prefixed("xai-key", "xa"+"i-", Alnum, 80),
		prefixed("planetscale-token", "pscale_"+"pw_", URLSafe, 43), prefixed("supabase-token", "sb"+"p_", hexes, 40),
		prefixed("doppler-token", "dp."+"pt.", Alnum, 43),
		{"dynatrace-token", func(m Maker) string { return "dt0" + "c01." + m.Of(base32, 24) + "." + m.Of(base32, 64) }, "%s"},
		prefixed("atlassian-token", "ATA"+"TT3", URLSafe, 180),
		{"azure-storage-key", func(m Maker) string { return m.Of(Alnum+"+/", 86) + "==" },
			"DefaultEndpointsProtocol=https;AccountName=a;Account" + "Key=%s;EndpointSuffix=core.windows.net"},
		{"telegram-token", func(m Maker) string { return "A" + "A" + m.Of(URLSafe, 33) }, "1234567890:%s"},
		{"discord-webhook", func(m Maker) string { return m.Of(URLSafe, 68) }, "https://discord." +
			"com/api/webhooks/123456789012345678/%s"},
		prefixed("age-key", "AGE-"+"SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), prefixed("fly-token", "fm"+"2_", Alnum, 100),
		{"jwt", func(m Maker) string {
			return "ey" + "J" + m.Of(Alnum, 33) + ".ey" + "J" + m.Of(Alnum, 70) + "." + m.Of(URLSafe, 43)
		}, "%s"},
		{"private-key", pem("RSA PRIVATE KEY", "\n"), "%s"}, {"private-key", pem("PRIVATE KEY", `\n`), `"key": "%s"`},
		{"private-key", pem("OPENSSH PRIVATE KEY", "\r\n"), "%s"},
		password("url-credentials", 10, "postgres://app:%s@db.internal:5432/main"),
		password("url-credentials", 6, "mongodb+srv://root:%s@cluster0.mongodb.net"),
		password("url-credentials", 14, "https://deploy:%s@git.internal/repo.git"),
		password("url-credentials", 12, "redis://:%s@10.0.0.1:6379"),
		password("assigned-secret", 14, "password = %q"), password("assigned-secret", 16, "DB_PASSWORD=%s"),
		password("assigned-secret", 12, "password: %s"),
		password("assigned-secret", 24, `"clientSecret": "%s",`), password("assigned-secret", 40, "aws_secret_access_key = %s"),
		password("assigned-secret", 32, "export API_TOKEN='%s'"),
		password("assigned-secret", 20, "- **API key**: `%s`"), password("assigned-secret", 12, "spring.datasource.password=%s"),
		password("assigned-secret", 32, "--token=%s"),
		password("assigned-secret", 16, "machine git.internal login bot password %s"),
		password("assigned-secret", 28, "const encryption_key := \"%s\""), password("assigned-secret", 20, "passphrase => '%s'"),
		password("assigned-secret", 14, "password:\n  %s"), password("assigned-secret", 16, "db:\r\n  client_secret:\r\n    %s"),
		password("assigned-secret", 20, "api_key: |\n  %s"),
		password("assigned-secret", 14, "**Password:**\n%s"), password("assigned-secret", 24, "token:\n\t\"%s\""),
		password("assigned-secret", 12, "PASS=%s"), password("assigned-secret", 8, "export DB_PASS=%s"),
		password("assigned-secret", 7, "FTP_PASSWD='%s'"), password("assigned-secret", 9, "SMTP_PWD=%s"),
		password("assigned-secret", 6, "docker run -e MYSQL_PASSWORD=%s mysql:8"),
		password("assigned-secret", 7, `{"user": "app", "password": "%s"}`), password("assigned-secret", 8, `"db_pass": "%s",`),
		short("smtp_password: %s"), short(`password = "%s"`), short("MYSQL_ROOT_PASSWORD=%s"), short("The root password is %s."),
		password("assigned-secret", 32, "our API token is %s"),
		{"assigned-secret", func(m Maker) string { return m.password(6) + "&" + m.password(8) }, "DB_PASSWORD=%s"},
		{"assigned-secret", func(m Maker) string { return m.password(6) + "&" + m.password(8) }, "password: %s"},
		{"assigned-secret", func(m Maker) string { return "K" + m.Of(lowers, 5) + "1234567890!" }, "password = %q"},
		{"github-token", func(m Maker) string { return "gh" + "p_" + m.Of(Alnum, 24) + "abcdefgh1234" }, "%s"},
		{"assigned-secret", func(m Maker) string { return m.Of(hexes, 20) + "0123456789" + m.Of(hexes, 20) }, `api_key = "%s"`},
		password("url-credentials", 40, "git clone https://%s@git.internal/app.git"),
		password("url-credentials", 20, "https://%s:x-oauth-basic@git.internal/app.git"),
		password("command-line-secret", 9, "curl -u deploy:%s https://api.internal/v1"),
		password("command-line-secret", 6, "curl -sS \\\n  --user 'deploy:%s' https://api.internal/v1"),
		password("command-line-secret", 8, "$ curl -fsSL -H \"Accept: text/plain\" -udeploy:%s https://api.internal"),
		password("command-line-secret", 10, "mysql -h db.internal -u root -p%s app"),
		password("command-line-secret", 10, "mysqldump -uroot -p'%s' --all-databases"),
		password("command-line-secret", 10, "sshpass -p %s ssh root@db1"),
		password("command-line-secret", 24, "redis-cli -h cache -a %s ping"),
		password("command-line-secret", 20, "docker login -u bot -p %s registry.internal"),
		{"authorization-header", func(m Maker) string { return base64.StdEncoding.EncodeToString([]byte("admin:" + m.password(5))) },
			"Authorization: Basic %s"},
		{"authorization-header", func(m Maker) string {
			return base64.RawStdEncoding.EncodeToString([]byte("ci:" + m.password(9)))
		}, "curl -H 'Authorization: Basic %s' https://api.internal"},
		password("authorization-header", 40, "Authorization: Bearer %s"),
		password("assigned-secret", 10, `os.Setenv("DB_PASSWORD", "%s")`),
		password("assigned-secret", 10, `os.environ.setdefault('DB_PASSWORD', '%s')`),
		password("assigned-secret", 40, `t.Setenv("API_TOKEN", "%s")`),
		password("assigned-secret", 40, "secret access key: %s"), password("assigned-secret", 40, "The AWS secret access key is %s."),
		short("User `root` with password `%s`"), short("requirepass %s"), short("CREATE USER app IDENTIFIED BY '%s'"),
		short("<password>%s</password>"), password("assigned-secret", 24, "<clientSecret>%s</clientSecret>"),
		short(`<add key="Password" value="%s" />`),
		short("Passwort: %s"), short("Mot de passe : `%s`"), short("Mot de passe\u00a0: %s"),
		{"azure-signature", func(m Maker) string { return "%2F" + m.Of(Alnum, 40) + "%3D" },
			"https://a.blob.core.windows.net/c?sv=2022-11-02&sr=c&sig=%s"},
		{"assigned-secret", func(m Maker) string { return m.Of(hexes, 64) }, "Cookie: theme=dark; sessionid=%s"},
		{"assigned-secret", func(m Maker) string { return m.Of(lowers+digits, 26) }, "Set-Cookie: PHPSESSID=%s; path=/"},
		short("nats server report --user admin --password %s"), short("Connect -User app -Password %s"),
		short("ALTER USER app WITH PASSWORD '%s';"), password("assigned-secret", 24, "deploy --token %s --dry-run"),
		prefixed("huggingface-token", "h"+"f_", alphabet, 34), prefixed("huggingface-token", "h"+"f_", Alnum, 34),
		password("assigned-secret", 16, "*:*:*:root:%s\n"), short("```\nlocalhost:5432:app:app:%s\n```"),
		{"assigned-secret", func(m Maker) string { return m.Of(lowers, 9) }, "`db:5432:*:app:%s`"},
		{"assigned-secret", func(m Maker) string { return m.password(8) + `\:` + m.Of(lowers, 4) }, "10.0.0.7:5432:app:deploy:%s"},
		{"authorization-header", func(m Maker) string {
			return base64.StdEncoding.EncodeToString(
				[]byte("deploy:" + m.password(14)))
		}, `-H "Authorization: Basic %s"`},
	}
}

// pem makes a private key in armour.
func pem(kind, eol string) func(Maker) string {
	return func(m Maker) string {
		var b strings.Builder
		b.WriteString("-----BEGIN " + kind + "-----" + eol)
		for range 8 {
			b.WriteString(m.Of(Alnum+"+/", 64) + eol)
		}
		return b.String() + "-----END " + kind + "-----"
	}
}

// Canaries are four secrets of each format, each in prose; the same in each run.
func Canaries() []Canary {
	m := Maker{rand.New(rand.NewPCG(7, 9))}
	var out []Canary
	for _, f := range Formats() {
		for range 4 {
			secret := f.Secret(m)
			text := fmt.Sprintf(f.Around, secret)
			out = append(out, Canary{f.Rule, "Before it stands a line.\n\n" + text + "\nand behind it another.\n", secret})
		}
	}
	return out
}
