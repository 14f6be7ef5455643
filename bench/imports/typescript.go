package main

import (
	"context"
	_ "embed"
	"path"
)

func init() { oracles["typescript"] = typescriptAnswers }

// typescriptDir is the folder of the npm package typescript.
var typescriptDir string

// typescriptScript asks the compiler's resolver about every import of the folder.
//
//go:embed typescript.cjs
var typescriptScript string

func typescriptAnswers(ctx context.Context, dir string) ([]answer, error) {
	name := typescriptDir
	if name == "" {
		name = "typescript"
	}
	answers, err := readAnswers(ctx, typescriptScript, "node", "--max-old-space-size=4096", "-", dir, name)
	for i, a := range answers {
		// The compiler reads components only through a plug-in of the build.
		answers[i].Unknown = a.Unknown || len(a.Paths) == 0 && isComponent(a.Spec)
	}
	return answers, err
}

func isComponent(spec string) bool {
	switch path.Ext(spec) {
	case ".vue", ".svelte", ".astro":
		return true
	}
	return false
}
