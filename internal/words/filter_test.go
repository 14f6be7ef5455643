package words

import (
	"testing"
)

// TestSeekFindsWhatScanFinds looks for each term of a text with a filter of that
// term alone: nothing that a full scan finds may be passed over.
func TestSeekFindsWhatScanFinds(t *testing.T) {
	for _, text := range []string{
		"Dying skies, lying ties: the users' retryBudget isn't HTTPServer_v2.",
		"XMFloat2Extensions and utf8 base64 k8s 1.23 3d_model IDs",
		"naïve café Ångström l'état ’quoted’ don’t RÉSUMÉ ＦＵＬＬ",
		"auth/jwt-refresh a::b c:d e.f \\path\\to 検索 トークン mixed日本text",
		"it's O'Neil's x'y a' 'b",
	} {
		checkSeek(t, text)
	}
}

func checkSeek(t *testing.T, text string) {
	t.Helper()
	var s Scanner
	all := map[string]int{}
	s.Scan(text, func(tok Token) { all[tok.Term]++ })
	for term, n := range all {
		p := new(Filter)
		p.Add(term)
		found := 0
		s.Seek(text, p, func(tok Token) {
			if tok.Term == term {
				found++
			}
		})
		if found != n {
			t.Errorf("%q: found %q %d times, want %d", text, term, found, n)
		}
	}
}

func FuzzSeek(f *testing.F) {
	f.Add("Dying skies: retryBudget isn't HTTPServer_v2")
	f.Add("l’été ＡＢＣ 'tis 日本語")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<10 {
			checkSeek(t, text)
		}
	})
}
