package overlap

import (
	"slices"
	"strings"
	"testing"
)

// TestQuantities lists what is one number however it is written, group by group.
func TestQuantities(t *testing.T) {
	for want, texts := range map[string][]string{
		"t 120":          {"120 s", "120s", "two minutes", "2 min", "zwei Minuten", "2-minute", "deux minutes", "dos minutos", "2分"},
		"t 60":           {"a minute", "1 minute", "60 seconds"},
		"t 1.2096e+06":   {"14 days", "two weeks", "a fortnight", "14 Tage", "14 jours"},
		"t 7.776e+06":    {"90 days", "three months", "a quarter", "drei Monate", "90日"},
		"t 3.1104e+07":   {"a year", "365 days", "12 months", "zwölf Monate"},
		"t 1.5552e+07":   {"half a year", "180 days", "six months"},
		"t 900":          {"a quarter of an hour", "15 minutes", "quarter of an hour"},
		"t 0.3":          {"300 ms", "0.3 s", "300ms"},
		"n 5e+07":        {"50M", "50 million", "50,000,000", "fifty million"},
		"n 1000":         {"1,000", "1000", "1k"},
		"n 21":           {"twenty-one", "21"},
		"n 0.4":          {"0.4 %", "0,4 %", "0.4"},
		"n 3":            {"03:00", "3", "three", "drei"},
		"c 1:30":         {"01:30", "1:30"},
		"v 1.2.3":        {"1.2.3"},
		"n 40 n 118":     {"40 to 118"},
		"":               {"v2", "CRC-16", "rotate.go:88-240", "lines 40-118", "utf8", "x_1", "a list", "an error"},
		"n 503":          {"503"},
		"n 100 t 86400":  {"100 a day", "hundred a day", "a hundred a day"},
		"n 16 n 8 n 128": {"16 × 8 = 128"},
	} {
		for _, text := range texts {
			var got []string
			quantities(text, func(s string) { got = append(got, s) })
			if strings.Join(got, " ") != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}

func TestShownQuantities(t *testing.T) {
	for term, want := range map[string]string{"t 120": "2m0s", "n 50": "50", "c 1:30": "1:30", "f main.go": "main.go",
		"retry": "retry", "t x": "x"} {
		if got := shown(term); got != want {
			t.Errorf("%s is shown as %s, want %s", term, got, want)
		}
	}
}

func FuzzQuantities(f *testing.F) {
	f.Add("half an hour, 1.2.3, 9e99, 12:61:00, 1,2,3 twenty-one years")
	f.Fuzz(func(t *testing.T, text string) {
		var once, again []string
		quantities(text, func(s string) { once = append(once, s) })
		quantities(text, func(s string) { again = append(again, s) })
		if !slices.Equal(once, again) {
			t.Error(once, again)
		}
		for _, s := range once {
			if kind, rest, ok := strings.Cut(s, " "); !ok || rest == "" || !strings.Contains("n t c v", kind) {
				t.Errorf("%q has the quantity %q", text, s)
			}
		}
	})
}
