# The documents, served by nginx, Apache, Caddy and Varnish, each with its file of docs, and asked for as clients ask.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Debian keeps them where only root looks.
PATH=$PATH:/usr/sbin
pages=$tests_root/docs

await_site() { soon curl -s -o /dev/null "$site/" || { cat server.log; return 1; }; }

# Starts a server that listens on $port, and waits until it answers.
serve_site() {
  "$@" >>server.log 2>&1 &
  service=$!
  trap stop_service EXIT
  site=http://127.0.0.1:$port
  await_site
}

# Starts nginx on a free port of loopback, as the user who runs this, with all its files in ./web; sets $site.
serve() {
  needs nginx curl python3
  local port account=""
  port=$(free_port)
  mkdir web
  # Without this a server started by root reads the documents as somebody who may not look into the test's folder.
  if [ "$(id -u)" = 0 ]; then account="user root root;"; fi
  sed -e "s|listen 8080;|listen 127.0.0.1:$port;|" -e "s|root /srv/documents;|root $PWD/documents;|" \
    "$pages/nginx.conf" >web/pawl.conf
  has web/pawl.conf "listen 127.0.0.1:$port;"
  has web/pawl.conf "root $PWD/documents;"
  cat >web/nginx.conf <<END
$account
worker_processes 1;
pid $PWD/web/pid;
events {}
http {
  access_log off;
  client_body_temp_path $PWD/web/body;
  proxy_temp_path $PWD/web/proxy;
  fastcgi_temp_path $PWD/web/fastcgi;
  uwsgi_temp_path $PWD/web/uwsgi;
  scgi_temp_path $PWD/web/scgi;
  include $PWD/web/pawl.conf;
}
END
  serve_site nginx -e "$PWD/server.log" -p "$PWD/web" -c "$PWD/web/nginx.conf" -g "daemon off;"
}

# Writes ./documents; a format that cannot say what was decided is left out of them, and of no concern here.
export_documents() { pawl export documents "${every_format[@]}" >/dev/null || [ $? = 1 ]; }

# Makes ./documents from the public history of an app, with a release in review and rules of several kinds.
make_documents() {
  pawl init >/dev/null
  pawl app add ha --bundle-id io.robbie.HomeAssistant --apple-id 1099568401 >/dev/null
  pawl import ha "$pawl_data/home-assistant-ios.csv" --yes --skip-refused >/dev/null
  pawl publish ha 2027.1 --yes --min-os 18.0 --note en="Faster start" --note de="Startet schneller" >/dev/null
  pawl mark ha 2027.1 in-review >/dev/null
  pawl force ha below:2024.1 --reason "old" --yes >/dev/null
  pawl allow ha 2026.7.1 --reason "asked for" --yes >/dev/null
  export_documents
}

# Asks for a target and keeps what came: ./head, ./body, the status in $code and the tag in $tag.
get() {
  local target=$1
  shift
  code=$(curl -sS --path-as-is -D head -o body -w '%{http_code}' "$@" "$site$target")
  tag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: \(.*\)\r$/\1/p' head)
}

has_fields() {
  local field
  for field in "$@"; do grep -qi "^$field" head || { echo "no '$field'"; cat head; return 1; }; done
}

# Asks and holds the status against one, and the body against a file.
gets() {
  local wanted=$1 target=$2 file=${3:-}
  shift 2
  [ $# = 0 ] || shift
  get "$target" "$@"
  if [ "$code" != "$wanted" ]; then
    echo "$target: $code, not $wanted"
    cat head
    return 1
  fi
  [ -z "$file" ] || cmp body "$file"
}

make_small_documents() {
  make_ledger
  pawl publish taxi 1.2.0 --yes >/dev/null
  pawl mark taxi 1.2.0 live --visible-now --yes >/dev/null
  pawl app add shop --bundle-id com.example.shop --channel enterprise >/dev/null
  pawl publish shop 2.0.0.0 --yes >/dev/null
  pawl mark shop 2.0.0.0 live --visible-now --yes >/dev/null
  export PAWL_EXPORT=documents
  export_documents
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
    sed -e "s|\*:8080|127.0.0.1:$port|" -e "s|/srv/documents|$PWD/documents|" "$pages/contrib/apache.conf"
  } >apache.conf
  chmod o+x "$tests_folder" "$PWD"
  serve_site apache2 -f "$PWD/apache.conf" -DFOREGROUND
}

caddy_server() {
  needs caddy curl python3
  local port
  port=$(free_port)
  { printf '{\n\tadmin off\n}\n'
    sed -e "s|updates.example.com:8080|127.0.0.1:$port|" -e "s|/srv/documents|$PWD/documents|" "$pages/contrib/Caddyfile"; } >Caddyfile
  HOME=$PWD serve_site caddy run --adapter caddyfile --config Caddyfile
}

asked() {
  local path
  (cd documents && find . -type f ! -path './.pawl/*' | sed 's|^\./||') >paths
  while IFS= read -r path; do gets 200 "/$path" "documents/$path"; done <paths
  gets 200 /v1/taxi/1.2.json documents/v1/taxi/1.2.0.json
  gets 200 /v1/taxi/1.2.0.0.json documents/v1/taxi/1.2.0.json
  for path in 2 2.0 2.0.0; do gets 200 "/v1/shop/$path.json" documents/v1/shop/2.0.0.0.json; done
  gets 200 /flags/taxi/1.1.0.json documents/flags/taxi/1.1.json
  gets 200 /v1/taxi/9.9.json documents/v1/taxi/default.json
  gets 404 /v1/nobody/1.0.json
  for path in /.pawl/state.json /v1/ /v1/taxi /v1/../.pawl/state.json /%2epawl/state.json //manifest.json \
    /v1/taxi/..%2f..%2fmanifest.json /nothing; do
    gets 404 "$path" || [ "$code" = 400 ]
  done
  for path in POST PUT DELETE; do gets 405 /v1/taxi/1.1.json "" -X "$path"; done
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  has_fields 'content-type: application/json; charset=utf-8' 'cache-control: public, max-age=60, must-revalidate' \
    'access-control-allow-origin: \*' 'access-control-expose-headers: Date, Age'
  same "$(grep -ci '^cache-control' head)" 1
  local had=$tag
  gets 304 /v1/taxi/1.1.json "" -H "If-None-Match: $had"
  # A stop is served when it returns, and no tag confirms the answer before it.
  pawl stop taxi --reason "wrong page" >/dev/null
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json -H "If-None-Match: $had"
  has body '"decidedBy":"stopped"'
}

by_nginx() {
  make_small_documents
  serve
  asked
  # The page's line for when pawl cannot stop silences every form, also after all locations.
  sed -i "\$i $(block nginx 1 tasks/stop-everything)" web/pawl.conf
  kill -HUP "$service"
  for path in "/check?app=taxi&version=1.1" "/flags?app=taxi&version=1.1" /v1/taxi/schedule.json /type/taxi.json; do
    soon gets 404 "$path"
  done
}
it "nginx serves every document, default.json for other versions, and nothing else" by_nginx

by_apache() {
  make_small_documents
  apache
  asked
}
it "Apache serves every document, default.json for other versions, and nothing else" by_apache

by_caddy() {
  make_small_documents
  caddy_server
  asked
}
it "Caddy serves every document, default.json for other versions, and nothing else" by_caddy

by_varnish() {
  needs varnishd
  make_small_documents
  caddy_server
  local behind=${site##*:} cache
  cache=$(free_port)
  sed "s|\"8080\"|\"$behind\"|" "$pages/contrib/varnish.vcl" >pawl.vcl
  mkdir cache
  varnishd -j none -F -n "$PWD/cache" -a "127.0.0.1:$cache" -f "$PWD/pawl.vcl" -s malloc,16m >varnish.log 2>&1 &
  varnish=$!
  trap 'kill $varnish; stop_service' EXIT
  site=http://127.0.0.1:$cache
  await_site
  pawl deliver purge -- true >/dev/null
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  gets 200 /v1/taxi/1.1.json documents/v1/taxi/1.1.json
  has_fields 'age: '
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
it "purge.py makes Varnish drop an app's documents when its answers change" by_varnish

signed_documents() {
  make_documents
  pawl key new documents.key >/dev/null 2>&1
  pawl export documents --format v1 --format v1-signed --sign documents.key >/dev/null
  serve
  local name
  for name in 2026.7.1 default schedule; do
    gets 200 "/v1-signed/ha/$name.jws" "documents/v1-signed/ha/$name.jws"
    has_fields 'content-type: application/jose' etag:
  done
  for name in 2027.1.jws 9.9.jws 2026.7.1.json .jws default schedule.json ../ha/default.jws; do
    gets 404 "/v1-signed/ha/$name"
  done
}
it "signed documents are served as they are, and a version without one gets 404" signed_documents

by_query() {
  make_documents
  serve
  local format version count=0
  mkdir got
  (cd documents/v1/ha && ls) | sed -n 's/^\([0-9][0-9.]*\)\.json$/\1/p' >versions
  while IFS= read -r version; do
    printf 'url = "%s/check?app=ha&version=%s"\noutput = "got/check-%s"\n' "$site" "$version" "$version"
    for format in flags type; do
      [ ! -d "documents/$format" ] ||
        printf 'url = "%s/%s?version=%s&app=ha"\noutput = "got/%s-%s"\n' "$site" "$format" "$version" "$format" "$version"
    done
  done <versions >asked
  curl -sS --fail --config asked
  while IFS= read -r version; do
    cmp "got/check-$version" "documents/v1/ha/$version.json"
    cmp "got/flags-$version" "documents/flags/ha/$version.json"
    [ ! -d documents/type ] || cmp "got/type-$version" "documents/type/ha/$version.json"
    count=$((count + 1))
  done <versions
  [ "$count" -gt 50 ]
  # Other arguments are passed over.
  gets 200 "/check?app=ha&version=2026.7.3&platform=ios&_cb=1%20x" documents/v1/ha/2026.7.3.json
  gets 200 "/check?_cb=1&version=2026.7.3&app=ha" documents/v1/ha/2026.7.3.json
}
it "the query form answers every version as the path form does" by_query

unknown_versions() {
  make_documents
  serve
  local version
  # Never published, in review, greater than all, and what a reviewer runs.
  for version in 1 0 2020.7.1 2026.7.4 2027.1 2027.1.1 3000.1.2.3 999999999; do
    gets 200 "/v1/ha/$version.json" documents/v1/ha/default.json
    gets 200 "/check?app=ha&version=$version" documents/v1/ha/default.json
    gets 200 "/flags/ha/$version.json" documents/flags/ha/default.json
    gets 200 "/flags?app=ha&version=$version" documents/flags/ha/default.json
  done
  gets 404 /v1/nobody/1.0.json
  gets 404 "/check?app=nobody&version=1.0"
}
it "an unknown version gets default.json with 200, an unknown app 404" unknown_versions

one_version() {
  make_documents
  serve
  # The ledger has 2025.1 and 2025.10.0; equal versions may be written otherwise.
  [ -f documents/v1/ha/2025.1.json ]
  [ ! -e documents/v1/ha/2025.1.0.json ]
  gets 200 /v1/ha/2025.1.0.json documents/v1/ha/2025.1.json
  gets 200 /v1/ha/2025.1.0.0.json documents/v1/ha/2025.1.json
  gets 200 "/check?app=ha&version=2025.1.0" documents/v1/ha/2025.1.json
  gets 200 "/flags?app=ha&version=2025.1.0.0" documents/flags/ha/2025.1.json
  pawl publish ha 2027.2.0 --yes >/dev/null
  pawl mark ha 2027.2.0 live --visible-now --yes >/dev/null
  export_documents
  [ -f documents/v1/ha/2027.2.0.json ]
  gets 200 /v1/ha/2027.2.json documents/v1/ha/2027.2.0.json
  gets 200 /v1/ha/2027.2.0.0.json documents/v1/ha/2027.2.0.json
  gets 200 "/check?app=ha&version=2027.2" documents/v1/ha/2027.2.0.json
  gets 200 /v1/ha/2025.10.json documents/v1/ha/2025.10.0.json
  # A number that only ends with a zero is another one.
  gets 200 /v1/ha/2022.10.json documents/v1/ha/2022.10.json
  gets 200 /v1/ha/2025.100.json documents/v1/ha/default.json
}
it "1.2 and 1.2.0 are answered alike" one_version

hostile() {
  make_documents
  serve
  python3 "$tests_root/Tests/shell/serving.py" "${site##*:}" documents ha 2026.7.3
  local target
  for target in /../manifest.json /v1/ha/../../manifest.json /v1/ha/..%2f..%2fmanifest.json /.pawl/state.json; do
    get "$target"
    case $code in 400 | 404) ;; *) echo "$target: $code"; return 1 ;; esac
  done
}
it "a path that leads out of the documents gets 400 or 404, never a file" hostile

headers() {
  make_documents
  serve
  gets 200 /v1/ha/2026.7.3.json
  has_fields 'x-content-type-options: nosniff'
  if grep -Eqi '^server: .*[0-9]' head; then return 1; fi
  gets 200 /manifest.json
  has_fields 'content-type: application/json; charset=utf-8'
  mkdir -p documents/upgrader
  echo '<rss version="2.0"/>' >documents/upgrader/ha.xml
  gets 200 /upgrader/ha.xml documents/upgrader/ha.xml
  has_fields 'content-type: application/xml; charset=utf-8'
  # A web view sees why it got nothing, and nothing keeps a refusal.
  gets 400 "/check?app=ha"
  has_fields 'access-control-allow-origin: \*' 'cache-control: no-store'
  # HEAD is answered, and other methods are told which there are.
  gets 200 /v1/ha/2026.7.3.json "" --head
  has_fields "content-length: $(wc -c <documents/v1/ha/2026.7.3.json | tr -d ' ')"
  gets 200 "/check?app=ha&version=2026.7.3" "" --head
  local method
  for method in POST PUT DELETE PATCH OPTIONS TRACE PROPFIND; do
    gets 405 /v1/ha/2026.7.3.json "" -X "$method"
    gets 405 "/check?app=ha&version=2026.7.3" "" -X "$method"
  done
  gets 405 /v1/ha/2026.7.3.json "" --data x=y
  has_fields 'allow: GET, HEAD'
}
it "type, age, CORS, methods and the other fields are what the page says" headers

compressed() {
  make_documents
  serve
  needs gzip
  local path had
  for path in v1/ha/2024.1.json v1/ha/schedule.json manifest.json; do
    gets 200 "/$path" "" -H "Accept-Encoding: gzip"
    has_fields 'content-encoding: gzip' 'vary: accept-encoding'
    gzip -dc body | cmp - "documents/$path"
    # Also for who comes through a proxy, as a CDN does.
    gets 200 "/$path" "" -H "Accept-Encoding: gzip" -H "Via: 1.1 cdn.example.com"
    has_fields 'content-encoding: gzip'
    gets 200 "/$path" "documents/$path"
    has_fields 'vary: accept-encoding'
  done
  gets 200 /v1/ha/2024.1.json
  had=$tag
  gets 304 /v1/ha/2024.1.json "" -H "If-None-Match: $had"
  has_fields 'cache-control: public, max-age=60' 'access-control-allow-origin: \*'
  gets 304 "/check?app=ha&version=2024.1" "" -H "If-None-Match: $had"
  gets 200 /v1/ha/2024.1.json documents/v1/ha/2024.1.json -H 'If-None-Match: "other"'
  # Compressed, the tag is a weak one, and as good.
  gets 200 /v1/ha/2024.1.json "" -H "Accept-Encoding: gzip"
  case $tag in W/*) ;; *) echo "$tag is not weak"; return 1 ;; esac
  gets 304 /v1/ha/2024.1.json "" -H "Accept-Encoding: gzip" -H "If-None-Match: $tag"
}
it "a compressed answer has the same bytes, and a client that has the document gets 304" compressed

# Several states of a document within a second: nginx makes its tag of a file's length and its time in seconds.
same_second() {
  make_documents
  serve
  export PAWL_EXPORT=documents
  local value
  for value in a b c d e f; do
    pawl setting ha key "$value" >/dev/null
    gets 200 /v1/ha/2026.7.3.json documents/v1/ha/2026.7.3.json
    has body "\"key\":\"$value\""
    echo "$tag" >>tags
  done
  same "$(sort -u tags | wc -l | tr -d ' ')" 6
}
it "two states of a document never have the same tag" same_second

# Another document answers at the address of one that is gone; both can be of one length and of one time.
other_document() {
  make_ledger
  pawl publish taxi 1.2 --yes >/dev/null
  pawl mark taxi 1.2 live --visible-now --yes >/dev/null
  pawl export documents --format flags >/dev/null
  touch -d 2026-01-01T00:00:00Z documents/flags/taxi/1.2.json documents/flags/taxi/default.json
  serve
  gets 200 /flags/taxi/1.2.json documents/flags/taxi/1.2.json
  local had=$tag
  pawl void taxi 1.2 --never-shipped --reason "typing error" --yes >/dev/null
  pawl export documents >/dev/null
  gets 200 /flags/taxi/1.2.json documents/flags/taxi/default.json -H "If-None-Match: $had"
}
it "the answer in place of a removed document has a tag of its own" other_document

# The server's own copy of the documents is what a cache has.
probed() {
  make_small_documents
  unset PAWL_EXPORT
  mkdir ledger
  pawl init --export ledger/documents --format v1 --format flags >/dev/null
  rm -rf documents
  cp -R ledger/documents documents
  serve
  local probe=(pawl probe taxi --grace 0s -- curl -sf --max-time 10 "$site/{}")
  ends_with 0 "${probe[@]}"
  pawl stop taxi --reason "wrong page" >said
  has said "pawl probe taxi"
  ends_with 1 "${probe[@]}"
  has out stricter
  rm -rf documents
  cp -R ledger/documents documents
  ends_with 0 "${probe[@]}"
  rm documents/v1/taxi/schedule.json
  ends_with 1 "${probe[@]}"
  has out missing
  stop_service
  ends_with 74 "${probe[@]}"
}
it "a probe finds a stale copy behind nginx, a document that is missing, and a server that is gone" probed

finish
