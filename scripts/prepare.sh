#!/usr/bin/env bash
# Makes the tree ready to run: checks the tools, installs what the lock names, builds what is older than its sources.
# Speaks on standard error only. A second run finds nothing to do and takes half a second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }
refuse() { say "$@"; exit 1; }

need() {
  command -v "$1" >/dev/null || refuse "zerd needs $2, and '$1' was not found. Install it (Debian: apt-get install $3) and run this again."
}

check_node() {
  command -v node >/dev/null || refuse "zerd needs Node 20.19 or newer, and 'node' was not found. See https://nodejs.org."
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    refuse "zerd needs Node 20.19 or newer; '$(command -v node)' is $(node --version)."
  command -v npm >/dev/null || refuse "zerd needs npm, and it was not found beside '$(command -v node)'."
}

# Runs a command with its output kept aside, and says every 15 s that it is still going on. Shows the output if it fails.
patiently() {
  local words=$1 began=$SECONDS output status=0 pulse
  shift
  output=$(mktemp)
  (
    # A timed read of a pipe that stays open: unlike sleep it leaves no process behind.
    while true; do
      read -rt 15 <> <(:) || true
      say "$words: $((SECONDS - began)) s so far"
    done
  ) &
  pulse=$!
  trap 'kill "$pulse" 2>/dev/null || true; rm -f "$output"' EXIT
  "$@" >"$output" 2>&1 </dev/null || status=$?
  kill "$pulse" 2>/dev/null || true
  wait "$pulse" 2>/dev/null || true
  if [ "$status" -ne 0 ]; then tail -n 60 "$output" >&2; fi
  rm -f "$output"
  trap - EXIT
  [ "$status" -eq 0 ] || refuse "$words failed (exit $status). Nothing else was done."
  if [ $((SECONDS - began)) -ge 2 ]; then say "$words: done in $((SECONDS - began)) s"; fi
}

# The headers of the Node that runs: without them node-gyp fetches some, or takes those of another Node.
point_at_headers() {
  local prefix
  prefix=$(node -p 'require("node:path").dirname(require("node:path").dirname(process.execPath))')
  if [ -f "$prefix/include/node/node.h" ]; then export npm_config_nodedir=$prefix; fi
}

install() {
  need make make make
  need python3 'Python 3' python3
  need "${CXX:-c++}" 'a C++ compiler' g++
  point_at_headers
  say 'Installing the packages. better-sqlite3 is compiled here: about two minutes on one core, longer on a busy machine.'
  # What a user's npmrc or NODE_ENV may say about these would leave the tree unfit; a registry or proxy of theirs stays.
  patiently 'Installing' npm ci --include=dev --include=optional --ignore-scripts=false --dry-run=false --global=false \
    --package-lock=true --legacy-peer-deps=false --install-strategy=hoisted
}

check_node
need git git git
case $(node scripts/installed.mjs) in
  whole) ;;
  other-node)
    point_at_headers
    say 'better-sqlite3 was compiled for another Node. Compiling it again takes about two minutes.'
    patiently 'Compiling' npm rebuild better-sqlite3 --ignore-scripts=false
    ;;
  *) install ;;
esac
[ "$(node scripts/installed.mjs)" = whole ] || refuse 'The packages were installed, but better-sqlite3 cannot be loaded: were install scripts blocked?'

export TURBO_TELEMETRY_DISABLED=1 TURBO_NO_UPDATE_NOTIFIER=1 DO_NOT_TRACK=1
# turbo decides by content what is to be built; with nothing to do it takes a quarter of a second.
patiently 'Building' node_modules/.bin/turbo run build --output-logs=errors-only --no-color
