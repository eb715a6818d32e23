#!/usr/bin/env bash
# calibrate/on-gpu.sh as far as it goes without a GPU: what it packs, that this runs from anywhere,
# and the one line that it says. Prints TAP. Runs in the build folder.
#   usage: on_gpu_test.sh SCRIPT
set -u
script=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# check NAME COMMAND ...
check() {
  local name=$1
  shift
  count=$(( count + 1 ))
  if "$@"; then echo "ok $count - $name"; else echo "not ok $count - $name"; fi
}

PIPEWRIGHT_BUILD=$PWD "$script" --bundle "$work/bundle" 2>"$work/said"
check 'the bundle is packed' test -x "$work/bundle/pipewright-live"
check 'it says how large it is' grep -q 'on-gpu: packed .* in ' "$work/said"
check 'under 64 MiB' test "$(du -sm "$work/bundle" | cut -f1)" -lt 64
check 'the program finds the libraries beside it' \
  grep -q "$work/bundle/lib/libfmt" <(ldd "$work/bundle/pipewright-live")
check 'and starts' grep -q '^pipewright replay' \
  <("$work/bundle/pipewright-live" replay --help)

# What it replays on 8 partitions, on threads and much smaller.
check 'its experiment can be trained under every schedule' \
  "$work/bundle/pipewright-live" replay "$work/bundle/on-gpu.yaml" -q --repeat 1 \
  --set parallel.pipeline=8 --set model.transformer.hidden=16 --set model.transformer.ffn=16 \
  --set model.transformer.vocabulary=16 --set batch.sequence=8 \
  --schedules "$(sed -n "s/^schedules='\(.*\)'$/\1/p" "$script")"

if [[ -e /dev/nvidiactl ]]; then
  echo "ok $(( count + 1 )) - without a GPU # SKIP there is one"
  echo "ok $(( count + 2 )) - in one line # SKIP there is one"
else
  "$work/bundle/on-gpu.sh" "$work/results" 2>"$work/said"
  check 'without a GPU it fails' test $? -eq 1
  check 'in one line' test "$(cat "$work/said")" = 'on-gpu: no NVIDIA GPU on this machine'
fi
echo "1..8"
