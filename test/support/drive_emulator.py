"""Drives an emulator by the OpenAPI document that it serves; the address is the argument."""

import json
import sys
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

origin = sys.argv[1]
document = json.load(urlopen(origin + "/_emulator/v1/openapi.json"))
operations = {
    operation["operationId"]: (method, path, operation)
    for path, methods in document["paths"].items()
    for method, operation in methods.items()
}


def call(operation_id, **given):
    method, path, operation = operations[operation_id]
    query = {}
    for parameter in operation["parameters"]:
        name = parameter["name"]
        if parameter["in"] == "path":
            path = path.replace("{" + name + "}", quote(str(given.pop(name)), safe=""))
        elif name in given:
            query[name] = given.pop(name)
    body = None
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        for name in schema.get("required", []):
            assert name in given, name
        body = json.dumps(given).encode()
    else:
        assert given == {}, given
    url = origin + path + ("?" + urlencode(query) if query else "")
    headers = {"content-type": "application/json"}
    request = Request(url, data=body, method=method.upper(), headers=headers)
    try:
        return json.load(urlopen(request, timeout=20))
    except HTTPError as error:
        return json.load(error)


call("postReprice", domain="brew.example", price_cents=270_000)
armed = call("postFaultsOn", match="POST /orders", fault={"name": "status", "status": 503}, times=2)
print(
    json.dumps(
        {
            "price": call("getDomainsDomain", domain="brew.example")["price_cents"],
            "armed": [fault["title"] for fault in armed],
            "refused": call("postList", domain="new.example", price_cents=1, priceCents=1)["message"],
            "iso": call("postClockAdvance", duration="11 minutes")["iso"],
        }
    )
)
