# The nonce is the second in which the request is signed.

import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402

signed.uuid.uuid4 = lambda: "nonce-%d" % time.time()
signed.Shop().serve()
