# Versions and builds compared as others compare them: Debian's dpkg, and Python's packaging (PEP 440).
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Prints numbers of versions and builds as teams write them, in order of no kind.
drawn() {
  python3 - "$@" <<'END'
import random, sys
kind, seed, count = sys.argv[1], *map(int, sys.argv[2:])
draw = random.Random(seed)
def number():
    text = str(draw.choice([draw.randrange(12), draw.randrange(120), draw.randrange(10**draw.randint(1, 9))]))
    return "0" * draw.choice([0, 0, 1]) + text if kind == "version" and len(text) < 9 else text
words = {"202610022047", "1782922384", "999999999999999999", "18.9.0.2"} if kind == "build" else {"1.10", "1.09", "24.02.0"}
while len(words) < count:
    word = ".".join(number() for _ in range(draw.randint(1, 3 if kind == "version" else 4)))
    if kind == "version" or len(word) <= 18: words.add(word)
print("\n".join(sorted(words)))
END
}

# Versions come back in pawl's order, the newest first; equal ones are one.
ordered() {
  needs python3 dpkg
  local python
  python=$(python_with packaging.version) || skip "there is no packaging for Python here"
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  drawn version "${PAWL_SEED:-1}" 400 >versions
  sed 's/$/,2024-01-01T00:00:00Z/; 1i version,released_at' versions >past.csv
  pawl import taxi past.csv --past --yes >/dev/null
  pawl releases taxi --json >releases.json
  "$python" - <<'END'
import json, subprocess
from packaging.version import Version
ours = [release["version"] for release in json.load(open("releases.json"))["releases"]][::-1]
theirs = [Version(line.strip()) for line in open("versions")]
assert [Version(text) for text in ours] == sorted(set(theirs)), "packaging orders them otherwise"
assert len(set(theirs)) < len(theirs), "no two are equal"
whole = [".".join((text.split(".") + ["0"] * 3)[:3]) for text in ours]
for one, other in zip(whole, whole[1:]):
    subprocess.run(["dpkg", "--compare-versions", one, "lt", other], check=True)
print(f"measured: {len(theirs)} versions, {len(ours)} of them different")
END
}
it "versions are ordered as dpkg and packaging order them" ordered

grow() {
  needs python3 dpkg
  pawl init >/dev/null
  pawl app add taxi --bundle-id com.example.taxi >/dev/null
  drawn build "${PAWL_SEED:-1}" 60 >builds
  local build other wanted whole=()
  for build in $(sed -n '5p;25p;45p' builds); do
    pawl publish taxi 1.0 --build "$build" --yes >/dev/null
    while read -r other; do
      whole=("$(echo "$other.0.0.0" | cut -d. -f1-4)" "$(echo "$build.0.0.0" | cut -d. -f1-4)")
      wanted=1
      if dpkg --compare-versions "${whole[0]}" gt "${whole[1]}"; then wanted=0; fi
      ends_with "$wanted" pawl next taxi --check 1.0 --build "$other"
    done <builds
    pawl void taxi 1.0 --reason "another build" --yes >/dev/null
  done
}
it "a build is greater where dpkg says so" grow

finish
