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
expect 'beside none' 2 '' '*error*' diagnose "$trace" --experiment none.yaml
given k.json '{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 0, "dur": 10, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "\u001b[2J<b>", "ts": 20, "dur": 10, "args": {"stream": 7}}
]}'
expect 'of one rank of PyTorch' 0 'k.json: 1 step*measured*' '' diagnose k.json
given k.json '{"traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm"'
expect 'of a trace that is cut off' 2 '' 'k.json:3: error: this trace is cut off within an event' diagnose k.json
given k.json '{"a": 1}'
expect 'of another JSON' 2 '' "k.json:2: error: this trace has no list 'traceEvents'" diagnose k.json
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
expect 'of one rank of a profiler' 2 '' '*torch.json: error: no experiment can be made of it: one rank*' diagnose "$(dirname "$cases")/../fuzz/corpus/diagnose/torch.json" -o job.yaml -q
expect 'what it would ignore is refused' 2 '' 'error: --set changes the EXPERIMENT of --experiment, and there is none' diagnose "$trace" --set batch.micro=2
expect 'three tables are no run' 2 '' '*error: a table of operations is a whole run, and these are 3 files: give one, or two*' diagnose "$trace" "$trace" "$trace"

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
