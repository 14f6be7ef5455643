package secrets

import (
	"strings"
	"sync"
)

// A rule recognises secrets by their beginning. The expression is tried at each occurrence of one of the words.
// The secret is the expression's first group, or else the whole match.
type rule struct {
	name  string
	words string // separated by spaces, each at least three bytes; letter case counts
	expr  string
}

// The formats that vendors document, or that their own scanners publish.
var vendors = []rule{
	{"aws-access-token", "AKIA ASIA ABIA ACCA", `A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}`},
	{"github-token", "ghp_ gho_ ghu_ ghs_ ghr_", `gh[pousr]_[A-Za-z0-9]{36,}`},
	{"github-fine-grained-token", "github_pat_", `github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`},
	{"gitlab-token", "glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glagent-", `gl(?:pat|dt|rt|ptt|cbt|soat|ft|agent)-[\w-]{20,}`},
	{"slack-token", "xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xapp-", `x(?:ox[abposre]|app)-[0-9A-Za-z][\w-]{18,}`},
	{"slack-webhook", "hooks.slack.com/", `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,})`},
	{"stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", `(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{24,}`},
	{"google-api-key", "AIza", `AIza[\w-]{35}`},
	{"google-oauth", "GOCSPX- ya29.", `(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{30,})`},
	{"openai-key", "sk-", `sk-(?:(?:proj|svcacct|admin)-[\w-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})`},
	{"anthropic-key", "sk-ant-", `sk-ant-[a-z]+[0-9]{2}-[\w-]{80,}`},
	{"sendgrid-key", "SG.", `SG\.[\w-]{22}\.[\w-]{43}`},
	{"twilio-key", "SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf", `SK[0-9a-f]{32}`},
	{"mailgun-key", "key-", `key-[0-9a-f]{32}`},
	{"npm-token", "npm_", `npm_[A-Za-z0-9]{36}`},
	{"pypi-token", "pypi-AgE", `pypi-AgE[\w-]{60,}`},
	{"rubygems-key", "rubygems_", `rubygems_[0-9a-f]{48}`},
	{"crates-token", "cio", `cio[A-Za-z0-9]{32}`},
	{"nuget-key", "oy2", `oy2[a-z0-9]{43}`},
	{"docker-token", "dckr_pat_ dckr_oat_", `dckr_[po]at_[\w-]{27,}`},
	{"digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `do[por]_v1_[0-9a-f]{64}`},
	{"shopify-token", "shpat_ shpca_ shppa_ shpss_", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`},
	{"square-token", "sq0atp- sq0csp-", `sq0(?:atp|csp)-[\w-]{22,43}`},
	{"databricks-token", "dapi", `dapi[0-9a-f]{32}(?:-\d)?`},
	{"vault-token", "hvs. hvb. hvr.", `hv[sbr]\.[\w-]{24,}`},
	{"terraform-token", ".atlasv1.", `\.atlasv1\.[\w-]{60,}`},
	{"heroku-key", "HRKU-", `HRKU-[\w-]{36,}`},
	{"linear-key", "lin_api_ lin_oauth_", `lin_(?:api|oauth)_[A-Za-z0-9]{40,}`},
	{"notion-token", "ntn_", `ntn_[A-Za-z0-9]{40,}`},
	{"figma-token", "figd_", `figd_[\w-]{40}`},
	{"airtable-token", "pat", `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`},
	{"postman-key", "PMAK-", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
	{"newrelic-key", "NRAK- NRJS- NRII-", `NR(?:AK-[A-Z0-9]{27}|JS-[0-9a-f]{19}|II-[\w-]{32})`},
	{"grafana-token", "glsa_ glc_", `(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})`},
	{"sentry-token", "sntrys_ sntryu_", `(?:sntrys_eyJ[\w+/=]{40,}|sntryu_[0-9a-f]{64})`},
	{"huggingface-token", "hf_ api_org_", `(?:hf|api_org)_[A-Za-z0-9]{34,}`},
	{"replicate-token", "r8_", `r8_[A-Za-z0-9]{37}`},
	{"groq-key", "gsk_", `gsk_[A-Za-z0-9]{52}`},
	{"perplexity-key", "pplx-", `pplx-[A-Za-z0-9]{48}`},
	{"xai-key", "xai-", `xai-[A-Za-z0-9]{80}`},
	{"planetscale-token", "pscale_", `pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}`},
	{"supabase-token", "sbp_", `sbp_[0-9a-f]{40}`},
	{"doppler-token", "dp.pt. dp.st. dp.ct. dp.sa.", `dp\.(?:pt|ct|sa|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}`},
	{"dynatrace-token", "dt0c01. dt0s01.", `dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}`},
	{"atlassian-token", "ATATT3", `ATATT3[\w=-]{60,250}`},
	{"azure-storage-key", "AccountKey=", `AccountKey=([A-Za-z0-9+/]{86}==)`},
	{"azure-signature", "&sig= ?sig=", `[&?]sig=([A-Za-z0-9%+/]{43,64}=?)`},
	{"telegram-token", ":AA", `:(AA[\w-]{33})`},
	{"discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
		`discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([\w-]{60,})`},
	{"age-key", "AGE-SECRET-KEY-1", `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`},
	{"fly-token", "fm2_ fo1_", `(?:fm2_[A-Za-z0-9+/]{60,}={0,2}|fo1_[\w-]{43})`},
	{"jwt", "eyJ", `eyJ[\w-]{12,}\.eyJ[\w-]{12,}\.[\w-]{16,}`},
}

// word is one possible beginning of a rule's secrets.
type word struct {
	text string
	// match returns the place of the secret in a text that contains the word at a position.
	match func(text string, at int) (Finding, bool)
	fold  bool // letter case does not count
}

// stands reports whether the word is at a position.
func (w *word) stands(text string, at int) bool {
	end := at + len(w.text)
	return end <= len(text) && (text[at:end] == w.text || w.fold && strings.EqualFold(text[at:end], w.text))
}

// words holds all words: a filter over hashes of three bytes, which ignore letter case, and the words with each
// hash.
type words struct {
	filter [1 << 15 / 64]uint64
	words  [1 << 15][]*word
}

// table is made when the first text is scanned. An expression is compiled when one of its words first occurs.
var table = sync.OnceValue(newTable)

func newTable() *words {
	t := new(words)
	for _, r := range vendors {
		expr := newForm(r.expr)
		for text := range strings.FieldsSeq(r.words) {
			t.add(&word{text: text, match: known(r.name, expr)})
		}
	}
	t.add(&word{text: pemBegin, match: privateKey})
	t.add(&word{text: "://", match: address})
	t.add(&word{text: "machine ", match: netrc})
	for _, port := range []string{"*", postgresPort} {
		t.add(&word{text: ":" + port + ":", match: pgpass})
	}
	for i := range programs {
		t.add(&word{text: programs[i].name, match: programs[i].match})
	}
	for _, text := range []string{"bearer ", "basic "} {
		t.add(&word{text: text, fold: true, match: header})
	}
	for _, text := range assignedWords {
		t.add(&word{text: text, fold: true, match: assigned(text, false)})
	}
	for _, text := range passwordWords {
		t.add(&word{text: text, fold: true, match: assigned(text, true)})
	}
	t.add(&word{text: "pass", fold: true, match: pass})
	for _, text := range []string{"requirepass ", "IDENTIFIED BY "} { // of Redis and SQL
		t.add(&word{text: text, match: behind(text)})
	}
	return t
}

func (t *words) add(w *word) {
	hash := uint32(0)
	for i := range 3 {
		hash = hash<<5 | uint32(w.text[i]&31)
	}
	t.filter[hash>>6] |= 1 << (hash & 63)
	t.words[hash] = append(t.words[hash], w)
}

// known returns the match function of an expression. A word character directly before or after the secret means
// that it is something else. But a secret of word characters alone may be part of an identifier (key_ghp_…,
// keyAKIA…).
func known(name string, expr form) func(string, int) (Finding, bool) {
	return func(text string, at int) (Finding, bool) {
		joined := false // to the rest of an identifier
		if first := text[at]; isWord(first) && at > 0 && (isWord(text[at-1]) || text[at-1] == '-') {
			before := text[at-1]
			if joined = before == '_' || isLower(before) && isUpper(first); !joined {
				return Finding{}, false
			}
		}
		near := text[at:min(len(text), at+maxSecret)]
		from, to, _, ok := expr.match(near)
		if !ok || placeholder(near[from:to]) {
			return Finding{}, false
		}
		if end := at + to; end < len(text) && isWord(text[end]) {
			if text[end] != '_' {
				return Finding{}, false
			}
			joined = true
		}
		if joined && strings.ContainsFunc(near[:to], func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) }) {
			return Finding{}, false
		}
		return Finding{name, Span{at + from, at + to}}, true
	}
}
