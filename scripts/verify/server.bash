# What the checks of this directory share: a server that is started with some flags and asked by bare POSTs. To be sourced
# by a script that has changed to the repository's root; takes the binary as $1 (default bin/callsheet). Needs curl and jq.
binary=${1:-bin/callsheet}
[ -x "$binary" ] || { echo "$binary is not there: make build" >&2; exit 2; }
scratch=$(mktemp -d)
server="" url=""
trap 'stop; rm -rf "$scratch"' EXIT

# start [FLAG…]: starts a server with these flags; what ran before ends.
start() {
  stop
  : >"$scratch/log" # now, not when the server's process opens it: the address of the last one would be read
  "$binary" serve --http 127.0.0.1:0 --state-dir "$scratch/state" "$@" 2>"$scratch/log" &
  server=$!
  for _ in $(seq 300); do
    url=$(grep -o 'http://[^ ]*/mcp' "$scratch/log" | head -n 1 || true)
    [ -n "$url" ] && return
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  cat "$scratch/log" >&2
  exit 1
}

stop() {
  [ -n "$server" ] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" || true
  server="" url=""
}

# post METHOD [PARAMS]: the answer to a bare POST.
post() {
  curl -sS --fail --max-time 30 -H 'content-type: application/json' \
    -d "$(jq -cn --arg method "$1" --argjson params "${2:-null}" \
      '{jsonrpc: "2.0", id: 1, method: $method} + if $params == null then {} else {params: $params} end')" "$url"
}

# reduction DEFAULT CORE: by how many percent the second number of bytes is smaller.
reduction() { echo $((100 - 100 * $2 / $1)); }
