# Sourced by what needs real databases: starts those that are installed, for whoever calls stop_databases at the end.

# Sockets and data are in a folder of their own; no database listens on more than loopback.
databases=$(mktemp -d "${TMPDIR:-/tmp}/pawl-db.XXXXXX")
chmod 755 "$databases"
export MIRROR_FOLDER=$databases MIRROR_PORT=15499
postgres=$(find /usr/lib/postgresql/*/bin -maxdepth 0 2>/dev/null | sort -V | tail -n 1) || true

# Runs a server's program as an account that owns nothing else: PostgreSQL refuses to run as root.
as_nobody() {
  if [ "$(id -u)" = 0 ]; then
    # Not every folder of temporary files is everyone's.
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$databases" TMPDIR=/tmp "$@"
  else
    "$@"
  fi
}

stop_databases() {
  [ ! -f "$databases/pg/data/postmaster.pid" ] || as_nobody "$postgres/pg_ctl" -D "$databases/pg/data" -m immediate -w stop
  [ ! -f "$databases/my/pid" ] || { kill "$(cat "$databases/my/pid")" && tail -f --pid="$(cat "$databases/my/pid")" /dev/null; }
  [ ! -S "$databases/redis/socket" ] || redis-cli -s "$databases/redis/socket" shutdown nosave
  rm -rf "$databases"
} >/dev/null 2>&1

start_postgresql() {
  [ -x "$postgres/initdb" ] || return 0
  as_nobody "$postgres/initdb" -D "$databases/pg/data" -U pawl -E UTF8 --locale=C -A trust
  # One account needs a password.
  as_nobody sed -i '1i local all locked scram-sha-256' "$databases/pg/data/pg_hba.conf"
  as_nobody "$postgres/pg_ctl" -D "$databases/pg/data" -l "$databases/pg/log" -w \
    -o "-p $MIRROR_PORT -k $databases/pg -c listen_addresses=127.0.0.1 -c fsync=off" start
  createdb -h "$databases/pg" -p "$MIRROR_PORT" -U pawl pawl
}

start_mysql() {
  command -v mariadbd || return 0
  as_nobody mariadb-install-db --no-defaults --datadir="$databases/my/data" --auth-root-authentication-method=normal --skip-test-db
  as_nobody mariadbd --no-defaults --datadir="$databases/my/data" --socket="$databases/my/socket" --skip-networking \
    --character-set-server=latin1 --innodb-flush-log-at-trx-commit=0 --pid-file="$databases/my/pid" &
  soon mysql --no-defaults -u root -S "$databases/my/socket" -e "CREATE DATABASE pawl; DELETE FROM mysql.global_priv WHERE User = ''; FLUSH PRIVILEGES"
}

start_redis() {
  command -v redis-server || return 0
  as_nobody redis-server --port 0 --unixsocket "$databases/redis/socket" --dir "$databases/redis" --save "" --enable-debug-command yes --daemonize yes
}

mkdir "$databases/pg" "$databases/my" "$databases/redis"
[ "$(id -u)" != 0 ] || chown 65534:65534 "$databases"/*
for kind in postgresql mysql redis; do "start_$kind" >"$databases/$kind.log" 2>&1 </dev/null & starting+=" $!"; done
# shellcheck disable=SC2086 # one word a process
wait ${starting}
