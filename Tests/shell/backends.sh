# What docs/backends.md has beside mirrors, run as it stands: the refusal of an old client in each language, other stores.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Starts a server around a language's block, and asks it as three clients: one that has to update, one that need not, and
# one that nobody knows.
refuses() {
  local language=$1 file=$2
  needs sqlite3 python3
  make_ledger
  pawl force taxi 1.0 --reason crash --yes >/dev/null
  sqlite3 -json pawl.db "SELECT * FROM client_decision" >rows.json
  python3 -c 'import json
for row in json.load(open("rows.json")):
    print(*("/{}.{}={}".format(row["version"], name, value) for name, value in row.items()), sep="\n")' >rows.properties
  block "$language" 1 | sed 's/^/        /' >block
  sed -e '/BLOCK/ { r block' -e 'd; }' >"$file"
  start_on_loopback "${@:3}"
  curl -sS -i "$place/1.0" | tr -d '\r' >refused
  has refused " 426 "
  has refused "Upgrade: taxi/1.1"
  [ "$language" = php ] || has refused "Connection: upgrade"
  same "$(tail -n 1 refused)" https://apps.apple.com/app/id1524608462
  same "$(curl -sS "$place/1.1") $(curl -sS "$place/9")" "on on"
}

in_python() {
  refuses python server.py python3 server.py <<'END'
import http.server, json


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        row = next((row for row in json.load(open("rows.json")) if "/" + row["version"] == self.path), None)
        BLOCK
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"on")


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
}
it "Python refuses an old client as the page says" in_python

in_node() {
  needs node
  refuses js server.mjs node server.mjs <<'END'
import fs from "node:fs";
import http from "node:http";

const server = http.createServer((request, response) => {
  const row = JSON.parse(fs.readFileSync("rows.json")).find((row) => "/" + row.version === request.url);
  BLOCK
  response.end("on");
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
END
}
it "Node refuses an old client as the page says" in_node

in_php() {
  needs php
  # Its own server says the port in a sentence, and closes each connection.
  refuses php index.php bash -c "exec php -S 127.0.0.1:0 index.php 2> >(sed -nu 's/.*Server (http.*:\([0-9]*\)) started/\1/p')" <<'END'
<?php
$row = current(array_filter(json_decode(file_get_contents("rows.json"), true), fn($row) => "/" . $row["version"] === $_SERVER["REQUEST_URI"]));
BLOCK
echo "on";
END
}
it "PHP refuses an old client as the page says" in_php

in_java() {
  needs javac
  refuses java Server.java java Server.java <<'END'
import com.sun.net.httpserver.*;

class Server {
    static void answer(HttpExchange exchange) throws Exception {
        var rows = new java.util.Properties();
        rows.load(new java.io.FileReader("rows.properties"));
        var path = exchange.getRequestURI().getPath();
        // A row of JDBC, without a driver.
        var row = (java.sql.ResultSet) java.lang.reflect.Proxy.newProxyInstance(
            Server.class.getClassLoader(), new Class<?>[] {java.sql.ResultSet.class}, (self, method, words) ->
                method.getName().equals("next") ? rows.containsKey(path + ".action") : rows.getProperty(path + "." + words[0]));
        BLOCK
        exchange.sendResponseHeaders(200, 2);
        exchange.getResponseBody().write("on".getBytes());
    }

    public static void main(String[] words) throws Exception {
        var server = HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            } catch (Exception error) {
                throw new java.io.IOException(error);
            }
        });
        server.start();
        System.out.println(server.getAddress().getPort());
    }
}
END
}
it "Java refuses an old client as the page says" in_java

# The programs are played: each keeps what it was given, and the file that it would take along.
stores() {
  needs jq
  make_ledger
  pawl export documents >/dev/null
  mkdir bin
  # shellcheck disable=SC2016 # the players' own words
  printf '#!/bin/sh\necho "$@" >"$0.words"\nfor word; do [ ! -f "$word" ] || cp "$word" "$0.json"; done\n' |
    tee bin/aws bin/wrangler >bin/mongoimport
  chmod +x bin/*
  local commands
  while IFS= read -r -d '' commands; do PATH=$PWD/bin:$PATH bash -euc "$commands"; done < <(blocks "$tests_root/docs/backends.md")
  has bin/aws.words "s3://app/taxi.json"
  # Without that word it writes to a store on its own host.
  has bin/wrangler.words --remote
  local program
  for program in aws wrangler mongoimport; do cmp documents/v1/taxi/schedule.json "bin/$program.json"; done
  same "$(jq -r ".$(sed 's/.*--upsertFields \([a-z]*\).*/\1/' bin/mongoimport.words)" bin/mongoimport.json)" taxi
}
it "each other store is given the schedule" stores

finish
