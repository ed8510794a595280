# The documents behind Apache, Caddy and Varnish, each with its file of docs, asked for what clients ask; nginx has
# serving.sh.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Debian keeps them where only root looks.
PATH=$PATH:/usr/sbin
pages=$tests_root/docs

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Waits for the service that was started to answer at $site.
await_site() {
  local tries=0
  until curl -s -o /dev/null "$site/"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 200 ] || ! kill -0 "$service" 2>/dev/null; then
      cat server.log
      return 1
    fi
    sleep 0.05
  done
}

make_documents() {
  make_ledger
  pawl publish taxi 1.2.0 >/dev/null
  pawl mark taxi 1.2.0 live --visible-now --yes >/dev/null
  PAWL_EXPORT=documents
  export PAWL_EXPORT
  pawl export documents "${every_format[@]}" >/dev/null || [ $? = 1 ]
}

apache() {
  needs apache2 curl python3
  local port modules=/usr/lib/apache2/modules name
  [ -d "$modules" ] || skip "Apache's modules are not where Debian has them"
  port=$(free_port)
  {
    for name in mpm_event authz_core mime dir headers rewrite; do echo "LoadModule ${name}_module $modules/mod_$name.so"; done
    printf '%s\n' "ServerRoot $PWD" "PidFile $PWD/pid" "Listen 127.0.0.1:$port" "ServerName localhost" "ErrorLog $PWD/server.log" \
      "Mutex posixsem" "TypesConfig /etc/mime.types" "DirectoryIndex disabled"
    # Started by root it reads the documents as somebody who may not look into the test's folder.
    [ "$(id -u)" != 0 ] || printf '%s\n' "User nobody" "Group nogroup"
    sed -e "s|\*:8080|127.0.0.1:$port|" -e "s|/srv/documents|$PWD/documents|" "$pages/apache.conf"
  } >apache.conf
  chmod o+x "$tests_folder" "$PWD"
  apache2 -f "$PWD/apache.conf" -DFOREGROUND >>server.log 2>&1 &
  service=$!
  trap stop_service EXIT
  site=http://127.0.0.1:$port
  await_site
}

caddy_server() {
  needs caddy curl python3
  local port
  port=$(free_port)
  { printf '{\n\tadmin off\n}\n'
    sed -e "s|updates.example.com:8080|127.0.0.1:$port|" -e "s|/srv/documents|$PWD/documents|" "$pages/Caddyfile"; } >Caddyfile
  HOME=$PWD caddy run --adapter caddyfile --config Caddyfile >>server.log 2>&1 &
  service=$!
  trap stop_service EXIT
  site=http://127.0.0.1:$port
  await_site
}

# Asks for a target and holds the status against one, and the body against a file.
gets() {
  local wanted=$1 target=$2 file=${3:-}
  shift 2
  [ $# = 0 ] || shift
  code=$(curl -sS --path-as-is -D head -o body -w '%{http_code}' "$@" "$site$target")
  if [ "$code" != "$wanted" ]; then
    echo "$target: $code, not $wanted"
    cat head
    return 1
  fi
  [ -z "$file" ] || cmp body "$file"
}

# What the page promises of both.
asked() {
  local path tag
  (cd documents && find . -type f ! -path './.pawl/*' | sed 's|^\./||') >paths
  while IFS= read -r path; do gets 200 "/$path" "documents/$path"; done <paths
  gets 200 /v1/taxi/1.2.json documents/v1/taxi/1.2.0.json
  gets 200 /v1/taxi/1.2.0.0.json documents/v1/taxi/1.2.0.json
  gets 200 /flags/taxi/1.1.0.json documents/flags/taxi/1.1.json
  gets 200 /v1/taxi/9.9.json documents/v1/taxi/default.json
  gets 404 /v1/nobody/1.0.json
  for path in /.pawl/state.json /v1/ /v1/taxi /v1/../.pawl/state.json /%2epawl/state.json //manifest.json \
    /v1/taxi/..%2f..%2fmanifest.json /nothing; do
    gets 404 "$path" || [ "$code" = 400 ]
  done
  for path in POST PUT DELETE; do gets 405 /v1/taxi/1.1.json "" -X "$path"; done
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  grep -qi '^content-type: application/json; charset=utf-8' head
  grep -qi '^cache-control: public, max-age=60, must-revalidate' head
  same "$(grep -ci '^cache-control' head)" 1
  grep -qi '^access-control-allow-origin: \*' head
  tag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: \(.*\)\r$/\1/p' head)
  gets 304 /v1/taxi/1.1.json "" -H "If-None-Match: $tag"
  # A stop is served when it returns, and no tag confirms the answer before it.
  pawl stop taxi --reason "wrong page" >/dev/null
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json -H "If-None-Match: $tag"
  has body '"decidedBy":"stopped"'
}

by_apache() {
  make_documents
  apache
  asked
}
it "Apache serves every document, default.json for other versions, and nothing else" by_apache

by_caddy() {
  make_documents
  caddy_server
  asked
}
it "Caddy does the same" by_caddy

by_varnish() {
  needs varnishd
  make_documents
  caddy_server
  local behind=${site##*:} cache
  cache=$(free_port)
  sed "s|\"8080\"|\"$behind\"|" "$pages/varnish.vcl" >pawl.vcl
  mkdir cache
  varnishd -j none -F -n "$PWD/cache" -a "127.0.0.1:$cache" -f "$PWD/pawl.vcl" -s malloc,16m >varnish.log 2>&1 &
  varnish=$!
  trap 'kill $varnish; stop_service' EXIT
  site=http://127.0.0.1:$cache
  await_site
  pawl deliver purge -- true >/dev/null
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  grep -qi '^age: ' head
  # Until somebody tells it, the cache has the old answer; then it has the new one.
  local start
  start=$(date +%s%N)
  pawl stop taxi --reason "wrong page" >/dev/null
  gets 200 /v1/taxi/1.1.json
  if grep -q '"decidedBy":"stopped"' body; then return 1; fi
  ends_with 0 pawl deliver purge -- "$pages/deliver/purge.py" "$site"
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  has body '"decidedBy":"stopped"'
  echo "measured: a stop is through the cache after $((($(date +%s%N) - start) / 1000000)) ms"
  gets 403 / "" -X BAN -H 'X-App: .*'
}
it "Varnish forgets an app's documents when its answers change" by_varnish

finish
