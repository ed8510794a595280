"""A service on loopback that takes messages: says its port, keeps each request as a line of JSON, and answers 200, or
what the files ./status and ./answer say.

    push.py FILE
"""

import http.server
import json
import os
import sys


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps({"path": self.path, "headers": headers, "body": body.decode()}) + "\n")
        status = 200
        if os.path.exists("status"):
            with open("status") as file:
                status = int(file.read())
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        if os.path.exists("answer"):
            with open("answer", "rb") as file:
                self.wfile.write(file.read())

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Service)
print(server.server_address[1], flush=True)
server.serve_forever()
