package syntax

import "testing"

// A repair changes bytes in place: what is read afterwards stands where it does in the source.
func FuzzRepairsKeepPositions(f *testing.F) {
	for _, source := range []string{
		"class EXPORT Widget : public Base {\npublic slots:\n void play(); };\n#if A\nvoid f() {\n#else\nvoid f(int) {\n#endif\n}\n",
		"Q_OBJECT\nEXPORT(1) int f(int n GUARDED_BY(mu));\n# define A_B(\n", "class A(int x) : B(x);\n",
		"class Box { companion object { val x = in1 } }\n",
		"class P\n@A(1)\ninternal constructor(val x: Int)\n", "$x = <<<'SQL'\n select 1\n SQL . '';\n<<<A\n",
		"for (await using x of y) {}\nimport(\"a\").B<C>\n",
		"CREATE PROCEDURE a.b AS $$ BEGIN END $$;\nGO\ncreate proc [x] as\nend\n", "edition = \"2023\";\n", "export module a.b:c;\nimport <x>;\n",
		"x = \"" + string(make([]byte, maxLine)) + "\", [1, 2]\n",
	} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, lang := range languages() {
			for _, rough := range []bool{false, true} {
				out, found := repaired(lang, []byte(source), rough)
				if out != nil && len(out) != len(source)+len(prefixes[lang]) && len(out) != len(source) {
					t.Fatalf("%s: %d bytes of %d", lang, len(out), len(source))
				}
				for _, m := range found {
					for _, c := range m {
						if c.at.Start < 0 || c.at.End < c.at.Start || c.at.End > len(source) {
							t.Fatalf("%s: %s at %v", lang, c.name, c.at)
						}
					}
				}
			}
		}
		if got := len(shortened([]byte(source))); got != len(source) {
			t.Fatalf("%d bytes of %d", got, len(source))
		}
		for _, ext := range []string{".vue", ".astro", ".go"} {
			if got := len(scriptOf("x"+ext, []byte(source))); got != len(source) {
				t.Fatalf("%s: %d bytes of %d", ext, got, len(source))
			}
		}
	})
}
