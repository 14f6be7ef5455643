package overlap

import (
	"slices"
	"strings"
	"testing"
)

// TestQuantities lists what is a number, group by group.
func TestQuantities(t *testing.T) {
	for want, texts := range map[string][]string{
		"120":      {"120 s", "120s", "(120)"},
		"50000000": {"50,000,000", "50000000"},
		"0.4":      {"0.4 %", "0.4."},
		"01:30":    {"01:30"},
		"1.2.3":    {"1.2.3"},
		"40 118":   {"40 to 118", "40, 118"},
		"":         {"v2", "CRC-16", "rotate.go:88", "utf8", "x_1", "two minutes"},
		"16 8 128": {"16 × 8 = 128"},
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
			if s == "" || strings.Trim(s, "0123456789.:") != "" {
				t.Errorf("%q has the quantity %q", text, s)
			}
		}
	})
}
