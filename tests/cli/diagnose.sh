# shellcheck shell=bash
# Why a job is slow.

trace=$(dirname "$cases")/../../workloads/traces/straggler_st.csv.gz
expect 'a published job has its published cause' 0 '*1f1b*Slower than the ideal by 1.179*stage *stage 3*First: give stage 3*' '' diagnose "$trace"
expect 'as JSON' 0 '*"pipewright.diagnosis/1"*"pipeline": 4*"schedule": "1f1b"*"cause": "stage"*"who": "stage 3"*' '' diagnose "$trace" --json - -q
expect 'as a page' 0 '' '' diagnose "$trace" --html why.html -q
holds 'that shows it' why.html '*"kind":"diagnosis"*'
expect 'of nothing' 2 '' 'error: diagnose needs a TRACE*' diagnose
expect 'of a file that is not there' 2 '' 'none.csv: error: cannot be read*' diagnose none.csv
head='dp_rank,stage,step,op,model_chunk,microbatch,sequence,start_s,duration_s'
given t.csv 'a,b
1,2'
expect 'of another table' 2 '' 't.csv:1:1: error: *dp_rank, stage, step, op*' diagnose t.csv
given notes.txt 'model: {base: llama-3-8b}'
expect 'of what is no trace' 2 '' "notes.txt:1:1: error: this is no trace: neither one of PyTorch's profiler or of 'simulate --trace' (JSON), nor an export of Nsight Systems (SQLite), nor a table*" diagnose notes.txt
given job.yaml 'model: {base: llama-3-8b}'
expect 'of an experiment without a cluster' 2 '' "job.yaml:1:1: error: an experiment needs the key 'cluster'" diagnose job.yaml
job='model: {synthetic: {devices: 4, microbatches: 8, forward: 10 ms, backward: 20 ms}}
cluster: {devices: 4, link: {latency: 0 s}}
schedule: 1f1b'
given job.yaml "$job"
expect 'layers are no fewer than stages' 2 '' 'job.yaml: error: has * stages, and --layers gives 1 in all: *' diagnose job.yaml --layers 1
given job.yaml "$job"
expect 'of an experiment' 0 '*1f1b*bubble*layers changes nothing: no stage is slower*' '' diagnose job.yaml --layers 8
given job.yaml "$job"
expect 'of an experiment with a slow device' 0 'cause,who,recovered_s,*stage,stage 2,*' '' diagnose job.yaml --set 'stragglers=[{device: 2, slowdown: 2}]' --csv -
given job.yaml "$job"
expect 'an experiment has no earlier run' 2 '' 'job.yaml: error: is an experiment*' diagnose job.yaml --against job.yaml
given t.csv 'dp_rank,stage
0,0'
expect 'of a table that lacks columns' 2 '' 't.csv:1:1: error: a table of operations has the columns dp_rank, stage, step, op*' diagnose t.csv
expect 'an option that is begun' 2 '' "error: unknown option '--out'; did you mean '-o'?" diagnose "$trace" --out job.yaml
given t.csv "$head
0,0,1,forward-compute,0,0,0,0.0"
expect 'of a line that is cut off' 2 '' 't.csv:2:1: error: a line has 9 columns, this one has 8' diagnose t.csv
given t.csv "$head
0,0,1,foward-compute,0,0,0,0.0,1.0"
expect 'of a misspelt operation' 2 '' "t.csv:2:7: error: unknown op 'foward-compute'; did you mean 'forward-compute'?" diagnose t.csv
given t.csv "$head
0,0,1,forward-compute,0,0,0,0.0,-1"
expect 'of time that runs backwards' 2 '' "t.csv:2:33: error: duration_s '-1' must be a time*" diagnose t.csv
given t.csv "$head
0,0,1,optimizer,0,0,0,0.0,1"
expect 'of no pass' 2 '' 't.csv: error: has neither a forward nor a backward pass' diagnose t.csv
given t.csv "$head
1000000,1000000,1,forward-compute,0,0,0,0.0,1"
expect 'of ranks that are not there' 2 '' 't.csv: error: names 1000001 data ranks*' diagnose t.csv

expect 'beside a prediction' 0 '*against the experiment*measured*predicted*step*' '' diagnose "$trace" --experiment example
expect 'beside a prediction, as JSON' 0 '*"prediction"*"error"*' '' diagnose "$trace" --experiment example --json - -q
expect 'of another job' 0 '*note: the trace shows pipeline 4, the experiment has *' '' diagnose "$trace" --experiment gpt3-175b-selene
expect 'an anchor of another job' 2 '' 'gpt3-175b-selene: error: no anchor is made of another job: the trace shows pipeline 4, *' diagnose "$trace" --experiment gpt3-175b-selene --anchor a.yaml
expect 'an anchor of nothing' 2 '' 'error: --anchor corrects the EXPERIMENT of --experiment, and there is none' diagnose "$trace" --anchor a.yaml
expect 'beside none' 2 '' '*error*' diagnose "$trace" --experiment none.yaml
given k.json '{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 10, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "\u001b[2J<b>", "ts": 20, "dur": 10, "args": {"stream": 7}}
]}'
expect 'of one rank of PyTorch' 0 'k.json: 1 step*measured*' '' diagnose k.json
given k.json '{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm"'
expect 'of a trace that is cut off' 2 '' 'k.json:3: error: this trace is cut off within an event' diagnose k.json
given k.json '{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 5, "dur": -2, "args": {"stream": 7}}]}'
expect 'of a kernel that ends before it begins' 2 '' "k.json:2: error: this event ends before it begins: 'dur' is -2" diagnose k.json
given k.json '{"traceEvents": [], "displayTimeUnit": "ms"}'
expect 'of a trace of nothing' 2 '' 'k.json: error: this trace has no event of a device*' diagnose k.json
given k.json '{"a": 1}'
expect 'of another JSON' 2 '' "k.json:2: error: this trace has no list 'traceEvents'" diagnose k.json
rank() { printf '{"distributedInfo": {"rank": %s, "world_size": 4}, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 10, "args": {"stream": 7}}]}' "$1"; }
given d/0.json "$(rank 0)"
given d/1.json "$(rank 1)"
given d/2.json "$(rank 2 | head -c 90)"
given d/config.json '{"hidden_size": 4096}'
given d/notes.json ''
expect 'of a folder what can be read' 0 "*data 2*note: 'd/2.json' was left out: this trace is cut off*'d/config.json' was left out: this trace has no list*'d/notes.json' was left out*" '' diagnose d
given d/2.json "$(rank 2 | head -c 90)"
expect 'of a folder that holds one broken trace' 2 '' 'd/2.json:2: error: this trace is cut off*' diagnose d
given 0.json "$(rank 0)"
given 2.json "$(rank 2 | head -c 90)"
expect 'of files that were named all are read' 2 '' '2.json:2: error: this trace is cut off*' diagnose 0.json 2.json
expect 'of an empty folder' 2 '' '*error: no file of this folder is called*' diagnose .

export=$(dirname "$cases")/../fuzz/corpus/diagnose/steps.sqlite
expect 'of an export of Nsight Systems' 0 '*steps.sqlite: 2 steps*pipeline 2*measured*' '' diagnose "$export"
expect 'of one without steps' 2 '' '*two.sqlite: error: nothing says what a step is*NVTX*' diagnose "$(dirname "$cases")/../fuzz/corpus/nsys/two.sqlite"
given cut.sqlite ''
head -c 3000 "$export" >"$work/here/cut.sqlite"
expect 'of one that is cut off' 2 '' 'cut.sqlite: error: this database cannot be read*' diagnose cut.sqlite
expect 'of a report that is not exported' 2 '' 'job.nsys-rep: error: export this report first*' diagnose job.nsys-rep

expect 'two runs' 0 '*against*before*after*change*measured*+*' '' diagnose "$trace" "$trace"
expect 'two runs, as JSON' 0 '*"change"*"change_s": 0.0*' '' diagnose "$trace" --against "$trace" --json - -q
given slow.csv "$head
0,0,1,forward-compute,0,0,0,0.0,3.0"
given fast.csv "$head
0,0,1,forward-compute,0,0,0,0.0,1.0"
expect 'the later run is diagnosed' 0 'fast.csv: 1 step*against slow.csv*measured* 3 s * 1 s *-2 s*' '' diagnose slow.csv fast.csv
expect 'against nothing' 2 '' 'none.csv: error: cannot be read*' diagnose "$trace" --against none.csv

expect 'the job as an experiment' 0 '' '' diagnose "$trace" -o job.yaml -q
holds 'that says its schedule' job.yaml '*schedule: 1f1b*'
given t.csv "$head
0,0,1,forward-compute,0,0,0,0.0,3.0
0,0,1,backward-compute,0,0,0,3.0,3.0"
expect 'of a rank, to the terminal' 0 '*synthetic*devices: 1*' '' diagnose t.csv -o - -q
expect 'of a rank that has no backward' 2 '' '*torch.json: error: no experiment can be made of it: its order of passes*' diagnose "$(dirname "$cases")/../fuzz/corpus/diagnose/torch.json" -o job.yaml -q
given rank.json '{"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 0, "dur": 1, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 1000, "args": {"stream": 7, "correlation": 1}},
{"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: MmBackward0", "tid": 2, "ts": 3, "dur": 9, "args": {}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 2, "ts": 4, "dur": 1, "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1001, "dur": 2000, "args": {"stream": 7, "correlation": 2}}
]}'
expect 'of one rank of a profiler' 0 '*synthetic*devices: 1*' '' diagnose rank.json -o - -q

# The flight recorder.
flights=$work/flights
mkdir -p "$flights/dumps"
kernel() { printf '{"ph": "X", "cat": "kernel", "name": "%s", "ts": %s, "dur": 10, "args": {"stream": 8}}' "$1" "$2"; }
launch() { printf '{"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": %s, "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce", "input_sizes": [[8]], "input_dtypes": ["Float"]}' "$1"; }
sum=ncclDevKernel_AllReduce
echo "{\"traceEvents\": [$(kernel gemm 0), $(kernel $sum 20), $(kernel $sum 40), $(kernel $sum 60), $(kernel $sum 80)], \"distributedInfo\": {\"rank\": 0, \"world_size\": 4}}" >"$flights/rank.json"
echo "{\"pg_config\": {\"0\": {\"name\": \"0\", \"desc\": \"default_pg\", \"ranks\": \"[0, 1, 2, 3]\"}}, \"entries\": [$(launch 1), $(launch 2), $(launch 3), $(launch 4)]}" >"$flights/dumps/nccl_trace_rank_0"
echo '{"pg_config": {}}' >"$flights/other_7"
expect 'kernels that name no groups' 0 '*"data": 1,*named by their calls and kernels*' '' diagnose "$flights/rank.json" --json - -q
expect 'a dump names groups' 0 '*"data": 4,*' '' diagnose "$flights/rank.json" --flight-recorder "$flights/dumps" --json - -q
expect 'a dump of another rank' 0 "*other_7' was left out: no trace is of rank 7*" '' diagnose "$flights/rank.json" --flight-recorder "$flights/dumps" --flight-recorder "$flights/other_7" --json - -q
expect 'what is no dump' 2 '' "*rank.json: error: is no dump of PyTorch's flight recorder: it has no 'pg_config'" diagnose "$flights/rank.json" --flight-recorder "$flights/rank.json"
expect 'a dump beside a table' 2 '' "*error: says more of the kernels of ranks, and '*straggler_st.csv.gz' has none" diagnose "$trace" --flight-recorder "$flights/dumps"
expect 'what it would ignore is refused' 2 '' 'error: --set changes the EXPERIMENT of --experiment, and there is none' diagnose "$trace" --set batch.micro=2
expect 'three tables are no run' 2 '' "*error: none of these 3 files is a trace of PyTorch or Nsight Systems. A table of operations or a trace of 'simulate' or 'replay' is a whole run: give one, or two*" diagnose "$trace" "$trace" "$trace"
zcat "$trace" | awk -F, -v OFS=, 'NR > 1 && $2 == 1 { $8 = 1000 - $8 } { print }' >"$work/backwards.csv"
expect 'a clock that runs backwards' 2 '' '*These seem to be two jobs, or the clock of a rank runs backwards' diagnose "$work/backwards.csv"

# What the program writes itself.
made=$work/made
mkdir -p "$made"
cat >"$made/slow.yaml" <<'END'
model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms, boundary: 1 MB}}
cluster: {devices: 4, link: {latency: 10 us, bandwidth: 10 GB/s}}
schedule: zb-v
stragglers: [{device: 2, slowdown: 1.5}]
END
cat >"$made/flows.yaml" <<'END'
cluster: {devices: 2, link: {latency: 1 us, bandwidth: 1 GB/s}}
traffic: [{from: 0, to: 1, bytes: 1 MB, start: 0 s}]
END
"$program" simulate "$made/slow.yaml" --trace "$made/run.json" -q
"$program" replay "$made/slow.yaml" --compute timed --repeat 1 --trace "$made/live.json" -q
"$program" simulate "$made/flows.yaml" --trace "$made/flows.json" -q
"$program" diagnose "$made/run.json" -o "$made/again.yaml" -q
expect 'of a simulated run' 0 '*zb-v*stage *stage 2*' '' diagnose "$made/run.json"
expect 'as an experiment it has the bytes of its messages' 0 '*boundary: 1000000 B*' '' diagnose "$made/run.json" -o - -q
expect 'of the experiment that it makes' 0 '*zb-v*' '' simulate "$made/again.yaml"
expect 'of what a replay measured' 0 '*pipeline 4*zb-v*' '' diagnose "$made/live.json"
expect 'of flows' 2 '' '*flows.json: error: this trace has no pass of a pipeline' diagnose "$made/flows.json"
head -c 5000 "$made/run.json" >"$made/cut.json"
expect 'of a simulated run that is cut off' 2 '' '*cut.json:*: error: this trace is cut off*' diagnose "$made/cut.json"

# What 'fit' makes of the step of a trace.
cat >"$made/job.yaml" <<'END'
model: {base: llama-3-8b, layers: 8}
cluster: {node: dgx-h100, nodes: 1}
parallel: {pipeline: 4, data: 2}
schedule: 1f1b
END
"$program" simulate "$made/job.yaml" --set 'stragglers=[{device: 0, slowdown: 1.0001}]' --trace "$made/job.json" -q
expect 'an anchor' 0 '*note: a.yaml: kernels take 1.00* times as long as predicted*' '' diagnose "$made/job.json" --experiment "$made/job.yaml" --anchor a.yaml
holds 'that experiments use' a.yaml '*pipewright.anchor/1*kernels: *measured:*'
expect 'an anchor of given times is none' 2 '' '*makes no anchor: the experiment gives its times' diagnose "$made/run.json" --experiment "$made/slow.yaml" --anchor a.yaml
