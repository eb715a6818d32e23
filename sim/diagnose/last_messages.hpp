// The messages that passes of tensor groups wait for, in a trace of our own.
//
// Each tensor rank of a stage sends its part of a message to the one of the same number in the next
// stage. These sum within each layer, so that a pass goes on when the last part has come: a slow
// link between two of them slows all. Both ends of a message are told by that part, whichever ranks
// stand for their groups.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "diagnose/run_groups.hpp"
#include "interop/operation_table.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// What a message is at one of its ends.
inline OperationKind message_kind(const RunSlice& message, bool received) {
  using enum OperationKind;
  if (received) return message.back ? backward_recv : forward_recv;
  return message.back ? backward_send : forward_send;
}

class LastMessages {
 public:
  /// `trace` must outlive it.
  LastMessages(const RunTrace& trace, const RunGroups& places)
      : trace_(trace), last_(trace.slices.size()) {
    std::map<std::pair<Name, uint32_t>, size_t> seen;      // so many of a name, by rank
    std::map<Name, std::vector<std::vector<size_t>>> all;  // the parts of each
    for (size_t i = 0; i < trace.slices.size(); ++i) {
      const RunSlice& slice = trace.slices[i];
      if (slice.kind != RunSliceKind::message) continue;
      const Name name = name_of(slice, places.place_of(slice.rank));
      const size_t number = seen[{name, slice.rank}]++;
      auto& parts = all[name];
      if (number == parts.size()) parts.emplace_back();
      parts[number].push_back(i);
    }
    for (const auto& [name, messages] : all)
      for (const std::vector<size_t>& parts : messages) note(parts);
  }

  /// Returns a message, which is a slice of the trace, with the times of the part that comes last.
  RunSlice of(const RunSlice& message) const {
    const auto place = static_cast<size_t>(&message - trace_.slices.data());
    const RunSlice& last = trace_.slices[last_[place]];
    RunSlice whole = message;
    if (last.end > message.end) whole.start = last.start, whole.end = last.end;
    return whole;
  }

 private:
  /// Data rank, place in the pipeline, stage, micro-batch, slice, whether it goes back. In each
  /// step a rank has one of them.
  using Name = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, bool>;

  static Name name_of(const RunSlice& message, const RunTraceRank& place) {
    return {place.data,          place.pipeline, message.stage,
            message.micro_batch, message.slice,  message.back};
  }

  void note(const std::vector<size_t>& parts) {
    const size_t last =
        *std::ranges::max_element(parts, {}, [&](size_t part) { return trace_.slices[part].end; });
    for (const size_t part : parts) last_[part] = last;
  }

  const RunTrace& trace_;
  std::vector<size_t> last_;  ///< by slice, the part of its message that comes last
};

}  // namespace pipewright::diagnose
