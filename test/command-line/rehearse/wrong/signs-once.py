# The timestamp is that of an earlier signature.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402

now = signed.time.time
signed.time.time = lambda: now() - 60
signed.Shop().serve()
