package words

import "testing"

func TestGeneralWords(t *testing.T) {
	if n := len(general()); n < 500 || n > 2000 {
		t.Errorf("%d stems", n)
	}
	for term, want := range map[string]bool{
		"happens": true, "twice": true, "many": true, "per": true, "two": true, "different": true, "long": true,
		"kubernetes": false, "token": false, "react": false, "jwt": false, "session": false, "schema": false, "database": false,
	} {
		if IsGeneral(Stem(term)) != want {
			t.Errorf("%s: general %v", term, !want)
		}
	}
}
