#!/usr/bin/env python3
"""Makes the recording of the first minute from its frames: record.py FRAMES FILE.webp

FRAMES is the folder that the session "first" of context.mjs writes. Needs Pillow.
"""
import pathlib
import sys

from PIL import Image

frames = [Image.open(path).convert("RGB") for path in sorted(pathlib.Path(sys.argv[1]).glob("*.png"))]
small = [frame.resize((960, 600), Image.LANCZOS) for frame in frames]
small[0].save(sys.argv[2], save_all=True, append_images=small[1:], duration=3500, loop=0, quality=55, method=6)
