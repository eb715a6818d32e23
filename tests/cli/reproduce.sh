# shellcheck shell=bash
# 'reproduce'.

expect 'papers are listed' 0 '*zero-bubble*Zero Bubble*' '' reproduce
expect 'every claim has the verdict that its file states' 0 '*reproduced*contradicted*not testable*' '' reproduce --all --json r.json --csv r.csv
holds 'its JSON has the cases' r.json '*"pipewright.reproduction/1"*"cases"*"ratio"*'
holds 'its CSV has a line a claim' r.csv 'paper,claim,*zero-bubble,same-memory,simulated,up to,1.23,*'
expect 'a page of one paper' 0 '' '' reproduce chimera --html r.html --quiet
holds 'it has the claim and the script that shows it' r.html '*"kind":"reproduction"*"bubbles"*show_reproduction*'
expect 'a claim in full with its assumptions varied' 0 '*claimed up to 2x*assumed:*with model.synthetic.backward*' '' reproduce chimera --vary
expect 'what only numbers can show is worked out live' 0 '*halo exchange*<F x, y>*reproduced*2 workers*split*' '' reproduce distdl
expect 'a paper that is not there' 2 '' "error: *unknown paper 'zero-buble'; did you mean 'zero-bubble'*" reproduce zero-buble
given p.yaml 'source: x
claims:
  - {name: a, claim: b, says: 2, tolerance: 5%, verdict: reproduced, experiment: example, system: {schedule: zb-h1}, baseline: {schedule: 1f1b}}'
expect 'another verdict than the file states' 1 '*the file states reproduced*' '' reproduce ./p.yaml
given p.yaml 'source: x
claims: [{name: a, claim: b, says: -2}]'
expect 'a mistake at its place' 2 '' 'p.yaml:2:*: error: *' reproduce p.yaml
