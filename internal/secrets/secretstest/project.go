package secretstest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Planted are the credentials of a [Project], by what they stand as.
type Planted map[string]string

// Project is a folder whose code, settings and entries hold credentials wherever texts hold
// them: its files, and what was planted, each in one file only. Entries name the files and
// symbols, so that everything leads to everything.
func Project() (files map[string]string, planted Planted) {
	m := Maker{rand.New(rand.NewPCG(11, 13))}
	planted = Planted{}
	plant := func(as, secret string) string {
		if planted[as] != "" {
			panic("planted twice: " + as)
		}
		planted[as] = secret
		return secret
	}
	github := func(as string) string { return plant(as, "gh"+"p_"+m.Of(Alnum, 36)) }
	aws := func(as string) string { return plant(as, "AK"+"IA"+m.Of(base32, 16)) }
	face := func(as string) string { return plant(as, "h"+"f_"+m.Of(alphabet, 34)) }
	stripe := func(as string) string { return plant(as, "sk"+"_live_"+m.Of(Alnum, 24)) }
	password := func(as string) string { return plant(as, m.password(16)) }
	key := func(as string) string {
		text := pem("RSA PRIVATE KEY", "\n")(m)
		plant(as, strings.Split(text, "\n")[3]) // any line of it
		return text
	}

	goTwin, tsTwin, entryTwin := password("twin in Go"), password("twin in TypeScript"), password("twin in an entry")
	files = map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26\n",
		"auth.go": "// Package auth signs; the root password is " + password("package comment") + ".\npackage auth\n\n" +
			"const dbPassword = \"" + password("Go constant") + "\"\n\nvar apiToken = \"" + github("Go variable") + "\"\n\n" +
			"// SignToken signs with password: " + goTwin +
			"\n// as the client does:\nfunc SignToken(of string) string { return sign(of, \"" + goTwin + "\") }\n\n" +
			"func sign(a, b string) string { return local(a + b) }\n\n" +
			"const Twin = \"" + goTwin + "\"\n\nconst signing = `\n" + key("key in Go") + "`\n\n" +
			"// " + github("name of a function in Go") + " is called.\nfunc " + planted["name of a function in Go"] +
			"() string { return SignToken(dbPassword) }\n\n" +
			"type " + aws("name of a type in Go") + " struct {\n\tToken string `default:\"" + stripe("struct tag") + "\"`\n}\n\n" +
			"func (t *" + planted["name of a type in Go"] + ") Renew(secret string) string { return " +
			planted["name of a function in Go"] + "() }\n\nvar " + face("name of a variable in Go") + " = SignToken(\"\")\n",
		"use.go": "package auth\n\n// @brv:auth/jwt/tokens.md\nfunc Use() string { return SignToken(\"" + aws("argument of a call") +
			"\") }\n",
		"web/connect.ts": "/** Connects as root, password: " + tsTwin + " */\nexport function connect(user = \"root\", pass = \"" +
			tsTwin + "\", token: string = \"" + github("default in TypeScript") + "\") {\n  return user + pass;\n}\n\n" +
			"export class " + stripe("name of a class in TypeScript") + " {\n  static password = \"" + password("property") +
			"\";\n  renew(secret = \"" + aws("default of a method") + "\") { return connect(); }\n}\n\n" +
			"export class Base {}\nexport class Renewer extends " + planted["name of a class in TypeScript"] +
			" {}\nexport const config = { password: \"" + password("object") + "\", url: \"postgres://app:" + password("address") +
			"@db/app\" };\n",
		"job/fetch.py": "\"\"\"Fetches, with the password " + fmt.Sprintf("%q", password("module docstring")) +
			".\"\"\"\nAPI_KEY = \"" + password("Python constant") + "\"\n\n\n" +
			"def fetch(url, token=\"" + password("default in Python") + "\", key='" + face("key in Python") +
			"'):\n    \"\"\"Fetches by curl -u deploy:" + password("docstring") + " url.\"\"\"\n    return url\n\n\n" +
			"class " + github("name of a class in Python") + ":\n    def run(self, password='" +
			password("default of a Python method") + "'):\n        return fetch(API_KEY)\n",
		"run.sh": "#!/bin/sh\nexport DB_PASSWORD=" + password("shell") + "\nstart() { sshpass -p " +
			password("command line") + " ssh db; }\n",
		"schema.sql": "CREATE TABLE tokens (id int, token text DEFAULT '" + github("SQL default") +
			"');\nCREATE USER app IDENTIFIED BY '" + password("SQL user") + "';\n",
		"deploy.yaml": "db:\n  password: " + password("YAML") + "\n  token:\n    " + github("YAML below") + "\n",
		"main.tf": "variable \"db\" {\n  default = \"" + aws("HCL") +
			"\"\n}\nresource \"db_user\" \"app\" {\n  password = \"" + password("HCL resource") + "\"\n}\n",
		".env":    "DB_PASSWORD=" + password("env") + "\n",
		".pgpass": "db.internal:5432:app:deploy:" + password("pgpass") + "\n*:*:*:root:" + password("pgpass of all") + "\n",
		"notes.md": "# Notes of signing\n\n    deploy --password " + password("flag in Markdown") +
			" --dry-run\n\n    <password>" + password("element in Markdown") + "</password>\n",
		"docs/signing.md": "# Signing\n\nSign in with password " + fmt.Sprintf("`%s`", password("Markdown")) + ".\n",
	}
	entry := "---\ntitle: \"Tokens of the login, password: " + password("title") + "\"\nsummary: \"How tokens are signed, with " +
		github("summary") + " as the key\"\ntags: [jwt, " + face("tag") + "]\nkeywords: [sign, \"" + github("keyword") + "\"]\n" +
		"related: [auth/jwt/other.md]\nowner: \"token " + stripe("unknown field") +
		"\"\nimportance: 70\n---\n## Raw Concept\n**Task:**\nSign tokens with password `" + password("task") +
		"`\n\n**Changes:**\n- The key " + aws("change") +
		" is new\n\n**Files:**\n- auth.go\n- web/connect.ts\n- job/fetch.py\n- notes.md\n\n" +
		"**Flow:**\nclient -> " + github("flow") + " -> server\n\n**Author:** " + stripe("author") +
		"\n\n## Narrative\n### Structure\nSee @auth/jwt/other.md and `SignToken` in `auth.go`, and `" +
		planted["name of a function in Go"] + "`, `connect`, `" + planted["name of a class in TypeScript"] +
		"`.\n\n### Rules\n- password: `" + entryTwin + "`\n- Tokens are renewed.\n\nWho signs in uses " + entryTwin + " too.\n\n" +
		"### Access " + github("heading") + "\n\n    deploy --password " + password("flag of an entry") + "\n\n    <password>" +
		password("element of an entry") + "</password>\n\n```\ndb.internal:5432:app:app:" + password("pgpass of an entry") + "\n" +
		key("key in an entry") + "```\n\n" +
		"## Facts\n- **db_password**: password: " + password("fact") + " [project]\n- **" + github("subject of a fact") +
		"**: is rotated = `" + face("value of a fact") + "` [convention]\n\n## Reason\nThe key " + aws("reason") + " leaked.\n"
	other := "---\ntitle: Other tokens\nsummary: Renewal of tokens\ntags: [jwt, " + planted["tag"] +
		"]\n---\nBack to @auth/jwt/tokens.md. Tokens are signed by `SignToken`.\n\n- token: " + github("other entry") + "\n"
	maps.Copy(files, map[string]string{
		".brv/context-tree/auth/jwt/tokens.md": entry,
		".brv/context-tree/auth/jwt/other.md":  other,
		".brv/context-tree/auth/context.md": "# Domain: auth\n\n## Overview\nAll of signing; the password is " +
			password("overview") + ".\n\n## Key Concepts\n- " + github("concept") + "\n",
		".brv/context-tree/auth/jwt/alike.md": "---\ntitle: Tokens of the login\nkeywords: [sign]\n---\nSign tokens with password `" +
			password("alike") + "`. See @auth/jwt/gone.md.\n",
		".brv/context-tree/auth/jwt/named.md": "---\ntitle: Named\nrelated: [" + github("relation") +
			"]\n---\n## Raw Concept\n**Files:**\n- deploy --password=" + password("listed file") +
			" auth.go\n\n## Narrative\nSee @auth/jwt/tokens.md#" + github("anchor") + ".\n",
	})
	return files, planted
}

// pieceOf is the beginning of a credential by which it is known where it was cut, in bytes.
const pieceOf = 12

// In lists what of the planted a text holds, also cut or in other letter case, as "as: text
// around it".
func (p Planted) In(text string) (shown []string) {
	low := strings.ToLower(text)
	for _, as := range slices.Sorted(maps.Keys(p)) {
		secret := strings.ToLower(p[as])
		if at := strings.Index(low, secret[:min(len(secret), pieceOf)]); at >= 0 {
			shown = append(shown, fmt.Sprintf("%s: %.120q", as, text[max(0, at-40):min(len(text), at+40)]))
		} else if at := strings.Index(low, secret[max(0, len(secret)-pieceOf):]); at >= 0 {
			shown = append(shown, fmt.Sprintf("end of %s: %.120q", as, text[max(0, at-40):min(len(text), at+40)]))
		}
	}
	return shown
}
