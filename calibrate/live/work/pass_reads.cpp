#include "calibrate/live/work/pass_reads.hpp"

#include <map>
#include <memory>

namespace pipewright::live {

using schedule::Action;
using schedule::Pass;
using schedule::Schedule;
using train::Reads;

Reads reads_of(const Schedule& schedule, const Action& action) {
  Reads reads{action.weight_version, 0};
  if (schedule.look_ahead.empty()) return reads;
  const schedule::LookAhead& ahead = schedule.look_ahead[static_cast<size_t>(action.stage)];
  reads.ahead = action.pass == Pass::forward ? ahead.forward : ahead.backward;
  return reads;
}

train::PassReads reads_of(const Schedule& schedule) {
  using Table = std::map<std::pair<int, int>, Reads>;  // by stage and micro-batch
  const auto forward = std::make_shared<Table>(), backward = std::make_shared<Table>();
  for (const schedule::Order& order : schedule.order) {
    for (const Action& a : order) {
      Table& table = a.pass == Pass::forward ? *forward : *backward;
      table[{a.stage, a.micro_batch}] = reads_of(schedule, a);
    }
  }
  return {[forward](int stage, int micro_batch) {
            return forward->at({stage, micro_batch});
          },
          [backward](int stage, int micro_batch) {
            return backward->at({stage, micro_batch});
          }};
}

}  // namespace pipewright::live
