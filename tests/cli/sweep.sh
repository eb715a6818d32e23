# shellcheck shell=bash
# 'sweep' and 'merge'.

study='experiment: {model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}, cluster: {devices: 4, link: {latency: 0 s}}, schedule: 1f1b}
vary:
  schedule: [gpipe, 1f1b, chimera, {name: interleaved-1f1b, virtual: 2}]
  model.synthetic.microbatches: [4, 6, 8]'

given s.yaml "$study"
expect 'a sweep ranks, lists what cannot be, and says which to take' 0 '*iteration time*cannot be or were not run*Take *' '' sweep s.yaml --csv r.csv --json r.json
holds 'its CSV has the settings before the results, and a schedule once' r.csv $'model.synthetic.microbatches,schedule,feasible,*\n4,gpipe,true,*\n6,gpipe,true,*\n4,1f1b,true,*'
holds 'its JSON is a list of results' r.json '*"pipewright.results/1"*"settings"*"iteration_time_s"*"reason"*'
given s.yaml "$study"
expect 'a shard keeps its part' 0 '*' '' sweep s.yaml --shard 1/2 --store a.db --quiet
given s.yaml "$study"
expect 'shards that are not' 2 '' "error: --shard '3/2'*" sweep s.yaml --shard 3/2
given s.yaml "$study"
given t.txt 'this is no database at all, only text'
expect 'a store that is none' 2 '' "error: *t.txt*no store of a sweep*" sweep s.yaml --store t.txt
given s.yaml "$study"
expect 'a mistake in the experiment ends the sweep' 2 '' '*error: unknown key*' sweep s.yaml --set 'vary={batch.mikro: [1]}'

# Stores outlive the folder of a case: what `shard` makes, `again` brings back.
# shellcheck disable=SC2154  # run.sh sets them
shard() { (cd "$work/here" && "$program" sweep s.yaml --shard "$1" --store "$work/$2" --quiet); }
again() { for store in "$@"; do cp "$work/$store" "$work/here/$store"; done; }
given s.yaml "$study"
shard 1/2 a.db
shard 2/2 b.db
given s.yaml "${study/1 ms/3 ms}"
shard 1/1 other.db
cp "$work/a.db" "$work/newer.db"
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as store: store.execute("UPDATE owner SET version = '"'99.0'"'")' "$work/newer.db"
again a.db b.db
expect 'shards are joined' 0 '*Take *' '' merge a.db b.db
given s.yaml "$study"
again a.db
expect 'a shard that is missing is told' 0 '*Take *' '6 of the 12 points of the study are in none of these stores' merge a.db
given s.yaml "$study"
again a.db other.db
expect 'a store of another study is refused' 2 '' "error: 'other.db' belongs to another study than 'a.db'" merge a.db other.db --store all.db
given s.yaml "$study"
again newer.db
expect 'a store of another version too' 2 '' "error: store 'newer.db' was made by version 99.0 of this program; this is *" merge newer.db --store all.db
given s.yaml "$study"
again a.db newer.db
expect 'whichever comes first' 2 '' "error: store 'newer.db' was made by version 99.0*" merge a.db newer.db
given w.yaml "${study%%$'\n'vary*}"$'\nvary: {parallel.tensor: [1, 2], shedule: [1f1b]}'
expect 'at the key that it varies' 2 '' "w.yaml:2:33: error: unknown key 'shedule'; did you mean 'schedule'[?]" sweep w.yaml
given w.yaml "${study%%$'\n'vary*}"$'\ncases: [{batch.mcro: 4}]'
expect 'or sets in a case' 2 '' "w.yaml:2:10: error: unknown key 'mcro'; did you mean 'micro'[?]" sweep w.yaml
expect 'merge needs stores' 2 '' 'error: merge needs*' merge
expect 'and stores that are there' 2 '' "error: cannot open store 'no.db'*" merge no.db
expect 'a study of the catalogue' 0 '*balanced*Take partition balanced*' '' sweep mixed-generations
expect 'a study that is not there' 2 '' "error: *unknown study 'mixed-generation'; did you mean 'mixed-generations'*" sweep mixed-generation

given w.yaml 'experiment: {model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}, cluster: {node: dgx-a100-80g, nodes: 1}, batch: {global: 24, sequence: 256}, schedule: 1f1b}
vary: {parallel.pipeline: [1, 2], parallel.data: [auto, 2]}'
expect 'unlike numbers of devices are told' 0 '*devices*samples/s per device*2 of 8*The runs use 2 to 8 devices; each does most under *' '' sweep w.yaml --csv r.csv --json r.json
holds 'in the CSV' r.csv '*,reason,devices,idle_devices,samples_per_s_per_device*,8,0,*,2,6,*'
holds 'and in JSON' r.json '*"devices":8,"idle_devices":0,*"devices":2,"idle_devices":6,*'
given w.yaml 'experiment: {model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}, cluster: {node: dgx-a100-80g, nodes: 1}, batch: {global: 24, sequence: 256}, schedule: 1f1b}
vary: {parallel.tensor: [2, 4]}'
expect 'the degree of data that follows is told' 0 $'tensor  data  *\n?       ?  *' '' sweep w.yaml --csv r.csv
holds 'in the CSV, too' r.csv $'*,data\n2,*,4\n4,*,2'
given w.yaml "${study%%$'\n'vary*}"$'\nvary: {network: [alpha-beta, flow]}'
expect 'a way to simulate is nothing to take' 0 $'network *\n\nnetwork says how the job is simulated, not how it runs: its values are nothing to take.*' '' sweep w.yaml
given w.yaml "${study%%$'\n'vary*}"$'\nvary: {model.synthetic.microbatches: [4, 8]}\nobjective: [p90_s]'
expect 'quantiles are those of draws' 0 $'*\n\np90_s has no value in these runs: they draw nothing, as *' '' sweep w.yaml
given w.yaml "${study%%$'\n'vary*}"$'\nobjective: [data]'
expect 'a degree is nothing to judge by' 2 '' "*'data' is no result to judge by*" sweep w.yaml
