# The history is polled with one nonce.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402

call = signed.call


def polled(method, path, query="", body=None, key=None):
    new = signed.uuid.uuid4
    if path == "/events":
        signed.uuid.uuid4 = lambda: "poll"
    try:
        return call(method, path, query, body, key)
    finally:
        signed.uuid.uuid4 = new


signed.call = polled
signed.Shop().serve()
