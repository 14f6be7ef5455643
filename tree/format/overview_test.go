package format

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/internal/goldentest"
)

func TestRenderOverview(t *testing.T) {
	goldentest.Archives(t, "testdata/overview/*.txtar", func(files []txtar.File) string {
		var b strings.Builder
		for _, f := range files {
			var o Overview
			if err := json.Unmarshal(f.Data, &o); err != nil {
				t.Fatal(f.Name, err)
			}
			b.WriteString(">>> " + f.Name + "\n" + RenderOverview(f.Name, o))
		}
		return b.String()
	})
}

// TestOverviewWithoutContent: what is made of a folder's name is no knowledge, what somebody says of it is.
func TestOverviewWithoutContent(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{RenderOverview("a_b", Overview{}), false},
		{"# Domain: user_data\n\n## Purpose\nKnowledge about user data.\n\n## Scope\nIncluded in this domain:\n- First entry\n", false},
		{"# Topic: jobs\r\n\r\n## Overview\r\nKnowledge about jobs.\r\n\r\n## Key Concepts\r\n- First entry\r\n", false},
		{"# Subtopic: retry-rules\n\n## Focus\nKnowledge about retry rules.\n\n## Parent Relation\nPart of jobs.\n", false},
		{"", false},
		{"# Auth\n", false},
		{"# Auth\n\nWhat signs users in.\n", true},
		{RenderOverview("a/b", Overview{KeyConcepts: []string{"One pool for each tenant"}}), true},
		{"# Topic: jobs\n\n## Overview\nKnowledge about jobs and why they are retried.\n", true},
		{"# Topic: jobs\n\n## Overview\nKnowledge about jobs.\n\n## Key Concepts\n- First entry\n\nNever run two.\n", true},
	} {
		if got := Searchable(Parse("a/context.md", c.text)); got != c.want {
			t.Errorf("%q: searchable %v, want %v", c.text, got, c.want)
		}
	}
}
