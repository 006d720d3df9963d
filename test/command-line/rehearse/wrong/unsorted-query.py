# The query is signed as it is sent, and not in the order of its keys: every page but the first is refused.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402

call = signed.call


def unsorted(method, path, query="", body=None, key=None):
    return call(method, path, "&".join(reversed(query.split("&"))), body, key)


signed.call = unsorted
signed.Shop().serve()
