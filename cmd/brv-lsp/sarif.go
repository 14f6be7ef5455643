package main

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// object is a part of a SARIF 2.1.0 log (OASIS). Its keys are SARIF's names.
type object = map[string]any

// sarifRoot names the folder that paths are relative to.
const sarifRoot = "SRCROOT"

// sarifLevels maps our severities to SARIF's levels.
var sarifLevels = map[string]string{"error": "error", "warning": "warning", "info": "note", "hint": "none"}

// readRule is the SARIF rule for entries to read before a change is merged.
const readRule = "read-before-merge"

func sarifText(r *diagnosis.CheckReport) (string, error) {
	rules, results, notes := []string{}, []object{}, []object{}
	text := func(s string) object { return object{"text": s} }
	add := func(rule, level, message, path string, line, column int) {
		at := object{"artifactLocation": object{"uri": uriPath(path), "uriBaseId": sarifRoot},
			"region": object{"startLine": line, "startColumn": column}}
		results = append(results, object{"ruleId": rule, "level": level, "message": text(message),
			"locations": []object{{"physicalLocation": at}}})
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
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
	for _, note := range []string{r.Note, r.Unsure} {
		if note != "" {
			notes = append(notes, object{"level": "warning", "message": text(note)})
		}
	}
	told := []object{}
	for _, rule := range rules {
		told = append(told, object{"id": rule})
	}
	out, err := json.MarshalIndent(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{{
		"tool": object{"driver": object{"name": "brv-lsp", "rules": told}}, "columnKind": "unicodeCodePoints", "results": results,
		"originalUriBaseIds": object{sarifRoot: object{"description": text("the folder that holds .brv")}},
		"invocations":        []object{{"executionSuccessful": r.Unsure == "", "toolExecutionNotifications": notes}},
	}}}, "", "  ")
	return sanitize.JSON(string(out)) + "\n", err
}

// uriPath writes a path as a relative URI reference: percent-encoded, and so that a colon does not make a scheme.
func uriPath(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
