# Sourced by docs/quickstart.sh and Tests/run.sh: installs what is missing, and builds a release.

# The C libraries that pawl is built from, by their names at Debian.
build_packages="libsqlite3-dev libssl-dev"

# Runs a command as root: directly, or with sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "this needs root, and there is no sudo: $*" >&2
    return 1
  fi
}

# Prints those of the named Debian packages that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

# Installs packages, on Debian and its kin; says what is missing elsewhere.
#
# Takes Debian's names. Only what is missing is asked for, so that nothing needs root or a network the second time.
install_packages() {
  local missing
  if [ "$(uname)" = Darwin ]; then
    # The system has SQLite; libcrypto comes from Homebrew.
    case " $* " in
      *" libssl-dev "*) brew --prefix openssl@3 >/dev/null 2>&1 || brew install openssl@3 ;;
    esac
    return
  fi
  if ! command -v dpkg-query >/dev/null; then
    echo "no apt here; these Debian packages, or what your system calls them, must be there: $*" >&2
    return
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  echo "installing: $missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086 # one word a package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# Stops with a hint where there is no Swift.
require_swift() {
  command -v swift >/dev/null && return
  echo "there is no 'swift' on the PATH; install Swift 6.3 from https://www.swift.org/install" >&2
  exit 69
}

# Prints the flags, one a line, that every build on this system needs.
#
# On macOS libcrypto is linked in: a folder with nothing but Homebrew's archive of it leaves the linker no choice.
system_flags() {
  if [ "$(uname)" = Darwin ]; then
    local openssl
    openssl=$(brew --prefix openssl@3)
    mkdir -p .build/openssl
    ln -sf "$openssl/lib/libcrypto.a" .build/openssl/
    printf '%s\n' -Xcc "-I$openssl/include" -Xlinker "-L$PWD/.build/openssl"
  fi
}

# Passes a build's output on without its progress.
quieten() { grep -v '^\[[0-9]*/[0-9]*\] ' || true; }

# Builds the program of the current folder for release: on Linux one static file that needs nothing of the system it runs
# on, without what nobody calls, and with the same bytes whatever the folder is.
build_release() {
  local flags=() flag
  while IFS= read -r flag; do flags+=("$flag"); done < <(system_flags)
  if [ "$(uname)" = Linux ]; then
    for flag in -static-executable -use-ld=lld -file-prefix-map "$PWD=."; do flags+=(-Xswiftc "$flag"); done
    # The last one keeps out the names of compiled headers, whose paths depend on the folder.
    for flag in -function-sections -internalize-at-link -no-clang-module-breadcrumbs; do
      flags+=(-Xswiftc -Xfrontend -Xswiftc "$flag")
    done
    for flag in --icf=all --no-eh-frame-hdr -T "$PWD/docs/packaging/program.ld"; do flags+=(-Xlinker "$flag"); done
  fi
  (set -o pipefail; swift build -c release ${flags[@]+"${flags[@]}"} 2>&1 | quieten)
}
