# The decision once more, as formulas for a solver: proved, and held against what pawl says of the walks' states.
#
# PAWL_OUTSIDER says how many of the states are compared, one in so many: 31 makes more than 100,000.
# shellcheck source=Tests/shell/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

outsider=$tests_root/Tests/shell/outsider.py
python=$tests_root/.build/tools/bin/python3

proved() {
  "$python" -c 'import z3' 2>/dev/null || skip "z3-solver is not installed"
  "$python" "$outsider" prove
}
it "a solver proves for all versions and moments: no force without a target, no prompt in review or after stop" proved

compared() {
  local tests=$tests_root/.build/debug/pawlPackageTests.xctest
  [ -x "$tests" ] || skip "the unit tests are not built"
  PAWL_WALK_SAMPLE=${PAWL_OUTSIDER:-1009} "$tests" --testing-library swift-testing --filter 'sample.of.states' |
    python3 "$outsider" agree
}
it "the formulas, evaluated, agree with pawl on a sample of the small ledgers" compared

finish
