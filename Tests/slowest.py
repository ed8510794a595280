"""Prints how long each unit test ran, from a test run's events (Swift Testing's ABI, version 0)."""

import json
import sys

names, began = {}, {}
with open(sys.argv[1], encoding="utf-8", errors="replace") as events:
    for record in map(json.loads, events):
        event = record["payload"]
        if record["kind"] == "test":
            names[event["id"]] = event.get("displayName") or event["name"]
        elif event["kind"] in ("testCaseStarted", "testCaseEnded"):
            test, case, moment = event["testID"], event["_testCase"], event["instant"]["absolute"]
            if event["kind"] == "testCaseStarted":
                began[test, case["id"]] = moment
            elif (seconds := moment - began[test, case["id"]]) >= 0.1:
                print(f"{seconds:.1f} s  {test.split('/')[0]}, {names.get(test)} {case['displayName'][:60]}".rstrip())
