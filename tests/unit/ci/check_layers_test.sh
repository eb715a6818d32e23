#!/usr/bin/env bash
# Test of .ci/check_layers over small trees, one rule each. Prints TAP.
#   usage: check_layers_test.sh CHECKER
set -u
checker=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
count=0

# expect NAME FILE INCLUDE [BREACH]: a tree of one FILE with `#include INCLUDE` in its second line
# passes, or fails with FILE:2 and a text that holds BREACH.
expect() {
  local name=$1 file=$2 include=$3 breach=${4-} printed status verdict='not ok'
  rm -rf "$tree/sim" "$tree/kernels" "$tree/calibrate"
  mkdir -p "$tree/${file%/*}"
  printf '// a file\n#include %s\n' "$include" >"$tree/$file"
  printed=$("$checker" "$tree" 2>&1)
  status=$?
  if [[ -z $breach ]]; then
    [[ $status == 0 && -z $printed ]] && verdict=ok
  else
    [[ $status == 1 && $printed == "$file:2: "*"$breach"* ]] && verdict=ok
  fi
  echo "$verdict $((++count)) - $name"
  [[ $verdict == ok ]] || echo "# status $status: $printed"
}

expect 'a lower layer may be included' sim/program/a.hpp '"schedule/b.hpp"'
expect 'the own folder may be included' sim/engine/a.cpp '"engine/b.hpp"'
expect 'a header beside the file may be included' sim/engine/a.cpp '"b.hpp"'
expect 'a higher layer may not' sim/base/a.cpp '"config/value.hpp"' 'base (layer 0) includes'
expect 'the same layer may not without an edge' sim/network/a.hpp '"program/b.hpp"' 'network (layer 3)'
expect 'a named edge to a folder may' sim/topology/a.cpp '"config/value.hpp"'
expect 'an edge goes one way only' sim/config/a.cpp '"topology/b.hpp"' 'config (layer 1)'
expect 'a named edge to one header may' sim/result/a.hpp '"engine/timeline.hpp"'
expect 'an edge to one header is not an edge to its folder' sim/result/a.hpp '"engine/engine.hpp"' 'result'
expect 'a schedule may not know a model' sim/schedule/a.cpp '"workload/layer.hpp"' 'no hardware and no model'
expect 'a schedule may read options' sim/schedule/a.hpp '"config/value.hpp"'
expect 'a report may not know the engine' sim/report/a.cpp '"engine/engine.hpp"' 'who executed'
expect 'a report may not know an experiment' sim/report/a.cpp '"experiment/b.hpp"' 'report (layer 5)'
expect 'a run may not know who studies it' sim/run/a.cpp '"study/b.hpp"' 'run (layer 8)'
expect 'a study may not use kernels' sim/study/a.cpp '"kernels/b.hpp"' 'no live machine'
expect 'NCCL stays out of the simulator' sim/network/a.cpp '<nccl.h>' 'no live machine'
expect 'YAML is read by config' sim/config/a.cpp '<yaml-cpp/parser.h>'
expect 'YAML is not in a header of config' sim/config/a.hpp '<yaml-cpp/parser.h>' 'YAML'
expect 'YAML is read by nobody else' sim/workload/a.cpp '<yaml-cpp/yaml.h>' 'YAML'
expect 'Boost.Graph may be in a source file' sim/topology/a.cpp '<boost/graph/adjacency_list.hpp>'
expect 'Boost.Graph may not be in a header' sim/topology/a.hpp '<boost/graph/adjacency_list.hpp>' 'Boost.Graph'
expect 'nor in a template of a header' sim/topology/a.hpp.in '<boost/graph/adjacency_list.hpp>' 'Boost.Graph'
expect 'no clock in the engine' sim/engine/a.cpp '<chrono>' 'no clock'
expect 'no clock in the study' sim/study/a.cpp '<chrono>' 'no clock'
expect 'threads in one place' sim/base/parallel.cpp '<thread>'
expect 'no pool of threads in a run' sim/run/execute.cpp '<tbb/parallel_for.h>' 'no thread'
expect 'but where a run does both' sim/run/do_both.cpp '<tbb/parallel_invoke.h>'
expect 'a nested folder belongs to its module' sim/topology/shapes/a.cpp '"topology/b.hpp"'
expect 'calibrate has layers of its own' calibrate/fit/a.cpp '"calibrate/live/b.hpp"' 'calibrate/fit (layer 5)'
expect 'an include with spaces counts' sim/base/a.cpp ' "config/value.hpp"  // why' 'base'
expect 'a plan reads no document' sim/plan/a.hpp '"config/value.hpp"' 'documents are read by'
expect 'nor does a cost that is not a profile' sim/cost/tiles.cpp '"config/value.hpp"' 'documents are read by'
expect 'a profile does' sim/cost/profile_value.cpp '"config/value.hpp"'
expect 'the live side does' calibrate/measure/a.cpp '"config/value.hpp"'

# check NAME STATUS PATTERN: of the tree as it is.
check() {
  local name=$1 wanted=$2 pattern=$3 printed status verdict='not ok'
  printed=$("$checker" "$tree" 2>&1)
  status=$?
  # shellcheck disable=SC2053  # a pattern, on purpose
  [[ $status == "$wanted" && $printed == $pattern ]] && verdict=ok
  echo "$verdict $((++count)) - $name"
  [[ $verdict == ok ]] || printf '%s\n' "status $status" "$printed" | sed 's/^/# /'
}

# tree FILE TEXT ...: a new tree of these files.
tree() {
  rm -rf "$tree/sim" "$tree/kernels" "$tree/calibrate"
  for ((; $# > 0; )); do
    mkdir -p "$tree/${1%/*}"
    printf '%s\n' "$2" >"$tree/$1"
    shift 2
  done
}

tree sim/a.hpp '#include "base/a.hpp"'
check 'a folder without a layer is refused' 1 'sim/a.hpp:*no layer for this folder*'

tree sim/run/a.cpp 'using config::Value;'
check 'a run may not name a value of a document' 1 'sim/run/a.cpp:1: says config::Value*'
tree sim/run/a.cpp 'x();  // as config::Value has it'
check 'a comment may' 0 ''
tree sim/run/a.cpp 'f(config::Mark{});'
check 'a run may say where a document was wrong' 0 ''

tree sim/estimate/a.cpp 'experiment.document.find("schedule");'
check 'nor open the document of an experiment' 1 'sim/estimate/a.cpp:1: says .document*'

tree sim/schedule/a.hpp '#include "schedule/kinds/b.hpp"' \
  sim/schedule/kinds/b.hpp $'// b\n#include "schedule/c.hpp"' sim/schedule/c.hpp ''
check 'a folder and its sub-folder may not include each other' 1 \
  'sim/schedule/a.hpp:1: include cycle between folders sim/schedule -> sim/schedule/kinds -> sim/schedule*'
check 'a cycle names the includes that make it' 1 \
  '*sim/schedule/a.hpp:1: includes schedule/kinds/b.hpp*sim/schedule/kinds/b.hpp:2: includes schedule/c.hpp'

tree sim/workload/cnn/a.hpp '#include "workload/model/a.hpp"' sim/workload/model/a.hpp \
  '#include "workload/transformer/a.hpp"' sim/workload/transformer/a.hpp '#include "workload/cnn/a.hpp"'
check 'three sub-folders may not go in a circle' 1 '*cycle*cnn -> *model -> *transformer -> *cnn*'
tree sim/workload/cnn/a.hpp '#include "workload/model/a.hpp"' sim/workload/model/a.hpp \
  '#include "workload/b.hpp"' sim/workload/b.hpp '' sim/workload/cnn/c.hpp '#include "workload/b.hpp"'
check 'sub-folders may lean on each other and on their room' 0 ''
tree calibrate/live/executor/a.cpp '#include "calibrate/live/b.hpp"' \
  calibrate/live/b.hpp '#include "calibrate/live/executor/c.hpp"' calibrate/live/executor/c.hpp ''
check 'cycles are found outside sim/ too' 1 '*calibrate/live -> calibrate/live/executor -> calibrate/live*'

echo "1..$count"
