#!/usr/bin/env bash
# Calls one tool through the gateway of compose.yaml, and prints the answer.
#
#   KEY=… call.sh TOOL [ARGUMENTS]        ARGUMENTS: a JSON object; without it, {}
#   URL=… KEY=… call.sh …                 another gateway
#
# In revision 2026-07-28 a call is one request, and no session is opened before. Its headers repeat
# what its body says, and the gateway compares them.
set -euo pipefail

tool="$1"
arguments="${2:-}"
revision=2026-07-28
curl --silent --show-error "${URL:-http://localhost:8080/mcp}" \
  --header "Authorization: Bearer ${KEY:?put your key into KEY}" \
  --header 'Content-Type: application/json' \
  --header 'Accept: application/json, text/event-stream' \
  --header "MCP-Protocol-Version: $revision" \
  --header 'Mcp-Method: tools/call' \
  --header "Mcp-Name: $tool" \
  --data @- <<BODY
{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
  "name": "$tool", "arguments": ${arguments:-{\}}, "_meta": {
    "io.modelcontextprotocol/protocolVersion": "$revision",
    "io.modelcontextprotocol/clientCapabilities": {}}}}
BODY
echo
