package notices

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// licences are those that permit to distribute what is under them together with a program
// under the Apache License 2.0, each with words that only it has. MPL-2.0 asks in addition
// that it is said where the source is (section 3.2); the head of the notices does.
var licences = []struct{ name, says string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"BSD", "redistribution and use in source and binary forms, with or without modification, are permitted"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"BlueOak-1.0.0", "blue oak model license version 1.0.0"},
	{"ZPL-2.1", "zope public license (zpl) version 2.1"},
	{"SCOWL", "permission to use, copy, modify, distribute and sell these word lists"},
	{"Unicode", "any person obtaining a copy of the unicode data files"},
}

// refused are words of licences, or of additions to one, that do not permit it. The first is
// that of three licences, as their titles are written; the MPL names them in other letters.
var refused = []string{
	"GENERAL PUBLIC LICENSE", "Commons Clause", "Server Side Public License", "Business Source License",
}

// identify names the licences that texts say, in the order of the list above.
func identify(texts []string) ([]string, error) {
	all := strings.Join(texts, "\n")
	for _, words := range refused {
		if strings.Contains(all, words) {
			return nil, fmt.Errorf("its licence says %q: it cannot be distributed under Apache-2.0", words)
		}
	}
	unmarked := strings.NewReplacer("#", "", "*", "").Replace(all)
	plain := strings.ToLower(strings.Join(strings.Fields(unmarked), " "))
	var out []string
	for _, l := range licences {
		if strings.Contains(plain, l.says) && !slices.Contains(out, l.name) {
			out = append(out, l.name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no licence that permits distribution under Apache-2.0 is in its %d texts", len(texts))
	}
	return out, nil
}

func TestLicencesThatForbidDistributionAreRefused(t *testing.T) {
	mit := read(t, "testdata/MIT.txt")
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{nil, "no licence"},
		{[]string{"All rights reserved."}, "no licence"},
		{[]string{"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3"}, "GENERAL PUBLIC LICENSE"},
		{[]string{mit, "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991"}, "GENERAL PUBLIC LICENSE"},
		{[]string{"“Commons Clause” License Condition v1.0\n" + mit}, "Commons Clause"},
		{[]string{mit}, ""},
		{[]string{read(t, "testdata/Unicode.txt")}, ""},
		{[]string{read(t, "../../LICENSE")}, ""},
	} {
		is, err := identify(c.texts)
		if accepted := err == nil && len(is) == 1; accepted != (c.want == "") || !accepted && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, %v; want %q", c.texts, is, err, c.want)
		}
	}
}
