#include "diagnose/message_order.hpp"

#include <algorithm>

#include "diagnose/measured_job.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {

bool has_word(const std::string& name, const char* word) {
  return interop::lower_case(name).find(word) != std::string::npos;
}

namespace {

void hold_against(const DeviceOp& op, const ProfiledCollective* message, Time computed, Time next,
                  MessageOrder& order) {
  if (!op.communicates || op.traffic != Traffic::pipeline || message == nullptr) return;
  if (has_word(message->name, "send") && next < op.end - same_time) order.sends_first = false;
  if (has_word(message->name, "recv") && op.start + same_time < computed)
    order.receives_last = false;
}

}  // namespace

MessageOrder message_order(const RankProfile& profile,
                           const std::vector<std::vector<const DeviceOp*>>& steps) {
  MessageOrder order;
  for (const std::vector<const DeviceOp*>& ops : steps) {
    std::vector<Time> next(ops.size() + 1, longest_time);  // the start of what is computed next
    for (size_t i = ops.size(); i-- > 0;)
      next[i] = ops[i]->computes() ? ops[i]->start : next[i + 1];
    Time computed;
    for (size_t i = 0; i < ops.size(); ++i) {
      hold_against(*ops[i], collective_of(profile, *ops[i]), computed, next[i], order);
      if (ops[i]->computes()) computed = std::max(computed, ops[i]->end);
    }
  }
  return order;
}

}  // namespace pipewright::diagnose
