"""An App Store Connect of the tests' own, on loopback, and what reads its answers independently.

    asc.py serve LOG            prints its port; answers as the file ./mode says, and logs each request to LOG
    asc.py tokens LOG KEY       verifies every token in the log with PyJWT
    asc.py models FILE          prints what the models of codemagic-cli-tools read of an answer

./mode holds a word: ok, 401, 403, 404, 429, 500, html, truncated, cut, redirect, foreign, loop, slow, pages. With 'ok' it
answers ./answer.json; with 'pages' that in pages of one version each.
"""

import http.server
import json
import os
import sys
import time
import urllib.parse

ERRORS = {
    "401": (401, "NOT_AUTHORIZED", "Authentication credentials are missing or invalid."),
    "403": (403, "FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED", "A required agreement is missing or has expired."),
    "404": (404, "NOT_FOUND", "The specified resource does not exist"),
    "429": (429, "RATE_LIMIT_EXCEEDED", "The request rate limit has been reached."),
    "500": (500, "UNEXPECTED_ERROR", "An unexpected error occurred."),
}


MODELLED = {
    "appStoreVersions": [
        "appStoreReviewDetail", "appStoreVersionLocalizations", "appStoreVersionPhasedRelease", "appStoreVersionSubmission",
        "build", "routingAppCoverage",
    ],
    "builds": [
        "app", "appEncryptionDeclaration", "appStoreVersion", "betaAppReviewSubmission", "betaBuildLocalizations", "betaGroups",
        "buildBetaDetail", "icons", "individualTesters", "perfPowerMetrics", "preReleaseVersion", "diagnosticSignatures",
    ],
}


class Connect(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps({"path": self.path, "headers": dict(self.headers)}) + "\n")
        with open("mode") as file:
            mode = file.read().strip()
        place = urllib.parse.urlsplit(self.path)
        base = f"http://127.0.0.1:{self.server.server_port}"
        if mode in ERRORS:
            status, code, title = ERRORS[mode]
            body = {"errors": [{"id": "1", "status": str(status), "code": code, "title": title, "detail": title}]}
            return self.answer(status, body, {"Retry-After": "37"} if status == 429 else {})
        if mode == "redirect":
            return self.answer(302, {}, {"Location": "http://127.0.0.1:9/elsewhere"})
        if mode == "html":
            return self.send(200, b"<html>Sorry</html>", {})
        with open("answer.json") as file:
            whole = json.load(file)
        if mode == "slow":
            time.sleep(float(os.environ.get("ASC_SLOW", "3")))
        if mode == "truncated":
            return self.send(200, json.dumps(whole).encode()[:-20], {})
        if mode == "cut":
            body = json.dumps(whole).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return None
        links = {"self": base + self.path}
        if place.path == "/v1/apps/1524608462":
            names = {"name": "Taxi", "bundleId": "com.example.taxi", "sku": "TAXI-1", "primaryLocale": "en-US"}
            return self.answer(200, {"data": {"type": "apps", "id": "1524608462", "attributes": names}, "links": links}, {})
        if place.path == "/v1/builds":
            if not os.path.exists("builds.json"):
                return self.answer(200, {"data": [], "links": links}, {})
            with open("builds.json") as file:
                return self.answer(200, json.load(file), {})
        if mode == "foreign":
            links["next"] = "https://api.appstoreconnect.apple.com.example.com/v1/apps/1524608462/appStoreVersions?cursor=1"
        if mode == "loop":
            links["next"] = base + self.path
        if mode == "pages":
            cursor = int(urllib.parse.parse_qs(place.query).get("cursor", ["0"])[0])
            if cursor + 1 < len(whole["data"]):
                links["next"] = f"{base}{place.path}?cursor={cursor + 1}&limit=1"
            whole["data"] = whole["data"][cursor : cursor + 1]
        whole["links"] = links
        return self.answer(200, whole, {"X-Rate-Limit": "user-hour-lim:3500;user-hour-rem:500;"})

    def answer(self, status, body, more):
        self.send(status, json.dumps(body).encode(), {"Content-Type": "application/json", **more})

    def send(self, status, body, more):
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Connect)
    print(server.server_port, flush=True)
    server.serve_forever()


def tokens():
    import jwt
    from cryptography.hazmat.primitives import serialization

    with open(sys.argv[3], "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None).public_key()
    count = 0
    with open(sys.argv[2]) as log:
        for line in log:
            request = json.loads(line)
            token = request["headers"]["Authorization"].removeprefix("Bearer ")
            claims = jwt.decode(token, key, algorithms=["ES256"], audience="appstoreconnect-v1", issuer="57246542-96fe-1a63-e053-0824d011072a")
            assert jwt.get_unverified_header(token) == {"alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"}
            assert claims["scope"] == ["GET " + urllib.parse.urlsplit(request["path"]).path], claims
            assert 0 < claims["exp"] - claims["iat"] <= 1200, claims
            count += 1
    assert count > 0
    print(f"measured: {count} tokens verified by PyJWT {jwt.__version__}")


def models():
    from codemagic.apple.resources import AppStoreVersion, Build

    with open(sys.argv[2]) as file:
        answer = json.load(file)
    for item in answer["data"] + answer["included"]:
        # What the models insist on, and Apple always sends.
        item["links"] = {"self": "https://example.com"}
        for name in MODELLED.get(item["type"], []):
            item.setdefault("relationships", {}).setdefault(name, {}).setdefault("links", {"self": "", "related": ""})
    builds = {item["id"]: Build(item) for item in answer["included"] if item["type"] == "builds"}
    for item in answer["data"]:
        version = AppStoreVersion(item)
        link = item["relationships"]["build"].get("data")
        build = builds[link["id"]].attributes.version if link else "-"
        print(version.attributes.versionString, version.attributes.appVersionState.value, version.id, build)


if __name__ == "__main__":
    {"serve": serve, "tokens": tokens, "models": models}[sys.argv[1]]()
