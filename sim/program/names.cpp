#include "program/names.hpp"

#include <fmt/format.h>

namespace pipewright {

const char* to_string(CollectiveKind kind) {
  constexpr const char* names[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                   "broadcast",  "reduce",     "shift"};
  return names[static_cast<size_t>(kind)];
}

const char* to_string(Traffic traffic) {
  constexpr const char* names[] = {"pipeline", "tensor", "data", "expert", "context", "offload"};
  return names[static_cast<size_t>(traffic)];
}

std::string name(const Program& program, OpId op) {
  const Op& o = program.ops[op];
  const OpType& type = program.type(op);
  if (!program.labels.empty()) {
    const std::string label = program.label_table.text(program.labels[op]);
    return type.kind == OpKind::transfer ? "message of " + label : label;
  }
  const bool sliced = o.slice > 0;
  std::string action = to_string(program.action(op), sliced);
  switch (type.kind) {
    case OpKind::compute:
      if (type.paired) action += "+" + to_string(program.partners[o.peer], sliced);
      return action;
    case OpKind::transfer:
      if (type.moves_activation) return fmt::format("activation of {} to rank {}", action, o.peer);
      return fmt::format("send {} to rank {}", action, o.peer);
    case OpKind::collective:
      return fmt::format("{} {} of stage {}", to_string(type.traffic), to_string(type.collective),
                         type.stage);
    case OpKind::step:
      return "optimizer step";
    case OpKind::copy:
      return fmt::format("copy of {} {} the host", action, type.to_host ? "to" : "from");
    case OpKind::marker:
      return fmt::format("batch of sends and receives at {}", action);
  }
  return {};
}

std::string describe(const Program& program, OpId op) {
  return fmt::format("rank {}'s {}", program.ops[op].rank, name(program, op));
}

}  // namespace pipewright
