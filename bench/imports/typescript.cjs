// Asks the TypeScript compiler where each import of a folder leads, file by file,
// with the options of the project that the file belongs to.
//
//   node - FOLDER TYPESCRIPT < typescript.cjs
//
// What a package manager would link into node_modules is laid over the file
// system: members of workspaces, and dependencies on folders. For an importing
// JavaScript file the runtime decides: relative specifiers are node's, and
// declarations are not preferred to what is run.
"use strict";
const fs = require("fs");
const path = require("path");
const { createRequire } = require("module");

const root = process.argv[2];
let ts;
try {
  ts = createRequire(path.join(root, "x.js"))(process.argv[3]);
} catch {
  process.exit(3);
}

const skipped = new Set(["node_modules", ".git"]);
const sources = [];
const manifests = new Map(); // folder → package.json
const pnpm = new Map(); // folder → pnpm-workspace.yaml

(function walk(dir) {
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    const p = path.join(dir, e.name);
    if (e.isDirectory()) {
      if (!skipped.has(e.name)) walk(p);
    } else if (!e.isFile()) {
      continue;
    } else if (/\.[mc]?[jt]sx?$/.test(e.name)) {
      sources.push(p);
    } else if (e.name === "package.json") {
      try { manifests.set(dir, JSON.parse(fs.readFileSync(p, "utf8"))); } catch { /* a fixture of broken JSON */ }
    } else if (e.name === "pnpm-workspace.yaml") {
      pnpm.set(dir, fs.readFileSync(p, "utf8"));
    }
  }
})(root);

// Links of node_modules: "folder\0name" → folder.
const links = new Map();
const linked = new Set(); // folders with a node_modules of links

function link(from, name, to) {
  const key = from + "\0" + name;
  if (!links.has(key)) links.set(key, to);
  linked.add(from);
}

function globRegExp(glob) {
  const text = glob.replace(/^\.\//, "").replace(/\/+$/, "");
  let out = "";
  for (let i = 0; i < text.length; i++) {
    if (text.startsWith("**/", i)) { out += "(?:[^/]+/)*"; i += 2; }
    else if (text.startsWith("**", i)) { out += ".*"; i++; }
    else if (text[i] === "*") out += "[^/]*";
    else if (text[i] === "{") out += "(?:";
    else if (text[i] === "}") out += ")";
    else if (text[i] === ",") out += "|";
    else out += text[i].replace(/[.+?^$()|[\]\\]/g, "\\$&");
  }
  return new RegExp("^" + out + "$");
}

function workspaceGlobs(dir) {
  if (pnpm.has(dir)) {
    const globs = [];
    let inside = false;
    for (const line of pnpm.get(dir).split("\n")) {
      if (/^packages:/.test(line)) inside = true;
      else if (/^\S/.test(line) && !/^\s*-/.test(line) && !/^#/.test(line)) inside = false;
      else if (inside) {
        const m = /^\s*-\s*['"]?([^'"#]+?)['"]?\s*(#.*)?$/.exec(line);
        if (m) globs.push(m[1]);
      }
    }
    return globs;
  }
  const w = manifests.get(dir) && manifests.get(dir).workspaces;
  return Array.isArray(w) ? w : (w && w.packages) || [];
}

for (const dir of new Set([...manifests.keys(), ...pnpm.keys()])) {
  const globs = workspaceGlobs(dir);
  if (!globs.length) continue;
  const yes = globs.filter((g) => g[0] !== "!").map(globRegExp);
  const no = globs.filter((g) => g[0] === "!").map((g) => globRegExp(g.slice(1)));
  for (const [member, m] of manifests) {
    const rel = path.relative(dir, member);
    if (!m.name || rel === "" || rel.startsWith("..")) continue;
    if (yes.some((r) => r.test(rel)) && !no.some((r) => r.test(rel))) link(dir, m.name, member);
  }
}
for (const [dir, m] of manifests) {
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]) {
    for (const [name, spec] of Object.entries(m[kind] || {})) {
      const target = typeof spec === "string" && /^(?:link|file|portal):(.*)$/.exec(spec);
      if (!target) continue;
      const to = path.resolve(dir, target[1]);
      if (manifests.has(to) || fs.existsSync(to)) link(dir, name, to);
    }
  }
}

// real follows the links in a path.
function real(p) {
  for (let round = 0; round < 8; round++) {
    const at = p.lastIndexOf("/node_modules/");
    if (at < 0) return p;
    const rest = p.slice(at + "/node_modules/".length).split("/");
    const size = rest[0].startsWith("@") ? 2 : 1;
    const to = links.get(p.slice(0, at) + "\0" + rest.slice(0, size).join("/"));
    if (!to) return p;
    p = path.join(to, ...rest.slice(size));
  }
  return p;
}

const host = {
  ...ts.sys,
  useCaseSensitiveFileNames: true,
  fileExists: (f) => ts.sys.fileExists(real(f)),
  readFile: (f) => ts.sys.readFile(real(f)),
  directoryExists: (d) => {
    const m = /^(.*)\/node_modules(\/@[^/]+)?$/.exec(d);
    return (m && linked.has(m[1])) || ts.sys.directoryExists(real(d));
  },
  realpath: (p) => real(p),
  getCurrentDirectory: () => root,
  onUnRecoverableConfigFileDiagnostic: () => {},
};

const projects = new Map(); // config path → parsed

function project(config) {
  if (!projects.has(config)) {
    const read = ts.readConfigFile(config, host.readFile);
    const parsed = ts.parseJsonConfigFileContent(read.config || {}, host, path.dirname(config), undefined, config);
    parsed.members = new Set(parsed.fileNames);
    projects.set(config, parsed);
  }
  return projects.get(config);
}

function referenced(config, file, seen) {
  if (seen.has(config)) return undefined;
  seen.add(config);
  const p = project(config);
  if (p.members.has(file)) return p;
  for (const r of p.projectReferences || []) {
    const next = ts.resolveProjectReferencePath(r);
    const found = fs.existsSync(next) && referenced(next, file, seen);
    if (found) return found;
  }
  return undefined;
}

// projectOf is the editor's choice: the nearest configuration that includes the
// file, itself or by reference; else the nearest one.
function projectOf(file) {
  let nearest;
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      const config = path.join(dir, name);
      if (!fs.existsSync(config)) continue;
      nearest = nearest || project(config);
      const found = referenced(config, file, new Set());
      if (found) return found;
      break;
    }
    if (dir === root) return nearest;
  }
}

const none = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, resolveJsonModule: true };
const caches = new Map();

function cacheOf(options) {
  if (!caches.has(options)) caches.set(options, ts.createModuleResolutionCache(root, (s) => s, options));
  return caches.get(options);
}

const scripted = new Map(); // options → the same for JavaScript files

function optionsFor(file) {
  const p = projectOf(file);
  const options = p ? p.options : none;
  if (!/\.[mc]?jsx?$/.test(file)) return options;
  if (!scripted.has(options)) scripted.set(options, { ...options, allowJs: true, noDtsResolution: true });
  return scripted.get(options);
}

function resolve(file, spec) {
  const plain = spec.replace(/\?.*$/, "");
  if (/\.[mc]?jsx?$/.test(file) && /^\.\.?(\/|$)/.test(plain)) {
    try { return createRequire(file).resolve(plain); } catch { /* not node's */ }
  }
  const options = optionsFor(file);
  const cache = cacheOf(options);
  const own = ts.getImpliedNodeFormatForFile(file, cache.getPackageJsonInfoCache(), host, options);
  for (const mode of [own, ts.ModuleKind.ESNext, ts.ModuleKind.CommonJS]) {
    const got = ts.resolveModuleName(plain, file, options, host, cache, undefined, mode).resolvedModule;
    if (got) return got.resolvedFileName;
  }
  return undefined;
}

function packageName(spec) {
  return spec.split("/").slice(0, spec[0] === "@" ? 2 : 1).join("/");
}

const names = new Set([...links.keys()].map((k) => k.split("\0")[1]).concat([...manifests.values()].map((m) => m.name)));
const answers = [];
for (const file of sources) {
  const text = fs.readFileSync(file, "utf8");
  const seen = new Set();
  for (const { fileName: spec } of ts.preProcessFile(text, true, true).importedFiles) {
    if (seen.has(spec)) continue;
    seen.add(spec);
    const to = resolve(file, spec);
    const answer = { File: path.relative(root, file), Spec: spec, Paths: [] };
    if (to && !path.relative(root, to).startsWith("..") && !to.includes("/node_modules/")) {
      answer.Paths = [path.relative(root, to)];
    } else if (!to && (names.has(packageName(spec)) || spec[0] === "#" || spec[0] === "/")) {
      answer.Unknown = true; // a package of the checkout whose build is not there; an address of a server
    }
    answers.push(answer);
  }
}
process.stdout.write(JSON.stringify(answers));
