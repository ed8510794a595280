# Mirrors in real databases, as Debian has them: what they tell, and what cannot go wrong with them.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# shellcheck source=Tests/shell/databases.sh
. "$tests_root/Tests/shell/databases.sh"
trap 'stop_databases; chmod -R u+rwX "$tests_folder"; rm -rf "$tests_folder"' EXIT

needs_kind() {
  needs python3
  case $1 in
    postgresql) [ -f "$databases/pg/data/postmaster.pid" ] || skip "there is no PostgreSQL here" ;;
    mysql) [ -S "$databases/my/socket" ] || skip "there is no MariaDB here" ;;
    redis) [ -S "$databases/redis/socket" ] || skip "there is no Redis here" ;;
    sqlite) needs sqlite3 ;;
  esac
}

# With PAWL_WHOLE at length.
declare -A measure=([questions]=2000 [readers]=5 [clock]=10 [texts]=2)
[ -z "${PAWL_WHOLE:-}" ] || measure=([questions]=50000 [readers]=60 [clock]=120 [texts]=99)

declare -A sentences=(
  [questions]="a mirror gives the answer of check, at every moment, on every system"
  [fences]="a run that is repeated, late, partial, lost, forked, copied or altered is refused, or repaired by the next one"
  [readers]="readers during changes and killed runs see one whole schedule, and never an older one"
  [clock]="answers change to the second while pawl does not run: holds end, forces begin and end, a build expires"
  [texts]="texts keep their meaning under every setting of server and client"
)

asked_of() { echo questions fences readers clock; [[ $1 != *sql ]] || echo texts; }

# Runs all that is asked of one kind, one after the other, since each makes the mirror anew.
hold() {
  local test
  for test in $(asked_of "$1"); do
    mkdir -p "$databases/$1.ledgers/$test"
    (cd "$databases/$1.ledgers/$test" && python3 "$tests_root/Tests/shell/mirrors.py" "$test" "$1" "$pawl_program" "${measure[$test]:-}") \
      >"$databases/$1.$test" 2>&1 && echo 0 >"$databases/$1.$test.status" || echo 1 >"$databases/$1.$test.status"
  done
}

# The kinds beside each other: clients of databases wait most of the time.
for kind in postgresql mysql sqlite redis; do hold "$kind" & done

for kind in postgresql mysql sqlite redis; do
  for test in $(asked_of "$kind"); do
    found() {
      needs_kind "$kind"
      until [ -s "$databases/$kind.$test.status" ]; do sleep 0.1; done
      cat "$databases/$kind.$test"
      return "$(cat "$databases/$kind.$test.status")"
    }
    it "$kind: ${sentences[$test]}" found
  done
done

# Runs the set-up of a section as it stands, with programs that reach the test's own databases.
set_up() {
  make_ledger
  mkdir bin
  ln -s "$pawl_program" bin/pawl
  printf '#!/bin/sh\nexec "%s" -s "%s" "$@"\n' "$(command -v redis-cli)" "$databases/redis/socket" >bin/redis-cli
  chmod 755 bin/redis-cli
  printf '[%s]\nhost='"$databases/pg\nport=$MIRROR_PORT\ndbname=app\nuser=%s\n" \
    owner owner writer pawl_writer reader pawl_reader >services
  printf '[client%s]\n%b\n' "" "socket=$databases/my/socket" _owner "user=owner\npassword=o" _writer user=pawl_writer _reader user=pawl_reader >.my.cnf
  blocks "$tests_root/docs/mirrors.md" "$1" | while IFS= read -r -d '' commands; do
    HOME=$PWD PGSERVICEFILE=services PATH=$PWD/bin:$PATH bash -euo pipefail -c "$commands"
  done
}

postgresql_set_up() {
  needs_kind postgresql
  createdb -h "$databases/pg" -p "$MIRROR_PORT" -U pawl app
  # The owner, too, is made as the page says; what is printed for accounts fails as it stands.
  ends_with 3 psql -h "$databases/pg" -p "$MIRROR_PORT" -U pawl -qX -v ON_ERROR_STOP=1 app < <(block sql 1 mirrors)
  block sql 1 mirrors | sed "s/<OWNER_PASSWORD>/'o'/" | psql -h "$databases/pg" -p "$MIRROR_PORT" -U pawl -qX -v ON_ERROR_STOP=1 app
  set_up PostgreSQL >out
  same "$(cat out)" "$(printf 'app: 0 same, 1 sent, 0 removed, 0 refused.\nremind|1.1')"
  export PGSERVICEFILE=services
  local ask=(psql -qXAt -v ON_ERROR_STOP=1 -v app=taxi -v version=1.0 -v os=16.1 -v locale=de)
  block sql 1 | "${ask[@]}" service=reader >login
  has login "remind|0|1.1|taxi"
  local tag
  tag=$(psql service=reader -qXAt -c "SELECT tag FROM pawl.ask('taxi', '1.0')")
  block sql 2 | "${ask[@]}" -v tag="$tag" service=reader >same
  is_empty same
  block sql 2 | "${ask[@]}" -v tag=other service=reader >news
  cmp login news
  # The unit runs the same, by the page's file.
  block text 1 mirrors | sed 's/=\(.*\)/="\1"/' >unit
  sed -n 's/^ExecStart=//p' "$tests_root/docs/units/pawl-sync@.service" | sed 's/%i/app/' >>unit
  same "$(PATH=$PWD/bin:$PATH bash -eu unit)" "app: 1 same, 0 sent, 0 removed, 0 refused."
  # A reader asks and no more; a writer owns nothing, and leaves the switch alone.
  local statement
  for statement in "SELECT * FROM pawl.answer" "SELECT * FROM pawl.app" "DELETE FROM pawl.app"; do
    ends_with 1 psql service=reader -qX -c "$statement"
  done
  for statement in "DROP TABLE pawl.note" "UPDATE pawl.app SET stopped = 1" "UPDATE pawl.format SET version = 2"; do
    ends_with 1 psql service=writer -qX -c "$statement"
  done
}
it "the page's set-up for PostgreSQL runs, and gives no role more rights than it needs" postgresql_set_up

as_user() { HOME=$PWD mysql --defaults-group-suffix="_$1" app "${@:2}"; }

mysql_set_up() {
  needs_kind mysql
  mysql --no-defaults -u root -S "$databases/my/socket" -e "CREATE DATABASE app"
  ends_with 1 mysql --no-defaults -u root -S "$databases/my/socket" app < <(block sql 2 mirrors)
  block sql 2 mirrors | sed "s/<OWNER_PASSWORD>/'o'/" | mysql --no-defaults -u root -S "$databases/my/socket" app
  set_up "MySQL and MariaDB" >out
  has out "app: 0 same, 1 sent, 0 removed, 0 refused."
  has out "$(printf 'remind\t0\t1.1\ttaxi')"
  local statement
  # A database that refuses functions gets all the others.
  mysql --no-defaults -u root -S "$databases/my/socket" -e "CREATE DATABASE hosted"
  pawl sync app --as mysql --schema | sed '/^CREATE.*FUNCTION/,/;$/d' | mysql --no-defaults -u root -S "$databases/my/socket" hosted
  pawl sync app --as mysql -- mysql --no-defaults -u root -S "$databases/my/socket" -N -B hosted >out
  has out "1 sent"
  mysql --no-defaults -u root -S "$databases/my/socket" -N hosted -e "SELECT count(*) FROM information_schema.routines
    WHERE routine_schema = 'hosted'; CALL pawl_ask('taxi', '1.0', NULL, NULL, NULL, NULL)" >out
  same "$(cut -f 1 out | tr '\n' ' ')" "1 remind "
  for statement in "SELECT * FROM pawl_answer" "DELETE FROM pawl_app"; do
    ends_with 1 as_user reader -e "$statement"
  done
  for statement in "DROP TABLE pawl_note" "UPDATE pawl_app SET stopped = 1" "UPDATE pawl_format SET version = 2"; do
    ends_with 1 as_user writer -e "$statement"
  done
  has err denied
  # Nobody comes in without a password.
  ends_with 1 mysql --no-defaults -u pawl_writer -S "$databases/my/socket" app -e "SELECT 1"
}
it "the page's set-up for MySQL runs, and gives no account more rights than it needs" mysql_set_up

# Starts a server of a pair with nothing but defaults, since a replica applies what it gets within its own limits.
start_of_pair() {
  as_nobody cp -r "$databases/pair/empty" "$databases/pair/$1.data"
  as_nobody mariadbd --no-defaults --datadir="$databases/pair/$1.data" --socket="$databases/pair/$1" --pid-file="$databases/pair/$1.pid" "${@:2}" 2>"$databases/pair/$1.log" &
  soon mysql --no-defaults -u root -S "$databases/pair/$1" -e "SELECT 1"
}

mysql_replica() {
  needs_kind mysql
  local port
  port=$(free_port)
  export TMPDIR=$databases/pair
  mkdir "$TMPDIR"
  [ "$(id -u)" != 0 ] || chown 65534:65534 "$databases/pair"
  as_nobody mariadb-install-db --no-defaults --datadir="$databases/pair/empty" --auth-root-authentication-method=normal --skip-test-db
  trap 'kill $(cat "$databases"/pair/*.pid) && wait' EXIT
  start_of_pair primary --log-bin --server-id=1 --bind-address=127.0.0.1 --port="$port"
  start_of_pair replica --skip-networking --server-id=2
  local primary=(mysql --no-defaults -u root -S "$databases/pair/primary" -N -B) replica=(mysql --no-defaults -u root -S "$databases/pair/replica" -N -B)
  "${primary[@]}" -e "CREATE USER copies@'127.0.0.1' IDENTIFIED BY 'x'; GRANT REPLICATION SLAVE ON *.* TO copies@'127.0.0.1'; CREATE DATABASE app"
  "${replica[@]}" -e "CHANGE MASTER TO master_host = '127.0.0.1', master_port = $port, master_user = 'copies', master_password = 'x',
    master_log_file = '$("${primary[@]}" -e "SHOW BINARY LOGS" | head -n 1 | cut -f 1)', master_log_pos = 4; START SLAVE"
  make_ledger
  # Apple's 39 languages, with notes as long as it allows: more than a replica's own limit, 1 MiB, as digits.
  local notes=()
  for language in ar ca cs da de el en es fi fr he hi hr hu id it ja ko ms nl no pl pt ro ru sk sv th tr uk vi zh en-AU en-CA en-GB es-MX fr-CA pt-BR zh-TW; do
    notes+=(--note "$language=$(printf '%4000s' "" | sed "s/ /🚕/g")")
  done
  pawl publish taxi 2.0 --yes "${notes[@]}" >/dev/null
  pawl mark taxi 2.0 live --visible-now --yes >/dev/null
  pawl sync app --as mysql --schema | "${primary[@]}" app
  pawl sync app --as mysql -- "${primary[@]}" app
  asked() { "${replica[@]}" app -e "SET NAMES utf8mb4; CALL pawl_ask('taxi', '1.0', NULL, NULL, 'zh-HK', NULL)" | cut -f "$1"; }
  soon eval '[ "$(asked 3)" = 2.0 ]'
  same "$(asked 7 | wc -c)" 16001
  pawl stop taxi --reason test >/dev/null
  pawl sync app --as mysql --verify -- "${primary[@]}" app
  soon eval '[ "$(asked 1)" = none ]'
  same "$("${replica[@]}" --column-names -e "SHOW SLAVE STATUS\G" | sed -n '/Slave_SQL_Running: \|Last_SQL_Errno/s/^ *//p' | tr '\n' ' ')" "Slave_SQL_Running: Yes Last_SQL_Errno: 0 "
}
it "a replica of MariaDB with its own limits gets long notes and a stop, and does not halt" mysql_replica

redis_set_up() {
  needs_kind redis
  redis-cli -s "$databases/redis/socket" flushall
  redis-cli -s "$databases/redis/socket" ACL SETUSER tester on ">t" "~*" "&*" +@all
  set_up Redis >out
  has <(redis-cli -s "$databases/redis/socket" PING) NOAUTH
  redis-cli -s "$databases/redis/socket" --user tester --pass t --no-auth-warning ACL SETUSER default on
  has out "app: 0 same, 1 sent, 0 removed, 0 refused."
  same "$(grep -A 1 -x -e action -e target out | tr '\n' ' ')" "action remind -- target 1.1 "
  # A reader asks and no more, and a writer leaves other keys alone.
  for account in pawl_reader pawl_writer; do
    redis-cli -s "$databases/redis/socket" ACL SETUSER $account ">x"
    redis-cli -s "$databases/redis/socket" --user $account --pass x --no-auth-warning SET other 1 >out
    has out NOPERM
  done
  redis-cli -s "$databases/redis/socket" --user pawl_reader --pass x --no-auth-warning HSET "pawl:{taxi}:head" stopped 1 >out
  has out NOPERM
}
it "the page's set-up for Redis runs, and gives no account more rights than it needs" redis_set_up

sqlite_set_up() {
  needs sqlite3 python3
  set_up "A SQLite file" >out
  same "$(cat out)" "app: 0 same, 1 sent, 0 removed, 0 refused."
  { block python 1 mirrors && echo 'print(answer["action"], answer["review"], answer["target"])'; } >ask.py
  same "$(python3 ask.py)" "none 1 None"
  same "$(sed 's/"7\.3\.2"/"1.0"/' ask.py | python3)" "remind 0 1.1"
  # A number is no version: 1.10 would be asked as 1.1.
  same "$(sed 's/"7\.3\.2"/1.0/' ask.py | python3)" "none 1 None"
  # The ledger's own file answers the same query.
  sed 's/"7\.3\.2"/"1.0"/; s/app\.db/pawl.db/' ask.py >own.py
  same "$(python3 own.py)" "remind 0 1.1"
  pawl stop taxi --reason test >/dev/null
  same "$(python3 own.py)" "none 0 None"
}
it "the page's set-up for a SQLite file runs, and its query works in the ledger's own file" sqlite_set_up

# The steps of SQLite's machine, which no clock disturbs, among as many apps.
asked_among() {
  local app notes
  notes=$(printf 'x%.0s' $(seq 200))
  for app in $(seq "$1" "$2"); do
    pawl app add "app$app" --bundle-id "com.example.app$app" --apple-id "$((1000 + app))" >/dev/null
    pawl publish "app$app" 1.0 --note "en=$notes" --yes >/dev/null
    pawl mark "app$app" 1.0 live --visible-now --yes >/dev/null
  done
  python3 - <<'END'
import sqlite3
ledger = sqlite3.connect("file:pawl.db?mode=ro", uri=True)
steps = 0
def step():
    global steps
    steps += 1
ledger.set_progress_handler(step, 1)
asked = {"app": "app1", "version": "0.9", "at": None, "os": "16.1", "locale": "en", "tag": None}
row = ledger.execute(open("ask.sql").read(), asked).fetchone()
assert row[0] == "force" and any("xxx" in str(value) for value in row), row
print(steps)
END
}

own_file_is_flat() {
  needs python3
  make_ledger
  ends_with 74 pawl sync app --as sqlite -- ./nothing
  says mirror.failed/run
  pawl sync app --as sqlite --schema | sed -n 's/^-- ask: //p' >ask.sql
  local few many
  few=$(asked_among 1 4)
  many=$(asked_among 5 40)
  echo "measured: $few steps among 5 apps, $many among 41"
  [ "$many" -lt $((few + few / 4)) ]
}
it "a question to the ledger's own file takes as long among many apps as among few" own_file_is_flat

finish
