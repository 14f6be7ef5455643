"""Asks Python's import machinery where each import of a folder leads.

    python3 - FOLDER < python.py

Nothing of the folder is run: importlib's PathFinder looks a module up part by
part, with the path that the file would run with: the folder of a script, or the
folder above the outermost package (what pytest puts first); then the standard
library; then what installing the file's project in place would add; then the
checkout's top. Whether a name taken from a package is its submodule follows
Python's rule: a name that the package's own code binds wins.
"""

import ast
import importlib.machinery
import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
ROOT = os.path.realpath(sys.argv[1])
STDLIB = set(sys.stdlib_module_names)
SKIPPED = {"node_modules", ".git", "__pycache__"}
MARKERS = ("pyproject.toml", "setup.py", "setup.cfg")


def files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for name in sorted(names):
            if name.endswith((".py", ".pyi")):
                yield os.path.join(folder, name)


def base_of(folder):
    """The folder above the outermost package that holds folder."""
    while folder != ROOT and any(os.path.exists(os.path.join(folder, "__init__" + e)) for e in (".py", ".pyi")):
        folder = os.path.dirname(folder)
    return folder


def installed(folder):
    """What installing the nearest projects in place puts on the path."""
    out = []
    while True:
        if any(os.path.exists(os.path.join(folder, m)) for m in MARKERS):
            for sub in ("src", "lib", ""):
                p = os.path.join(folder, sub) if sub else folder
                if os.path.isdir(p):
                    out.append(p)
        if folder == ROOT:
            return out
        folder = os.path.dirname(folder)


class Stub(importlib.machinery.SourceFileLoader):
    pass


LOADERS = [(importlib.machinery.SourceFileLoader, [".py"]), (Stub, [".pyi"])]
finders = {}


def find_in(entry, name):
    if entry not in finders:
        finders[entry] = importlib.machinery.FileFinder(entry, *LOADERS)
    return finders[entry].find_spec(name)


def find(name, path):
    """PathFinder.find_spec, with stubs: the first regular module, else portions."""
    portions = []
    for entry in path:
        spec = find_in(entry, name)
        if spec is None:
            continue
        if spec.loader is not None:
            return spec.origin, spec.submodule_search_locations
        portions.extend(spec.submodule_search_locations)
    return None, (portions or None)


def lookup(parts, path):
    """The file of a dotted name ('' for a namespace package) and its path."""
    origin = None
    for part in parts:
        if not path:
            return None, None
        origin, path = find(part.rpartition(".")[2], path)
        if origin is None and path is None:
            return None, None
    return origin or "", path


bindings = {}


def bound(origin):
    """The names that a module's own code binds, other than as its submodules."""
    if origin in bindings:
        return bindings[origin]
    names = set()
    bindings[origin] = names
    try:
        tree = ast.parse(open(origin, "rb").read())
    except (SyntaxError, ValueError):
        return names

    def visit(body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    names.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.ImportFrom):
                own = node.level == 1 and not node.module or node.level == 0 and origin.endswith(
                    "/" + node.module.replace(".", "/") + "/__init__.py")
                names.update(a.asname or a.name for a in node.names if not (own and a.asname in (None, a.name)))
            for field in ("body", "orelse", "finalbody", "handlers"):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    visit(getattr(node, field, []))

    visit(tree.body)
    return names


def search_path(file, top):
    folder = os.path.dirname(file)
    base = base_of(folder)
    path = [base]
    if top in STDLIB:
        origin, locations = find(top, path)
        return path if origin else []
    for p in installed(folder) + [ROOT]:
        if p not in path:
            path.append(p)
    return path


def resolve(file, level, module, names):
    parts = module.split(".") if module else []
    if level:
        folder = os.path.dirname(file)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        if not (folder + "/").startswith(ROOT + "/"):
            return []
        if parts:
            origin, path = lookup(parts, [folder])
        else:
            origin, path = "", [folder]
            for e in (".py", ".pyi"):
                p = os.path.join(folder, "__init__" + e)
                if os.path.exists(p):
                    origin = p
                    break
    else:
        origin, path = lookup(parts, search_path(file, parts[0]))
    if origin is None:
        return []
    found = []
    own = not names
    for name in names:
        sub = None
        taken = origin and origin != file and name in bound(origin)
        if name != "*" and path and not taken:
            sub, _ = lookup([name], path)
        if sub:
            found.append(sub)
        else:
            own = True
    if own and origin:
        found.append(origin)
    return [os.path.relpath(f, ROOT) for f in found]


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                yield a.name, 0, a.name, []
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node.level, node.module, [a.name for a in node.names]


answers = []
for file in files():
    try:
        tree = ast.parse(open(file, "rb").read())
    except (SyntaxError, ValueError, RecursionError):
        continue
    for spec, level, module, names in imports(tree):
        answers.append({"File": os.path.relpath(file, ROOT), "Spec": spec, "Paths": resolve(file, level, module, names)})
json.dump(answers, sys.stdout)
