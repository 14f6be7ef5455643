package sanitize

import "testing"

// TestComponents tells elements that load something from components of MDX that have their names.
func TestComponents(t *testing.T) {
	for text, unsafe := range map[string]bool{
		`<Link to="/docs">x</Link>`: false, `<Link to={useBase("/x")} className="y">`: false, `<link to="x">`: false, `<Frame caption="x">`: false,
		`<Track name="x"/>`: false, `<Source language="go"/>`: false, `<Link>`: false,
		`<Link href="/x.css">`: true, `<link rel=stylesheet href=//e.example>`: true, `<LINK REL=x HREF=y>`: true, `<Link/href=x>`: true, "<Link\nto=x\nhref=y>": true,
		`<link rel=preload as=image imagesrcset=x>`: true, `<Frame src="x">`: true, `<Link to="javascript:x" onclick=y>`: true, `<link to="x`: true,
		`<Link to="x" href = "y">`: true, `<Link to=">" href="y">`: true, `<Link to='"' href='y'>`: true, `<Source srcset="x">`: true, `<Image alt="x">`: true,
	} {
		if got := len(Unsafe(text)) > 0; got != unsafe {
			t.Errorf("%s: unsafe %v", text, got)
		}
	}
}
