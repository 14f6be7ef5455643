package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// testdata/requests.json holds what people ask of an agent, with the tool to be called first, or
// none. It was labelled before anybody was asked. testdata/choices/NAME.json is what a reader chose,
// a model or a person who saw only names and descriptions: a tool or "none" for each request, in order.
func TestReadersChooseTheRightTool(t *testing.T) {
	var requests []struct {
		Request string
		Tools   []string
	}
	load := func(file string, into any) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	load(filepath.Join("testdata", "requests.json"), &requests)
	var all []string
	for _, tool := range tools() {
		all = append(all, tool.name)
	}
	count := map[string]int{}
	for _, r := range requests {
		if len(r.Tools) == 0 {
			count["none"]++
		}
		for _, name := range r.Tools {
			if count[name]++; !slices.Contains(all, name) {
				t.Errorf("%s: no tool %s", r.Request, name)
			}
		}
	}
	for _, name := range append(all, "none") {
		if count[name] < 4 {
			t.Errorf("%d requests for %s; want 4 or more", count[name], name)
		}
	}
	if len(requests) != 60 {
		t.Errorf("%d requests, want 60", len(requests))
	}
	readers, _ := filepath.Glob(filepath.Join("testdata", "choices", "*.json"))
	for _, file := range readers {
		var chosen []string
		if load(file, &chosen); len(chosen) != len(requests) {
			t.Fatalf("%s: %d choices for %d requests", file, len(chosen), len(requests))
		}
		right := 0
		for i, r := range requests {
			switch {
			case slices.Contains(r.Tools, chosen[i]), len(r.Tools) == 0 && chosen[i] == "none":
				right++
			case len(r.Tools) == 0:
				t.Errorf("%s: %s is called for %q, which is not about the project", file, chosen[i], r.Request)
			default:
				t.Logf("%s: %s for %q, want %v", file, chosen[i], r.Request, r.Tools)
			}
		}
		if t.Logf("%s: %d of %d", file, right, len(requests)); right*100 < 85*len(requests) {
			t.Errorf("%s: %d of %d are right; want 85 %%", file, right, len(requests))
		}
	}
}
