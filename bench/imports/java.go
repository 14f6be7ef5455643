package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func init() { oracles["java"] = javaAnswers }

// javaProgram has javac's own front end attribute all sources of a checkout
// together and tells which source file declares what each import names.
//
//go:embed testdata/Imports.java
var javaProgram []byte

// javaAnswers asks javac. Classes of libraries that are not on the machine stay unresolved, as do imports
// that lead out of the checkout. A class that several files declare, as in modules that are compiled apart,
// is answered as unknown. An import that leads nowhere is unknown too if the checkout has other languages of
// the JVM.
func javaAnswers(ctx context.Context, dir string) ([]answer, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return nil, errAbsent
	}
	sources, err := javaSources(dir)
	if err != nil || len(sources) == 0 {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "imports-java")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	program := filepath.Join(temp, "Imports.java")
	if err := os.WriteFile(program, javaProgram, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "java", program)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(strings.Join(sources, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("javac: %w", err)
	}
	answers, err := decodeJava(out)
	if err != nil {
		return nil, err
	}
	others, err := filesOf(dir, isJVMSource)
	for i, a := range answers {
		answers[i].Unknown = a.Unknown || len(a.Paths) == 0 && len(others) > 0
	}
	return answers, err
}

// decodeJava reads a line "file<tab>spec<tab>path…" for each import.
func decodeJava(out []byte) ([]answer, error) {
	var answers []answer
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(fields) < 2 {
			return nil, fmt.Errorf("javac: unexpected line %q", line)
		}
		a := answer{File: fields[0], Spec: fields[1], Paths: fields[2:]}
		if len(a.Paths) == 1 && a.Paths[0] == "?" {
			a.Paths, a.Unknown = nil, true
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// javaSources lists the sources of a checkout but its module and package
// descriptions, of which javac takes only one each.
func javaSources(dir string) ([]string, error) {
	return filesOf(dir, func(name string) bool {
		return filepath.Ext(name) == ".java" && name != "module-info.java" && name != "package-info.java"
	})
}

// isJVMSource tells sources whose classes Java code sees and javac does not read.
func isJVMSource(name string) bool {
	return filepath.Ext(name) == ".kt" || filepath.Ext(name) == ".scala"
}
