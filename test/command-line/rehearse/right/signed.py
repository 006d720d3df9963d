# A shop without the package: Python's standard library signs, stores, retries and reads the history.

import collections
import hashlib
import hmac
import http.client
import json
import os
import sqlite3
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

BASE_URL = os.environ["MARKET_BASE_URL"]
KEY_ID = os.environ["MARKET_KEY_ID"]
SECRET = os.environ["MARKET_SECRET"].encode()
WEBHOOK_SECRET = os.environ["MARKET_WEBHOOK_SECRET"].encode()

# A response that is cut is no OSError: a thread that expects only those ends, and with it every open sale.
UNKNOWN = (OSError, ValueError, http.client.HTTPException)

database = sqlite3.connect(os.path.join(sys.argv[1], "shop.db"), check_same_thread=False, isolation_level=None)
database.executescript(
    """
    CREATE TABLE IF NOT EXISTS sales (payment TEXT PRIMARY KEY, domain TEXT, body TEXT, order_id TEXT, state TEXT DEFAULT 'open');
    CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, sequence INTEGER);
    """
)
lock = threading.RLock()
clock_offset = 0.0
limited_until = 0.0


def sql(statement, *values):
    with lock:
        return database.execute(statement, values).fetchall()


def call(method, path, query="", body=None, key=None):
    """One signed request: its status and its JSON. A connection that breaks raises one of UNKNOWN."""
    global clock_offset, limited_until
    time.sleep(max(0.0, limited_until - time.monotonic()))
    data = b"" if body is None else body.encode()
    timestamp, nonce = str(int(time.time() + clock_offset)), str(uuid.uuid4())
    path = "/api/partner/v1" + path
    lines = [method, path, query, timestamp, nonce, hashlib.sha256(data).hexdigest()]
    signature = hmac.new(SECRET, "\n".join(lines).encode(), hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-Market-Key-Id": KEY_ID,
        "X-Market-Timestamp": timestamp,
        "X-Market-Nonce": nonce,
        "X-Market-Signature": "v1=" + signature,
    }
    if key is not None:
        headers["Idempotency-Key"] = key
    url = BASE_URL + path + ("?" + query if query else "")
    request = urllib.request.Request(url, data if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=15) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        if error.code == 429:
            limited_until = time.monotonic() + int(error.headers["Retry-After"]) + 0.1
        text = error.read()
        try:
            problem = json.loads(text)
        except ValueError:
            problem = {}
        if problem.get("code") == "invalid_timestamp":
            clock_offset = parsedate_to_datetime(error.headers["Date"]).timestamp() - time.time()
        return error.code, problem


def judge(status, answer):
    """What one response to POST /orders says of the sale."""
    if status in (200, 201) and "public_id" in answer:
        return "placed"
    return "refused" if status in (400, 404, 422) and "code" in answer else "open"


class Shop:
    judge = staticmethod(judge)

    def __init__(self):
        # Only one thread works on a sale at a time.
        self.locks = collections.defaultdict(threading.Lock)

    def sell(self, domain, payment):
        sql("INSERT OR IGNORE INTO sales (payment, domain) VALUES (?, ?)", payment, domain)
        self.complete(payment)
        return self.ask(payment)

    def ask(self, payment):
        rows = sql("SELECT state FROM sales WHERE payment = ?", payment)
        return rows[0][0] if rows else "open"

    def complete(self, payment):
        with self.locks[payment]:
            [(domain, body, state)] = sql("SELECT domain, body, state FROM sales WHERE payment = ?", payment)
            if state != "open":
                return
            try:
                if body is None:
                    status, found = call("POST", "/quotes", body=json.dumps({"domain": domain, "currency": "USD"}))
                    if status == 404:
                        return self.end(payment, "refused")
                    if status != 201:
                        return
                    body = json.dumps(
                        {
                            "domain": domain,
                            "expected_price": found["price_cents"],
                            "currency": "USD",
                            "quote_id": found["quote_id"],
                            "external_payment_ref": payment,
                        }
                    )
                    sql("UPDATE sales SET body = ? WHERE payment = ?", body, payment)
                # The same bytes and the same key, however often.
                status, answer = call("POST", "/orders", body=body, key=payment)
                state = self.judge(status, answer)
                if state != "open":
                    self.end(payment, state, answer.get("public_id"))
            except UNKNOWN:
                return

    def end(self, payment, state, order_id=None):
        sql(
            "UPDATE sales SET state = ?, order_id = coalesce(?, order_id) WHERE payment = ? AND state <> 'refused'",
            state,
            order_id,
            payment,
        )

    def withdraw(self, payment):
        [(order_id,)] = sql("SELECT order_id FROM sales WHERE payment = ?", payment)
        status, _ = call("POST", "/refunds", body=json.dumps({"public_id": order_id, "reason": "withdrawn"}))
        if status in (200, 201, 202):
            self.end(payment, "refused")
        return self.ask(payment)

    def handle(self, event, sequence=None):
        with lock:
            database.execute("BEGIN")
            if not sql("SELECT 1 FROM seen WHERE id = ?", event["id"]) and event["type"] == "order.refunded":
                order = event["data"]["order"]
                of_id = sql("SELECT payment FROM sales WHERE order_id = ?", order["public_id"])
                # It may come before the response that has the id.
                of_domain = sql("SELECT payment FROM sales WHERE order_id IS NULL AND domain = ?", order["domain"])
                for (payment,) in of_id or of_domain:
                    self.end(payment, "refused", order["public_id"])
            sql(
                "INSERT INTO seen VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET sequence = coalesce(sequence, excluded.sequence)",
                event["id"],
                sequence,
            )
            database.execute("COMMIT")

    def read_history(self):
        rows = sql("SELECT id, sequence FROM seen WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1")
        last, sequence = rows[0] if rows else (None, 0)
        query = "after_id=%s&limit=100" % quote(last, safe="") if last else "limit=100"
        status, page = call("GET", "/events", query)
        for number, event in enumerate(page["events"] if status == 200 else [], sequence + 1):
            self.handle(event, number)

    def work(self):
        while True:
            try:
                for (payment,) in sql("SELECT payment FROM sales WHERE state = 'open'"):
                    self.complete(payment)
                self.read_history()
            except UNKNOWN:
                pass
            time.sleep(0.5)

    def serve(self):
        shop = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                query = parse_qs(urlsplit(self.path).query)
                self.answer(200, shop.ask(query["payment"][0]))

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                target = urlsplit(self.path)
                if target.path == "/buy":
                    query = parse_qs(target.query)
                    return self.answer(200, shop.sell(query["domain"][0], query["payment"][0]))
                if target.path == "/withdraw":
                    return self.answer(200, shop.withdraw(parse_qs(target.query)["payment"][0]))
                expected = hmac.new(WEBHOOK_SECRET, body, hashlib.sha256).hexdigest()
                if not hmac.compare_digest(expected, self.headers.get("X-Market-Signature") or ""):
                    return self.answer(401, "the signature is wrong")
                shop.handle(json.loads(body))
                self.answer(200, "")

            def answer(self, status, text):
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

        threading.Thread(target=self.work, daemon=True).start()
        Server(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()


if __name__ == "__main__":
    Shop().serve()
