"""Prints how long each unit test ran, from a test run's events (Swift Testing's ABI, version 0)."""

import json
import sys

began = {}
for event in (json.loads(line)["payload"] for line in open(sys.argv[1], encoding="utf-8", errors="replace")):
    case = event.get("testID"), event.get("_testCase", {}).get("id")
    if event["kind"] == "testCaseStarted":
        began[case] = event["instant"]["absolute"]
    elif event["kind"] == "testCaseEnded" and (seconds := event["instant"]["absolute"] - began[case]) >= 0.1:
        print(f"{seconds:.1f} s  {case[0].rsplit('/', 1)[0]} {event['_testCase']['displayName'][:60]}".rstrip())
