package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

func init() { oracles["sample"] = sampleAnswers }

// sampled are imports that were drawn at random from repositories whose
// languages have no compiler on the usual machine, and where each leads, found
// by reading: a path, "folder/**" for all files of the importing file's kind
// below a folder, nothing for what leads out.
//
//go:embed testdata/sample.json
var sampled []byte

type sampledRepository struct {
	Repository string
	Commit     string
	Imports    []sampledImport
}

type sampledImport struct {
	File  string
	Spec  string
	Paths []string
}

// sampleAnswers returns the sample of a checkout, which has the name that the
// sample has for it.
func sampleAnswers(_ context.Context, dir string) ([]answer, error) {
	var all []sampledRepository
	if err := json.Unmarshal(sampled, &all); err != nil {
		return nil, err
	}
	var answers []answer
	for _, r := range all {
		if r.Repository != filepath.Base(dir) {
			continue
		}
		for _, i := range r.Imports {
			paths, err := expand(dir, i)
			if err != nil {
				return nil, err
			}
			answers = append(answers, answer{File: i.File, Spec: i.Spec, Paths: paths})
		}
	}
	return answers, nil
}

// expand replaces "folder/**" by the files below it.
func expand(dir string, i sampledImport) ([]string, error) {
	var paths []string
	for _, p := range i.Paths {
		folder, all := strings.CutSuffix(p, "/**")
		if !all {
			paths = append(paths, p)
			continue
		}
		top := filepath.Join(dir, filepath.FromSlash(folder))
		err := filepath.WalkDir(top, func(q string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(q) != path.Ext(i.File) {
				return err
			}
			rel, err := filepath.Rel(dir, q)
			paths = append(paths, filepath.ToSlash(rel))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return paths, nil
}
