#include "program/lower.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "program/lower_evictions.hpp"
#include "program/rank_lowering.hpp"

namespace pipewright {
namespace {

/// Collectives within passes couple all devices of a pipeline rank.
bool meet_as_a_stage(const std::vector<StageWork>& stages) {
  const auto meets = [](const Segment& segment) {
    return segment.collective && segment.collective->axis == Axis::stage;
  };
  return std::ranges::any_of(
      stages, [&](const StageWork& work) { return std::ranges::any_of(work.forward, meets); });
}

size_t ops_of_passes(const LoweringInput& input, const OpTypes& types) {
  size_t ops = 0;
  for (const schedule::Order& order : input.schedule.order)
    for (const schedule::Action& a : order)
      for (const SegmentTypes& segment : types.pass(a.pass, a.stage, a.slice))
        ops += segment.collective == none ? 1 : 2;
  return ops;
}

/// Replicas that no collective couples within a pass are lowered one after the other, so that
/// neighbours in time are neighbours in memory.
uint32_t members_together(const ProgramDraft& draft, int rank, bool all) {
  if (all) return draft.width(rank);
  const int tensor = draft.meshes[static_cast<size_t>(rank)].tensor;
  return static_cast<uint32_t>(coupled_replicas(draft.in.grid.mesh(rank)) * tensor);
}

}  // namespace

Program lower(const LoweringInput& input) {
  ensure(!input.schedule.parallel_passes || input.send_mode != SendMode::rendezvous,
         "two servers of a rank do not post sends and receives together");
  ensure(input.resharding_edges.empty() || input.send_mode != SendMode::buffered,
         "what is resharded is not buffered");
  const RankOrders orders = order_ranks(input.schedule, input.send_mode);
  ProgramDraft draft(input);
  draft.builder.reserve((orders.messages.size() + ops_of_passes(input, draft.types)) *
                        draft.widest);
  LoweredMessages messages(draft, orders.messages);
  Updates updates(draft);
  const bool all = !input.offloaded.stages.empty() || !input.sharded.stages.empty() ||
                   meet_as_a_stage(input.stages);
  for (int rank = 0; rank < input.schedule.ranks(); ++rank) {
    RankLowering(draft, messages, updates, rank)
        .run(orders.steps[rank], members_together(draft, rank, all));
  }
  stop_here();
  messages.connect();
  for (uint32_t member = 0; member < draft.width(0); ++member) connect_evictions(draft, member);
  connect_updates(draft, updates);
  stop_here();
  return std::move(draft.builder).finish();
}

}  // namespace pipewright
