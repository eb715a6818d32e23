# shellcheck shell=bash
# Help, version, and words that mean nothing.

expect 'help names the commands' 0 '*simulate*compare*' '' --help
expect 'the version is one line' 0 'pipewright [0-9]*.[0-9]*.[0-9]*' '' --version
expect 'no words at all show the help' 2 '*simulate*compare*' '*'
expect 'the help of a command names its options' 0 '*--json*' '' simulate --help
expect 'an unknown command is an input error' 2 '' "error: unknown command 'frobnicate'*" frobnicate
expect 'a misspelt command is guessed' 2 '' "*did you mean 'simulate'[?]" simulat x.yaml
expect 'an unknown option is an input error' 2 '' "error: *--frobnicate*" simulate --frobnicate
expect 'an experiment that is not there is named' 2 '' 'nowhere.yaml: error: *' simulate nowhere.yaml
expect 'a folder is not an experiment' 2 '' './: error: *' simulate ./
given broken.yaml 'model: [1, 2'
expect 'broken YAML names its place' 2 '' 'broken.yaml:[12]:*: error: *' simulate broken.yaml
