# A 401 is taken for a refusal of the order.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "right"))

import signed  # noqa: E402


class Wrong(signed.Shop):
    @staticmethod
    def judge(status, answer):
        return "refused" if status == 401 else signed.judge(status, answer)


Wrong().serve()
