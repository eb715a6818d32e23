#!/usr/bin/env bash
# run.sh TARGET CORPUS [SEEDS ...]: fuzzes TARGET for PIPEWRIGHT_FUZZ_SECONDS (60), starting from the
# files in the folders. What breaks it is kept as fuzz-findings/TARGET-... in the build folder, and
# this fails. With PIPEWRIGHT_FUZZ_GROW=1 what reaches new code is added to CORPUS.
set -euo pipefail
target=$1 corpus=$2
shift
seeds=()
for folder; do [[ ! -d $folder ]] || seeds+=("$folder"); done
grown=$(mktemp -d)
trap 'rm -rf "$grown"' EXIT
mkdir -p fuzz-findings
"$target" -max_total_time="${PIPEWRIGHT_FUZZ_SECONDS:-60}" -seed="${PIPEWRIGHT_FUZZ_SEED:-0}" \
  -timeout=60 -error_exitcode=1 -timeout_exitcode=1 -max_len=4096 -print_final_stats=1 \
  -artifact_prefix="fuzz-findings/${target##*/}-" "$grown" "${seeds[@]}"
if [[ ${PIPEWRIGHT_FUZZ_GROW-} == 1 ]]; then
  mkdir -p "$corpus"
  "$target" -merge=1 -timeout=60 "$corpus" "$grown" 2>&1 | tail -2
fi
