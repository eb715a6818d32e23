// Chimera (arXiv 2107.06925): 2f pipelines, half of them downwards and half upwards, merged so
// that each fills the others' bubbles; 2f copies of every stage.
//
// Down pipeline q holds stage s on rank (q p/f + s) mod p, up pipeline q on (q p/f + p-1-s) mod p.
// A unit is p micro-batches, p/(2f) a pipeline: the first p/2 of a unit down, the others up. In
// slots for tF = tB, F of a pipeline's j-th is at stage s at 2j + s, its B at 2j + 2p-1 - s; the
// next unit comes 2p slots later (direct concatenation). No two passes of a rank share a slot; the
// order by slot is kept whatever the times are. The last unit is smaller where p does not divide m.
// In flight p/2+1 (ends) to p (middle). f = 1, m = kp, tB >= tF, no hop latency:
//   T = m tF + (m+p-2) tB + (k-1)(p-2)(tB-tF).
// p even, f divides p/2.
//
// Forward doubling fills the gaps that longer backward passes leave between units: a unit is 2p
// micro-batches, which go forward two by two and back one by one. In slots for 2 tF = tB, F of a
// pipeline's j-th two is at 2j + s, B of its b-th micro-batch at 2b + 2p-1 - s, and the next unit
// comes 3p slots later. In flight at most 2p. f = 1, m = 2kp, tB = 2 tF: at most
//   T = m (tF + tB) + (p-2) tB,
// less what the first of two gains where it does not wait for the second. Backward halving is the
// same order for micro-batches of half the size, and holds no more than Chimera does.
//
// Options pipelines: 2f, default 2; doubling: default false.
#include <fmt/format.h>

#include <algorithm>

#include "schedule/kinds/registry.hpp"

namespace pipewright::schedule {
namespace {

struct PlacedAction {
  int slot;
  Action action;
};

/// The share of `count` micro-batches that part `index` of `parts` gets: as even as can be, the
/// first parts taking the rest.
int share(int count, int parts, int index) { return count / parts + (index < count % parts); }

int check_pipelines(const Shape& shape, const config::Fields& fields) {
  const int p = shape.ranks;
  if (p % 2 != 0)
    fields.value().misfit(fmt::format("chimera needs an even number of ranks, not {}", p));
  const int pipelines = static_cast<int>(fields.integer("pipelines", 2, 2, 1 << 20));
  if (pipelines % 2 != 0 || p % pipelines != 0) {
    fields.value().misfit(fmt::format(
        "chimera with {} pipelines does not fit {} ranks; half as many upwards as downwards must "
        "divide half of the ranks",
        pipelines, p));
  }
  return pipelines;
}

/// The form of a unit.
struct Unit {
  int micro_batches, slots;
  int at_once;  ///< micro-batches that go forward in a slot
};

Unit unit_of(int ranks, bool doubling) {
  return doubling ? Unit{2 * ranks, 3 * ranks, 2} : Unit{ranks, 2 * ranks, 1};
}

/// Places `count` micro-batches from `first` on of one pipeline, the unit starting at `start`.
void place(std::vector<std::vector<PlacedAction>>& ranks, int pipeline, int pipelines, int start,
           int first, int count, int at_once) {
  const int p = static_cast<int>(ranks.size()), f = pipelines / 2;
  const bool down = pipeline < f;
  for (int s = 0; s < p; ++s) {
    const int offset = pipeline % f * (p / f);
    std::vector<PlacedAction>& rank = ranks[(offset + (down ? s : p - 1 - s)) % p];
    for (int j = 0; j < count; ++j) {
      rank.push_back({start + 2 * (j / at_once) + s, forward(s, first + j)});
      rank.push_back({start + 2 * j + 2 * p - 1 - s, backward(s, first + j)});
    }
  }
}

Schedule build_chimera(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::chimera, options);
  const int pipelines = check_pipelines(shape, fields);
  const int p = shape.ranks, m = shape.micro_batches;
  const Unit form = unit_of(p, fields.boolean("doubling", false));
  std::vector<std::vector<PlacedAction>> ranks(p);
  for (int unit = 0, next = 0; next < m; ++unit) {
    const int in_unit = std::min(form.micro_batches, m - next);
    for (int pipeline = 0; pipeline < pipelines; ++pipeline) {
      const int count = share(in_unit, pipelines, pipeline);
      place(ranks, pipeline, pipelines, form.slots * unit, next, count, form.at_once);
      next += count;
    }
  }
  Schedule schedule = make(shape, p);
  for (int i = 0; i < p; ++i) {
    std::ranges::stable_sort(ranks[i], {}, &PlacedAction::slot);
    for (const PlacedAction& placed : ranks[i]) schedule.order[i].push_back(placed.action);
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::chimera{
    .name = "chimera",
    .aliases = {},
    .summary = "a downward and an upward pipeline merged; two copies of every stage",
    .build = build_chimera,
    .options = {{"pipelines",
                 "an even number",
                 "2",
                 "The pipelines that are merged. Half of them run upwards, and every stage has as "
                 "many copies.",
                 {}},
                {"doubling",
                 "true or false",
                 "false",
                 "Whether a forward pass takes two micro-batches at once, and so fills the bubbles "
                 "between units.",
                 {}}}};

}  // namespace pipewright::schedule
