// Values of which the readers of Megatron-LM's command lines compose an experiment.
#pragma once

#include <vector>

#include "config/value.hpp"

namespace pipewright {

inline config::Value truth(bool value) { return config::scalar(value ? "true" : "false"); }

inline config::Value list_of(const std::vector<int>& numbers) {
  config::Value list;
  list.kind = config::Value::Kind::list;
  for (const int n : numbers) list.items.push_back(config::number(n));
  return list;
}

}  // namespace pipewright
