package main

import (
	"errors"
	"testing"
)

func TestJavaAnswersNameDeclaringFiles(t *testing.T) {
	dir := checkout(t, "repo", `
-- a/x/One.java --
package x;

import java.util.List;
import static y.Two.make;
import static y.Two.*;
import y.*;
import y.Two.Inner;
import z.Gone;

class One {}
-- b/y/Two.java --
package y;

public class Two {
  public static class Inner {}
  public static int make() { return 1; }
}
-- b/y/Three.java --
package y;

import q.Twice;

class Three {}
-- c/q/Twice.java --
package q;

public class Twice {}
-- d/q/Twice.java --
package q;

public class Twice {}
`)
	answers, err := javaAnswers(t.Context(), dir)
	if errors.Is(err, errAbsent) {
		t.Skip("no java")
	}
	if err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, answers, `
a/x/One.java: java.util.List => 
a/x/One.java: y => b/y/Three.java b/y/Two.java
a/x/One.java: y.Two => b/y/Two.java
a/x/One.java: y.Two => b/y/Two.java
a/x/One.java: y.Two.Inner => b/y/Two.java
a/x/One.java: z.Gone => 
b/y/Three.java: q.Twice => ?
`)
}

func TestUnexpectedLinesOfJavaAreErrors(t *testing.T) {
	if _, err := decodeJava([]byte("Picked up JAVA_TOOL_OPTIONS\n")); err == nil {
		t.Error("no error")
	}
}
