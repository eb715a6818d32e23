#include <fmt/format.h>

#include <algorithm>

#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {
namespace {

struct Placed {
  int64_t slot;
  Action action;
};

/// All passes of one rank with their slots.
std::vector<Placed> passes_of(int rank, const OfPasses& slot, Context& context,
                              const Layout& layout) {
  std::vector<Placed> placed;
  const auto add = [&](Pass pass, int stage, int b, int x) {
    const Action action{pass, false, static_cast<int16_t>(x), stage, b, 0};
    set_pass(context, layout, action);
    placed.push_back({context.evaluate(slot[pass]), action});
  };
  for (const Chunk& chunk : layout.chunks[static_cast<size_t>(rank)]) {
    for (int b : layout.micro_batches[chunk.copy]) {
      for (int x = 0; x < layout.slices; ++x) {
        for (Pass pass : all_passes)
          if (slot.of[static_cast<int>(pass)]) add(pass, chunk.stage, b, x);
      }
    }
  }
  return placed;
}

}  // namespace

void run_slots(const OfPasses& slots, Context& context, const Layout& layout, Schedule& schedule) {
  for (int i = 0; i < schedule.ranks(); ++i) {
    std::vector<Placed> placed = passes_of(i, slots, context, layout);
    std::ranges::stable_sort(placed, {}, &Placed::slot);
    for (size_t k = 0; k < placed.size(); ++k) {
      if (k > 0 && placed[k].slot == placed[k - 1].slot) {
        slots.source.fail(fmt::format("{} and {} of rank {} have the same slot {}",
                                      to_string(placed[k - 1].action, layout.slices > 1),
                                      to_string(placed[k].action, layout.slices > 1), i,
                                      placed[k].slot));
      }
      schedule.order[i].push_back(placed[k].action);
    }
  }
}

}  // namespace pipewright::schedule::rules
