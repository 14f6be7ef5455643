package main

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// What is written of SARIF 2.1.0 (OASIS), in its own names.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		ColumnKind  string            `json:"columnKind"`
		Bases       map[string]any    `json:"originalUriBaseIds"`
		Results     []sarifResult     `json:"results"`
		Invocations []sarifInvocation `json:"invocations"`
	}
	sarifTool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI  string `json:"uri"`
				Base string `json:"uriBaseId"`
			} `json:"artifactLocation"`
			Region struct {
				Line   int `json:"startLine"`
				Column int `json:"startColumn"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

// sarifRoot is the name of the folder that paths are relative to.
const sarifRoot = "SRCROOT"

// sarifLevels are ours in SARIF's words.
var sarifLevels = map[string]string{"error": "error", "warning": "warning", "info": "note", "hint": "none"}

// readRule is the rule of entries to read before a change is merged.
const readRule = "read-before-merge"

func sarifText(r *diagnosis.CheckReport) (string, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Bases: map[string]any{sarifRoot: map[string]any{"description": sarifMessage{"the folder that holds .brv"}}}}
	run.Tool.Driver.Name, run.Tool.Driver.Rules = "brv-lsp", []sarifRule{}
	add := func(rule, level, message, path string, line, column int) {
		x := sarifResult{RuleID: rule, Level: level, Message: sarifMessage{message}}
		var at sarifLocation
		at.Physical.Artifact.URI, at.Physical.Artifact.Base = uriPath(path), sarifRoot
		at.Physical.Region.Line, at.Physical.Region.Column = line, column
		x.Locations = []sarifLocation{at}
		run.Results = append(run.Results, x)
		if !slices.Contains(run.Tool.Driver.Rules, sarifRule{rule}) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule})
		}
	}
	for _, x := range r.Findings {
		if x.Severity == "hint" {
			continue
		}
		message := x.Message
		if x.Drift != nil && x.Drift.Replace != "" {
			message += "; write " + x.Drift.Replace + " instead of " + x.Drift.Was
		}
		add(x.Code, sarifLevels[x.Severity], message, x.Path, x.Line, x.Column)
	}
	for _, x := range r.Read {
		add(readRule, "note", "Read before you merge: "+firstLine(x.Title)+" ("+touched(x)+")", x.Path, 1, 1)
	}
	done := sarifInvocation{Successful: r.Unsure == ""}
	for _, note := range []string{r.Note, r.Unsure} {
		if note != "" {
			done.Notifications = append(done.Notifications, sarifNotification{"warning", sarifMessage{note}})
		}
	}
	run.Invocations = []sarifInvocation{done}
	text, err := json.MarshalIndent(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "", "  ")
	return sanitize.JSON(string(text)) + "\n", err
}

// uriPath is a path as a relative reference: percent-encoded, and no scheme by a colon in it.
func uriPath(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
