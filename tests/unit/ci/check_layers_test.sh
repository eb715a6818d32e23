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
expect 'a study may not use kernels' sim/study/a.cpp '"kernels/b.hpp"' 'no live machine'
expect 'NCCL stays out of the simulator' sim/network/a.cpp '<nccl.h>' 'no live machine'
expect 'YAML is read by config' sim/config/a.cpp '<yaml-cpp/parser.h>'
expect 'YAML is not in a header of config' sim/config/a.hpp '<yaml-cpp/parser.h>' 'YAML'
expect 'YAML is read by nobody else' sim/workload/a.cpp '<yaml-cpp/yaml.h>' 'YAML'
expect 'Boost.Graph may be in a source file' sim/topology/a.cpp '<boost/graph/adjacency_list.hpp>'
expect 'Boost.Graph may not be in a header' sim/topology/a.hpp '<boost/graph/adjacency_list.hpp>' 'Boost.Graph'
expect 'nor in a template of a header' sim/topology/a.hpp.in '<boost/graph/adjacency_list.hpp>' 'Boost.Graph'
expect 'no clock in the engine' sim/engine/a.cpp '<chrono>' 'no clock'
expect 'a clock in the study' sim/study/a.cpp '<chrono>'
expect 'a nested folder belongs to its module' sim/topology/shapes/a.cpp '"topology/b.hpp"'
expect 'calibrate has layers of its own' calibrate/fit/a.cpp '"calibrate/replay/b.hpp"' 'calibrate/fit (layer 5)'
expect 'an include with spaces counts' sim/base/a.cpp ' "config/value.hpp"  // why' 'base'

printf '#include "base/a.hpp"\n' >"$tree/sim/a.hpp"
if [[ $("$checker" "$tree") == *'sim/a.hpp:'*'no layer for this folder'* ]]; then
  echo "ok $((++count)) - a folder without a layer is refused"
else
  echo "not ok $((++count)) - a folder without a layer is refused"
fi
echo "1..$count"
