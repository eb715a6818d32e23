#!/usr/bin/env bash
# calibrate/on-gpu.sh as far as it goes without a GPU: what it packs, that this runs from anywhere,
# and the one line that it says. Prints TAP. Runs in the build folder.
#   usage: on_gpu_test.sh SCRIPT cuda|none   (what the build has)
set -u
script=$(readlink -f "$1")
has=$2
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

# As on the GPU's machine: unpacked somewhere else, in an empty folder, with no environment at all.
mkdir "$work/empty" "$work/there"
tar -C "$work" -c bundle | tar -C "$work/there" -x
rm -rf "$work/bundle"
there=$work/there/bundle

# with_cuda NAME COMMAND ...: a check of what only a build with CUDA can do.
with_cuda() {
  if [[ $has == cuda ]]; then
    check "$@"
  else
    count=$(( count + 1 ))
    echo "ok $count - $1 # SKIP built without CUDA"
  fi
}

alone() { (cd "$work/empty" && env -i "$there/pipewright-live" "$@"); }

check 'moved and without an environment it starts' grep -q '^pipewright calibrate' \
  <(alone calibrate --help)
check 'all its libraries are found, and but for the C library from beside it' \
  test -z "$(cd "$work/empty" && env -i ldd "$there/pipewright-live" "$there/live_tests" |
    grep '=>' | grep -vE "=> $there/lib/|lib(c|m|dl|pthread|rt)\.so")"
# shellcheck disable=SC2016  # $ORIGIN stands in the file as it is here
check 'where to look is written in it for the libraries of libraries too' \
  grep -qE '\(RPATH\).*\$ORIGIN/lib' <(readelf -d "$there/pipewright-live")
# shellcheck disable=SC2016
check 'and so in the tests' grep -qE '\(RPATH\).*\$ORIGIN/lib' <(readelf -d "$there/live_tests")
with_cuda 'no CUDA library must be there for it to start' \
  test -z "$(readelf -d "$there/pipewright-live" | grep -E 'NEEDED.*(cuda|cublas|nccl)')"

no_device() {
  local said status
  said=$(alone calibrate --backend cuda -o "$work/empty/x.yaml" 2>&1)
  status=$?
  [[ $status -eq 1 && $said == 'error: CUDA: no CUDA device'* && -z $(ls -A "$work/empty") ]]
}
if [[ -e /dev/nvidiactl ]]; then
  count=$(( count + 1 ))
  echo "ok $count - without a device # SKIP there is one"
else
  with_cuda 'without a device it says so and leaves nothing' no_device
fi

# With a GPU that is none and a program that only says what it is asked, and fails once: what is
# handed out, packed and said.
rehearse() {
  local stage=$work/stage
  mkdir -p "$stage/bin" && cp "$there/on-gpu.sh" "$there/on-gpu.yaml" "$stage"
  cat >"$stage/pipewright-live" <<'P'
#!/usr/bin/env bash
echo "$*"
until (( $# == 0 )); do [[ $1 != --json ]] || echo '{}' >"$2"; last=$1; shift; done
[[ $last != *fp32-8.json ]]
P
  printf '#!/usr/bin/env bash\necho "GPU 0: none"\n' >"$stage/bin/nvidia-smi"
  chmod +x "$stage/pipewright-live" "$stage/bin/nvidia-smi"
  (cd "$stage" && PATH=$stage/bin:$PATH ./on-gpu.sh out timed synthetic)
}
if [[ -e /dev/nvidiactl ]]; then
  count=$(( count + 1 ))
  echo "ok $count - a rehearsal # SKIP there is a GPU"
else
  rehearse >"$work/said" 2>&1
  with_cuda 'parts are run by themselves and packed, those that fail too' test \
    "$(tar -tzf "$work/stage/out/timed-synthetic.tar.gz" 2>/dev/null | tr '\n' ' ')" = \
    'replay-synthetic-bf16-4.json replay-synthetic-bf16-8-by-4.json replay-synthetic-bf16-8.json replay-timed-fp32-4.json replay-timed-fp32-8.json '
fi
with_cuda 'what failed is said' \
  test "$(cat "$work/stage/out/failed.txt" 2>/dev/null)" = 'replay-timed-fp32-8: exit status 1'

if [[ -e /dev/nvidiactl ]]; then
  echo "ok $(( count + 1 )) - without a GPU # SKIP there is one"
  echo "ok $(( count + 2 )) - in one line # SKIP there is one"
else
  "$there/on-gpu.sh" "$work/results" 2>"$work/said"
  check 'without a GPU it fails' test $? -eq 1
  check 'in one line' test "$(cat "$work/said")" = 'on-gpu: no NVIDIA GPU on this machine'
fi
echo "1..16"
