# shellcheck shell=bash
# Profiles: looked into, made from measurements, held against them; and runs held against theirs.

expect 'list names the measured profiles' 0 '*a100-sxm-80g*b200-sxm*gb200*h100-sxm*h200-sxm*' '' list profiles
expect 'a profile says what it is and how far off' 0 '*origin: measured*held_out*gemm in bf16*' '' profile show h100-sxm
expect 'a profile that is not there is an input error' 2 '' "*unknown profile 'h101'*" profile show h101
expect 'an action that is not there is an input error' 2 '' "*error: 'shwo' must be one of show*" profile shwo h100-sxm

given points.csv 'dtype,m,n,k,time_s
bf16,4096,4096,8192,0.000343931
bf16,8192,4096,4096,0.000343592
bf16,8192,8192,4096,0.000700715'
expect 'a profile is held against measured times' 0 '*bf16 m >= 256*3*' '' profile check h100-sxm --against points.csv
given points.csv 'dtype,m,n,k,time_s
bf16,1000000,4096,8192,0.08'
expect 'the check is one JSON object' 0 '*"kernel": "gemm"*"points": 1*"outside_range": 1*' '' profile check h100-sxm --against points.csv --json -
given points.csv 'dtype,m,n,k,time_s
bf16,4096,x,8192,0.0003'
expect 'a broken table names its place' 2 '' "points.csv:2:11: error: 'x' must be a size" profile check h100-sxm --against points.csv
expect 'a check needs something to check against' 2 '' 'error: *--against*' profile check h100-sxm
expect 'a profile does not differ from itself' 0 '*gemm bf16*+0.0 %*' '' profile diff h100-sxm h100-sxm
expect 'a slower device is a regression' 1 '*gemm bf16*slower*' '' profile diff h100-sxm a100-sxm-80g
expect 'profiles of two devices do not merge' 2 '' "error: 'h200-sxm' is of h200-sxm*" profile merge h100-sxm h200-sxm -o x.yaml

table='dtype,m,n,k,time_s'
for m in 64 256 1024 4096; do
  for n in 256 1024 4096; do
    for k in 512 2048; do table+=$'\n'"bf16,$m,$n,$k,$((4000 + m * n * k / 300))e-9"; done
  done
done
given t.csv "$table"
expect 'measured times become a profile' 0 '*gemm bf16, held out*' '' fit kernels t.csv --device h100-sxm -o mine.yaml
holds 'it is YAML' mine.yaml '*schema: pipewright.profile/1*device: h100-sxm*gemm:*dtype: bf16*rate:*'
holds 'its points lie beside it' mine.points '*gemm bf16 n k | m 64 256 1024 4096*'
expect 'a device is looked for before anything is measured' 2 '' "error: *'h100-smx'*" calibrate --device h100-smx -o c.yaml
expect 'and must be one that can be fitted' 2 '' "error: device 'vcu118' needs 'processors' to be calibrated*" calibrate --device vcu118 -o c.yaml
expect 'a fit needs to know the device' 2 '' 'error: *--device*' fit kernels t.csv -o mine.yaml

job='model: gpt3-1.3b
cluster: {node: dgx-h100, nodes: 1}
schedule: 1f1b
profile: '
given x.yaml "${job}datasheet"
expect 'the data sheet can be asked for' 0 '*iteration time*' '' simulate x.yaml
given x.yaml "${job}a100-sxm-80g"
expect 'a profile of another device is refused' 2 '' "x.yaml:4:10: error: the profile is of 'a100-sxm-80g'*" simulate x.yaml

runs='schema: pipewright.measured/1
runs:
  - name: one
    group: g
    experiment: {model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}, cluster: {devices: 4, link: {latency: 0 s}}, schedule: 1f1b}
    measured: {iteration_time_s: 0.030}'
given runs.yaml "$runs"
expect 'a measured run is predicted' 0 '*one*33 ms*30 ms*+10.0 %*g *1/1*' '' validate runs.yaml
given runs.yaml "$runs"
expect 'as JSON too' 0 '*"pipewright.validation/1"*"overall"*' '' validate runs.yaml --json -
given runs.yaml "$runs"
expect 'a group that is not there is an input error' 2 '' "error: no run is of group 'h'*" validate runs.yaml --group h
expect 'validate needs its runs' 2 '' 'error: validate needs RUNS*' validate
given runs.yaml "${runs/0.030/-1}"
expect 'a measured time must be one' 2 '' 'runs.yaml:6:*error: *' validate runs.yaml

job='{model: gpt3-1.3b, cluster: {node: dgx-h100, nodes: 1}, parallel: {tensor: 8}, batch: {global: 8, micro: 1}, schedule: 1f1b}'
runs="schema: pipewright.measured/1
runs:
  - name: one
    experiment: $job
    measured: {iteration_time_s: 2}"
given runs.yaml "$runs"
expect 'a measured run makes an anchor' 0 '*megatron on h100-sxm, of 1 run*kernels*network*hosts*one*' '' fit runs.yaml -o anchor.yaml
holds 'that is a file' anchor.yaml '*schema: pipewright.anchor/1*kernels:*'
given runs.yaml "$runs"
expect 'an anchor goes to standard output' 0 'schema: pipewright.anchor/1*measured_s: 2*' '' fit runs.yaml -o -
given runs.yaml "$runs"
expect 'an anchor as JSON' 0 '*"factors": {*"kernels": *' '' fit runs.yaml --json - -q
anchor='schema: pipewright.anchor/1
framework: megatron
device: h100-sxm
runs: 1
nodes: 1
factors: {kernels: 2, network: 1, host: 1}
covariance: [0.01, 0, 0, 0, 0.03, 0, 0, 0, 0.2]'
given job.yaml "$job"
given anchor.yaml "$anchor"
expect 'an anchor is read by name' 0 '*"anchor": {*"kernels": 2*an anchor of 1 run*' '' simulate job.yaml --set anchor=anchor.yaml --json -
given job.yaml "$job"
given anchor.yaml "$anchor"
expect 'an anchor of another device is refused' 2 '' '*error: the anchor is of h100-sxm, the cluster has a100-sxm-80g' simulate job.yaml --set anchor=anchor.yaml --set cluster.node=dgx-a100-80g
given job.yaml "$job"
given anchor.yaml "${anchor/kernels: 2/kernels: 0}"
expect 'an anchor has its limits' 2 '' 'anchor.yaml:6:20: error: *0.001*' simulate job.yaml --set anchor=anchor.yaml
given anchor.yaml "$anchor"
expect 'an anchor is checked' 0 '*' '' check anchor.yaml
given runs.yaml "$runs"
expect 'measured runs are checked' 0 '*' '' check runs.yaml
given runs.yaml "$runs"
expect 'an anchor is not written over its runs' 2 '' "error: --output runs.yaml would overwrite 'runs.yaml', which is read*" fit runs.yaml -o runs.yaml
expect 'an anchor needs runs' 2 '' 'error: fit needs RUNS*' fit
given job.yaml "$job"
expect 'an anchor that is not there is an input error' 2 '' "*error: *none.yaml*" simulate job.yaml --set anchor=none.yaml
given runs.yaml "${runs/iteration_time_s: 2/peak_memory_bytes: 1 GiB}"
expect 'an anchor needs measured times' 2 '' "runs.yaml:4:17: error: run 'one' makes no anchor: it has no measured*" fit runs.yaml

# What a calibration saw products lose beside moving bytes slows those that run beside collectives.
job='model: gpt3-1.3b
cluster: {node: dgx-h100, nodes: 1}
parallel: {data: 8}
batch: {global: 8, micro: 1}
schedule: 1f1b
profile: mine.yaml'
profile='schema: pipewright.profile/1
origin: measured
device: h100-sxm'
seen='
conditions:
  version: 1
  launch: 2 us
  first_allocation: 1 ms
  next_allocation: 1 ms
  beside:
    - {kernel: gemm, what: copy, channels: 1, alone: 1 ms, beside: 2 ms, moved: 1 GB/s, memory_share: 0}
  cache: []
  steadiness: {stolen: 0.1}
  ranks: {count: 1}'
given mine.yaml "$profile$seen"
expect 'conditions are shown' 0 '*beside copy on 1 channel: gemm takes 2.00 times as long*not steady: stolen*' '' profile show mine.yaml
given mine.yaml "$profile${seen/version: 1/version: 2}"
expect 'conditions of a newer version are refused' 2 '' 'mine.yaml:5:12: error: conditions of version 2 are newer*' profile show mine.yaml
given mine.yaml "$profile$seen"
given x.yaml "$job"
expect 'a job runs under them' 0 '' '' simulate x.yaml -q --json slow.json
time_of() { grep -m1 -o '"iteration_time_s": [0-9.e-]*' "$work/here/$1" | cut -d' ' -f2; }
slow=$(time_of slow.json)
given mine.yaml "$profile"
given x.yaml "$job"
expect 'and without them' 0 '' '' simulate x.yaml -q --json fast.json
fast=$(time_of fast.json)
if awk "BEGIN { exit !($slow > 1.001 * $fast && $slow < 2 * $fast) }"; then
  report 'half the rate lost beside collectives is a slower iteration, but less than twice as long'
else
  report 'half the rate lost beside collectives is a slower iteration, but less than twice as long' "$slow s and $fast s"
fi

# Norms measured at a thousandth of the memory's bandwidth.
streams='
streams:
  - {kernel: norm, pass: forward, latency: 3 us, bandwidth: 3 GB/s, largest: 1 GB, held_out: [{points: some, count: 5, median: 0.03, p90: 0.1, p95: 0.1}]}'
given mine.yaml "$profile$streams"
expect 'kernels that stream are shown' 0 '*kernel: norm*norm forward, held out some: 5 points, median 3.0 %*' '' profile show mine.yaml
given mine.yaml "$profile$streams"
given x.yaml "$job"
expect 'a job runs with them' 0 '' '' simulate x.yaml -q --json slow.json
slow=$(time_of slow.json)
if awk "BEGIN { exit !($slow > 1.1 * $fast) }"; then
  report 'slow norms are a slower iteration'
else
  report 'slow norms are a slower iteration' "$slow s and $fast s"
fi
given mine.yaml "$profile${streams/kernel: norm/kernel: gemm}"
expect 'products do not stream' 2 '' "mine.yaml:5:*error: 'gemm' must be norm, elementwise, optimizer or memcpy*" profile show mine.yaml

# Two profiles differ in what streams, and in collectives whose points lie beside both.
memcpy='
streams:
  - {kernel: memcpy, pass: forward, latency: 3 us, bandwidth: 200 GB/s, largest: 1 GB, held_out: [{points: some, count: 5, median: 0.03, p90: 0.1, p95: 0.1}]}'
given old.yaml "$profile$memcpy"
given new.yaml "$profile${memcpy/200/20}"
expect 'a slower stream is a regression' 1 '*memcpy forward*5*+900.0 %*3.0 %*slower*' '' profile diff old.yaml new.yaml
given old.yaml "$profile$memcpy"
given new.yaml "$profile${memcpy/200/196}"
expect 'within its error it is none' 0 '*memcpy forward*+2.0 %*3.0 %*' '' profile diff old.yaml new.yaml
collectives='
collectives: {points: points.csv}'
head='op,dtype,ranks,bytes,time_s'
given old/p.yaml "$profile$collectives"
given old/points.csv "$head"$'\nall_reduce,fp16,8,1024,1e-5\nall_reduce,fp16,8,2048,2e-5\nall_gather,fp16,8,1024,1e-5'
given new/p.yaml "$profile$collectives"
given new/points.csv "$head"$'\nall_reduce,half,8,1024,2e-5\nall_reduce,half,8,2048,4e-5\nall_gather,fp16,4,1024,1e-5'
expect 'so are slower collectives' 1 '*all_reduce*2*+100.0 %*slower*' '' profile diff old/p.yaml new/p.yaml
given old/p.yaml "$profile$collectives"
given old/points.csv "$head"$'\nall_reduce,fp16,8,1024,1e-5'
given new/p.yaml "$profile$collectives"
given new/points.csv "$head"$'\nall_reduce,fp16,8,1024,1e-5'
expect 'and those as fast are none' 0 '*all_reduce*+0.0 %*' '' profile diff old/p.yaml new/p.yaml
given old/p.yaml "$profile$collectives"
given new/p.yaml "$profile$collectives"
expect 'without points there is nothing to compare' 2 '' 'error: the two profiles have no kernel in common' profile diff old/p.yaml new/p.yaml
