"""A service on loopback that takes push messages: says its port, keeps each request as a line of JSON, answers 200.

    push.py FILE
"""

import http.server
import json
import sys


class Service(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps({"path": self.path, "headers": headers, "body": body.decode()}) + "\n")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Service)
print(server.server_address[1], flush=True)
server.serve_forever()
