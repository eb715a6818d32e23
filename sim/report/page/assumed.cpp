#include "report/page/assumed.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/text/summary_job.hpp"

namespace pipewright {

std::string assumed_json(const config::Value& experiment, const config::Value& given) {
  std::vector<DefaultTaken> taken = defaults_taken(experiment, given);
  std::ranges::stable_partition(taken, &DefaultTaken::matters_most);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DefaultTaken& one : taken)
    list.push_back({{"key", one.key}, {"value", one.value}, {"matters", one.matters_most}});
  return list.empty() ? std::string() : dump_json(list);
}

}  // namespace pipewright
