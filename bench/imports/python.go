package main

import (
	"context"
	_ "embed"
)

func init() { oracles["python"] = pythonAnswers }

// pythonScript asks the interpreter's import machinery about every import.
//
//go:embed python.py
var pythonScript string

func pythonAnswers(ctx context.Context, dir string) ([]answer, error) {
	return readAnswers(ctx, pythonScript, "python3", "-", dir)
}
