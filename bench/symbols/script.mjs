// Lists the declarations of TypeScript and JavaScript files by TypeScript's own parser, and of the scripts in
// components, in the form that bench/symbols reads.
//
//	NODE_PATH=DIR/node_modules node bench/symbols/script.mjs CHECKOUT > LIST
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, extname } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? "", "x.js"));
const ts = require("typescript");
const root = process.argv[2];
const kinds = { ".svelte": ts.ScriptKind.TS, ".vue": ts.ScriptKind.TS };

function* files(dir) {
  for (const e of readdirSync(dir, { withFileTypes: true })) {
    const p = join(dir, e.name);
    if (e.isDirectory() && e.name !== "node_modules" && !e.name.startsWith(".")) yield* files(p);
    else if (e.isFile() && /\.(?:[cm]?[jt]s|[jt]sx|svelte|vue)$/.test(e.name)) yield p;
  }
}

for (const p of files(root)) {
  let text = readFileSync(p, "utf8");
  const ext = extname(p);
  if (kinds[ext]) {
    const blank = (s) => s.replace(/[^\n]/g, " ");
    let out = "", end = 0;
    for (const m of text.matchAll(/<!--[^]*?-->|<script\b(?:[^>"']|"[^"]*"|'[^']*')*>([^]*?)<\/script\s*>/g)) {
      if (m[1] === undefined) continue;
      const at = m.index + m[0].lastIndexOf(m[1], m[0].length - 9);
      out += blank(text.slice(end, at)) + m[1];
      end = at + m[1].length;
    }
    text = out + blank(text.slice(end));
  }
  const file = ts.createSourceFile(p, text, ts.ScriptTarget.Latest, true, kinds[ext]);
  walk(file, file, relative(root, p), "");
}

function walk(node, file, path, scope) {
  ts.forEachChild(node, (n) => {
    const name = n.name && (ts.isIdentifier(n.name) || ts.isPrivateIdentifier(n.name) || ts.isStringLiteral(n.name)) ? n.name.text : "";
    const tell = (kind) => {
      const line = file.getLineAndCharacterOfPosition(n.name.getStart(file)).line + 1;
      console.log(JSON.stringify({ path, name, kind, scope, line }));
    };
    if (ts.isClassDeclaration(n) || ts.isInterfaceDeclaration(n) || ts.isEnumDeclaration(n)) {
      if (name) tell("class");
      walk(n, file, path, name);
    } else if (ts.isModuleDeclaration(n)) {
      walk(n, file, path, name);
    } else if (ts.isModuleBlock(n)) {
      walk(n, file, path, scope);
    } else if (ts.isFunctionDeclaration(n) || ts.isMethodDeclaration(n) || ts.isAccessor(n) || ts.isMethodSignature(n)) {
      if (name) tell("function");
    } else if (ts.isExportDeclaration(n) || ts.isVariableStatement(n) || ts.isExpressionStatement(n)) {
      // values are no functions of the list
    }
  });
}
