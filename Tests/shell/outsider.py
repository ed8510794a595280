"""The decision of docs/decision.md once more, as formulas, by somebody who knows no line of pawl's.

  outsider.py prove          each theorem is unsatisfiable, by z3: up to 6 releases and 4 rules, 2 redirects, another app; the
                             components of versions, systems, ends and moments are integers without bound
  outsider.py agree < LINES  the same formulas, evaluated, against what `check` says: lines of WalkTests' sample

One function makes both: it is given And, Or and If of z3, or Python's own.
"""
import json
import sys
import time

NONE, REMIND, FORCE = 0, 1, 2
ACTIONS = ["none", "remind", "force"]
PREPARED, SERVED, REMOVED, VOID = range(4)
STAYS, PAGE, VAN = range(3)
STOPPED, UNRELEASED, RULE, MANDATORY, POLICY, CURRENT, NO_TARGET = range(7)
REASONS = ["stopped", "unreleased", "rule", "mandatory", "policy", "current", "no-target"]


class Plain:
    """Python's own logic."""

    And = staticmethod(lambda *parts: all(parts))
    Or = staticmethod(lambda *parts: any(parts))
    Not = staticmethod(lambda part: not part)
    If = staticmethod(lambda condition, one, other: one if condition else other)


def same(L, one, other):
    return L.And(*[a == b for a, b in zip(one, other)])


def below(L, one, other):
    """Versions are compared component by component."""
    answer = False
    for a, b in reversed(list(zip(one, other))):
        answer = L.Or(a < b, L.And(a == b, answer))
    return answer


def in_range(L, item, client):
    above = L.Or(below(L, item["lo"], client), L.And(item["lo_in"], same(L, item["lo"], client)))
    under = L.Or(below(L, client, item["hi"]), L.And(item["hi_in"], same(L, client, item["hi"])))
    return L.And(L.Or(L.Not(item["has_lo"]), above), L.Or(L.Not(item["has_hi"]), under))


def applies(L, item, now):
    return L.And(L.Or(L.Not(item["has_from"]), item["from"] <= now), L.Or(L.Not(item["has_until"]), now < item["until"]))


def winner(L, items, client, now):
    """Of those for the client, one for exactly it, else the newest: whether there is one, its action and destination."""
    exact = ranged = (False, NONE, STAYS)
    for item in items:
        match = L.And(in_range(L, item, client), applies(L, item, now))
        one = L.And(item["has_lo"], item["has_hi"], item["lo_in"], item["hi_in"], same(L, item["lo"], item["hi"]))

        def put(known, condition):
            return (
                L.Or(known[0], condition),
                L.If(condition, item["action"], known[1]),
                L.If(condition, item["to"], known[2]),
            )

        exact, ranged = put(exact, L.And(match, one)), put(ranged, L.And(match, L.Not(one)))
    return (
        L.Or(exact[0], ranged[0]),
        L.If(exact[0], exact[1], ranged[1]),
        L.If(exact[0], exact[2], ranged[2]),
    )


def is_released(L, state, client):
    """Law 5."""
    known = L.Or(*[same(L, r["version"], client) for r in state["releases"]])
    out = [(r, L.Or(r["state"] == SERVED, r["state"] == REMOVED)) for r in state["releases"]]
    return L.Or(
        *[L.And(same(L, r["version"], client), is_out) for r, is_out in out],
        L.And(L.Not(known), L.Or(*[L.And(is_out, below(L, client, r["version"])) for r, is_out in out])),
    )


def targets(L, state, os, now):
    """For each release, whether clients are pointed at it (law 4); releases are in order of version."""
    releases = state["releases"]
    visible = [L.And(r["state"] == SERVED, r["visible"] <= now) for r in releases]
    # Off the store: removed, or back and held.
    off = [
        L.Or(r["state"] == REMOVED, L.And(r["back"], r["state"] == SERVED, r["visible"] > now)) for r in releases
    ]
    runs = [L.Or(L.Not(os[0]), L.Not(r["needs"]), r["min_os"] <= os[1]) for r in releases]
    open_store = L.And(
        *[L.Or(L.Not(off[i]), L.Or(*visible[i + 1 :])) for i in range(len(releases))]
    )
    return visible, [
        L.And(
            open_store, visible[i], runs[i],
            *[L.Not(L.And(L.Or(visible[j], off[j]), runs[j])) for j in range(i + 1, len(releases))],
        )
        for i in range(len(releases))
    ], runs


def decide(L, state, client, os, now):
    """The review flag, the action, the reason, and at which release, or at the other app, a prompt points."""
    releases = state["releases"]
    visible, target, _ = targets(L, state, os, now)
    released = is_released(L, state, client)
    has_rule, rule_action, rule_to = winner(L, state["rules"], client, now)
    _, _, led = winner(L, state["redirects"], client, now)
    to = L.If(L.And(has_rule, rule_to != STAYS), rule_to, led)
    is_van = to == VAN
    is_newer = L.Or(*[L.And(target[i], below(L, client, releases[i]["version"])) for i in range(len(releases))])
    has_target = L.If(is_van, state["van"], L.Or(*target))
    mandatory = L.Or(
        *[L.And(visible[i], releases[i]["mandatory"], below(L, client, releases[i]["version"])) for i in range(len(releases))]
    )
    policy = NONE
    for i, release in enumerate(releases):
        component = NONE  # the third and fourth
        for place, action in ((1, REMIND), (0, FORCE)):
            differs = release["version"][place] != client[place]
            component = L.If(differs, action, component)
        policy = L.If(target[i], component, policy)
    action = L.If(
        has_rule, rule_action,
        L.If(mandatory, FORCE, L.If(L.Not(has_target), NONE, L.If(is_van, REMIND, L.If(is_newer, policy, NONE)))),
    )
    reason = L.If(
        has_rule, RULE,
        L.If(mandatory, MANDATORY, L.If(L.Not(has_target), NO_TARGET, L.If(L.Or(is_van, is_newer), POLICY, CURRENT))),
    )
    usable = L.If(to == PAGE, state["page_usable"], L.If(
        is_van, state["van_usable"], L.And(*[L.Or(L.Not(target[i]), r["usable"]) for i, r in enumerate(releases)])))
    blocked = L.If(
        L.Not(has_target), NO_TARGET,
        L.If(L.And(L.Not(is_van), L.Not(is_newer)), CURRENT, L.If(usable, STOPPED, NO_TARGET)),
    )
    is_blocked = L.And(action != NONE, blocked != STOPPED)
    action, reason = L.If(is_blocked, NONE, action), L.If(is_blocked, blocked, reason)
    action = L.If(L.Or(state["stopped"], L.Not(released)), NONE, action)
    reason = L.If(state["stopped"], STOPPED, L.If(released, reason, UNRELEASED))
    return L.Not(released), action, reason, target, is_van


# --- evaluated

def number(text):
    parts = [int(part) for part in text.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))


def read_item(bounds, action, start, end, to):
    lo, hi = bounds
    return {
        "has_lo": lo is not None, "lo": number(lo[0]) if lo else (0,) * 4, "lo_in": bool(lo and lo[1]),
        "has_hi": hi is not None, "hi": number(hi[0]) if hi else (0,) * 4, "hi_in": bool(hi and hi[1]),
        "has_from": start is not None, "from": start or 0, "has_until": end is not None, "until": end or 0,
        "action": action, "to": STAYS if to is None else VAN if to == "van" else PAGE,
    }


def read_state(sample):
    states = {"live": SERVED, "superseded": SERVED, "removed": REMOVED, "void": VOID}
    line, other = sample["line"], sample["others"].get("van")
    return {
        "stopped": line["stopped"], "page_usable": True, "van_usable": True,
        "van": other is not None and not other["stopped"],
        "releases": [
            {
                "version": number(version), "state": states.get(state, PREPARED), "visible": visible or 0, "back": back,
                "mandatory": mandatory, "needs": needed is not None, "min_os": number(needed or "0"), "usable": True,
            }
            for version, state, visible, back, mandatory, needed in line["releases"]
        ],
        "rules": [
            read_item(rule[:2], ACTIONS.index(rule[2]), rule[3], rule[4], rule[5]) for rule in line["rules"]
        ],
        "redirects": [read_item(item[:2], NONE, None, None, item[2]) for item in line["redirects"]],
    }


def agree():
    states = asked = 0
    for text in sys.stdin:
        if not text.startswith("sample "):
            continue
        sample = json.loads(text[7:])
        state = read_state(sample)
        states += 1
        for version, os, action, review, reason, target, app in sample["told"]:
            asked += 1
            mine = decide(Plain, state, number(version), (os is not None, number(os or "0")), sample["at"])
            said = [ACTIONS[mine[1]], mine[0], REASONS[mine[2]]]
            if mine[1] != NONE and not mine[4]:
                place = [number(target) == r["version"] for r in state["releases"]]
                said_target = mine[3] == place and app == "taxi"
            else:
                said_target = app == ("van" if mine[1] != NONE else None)
            if said != [action, review, reason] or not said_target:
                sys.exit(f"disagree on {version} {os}: {said}, not {[action, review, reason, target, app]}: {text}")
    print(f"measured: {asked} answers in {states} states, all as the formulas have them")
    if states == 0:
        sys.exit("there was no sample")


# --- proved

def symbols(z3, releases, rules, redirects):
    def version(name):
        return tuple(z3.Int(f"{name}.{place}") for place in range(4))

    def item(name):
        fields = {key: z3.Bool(f"{name} {key}") for key in ("has_lo", "lo_in", "has_hi", "hi_in", "has_from", "has_until")}
        fields.update({key: z3.Int(f"{name} {key}") for key in ("from", "until", "action", "to")})
        fields.update({"lo": version(f"{name} lo"), "hi": version(f"{name} hi")})
        return fields

    def release(name):
        fields = {key: z3.Bool(f"{name} {key}") for key in ("back", "mandatory", "needs", "usable")}
        fields.update({key: z3.Int(f"{name} {key}") for key in ("state", "visible", "min_os")})
        fields["version"] = version(name)
        return fields

    state = {
        "stopped": z3.Bool("stopped"), "van": z3.Bool("van"), "page_usable": z3.Bool("page usable"),
        "van_usable": z3.Bool("van usable"), "releases": [release(f"release{i}") for i in range(releases)],
        "rules": [item(f"rule{i}") for i in range(rules)], "redirects": [item(f"redirect{i}") for i in range(redirects)],
    }
    # What the laws hold: versions grow, and numbers that were struck out are not used again here.
    lawful = [z3.And(r["state"] >= PREPARED, r["state"] <= VOID) for r in state["releases"]]
    for older, newer in zip(state["releases"], state["releases"][1:]):
        lawful.append(below(z3, older["version"], newer["version"]))
    for each in state["rules"] + state["redirects"]:
        lawful += [each["action"] >= NONE, each["action"] <= FORCE, each["to"] >= STAYS, each["to"] <= VAN]
    return state, version("client"), (z3.Bool("has os"), z3.Int("os")), z3.Int("now"), lawful


def prove():
    import z3

    for releases, rules, redirects in ((2, 1, 1), (4, 2, 2), (6, 4, 2)):
        state, client, os, now, lawful = symbols(z3, releases, rules, redirects)
        review, action, _, target, is_van = decide(z3, state, client, os, now)
        visible, _, runs = targets(z3, state, os, now)
        # Said without what `decide` says of targets: a visible release that is newer than the client, runs on its system and
        # has a page, of its own or of a rule or redirect; or the other app, where something leads there.
        items = state["rules"] + state["redirects"]
        has_page = z3.And(state["page_usable"], z3.Or(*[each["to"] == PAGE for each in items]))
        newer = z3.Or(*[
            z3.And(visible[i], runs[i], below(z3, client, r["version"]), z3.Or(r["usable"], has_page))
            for i, r in enumerate(state["releases"])
        ])
        led = z3.And(state["van"], z3.Or(state["van_usable"], has_page), z3.Or(*[each["to"] == VAN for each in items]))
        above_removed = z3.Or(*[
            z3.And(target[i], z3.Or(*[z3.And(r["state"] == REMOVED, runs[i + 1 + j])
                                      for j, r in enumerate(state["releases"][i + 1 :])]))
            for i in range(releases)
        ])
        theorems = {
            "(a) a force has a target and a page": z3.And(
                action == FORCE, z3.Not(z3.Or(newer, led))),
            "(a) its target is below nothing removed": z3.And(action == FORCE, z3.Not(is_van), above_removed),
            "(b) what is not released is told nothing": z3.And(
                z3.Not(is_released(z3, state, client)), z3.Or(action != NONE, z3.Not(review))),
            "(d) after stop nobody is prompted": z3.And(state["stopped"], action != NONE),
        }
        # What proves nothing if nothing can happen.
        for name, formula, wanted in [(name, formula, z3.unsat) for name, formula in theorems.items()] + [
            ("somebody is forced", action == FORCE, z3.sat),
            ("somebody is told nothing in review", review, z3.sat),
        ]:
            solver = z3.Solver()
            solver.set("timeout", 60_000)
            solver.add(*lawful, formula)
            start = time.time()
            result = solver.check()
            print(f"measured: {releases} releases, {rules} rules: {name}: {result}, {time.time() - start:.1f} s")
            if result != wanted:
                sys.exit(f"{name}: {result}" + (f"\n{solver.model()}" if result == z3.sat else ""))


{"prove": prove, "agree": agree}[sys.argv[1]]()
