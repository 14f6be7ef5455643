"""brv-lsp: the program is installed as a script; `python -m brv_lsp` starts it, too."""
