#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"
#include "calibrate/cli/registry.hpp"
#include "calibrate/live/claims.hpp"

namespace pipewright::cli {
namespace {

int print_claim(const Arguments& arguments, const Environment&) {
  if (arguments.size() != 1) throw InputError("claim takes one CHECK");
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const live::LiveCase& one : live::live_claim(arguments.front()))
    cases.push_back({{"name", one.name},
                     {"system", one.system},
                     {"system_value", one.system_value},
                     {"baseline", one.baseline},
                     {"baseline_value", one.baseline_value}});
  fmt::print("{}\n", dump_json(cases, 2));
  return 0;
}

}  // namespace

const Command live_program::command::claim_command{"claim", live_program::help_claim, print_claim};

}  // namespace pipewright::cli
