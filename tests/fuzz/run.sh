#!/usr/bin/env bash
# run.sh TARGET SEEDS ...: fuzzes TARGET for PIPEWRIGHT_FUZZ_SECONDS (60), starting from the files
# in the folders SEEDS. What breaks it is kept as fuzz-findings/TARGET-... in the build folder, and
# this fails.
set -euo pipefail
target=$1
shift
seeds=()
for folder; do [[ ! -d $folder ]] || seeds+=("$folder"); done
grown=$(mktemp -d)
trap 'rm -rf "$grown"' EXIT
mkdir -p fuzz-findings
"$target" -max_total_time="${PIPEWRIGHT_FUZZ_SECONDS:-60}" -seed="${PIPEWRIGHT_FUZZ_SEED:-0}" \
  -timeout=60 -error_exitcode=1 -timeout_exitcode=1 -max_len=4096 -print_final_stats=1 \
  -artifact_prefix="fuzz-findings/${target##*/}-" "$grown" "${seeds[@]}"
