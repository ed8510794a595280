# What docs/backends.md has beside mirrors, run as it stands: the refusal of an old client in each language, other stores.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck source=Tests/shell/databases.sh
. "$tests_root/Tests/shell/databases.sh"
trap 'stop_databases; chmod -R u+rwX "$tests_folder"; rm -rf "$tests_folder"' EXIT

export DATABASE_URL="postgresql://pawl_reader@127.0.0.1:$MIRROR_PORT/pawl"

# A mirror with a target that runs on new systems only: old ones get the release before it, and a reminder.
make_mirror() {
  make_ledger
  pawl app set taxi --policy force,remind >/dev/null
  pawl publish taxi 2.0 --yes --min-os 17.0 >/dev/null
  pawl mark taxi 2.0 live --visible-now --yes >/dev/null
  local owner=(psql -h "$databases/pg" -p "$MIRROR_PORT" -U pawl -qXAt pawl)
  "${owner[@]}" -c "DROP SCHEMA IF EXISTS pawl CASCADE"
  pawl sync app --as postgresql --schema | "${owner[@]}"
  pawl sync app --as postgresql --schema | sed -n 's/ PASSWORD <[A-Z_]*>//; s/^-- \(CREATE ROLE\|GRANT\)/\1/p' | "${owner[@]}"
  pawl sync app --as postgresql -- "${owner[@]}"
  "${owner[@]}" -c "ALTER ROLE pawl_reader SET statement_timeout = '1s'"
}

# Asks a server around a language's file as clients that have to update, that cannot, and that need not; twice over one
# connection, which a server that closes nothing would leave waiting.
refuses() {
  needs curl psql
  [ -f "$databases/pg/data/postmaster.pid" ] || skip "there is no PostgreSQL here"
  make_mirror >made 2>&1
  start_on_loopback "$@"
  local ask=(curl -sS -m 20 --http1.1 -H "X-App: taxi") url=https://apps.apple.com/app/id1524608462
  local old=("${ask[@]}" -H "X-App-Version: 1.0" -H "X-OS-Version: 17.0")
  "${old[@]}" -i "$place/a" "$place/b" | tr -d '\r' >refused
  # A header 'Upgrade' would be an error of the protocol wherever HTTP/2 is spoken.
  same "$(grep -c " 426 " refused) $(grep -ci "^content-type: text/plain" refused) $(grep -ci "^upgrade:" refused || true)" "2 2 0"
  same "$(tail -n 1 refused)" "$url"
  if command -v nginx >/dev/null; then
    local port
    port=$(free_port)
    cat >nginx.conf <<END
pid $PWD/nginx.pid;
events {}
http {
  access_log off;
  server { listen 127.0.0.1:$port http2; location / { proxy_pass $place; } }
}
END
    nginx -e "$PWD/nginx.log" -p "$PWD" -c "$PWD/nginx.conf"
    same "$("${old[@]}" --http2-prior-knowledge -w ' %{http_code} %{http_version}' "http://127.0.0.1:$port/")" "$url 426 2"
    nginx -e "$PWD/nginx.log" -p "$PWD" -c "$PWD/nginx.conf" -s stop
  fi
  # Each connection is ended, and then a statement takes too long: no one is refused for that, and all goes on after it.
  local owner=(psql -h "$databases/pg" -p "$MIRROR_PORT" -U pawl -qXAt pawl)
  "${owner[@]}" -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'pawl_reader'" >/dev/null
  "${old[@]}" "$place/" >/dev/null
  same "$("${old[@]}" "$place/")" "$url"
  "${owner[@]}" -c "BEGIN; LOCK TABLE pawl.answer; SELECT pg_sleep(3); COMMIT" >/dev/null &
  local locking=$!
  sleep 0.5
  same "$("${old[@]}" "$place/")" on
  wait "$locking"
  same "$("${old[@]}" "$place/")" "$url"
  same "$("${ask[@]}" -H "X-App-Version: 1.0" -H "X-OS-Version: 16.9" "$place/")" on
  same "$("${ask[@]}" -H "X-App-Version: 2.0" "$place/")$("${ask[@]}" -H "X-App-Version: v1" "$place/")$(curl -sS -m 20 "$place/")" ononon
}

in_python() {
  local python
  python=$(python_with psycopg2) || skip "there is no psycopg2 here"
  cp "$tests_root/docs/backends/refuse.py" .
  cat >server.py <<'END'
import http.server, os, psycopg2.pool, refuse

pool = psycopg2.pool.ThreadedConnectionPool(1, 4, os.environ["DATABASE_URL"])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not refuse.refuse(self, pool):
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"on")


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
  refuses "$python" server.py
}
it "Python refuses an old client" in_python

in_typescript() {
  needs node
  cp "$tests_root/docs/backends/refuse.ts" .
  if command -v tsc >/dev/null; then
    # Types of Node and of the driver are packages of their own; what is left is translated.
    tsc --target es2022 --module es2022 refuse.ts >types || true
    mv refuse.js refuse.mjs
  elif node --experimental-strip-types -e "" 2>/dev/null; then
    node --experimental-strip-types -e "require('fs').writeFileSync('refuse.mjs', require('module').stripTypeScriptTypes(require('fs').readFileSync('refuse.ts', 'utf8')))"
  else
    skip "there is no TypeScript here"
  fi
  # The driver is played by psql.
  cat >server.mjs <<'END'
import { execFileSync } from "node:child_process";
import http from "node:http";
import { refuse } from "./refuse.mjs";

const quoted = (value) => (value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`);
const database = {
  async query(text, values) {
    const query = text.replace(/\$(\d)/g, (_, place) => quoted(values[place - 1]));
    const rows = execFileSync("psql", [process.env.DATABASE_URL, "-qXAt", "-c", `SELECT row_to_json(x) FROM (${query}) x`]);
    return { rows: String(rows).trim().split("\n").filter(Boolean).map((row) => JSON.parse(row)) };
  },
};
const server = http.createServer(async (request, response) => {
  if (!(await refuse(request, response, database))) response.end("on");
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
END
  refuses node server.mjs
}
it "TypeScript refuses an old client" in_typescript

in_php() {
  needs php
  php -m >modules
  grep -q pdo_pgsql modules || skip "there is no pdo_pgsql here"
  cp "$tests_root/docs/backends/refuse.php" .
  cat >index.php <<'END'
<?php
require "refuse.php";
$place = parse_url(getenv("DATABASE_URL"));
$source = "pgsql:host={$place['host']};port={$place['port']};dbname=pawl;user={$place['user']}";
refuse(fn() => new PDO($source, options: [PDO::ATTR_PERSISTENT => true]));
echo "on";
END
  # Its own server says the port in a sentence, and closes each connection.
  refuses php -r '$server = proc_open(["php", "-S", "127.0.0.1:0", "index.php"], [2 => ["pipe", "w"]], $pipes);
    while ($line = fgets($pipes[2])) if (preg_match("/Server \(http.*:(\d+)\) started/", $line, $found)) echo "$found[1]\n";'
}
it "PHP refuses an old client" in_php

# The JDK's server, around a function of either language.
java_server() {
  cat <<END
import com.sun.net.httpserver.*;

class Server {
    public static void main(String[] words) throws Exception {
        var place = "jdbc:" + System.getenv("DATABASE_URL").replace("pawl_reader@", "") + "?user=pawl_reader";
        var database = new org.postgresql.ds.PGSimpleDataSource();
        database.setURL(place);
        var server = HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            if ($1.refuse(exchange, database)) return;
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("on".getBytes());
            exchange.close();
        });
        server.start();
        System.out.println(server.getAddress().getPort());
    }
}
END
}

jdbc=/usr/share/java/postgresql.jar

in_java() {
  needs javac
  [ -f "$jdbc" ] || skip "there is no JDBC driver for PostgreSQL here"
  cp "$tests_root/docs/backends/Refuse.java" .
  java_server Refuse >Server.java
  javac -cp "$jdbc" -d classes Refuse.java Server.java
  refuses java -cp "classes:$jdbc" Server
}
it "Java refuses an old client" in_java

in_kotlin() {
  needs kotlinc javac
  [ -f "$jdbc" ] || skip "there is no JDBC driver for PostgreSQL here"
  cp "$tests_root/docs/backends/Refuse.kt" .
  kotlinc Refuse.kt -include-runtime -d refuse.jar
  java_server RefuseKt >Server.java
  javac -cp "refuse.jar:$jdbc" -d classes Server.java
  refuses java -cp "classes:refuse.jar:$jdbc" Server
}
it "Kotlin refuses an old client" in_kotlin

in_go() {
  needs go
  [ -d /usr/share/gocode/src/github.com/lib/pq ] || skip "there is no driver of Go for PostgreSQL here"
  cp "$tests_root/docs/backends/refuse.go" .
  cat >main.go <<'END'
package main

import (
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	_ "github.com/lib/pq"
)

func main() {
	db, _ := sql.Open("postgres", os.Getenv("DATABASE_URL")+"?sslmode=disable")
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !refuse(w, r, db) {
			io.WriteString(w, "on")
		}
	}))
}
END
  GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/cache go build -o server main.go refuse.go
  refuses ./server
}
it "Go refuses an old client" in_go

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
