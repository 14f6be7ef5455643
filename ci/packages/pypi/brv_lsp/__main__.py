"""Starts the program that this package installed."""

import os
import subprocess
import sys
import sysconfig

name = "brv-lsp" + (".exe" if os.name == "nt" else "")
folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
program = next((p for p in (os.path.join(f, name) for f in folders) if os.path.isfile(p)), None)
if program is None:
    sys.exit(f"brv-lsp: {name} is not in " + " or ".join(folders))
if os.name == "nt":
    sys.exit(subprocess.run([program, *sys.argv[1:]]).returncode)
os.execv(program, [program, *sys.argv[1:]])
