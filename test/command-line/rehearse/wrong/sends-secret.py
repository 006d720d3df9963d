# The secret goes along, as a token.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402

request = signed.urllib.request.Request


def with_token(url, data, headers, **options):
    return request(url, data, {**headers, "Authorization": "Bearer " + os.environ["MARKET_SECRET"]}, **options)


signed.urllib.request.Request = with_token
signed.Shop().serve()
