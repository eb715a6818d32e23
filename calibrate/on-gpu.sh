#!/usr/bin/env bash
# Everything that needs a GPU, in one call on a machine that has one and nothing else: no packages,
# no network. It needs what --bundle packs, and cuBLASLt where CUDA is installed. Fused attention and
# convolutions are tested and measured where cuDNN 9 is found: in PIPEWRIGHT_CUDNN (a folder), where
# the system looks, under /usr/local, /opt and /usr/lib, or in a Python package (PyTorch brings it).
#   on-gpu.sh --bundle [DIRECTORY]   where there is a build (build/ or PIPEWRIGHT_BUILD): packs
#                                    bundle/, under 64 MiB
#   on-gpu.sh [OUT [PART ...]]       on the GPU's machine, from the bundle: tests the kernels,
#                                    calibrates, measures PyTorch where python3 has it
#                                    (torch/measure.py), trains whole models by it (training) and
#                                    eight ranks that share the GPU, whose traces come back (ranks;
#                                    torch/ranks.py), replays schedules on partitions of the GPU,
#                                    timed, synthetic and real, and, where there are several, between
#                                    them over NCCL, for which mpirun and libnccl.so.2 must be there.
#                                    PART: one of tests calibration torch training ranks timed
#                                    synthetic real nccl;
#                                    none: all. Results go to OUT ($OUT, or ./results): at most 7
#                                    files, those of PARTs beside those of others
# Ends within 9 minutes (PIPEWRIGHT_GPU_SECONDS), for which all parts together may be too much: what
# there was no time for is said. Exit 1 if anything failed; the results are there all the same.
set -uo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

say() { printf 'on-gpu: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# A library that says by itself where its libraries are (a RUNPATH, as Debian's MPI has) asks nobody
# else: it is told to look beside itself, in as many characters.
look_beside() {
  local old new=\$ORIGIN
  old=$(readelf -d "$1" | sed -n 's/.*(RUNPATH).*\[\(.*\)\]/\1/p')
  [[ -n $old ]] || return 0
  (( ${#old} >= ${#new} )) || die "$1 looks for libraries in $old"
  while (( ${#new} < ${#old} )); do new+=/; done
  LC_ALL=C sed -i "s|$old|$new|g" "$1"
}

# Copies the programs and every library that they need, but the C library and what comes with it.
bundle() {
  local build=${PIPEWRIGHT_BUILD:-$here/../build} to=${1:-$here/../bundle} program library
  [[ -x $build/pipewright-live && -x $build/tests/live/live_tests ]] ||
    die "nothing to pack: build pipewright-live and tests/live/live_tests first"
  rm -rf "$to"
  mkdir -p "$to/lib"
  cp -r "$here/on-gpu.sh" "$here/on-gpu.yaml" "$here/torch" "$to/"
  for program in "$build/pipewright-live" "$build/tests/live/live_tests"; do
    strip -o "$to/${program##*/}" "$program"
    ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | while read -r library; do
      case ${library##*/} in
        libc.so.* | libm.so.* | libmvec.so.* | libdl.so.* | libpthread.so.* | librt.so.*) ;;
        libresolv.so.* | libutil.so.* | libanl.so.*) ;;
        *) cp -Lu "$library" "$to/lib/" ;;
      esac
    done
  done
  for library in "$to"/lib/*; do look_beside "$library"; done
  (( $(du -sm "$to" | cut -f1) < 64 )) || die "the bundle is too large: $(du -sh "$to" | cut -f1)"
  say "packed $(du -sh "$to" | cut -f1) in $to"
}

[[ ${1-} != --bundle ]] || { bundle "${2-}"; exit; }

out=${1:-${OUT:-$PWD/results}}
all_parts=(tests calibration torch training ranks timed synthetic real nccl)
parts=("${@:2}") name=results
(( $# > 1 )) && name=$(IFS=-; printf '%s' "${parts[*]}") || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
  [[ " ${all_parts[*]} " == *" $part "* ]] || die "no part '$part': one of ${all_parts[*]}"
done
end=$(( SECONDS + ${PIPEWRIGHT_GPU_SECONDS:-525} ))
live=$here/pipewright-live
failed=()

[[ -x $live ]] || die "no pipewright-live beside this script: run '$0 --bundle' where it was built"
[[ -e /dev/nvidiactl || -e /dev/dxg ]] || nvidia-smi -L >/dev/null 2>&1 ||
  die "no NVIDIA GPU on this machine"

# The folder of cuBLASLt, which is too large to carry.
cublas=$(ldconfig -p 2>/dev/null | awk '/libcublasLt.so.13 /{ print $NF; exit }')
[[ -n $cublas ]] || cublas=$(find /usr/local /opt /usr/lib -name 'libcublasLt.so.13*' 2>/dev/null | head -1)
[[ -n $cublas ]] || die "cuBLASLt (libcublasLt.so.13) is nowhere under /usr/local, /opt and /usr/lib"
export LD_LIBRARY_PATH=${cublas%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# The folder of cuDNN, larger still; what it compiles kernels with (NVRTC) is CUDA's, or lies in the
# next package.
folder_of_cudnn() {
  local python
  [[ -z ${PIPEWRIGHT_CUDNN-} ]] || { printf '%s\n' "$PIPEWRIGHT_CUDNN"; return; }
  ldconfig -p 2>/dev/null | awk '/libcudnn.so.9 /{ sub("/[^/]*$", "", $NF); print $NF; exit }' | grep . ||
    find /usr/local /opt /usr/lib -name libcudnn.so.9 -printf '%h\n' -quit 2>/dev/null | grep . ||
    for python in python3 python; do
      "$python" -c 'import nvidia.cudnn as c; print(list(c.__path__)[0] + "/lib")' 2>/dev/null && return
    done
}
cudnn=$(folder_of_cudnn | head -1)
tests='*KernelsTest*:*TransformerKernels*:*LayerKernels*:Fp8*:StreamExecutor*'
if [[ -e ${cudnn:-none}/libcudnn.so.9 ]]; then
  LD_LIBRARY_PATH+=:$cudnn
  for nvrtc in "$cudnn"/../../{cuda_nvrtc,cu13}/lib; do
    [[ ! -d $nvrtc ]] || LD_LIBRARY_PATH+=:$nvrtc
  done
  say "cuDNN: $cudnn"
else
  tests+=':-*CudnnKernelsTest*'
  cudnn=
  say 'cuDNN: not found (PIPEWRIGHT_CUDNN=FOLDER names its folder): fused attention and convolutions are left out'
fi

mkdir -p "$out" && out=$(cd "$out" && pwd) || die "cannot write to $out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# step NAME SECONDS LOG COMMAND ...: in what time is left; its output goes to LOG and the terminal.
step() {
  local name=$1 most=$2 log=$3 left=$(( end - SECONDS )) begin=$SECONDS status
  shift 3
  (( left > 5 )) || { failed+=("$name: no time left"); return; }
  timeout -k 5 $(( most < left ? most : left )) "$@" 2>&1 | tee -a "$out/$log"
  status=${PIPESTATUS[0]}
  (( status == 0 )) || failed+=("$name: exit status $status")
  say "$name: $(( SECONDS - begin )) s, exit status $status"
}

# replay COMPUTE PRECISION PARTITIONS [MEASURED]: all schedules on so many partitions of the GPU, each
# op measured on one of them or, larger, of MEASURED.
replay() {
  local compute=$1 precision=$2 partitions=$3 measured=${4-$3} repeat=5 name
  [[ $compute != real ]] || repeat=3
  name=replay-$compute-$precision-$partitions
  (( measured == partitions )) || name+=-by-$measured
  step "$name" 130 replay.log \
    "$live" replay "$here/on-gpu.yaml" --backend cuda --partitions "$partitions" \
    --compute "$compute" --multiply "$precision" --repeat $repeat \
    --set "parallel.pipeline=$partitions" --schedules "$schedules" --json "$name.json" "${@:5}"
}

# The ranks of one experiment on a GPU each.
between_gpus() {
  local name=$1 compute=$2 schedules=$3
  shift 3
  step "replay $compute between $gpus GPUs, $name" 150 replay.log \
    mpirun "${root[@]}" --oversubscribe -n "$gpus" -x LD_LIBRARY_PATH \
    "$live" replay "$here/on-gpu.yaml" --backend cuda --compute "$compute" --repeat 5 \
    --watchdog 30 --schedules "$schedules" --json "replay-$compute-$name-$gpus-gpus.json" "$@"
}

# Two, four or eight GPUs: a pipeline over all, and one of half as many stages of which each is
# trained by two ranks.
replay_between_gpus() {
  local half=$(( gpus / 2 )) degree
  between_gpus pipeline timed "$schedules" --set "parallel.pipeline=$gpus"
  between_gpus pipeline real "$schedules" --set "parallel.pipeline=$gpus"
  for degree in data tensor; do
    between_gpus "$degree" real '[1f1b]' --set "parallel.pipeline=$half" --set "parallel.$degree=2"
  done
}

# Two ranks on the one GPU, which NCCL takes for two hosts if they say that they are; whether that
# works is said, and no failure if not.
replay_as_two_hosts() {
  local left=$(( end - SECONDS )) host ranks=()
  (( left > 20 )) || { say 'replay over NCCL: no time left'; return; }
  for host in a b; do
    (( ${#ranks[@]} == 0 )) || ranks+=(:)
    ranks+=(-n 1 -x LD_LIBRARY_PATH -x "NCCL_HOSTID=$host" "$live" replay "$here/on-gpu.yaml"
      --backend cuda --compute timed --repeat 5 --set parallel.pipeline=2 --set cluster.devices=2
      --schedules '[gpipe, 1f1b, zb-h1]' --json replay-nccl.json)
  done
  if timeout -k 5 $(( left < 90 ? left : 90 )) mpirun "${root[@]}" --oversubscribe "${ranks[@]}" \
    2>&1 | tee -a "$out/replay.log"; then
    say 'replay over NCCL: two ranks that share the GPU work'
  else
    say 'replay over NCCL: two ranks that share the GPU do not work'
  fi
}

# All of what ldconfig says is read: one that nobody listens to any more would seem to have failed.
# Else PyTorch has brought it.
has_nccl() {
  [[ $(ldconfig -p 2>/dev/null) == *libnccl.so.2* ]] && return
  local folder
  folder=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib")' 2>/dev/null)
  [[ -e ${folder:-none}/libnccl.so.2 ]] && LD_LIBRARY_PATH+=:$folder
}

# The MPI of the machine's mpirun goes before the one that is packed.
prefer_own_mpi() {
  local library found=$work/mpi
  mkdir -p "$found"
  for library in libmpi.so.40 libmpi_cxx.so.40 libopen-rte.so.40 libopen-pal.so.40; do
    library=$(ldconfig -p 2>/dev/null | awk -v name="$library" '$1 == name { print $NF; exit }')
    [[ -z $library ]] || ln -sf "$library" "$found/"
  done
  LD_LIBRARY_PATH=$found:$LD_LIBRARY_PATH
}

do_nccl() {
  local gpus root=()
  (( EUID )) || root=(--allow-run-as-root)
  if ! command -v mpirun >/dev/null || ! has_nccl; then
    say "replay over NCCL: not run, for that this machine ($count GPUs) would need mpirun and libnccl.so.2"
    return
  fi
  prefer_own_mpi
  for gpus in 8 4 2; do
    (( count < gpus )) || { replay_between_gpus; return; }
  done
  beside_each_other replay_as_two_hosts
}
count=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
schedules='[gpipe, 1f1b, {name: interleaved-1f1b, virtual: 2}, zb-h1, zb-v, chimera]'

do_tests() {
  step 'tests of the kernels' 90 tests.log "$here/live_tests" --gtest_brief=1 \
    --gtest_filter="$tests"
  ! grep -q SKIPPED "$out/tests.log" || failed+=('tests of the kernels: the GPU was not found')
}
do_calibration() {
  step 'calibration' 150 calibration.log "$live" calibrate --quick --backend cuda -o cuda.yaml
}
# by_torch NAME SECONDS SCRIPT ...: a script of torch/, where python3 has PyTorch.
by_torch() {
  local name=$1 most=$2 script=$3
  shift 3
  python3 -c 'import torch' 2>/dev/null || { say "$name: python3 has no PyTorch"; return; }
  step "$name" "$most" torch.log env -u LD_LIBRARY_PATH python3 "$here/torch/$script" "$@"
}
do_torch() { by_torch PyTorch 300 measure.py .; }
do_training() { by_torch training 240 measure.py training training; }
# Runs processes on the GPU beside each other where NVIDIA's multi-process service is, else by turns.
beside_each_other() {
  local service
  service=$(command -v nvidia-cuda-mps-control) && "$service" -d
  "$@"
  [[ -z $service ]] || echo quit | timeout 10 "$service"
}
do_ranks() { beside_each_other by_torch ranks 150 ranks.py ranks; }
do_timed() {
  replay timed fp32 4
  replay timed fp32 8
}
do_synthetic() {
  replay synthetic bf16 4
  replay synthetic bf16 8
  replay synthetic bf16 8 4 --measure-partitions 4
}
do_real() {
  replay real bf16 4
  replay real bf16 8
  replay real bf16 8 4 --measure-partitions 4
  replay real fp32 4
  replay real fp32 8
}

printf 'cuDNN: %s\n' "${cudnn:-not found}" >"$out/machine.txt"
step 'the machine' 30 machine.txt nvidia-smi
for part in "${parts[@]}"; do do_$part; done

tar -czf "$out/$name.tar.gz" -- * || failed+=('packing the results')
printf '%s\n' "${failed[@]}" >"$out/failed.txt"
(( ${#failed[@]} == 0 )) && { rm "$out/failed.txt"; say "all went well: $out"; exit; }
for what in "${failed[@]}"; do say "failed: $what"; done
exit 1
