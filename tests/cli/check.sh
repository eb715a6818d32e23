# shellcheck shell=bash
# 'check': what a file is, its keys say.

small='{model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}, cluster: {devices: 4, link: {latency: 0 s}}'
study="experiment: $small}
vary: {schedule: [1f1b, {name: interleaved-1f1b, virtual: 2}], model.synthetic.microbatches: [4, 6]}"
device='{flops: {fp32: 50 GFLOP/s}, memory: 1 GiB}'

given x.yaml "$small, schedule: 1f1b}"
given s.yaml "$study"
given m.yaml 'transformer: {layers: 4, hidden: 16, heads: 2, ffn: 32, vocabulary: 16}'
given base.yaml $'base: gpt2-small\nlayers: 6'
given hf.yaml '{model_type: gpt2, n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, vocab_size: 50257}'
given c.yaml "{devices: 4, device: $device, link: {latency: 1 us, bandwidth: 1 GB/s}}"
given n.yaml $'base: dgx-h100\ndevices: 4'
given d.yaml "$device"
given p.yaml $'base: h100-sxm\ndevice: h800-sxm\norigin: datasheet'
expect 'files of every kind are read' 0 '9 files without problems' '' check x.yaml s.yaml m.yaml base.yaml hf.yaml c.yaml n.yaml d.yaml p.yaml

given s.yaml "${study/1f1b,/1f1c,}"
expect 'a value of a study that is nothing' 2 '' "s.yaml:2:19: error: unknown schedule '1f1c'*" check s.yaml
given s.yaml $'experiment: {model: gpt2-small, parallel: {pipeline: 4}}\nvary: {schedule: [1f1b, gpipe]}'
expect 'an experiment of a study that lacks something is told once' 2 '' '*s.yaml:1:13: error: *cluster*' check s.yaml
given s.yaml "${study/vary/varies}"
expect 'a key that studies do not have' 2 '' "s.yaml:2:1: error: unknown key 'varies'; did you mean 'vary'?" check s.yaml
given s.yaml "$study"$'\ncases: [{model.synthetic.microbatches.x: 1}]'
expect 'a path that leads nowhere' 2 '' '*s.yaml:3:*: model.synthetic.microbatches.x: *' check s.yaml
given s.yaml "${study/interleaved-1f1b, virtual: 2/chimera, pipelines: 6}"
expect 'combinations that cannot be are no mistake' 0 '1 file without problems' '' check s.yaml
given m.yaml 'transformer: {layers: 4, hiden: 16, heads: 2, ffn: 32, vocabulary: 16}'
expect 'a key that models do not have' 2 '' "m.yaml:1:26: error: unknown key 'hiden'; did you mean 'hidden'?" check m.yaml
given c.yaml $'node: dgx-h100\nfabrik: ndr'
expect 'a key that clusters do not have' 2 '' "c.yaml:2:1: error: unknown key 'fabrik'; did you mean 'fabric'?" check c.yaml
given p.yaml $'base: h100-sxm\norigin: guessed'
expect 'a profile that is neither measured nor of a data sheet' 2 '' 'p.yaml:2:9: error: *measured, datasheet*' check p.yaml
given x.yaml "$small, schedule: 1f1b, shedule: 1f1b}"
expect 'what looks like nothing else is an experiment' 2 '' "x.yaml:1:*: error: unknown key 'shedule'*" check x.yaml

given s.yaml "${study/vary/varies}"$'\nscreen: some\nobjective: [speed]'
# shellcheck disable=SC2154  # run.sh sets them
told=$(cd "$work/here" && "$program" check s.yaml 2>&1)
if [[ $(wc -l <<<"$told") == 3 && $told == *"s.yaml:2:1: "*"s.yaml:4:13: "*"s.yaml:3:9: "* ]]; then
  report 'all mistakes of a study are told'
else
  report 'all mistakes of a study are told' "$told"
fi

# A file of rules says by its keys what it is.
given rules.yaml 'placement: linear
warm_up: {repeat: m, do: F}
drain: {repeat: m, do: B}'
expect 'a rules file is checked as one' 0 $'rules.yaml: checked with p = 4, m = 8\n1 file without problems' '' check rules.yaml
given rules.yaml 'placement: linear
warm_up: {repeat: m, do: F}
drian: {repeat: m, do: B}'
expect 'and its mistakes are told' 2 '' "rules.yaml:3:1: error: unknown key 'drian'; did you mean 'drain'[?]" check rules.yaml
given rules.yaml 'placement: linear'
expect 'a file in place of a schedule is told how to name it' 2 '' "*: error: unknown schedule 'rules.yaml'; a file of rules is '{rules: rules.yaml}'" simulate example --set schedule=rules.yaml
given job.yaml 'model: gpt2-small
cluster: switch-8'
expect 'a job without a schedule is told one' 2 '' "job.yaml:1:1: error: an experiment needs the key 'schedule', such as 'schedule: 1f1b'" simulate job.yaml
given p.yaml 'model: gpt2-small
cluster: {node: dgx-a100-80g, nodes: 1}'
expect 'a schedule is left to plan' 0 "*no schedule: 'plan' chooses one*1 file without problems*" '' check p.yaml
given g.yaml 'model: gpt2-small
cluster: {node: gone.yaml, nodes: 2, fabric: {kind: star, link: eth-10}}
schedule: 1f1b'
expect 'a node that is not there is one problem' 2 '' "g.yaml:2:17: error: cannot read file 'gone.yaml'" check g.yaml
given s.yaml "${study/vary: \{schedule/vary: \{shedule}"$'\nobjective: [speed]'
# shellcheck disable=SC2154  # run.sh sets them
told=$(cd "$work/here" && "$program" check s.yaml 2>&1)
if [[ $told == *"s.yaml:3:"*"'speed' is no result"*"unknown key 'shedule'"* ]]; then
  report 'a wrong objective hides no other mistake'
else
  report 'a wrong objective hides no other mistake' "$told"
fi
