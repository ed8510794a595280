#!/bin/sh
# Prints what a monitoring system asks of a ledger, in Prometheus' text format, for node_exporter's textfile collector:
#
#   metrics.sh >/var/lib/node_exporter/pawl.prom.new && mv /var/lib/node_exporter/pawl.prom.new /var/lib/node_exporter/pawl.prom
#
# PAWL_LEDGER names the ledger. Ends with pawl's status, and prints nothing, if pawl cannot read it.
set -eu

status=$(pawl status --json)
# It ends with 1 while somebody has to act, which is a value here.
doctor=$(pawl doctor --json) || [ $? = 1 ]
printf '%s\n%s\n' "$status" "$doctor" | jq -rs '
  def row($name; $labels; $value): "pawl_\($name)\($labels) \($value)";
  def seconds: if . then fromdateiso8601 else 0 end;
  .[0] as $status | .[1] as $doctor |
  "# TYPE pawl_events counter", row("events"; ""; $status.head.seq),
  "# TYPE pawl_last_event_seconds gauge", row("last_event_seconds"; ""; $doctor.facts.lastEvent | seconds),
  "# TYPE pawl_inbox gauge", row("inbox"; ""; $status.inbox),
  "# TYPE pawl_findings gauge",
  row("findings"; "{act=\"true\"}"; [$doctor.findings[] | select(.act)] | length),
  row("findings"; "{act=\"false\"}"; [$doctor.findings[] | select(.act | not)] | length),
  "# TYPE pawl_stopped gauge",
  ($status.apps[] | row("stopped"; "{app=\"\(.app.slug)\"}"; if .app.stopped then 1 else 0 end)),
  "# TYPE pawl_next_change_seconds gauge",
  ($status.apps[] | select(.due[0]) | row("next_change_seconds"; "{app=\"\(.app.slug)\"}"; .due[0] | seconds)),
  "# TYPE pawl_devices gauge",
  ($status.apps[] | .app.slug as $app | select(.usage) | .usage.told | to_entries[] |
    row("devices"; "{app=\"\($app)\",told=\"\(.key)\"}"; .value))'
