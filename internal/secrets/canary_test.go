package secrets

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
	alnum    = alphabet + digits
	urlsafe  = alnum + "-_"
	base32   = uppers + "234567"
)

// maker draws random texts.
type maker struct{ *rand.Rand }

func (m maker) of(chars string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[m.IntN(len(chars))]
	}
	return string(b)
}

// password has letters of both cases and digits.
func (m maker) password(n int) string { return m.of(lowers, 2) + m.of(alnum, n-4) + m.of(digits, 2) }

// canary is a secret, the rule that finds it, and what stands around it.
type canary struct{ rule, text, secret string }

// format makes canaries of one kind.
type format struct {
	rule   string
	secret func(maker) string
	around string // with %s for the secret
}

// prefixed is a format of a prefix and a random rest.
func prefixed(rule, prefix, chars string, n int) format {
	return format{rule, func(m maker) string { return prefix + m.of(chars, n) }, "%s"}
}

// password is a password in some notation.
func password(rule string, n int, around string) format {
	return format{rule, func(m maker) string { return m.password(n) }, around}
}

func formats() []format {
	return []format{
		prefixed("aws-access-token", "AK"+"IA", base32, 16), prefixed("aws-access-token", "AS"+"IA", base32, 16),
		prefixed("github-token", "gh"+"p_", alnum, 36), prefixed("github-token", "gh"+"s_", alnum, 36),
		{"github-fine-grained-token", func(m maker) string { return "github_" + "pat_" + m.of(alnum, 22) + "_" + m.of(alnum, 59) }, "%s"},
		prefixed("gitlab-token", "gl"+"pat-", urlsafe, 20), prefixed("gitlab-token", "gl"+"rt-", urlsafe, 20),
		{"slack-token", func(m maker) string {
			return "xo" + "xb-" + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.of(alnum, 24)
		}, "%s"},
		{"slack-webhook", func(m maker) string { return "T" + m.of(uppers, 8) + "/B" + m.of(uppers, 10) + "/" + m.of(alnum, 24) }, "https://hooks.slack." + "com/services/%s"},
		prefixed("stripe-key", "sk_"+"live_", alnum, 24), prefixed("stripe-key", "rk_"+"test_", alnum, 40), prefixed("stripe-key", "wh"+"sec_", alnum, 32),
		prefixed("google-api-key", "AI"+"za", urlsafe, 35), prefixed("google-oauth", "GOC"+"SPX-", urlsafe, 28),
		prefixed("openai-key", "sk-"+"proj-", alnum, 60), prefixed("openai-key", "s"+"k-", alnum, 48),
		prefixed("anthropic-key", "sk-"+"ant-api03-", urlsafe, 93),
		{"sendgrid-key", func(m maker) string { return "S" + "G." + m.of(urlsafe, 22) + "." + m.of(urlsafe, 43) }, "%s"},
		prefixed("twilio-key", "S"+"K", hexes, 32), prefixed("mailgun-key", "ke"+"y-", hexes, 32), prefixed("npm-token", "np"+"m_", alnum, 36),
		prefixed("pypi-token", "py"+"pi-AgEIcHlwaS5vcmc", urlsafe, 80), prefixed("rubygems-key", "ruby"+"gems_", hexes, 48), prefixed("crates-token", "ci"+"o", alnum, 32),
		prefixed("nuget-key", "oy"+"2", lowers+digits, 43), prefixed("docker-token", "dckr_"+"pat_", urlsafe, 27), prefixed("digitalocean-token", "do"+"p_v1_", hexes, 64),
		prefixed("shopify-token", "sh"+"pat_", hexes, 32), prefixed("square-token", "sq0"+"csp-", urlsafe, 43), prefixed("databricks-token", "da"+"pi", hexes, 32),
		prefixed("vault-token", "hv"+"s.", urlsafe, 90), prefixed("heroku-key", "HR"+"KU-", urlsafe, 60), prefixed("linear-key", "lin_"+"api_", alnum, 40),
		{"terraform-token", func(m maker) string { return ".atlas" + "v1." + m.of(urlsafe, 67) }, "x%s"},
		prefixed("notion-token", "nt"+"n_", alnum, 46), prefixed("figma-token", "fi"+"gd_", urlsafe, 40),
		{"airtable-token", func(m maker) string { return "pa" + "t" + m.of(alnum, 14) + "." + m.of(hexes, 64) }, "%s"},
		{"postman-key", func(m maker) string { return "PM" + "AK-" + m.of(hexes, 24) + "-" + m.of(hexes, 34) }, "%s"},
		prefixed("newrelic-key", "NR"+"AK-", uppers+digits, 27),
		{"grafana-token", func(m maker) string { return "gl" + "sa_" + m.of(alnum, 32) + "_" + m.of(hexes, 8) }, "%s"},
		prefixed("sentry-token", "sntry"+"u_", hexes, 64), prefixed("huggingface-token", "h"+"f_", alphabet, 34), prefixed("replicate-token", "r"+"8_", alnum, 37),
		prefixed("groq-key", "gs"+"k_", alnum, 52), prefixed("perplexity-key", "pp"+"lx-", alnum, 48), prefixed("xai-key", "xa"+"i-", alnum, 80),
		prefixed("planetscale-token", "pscale_"+"pw_", urlsafe, 43), prefixed("supabase-token", "sb"+"p_", hexes, 40), prefixed("doppler-token", "dp."+"pt.", alnum, 43),
		{"dynatrace-token", func(m maker) string { return "dt0" + "c01." + m.of(base32, 24) + "." + m.of(base32, 64) }, "%s"},
		prefixed("atlassian-token", "ATA"+"TT3", urlsafe, 180),
		{"azure-storage-key", func(m maker) string { return m.of(alnum+"+/", 86) + "==" }, "DefaultEndpointsProtocol=https;AccountName=a;Account" + "Key=%s;EndpointSuffix=core.windows.net"},
		{"telegram-token", func(m maker) string { return "A" + "A" + m.of(urlsafe, 33) }, "1234567890:%s"},
		{"discord-webhook", func(m maker) string { return m.of(urlsafe, 68) }, "https://discord." + "com/api/webhooks/123456789012345678/%s"},
		prefixed("age-key", "AGE-"+"SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), prefixed("fly-token", "fm"+"2_", alnum, 100),
		{"jwt", func(m maker) string {
			return "ey" + "J" + m.of(alnum, 33) + ".ey" + "J" + m.of(alnum, 70) + "." + m.of(urlsafe, 43)
		}, "%s"},
		{"private-key", pem("RSA PRIVATE KEY", "\n"), "%s"}, {"private-key", pem("PRIVATE KEY", `\n`), `"key": "%s"`}, {"private-key", pem("OPENSSH PRIVATE KEY", "\r\n"), "%s"},
		password("url-credentials", 10, "postgres://app:%s@db.internal:5432/main"), password("url-credentials", 6, "mongodb+srv://root:%s@cluster0.mongodb.net"),
		password("url-credentials", 14, "https://deploy:%s@git.internal/repo.git"), password("url-credentials", 12, "redis://:%s@10.0.0.1:6379"),
		password("assigned-secret", 14, "password = %q"), password("assigned-secret", 16, "DB_PASSWORD=%s"), password("assigned-secret", 12, "password: %s"),
		password("assigned-secret", 24, `"clientSecret": "%s",`), password("assigned-secret", 40, "aws_secret_access_key = %s"), password("assigned-secret", 32, "export API_TOKEN='%s'"),
		password("assigned-secret", 20, "- **API key**: `%s`"), password("assigned-secret", 12, "spring.datasource.password=%s"), password("assigned-secret", 32, "--token=%s"),
		password("assigned-secret", 16, "machine git.internal login bot password %s"), password("assigned-secret", 28, "const encryption_key := \"%s\""), password("assigned-secret", 20, "passphrase => '%s'"),
		password("assigned-secret", 14, "password:\n  %s"), password("assigned-secret", 16, "db:\r\n  client_secret:\r\n    %s"), password("assigned-secret", 20, "api_key: |\n  %s"),
		password("assigned-secret", 14, "**Password:**\n%s"), password("assigned-secret", 24, "token:\n\t\"%s\""),
		password("authorization-header", 40, "Authorization: Bearer %s"),
		{"authorization-header", func(m maker) string { return base64.StdEncoding.EncodeToString([]byte("deploy:" + m.password(14))) }, `-H "Authorization: Basic %s"`},
	}
}

// pem makes a private key in armour.
func pem(kind, eol string) func(maker) string {
	return func(m maker) string {
		var b strings.Builder
		b.WriteString("-----BEGIN " + kind + "-----" + eol)
		for range 8 {
			b.WriteString(m.of(alnum+"+/", 64) + eol)
		}
		return b.String() + "-----END " + kind + "-----"
	}
}

// canaries makes four secrets of each format, each in prose.
func canaries() []canary {
	m := maker{rand.New(rand.NewPCG(7, 9))}
	var out []canary
	for _, f := range formats() {
		for range 4 {
			secret := f.secret(m)
			text := fmt.Sprintf(f.around, secret)
			out = append(out, canary{f.rule, "Before it stands a line.\n\n" + text + "\nand behind it another.\n", secret})
		}
	}
	return out
}
