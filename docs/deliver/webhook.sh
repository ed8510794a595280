#!/bin/sh
# Posts a message as Standard Webhooks 1.0.0 wants it:
#
#   pawl deliver hooks --secret-file hooks.secret -- docs/deliver/webhook.sh https://hooks.example.com/pawl
#
# Only an answer of 2xx counts as taken; a redirect is not followed.
status=$(curl -q --silent --show-error --max-time 30 --output /dev/null --write-out '%{http_code}' \
  --header 'Content-Type: application/json' --header "webhook-id: $PAWL_WEBHOOK_ID" \
  --header "webhook-timestamp: $PAWL_WEBHOOK_TIMESTAMP" --header "webhook-signature: $PAWL_WEBHOOK_SIGNATURE" \
  --data-binary @- "$1") || exit
case $status in 2??) ;; *) echo "$1 answered $status" >&2 && exit 1 ;; esac
