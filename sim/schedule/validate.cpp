// A schedule is complete (every piece once, on one rank), ordered (F before B or I before W) and
// runnable (no cycle between the ranks' orders and the flow of data).
#include <fmt/format.h>

#include <algorithm>

#include "schedule/pieces.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule {
namespace {

std::string piece(const Schedule& schedule, Pass pass, int stage, int micro_batch, int slice) {
  Action action{pass, false, static_cast<int16_t>(slice), stage, micro_batch, 0};
  return to_string(action, schedule.slices > 1);
}

void check_ranges(const Schedule& s, const Source& source) {
  for (int rank = 0; rank < s.ranks(); ++rank) {
    const Order& order = s.order[rank];
    for (int k = 0; k < static_cast<int>(order.size()); ++k) {
      const Action& a = order[k];
      const bool inside = a.stage >= 0 && a.stage < s.stages && a.micro_batch >= 0 &&
                          a.micro_batch < s.total_micro_batches() && a.slice >= 0 &&
                          a.slice < s.slices;
      if (!inside) {
        source.fail(
            {rank, k},
            fmt::format("rank {} has {}, outside of {} stages x {} micro-batches x {} slices", rank,
                        to_string(a, s.slices > 1), s.stages, s.total_micro_batches(), s.slices));
      }
    }
  }
}

void check_pairs(const Schedule& s, const Source& source) {
  for (int rank = 0; rank < s.ranks(); ++rank) {
    const Order& order = s.order[rank];
    for (size_t k = 0; k < order.size(); ++k) {
      if (!order[k].pairs_with_next) continue;
      const bool sound = k + 1 < order.size() && !order[k + 1].pairs_with_next &&
                         order[k].pass == Pass::forward && order[k + 1].pass != Pass::forward;
      if (!sound) {
        source.fail({rank, static_cast<int>(k)},
                    fmt::format("rank {}: {} must be paired with a backward pass that follows it",
                                rank, to_string(order[k], s.slices > 1)));
      }
    }
  }
}

/// Tells whether an action is that pass; a backward pass may be there as its first half.
bool does(const Action& action, Pass pass) {
  return action.pass == pass || (pass == Pass::backward && action.pass == Pass::input_gradient);
}

/// Which of its passes of this kind a stage does, beside the one that is missing.
[[noreturn]] void fail_missing(const Schedule& s, const Action& missing, Place near,
                               const Source& source) {
  int64_t done = 0;
  std::vector<int> ranks;
  for (int rank = 0; rank < s.ranks(); ++rank) {
    const auto count = std::ranges::count_if(s.order[rank], [&](const Action& action) {
      return action.stage == missing.stage && does(action, missing.pass);
    });
    done += count;
    if (count > 0) ranks.push_back(rank);
  }
  const char kind = letter(missing.pass);
  const std::string slice =
      s.slices > 1 ? fmt::format("slice {} of ", missing.slice) : std::string();
  source.fail(near,
              fmt::format("stage {} never does {} of {}micro-batch {}: {} of {} {} are done{}",
                          missing.stage, kind, slice, missing.micro_batch, done,
                          int64_t{s.total_micro_batches()} * s.slices, kind,
                          ranks.size() == 1 ? fmt::format(" on rank {}", ranks[0]) : ""));
}

/// F, then B or (I, then W), each on the rank of F and after what it needs there.
void check_piece(const Schedule& s, const Pieces& pieces, int stage, int b, int slice,
                 const Source& source) {
  const auto at = [&](Pass pass) { return pieces.find(pass, stage, b, slice); };
  const auto name = [&](Pass pass) { return piece(s, pass, stage, b, slice); };
  const Place f = at(Pass::forward), full = at(Pass::backward);
  const Place i = at(Pass::input_gradient), w = at(Pass::weight_gradient);
  const auto missing = [&](Pass pass, Place near) {
    fail_missing(s, {pass, false, static_cast<int16_t>(slice), stage, b, 0}, near, source);
  };
  if (!f) missing(Pass::forward, {});
  if (!full && !i && !w) missing(Pass::backward, f);
  if (full && (i || w))
    source.fail(full, fmt::format("{} is given whole and in halves", name(Pass::backward)));
  if (!full && !i) missing(Pass::input_gradient, w);
  if (!full && !w) missing(Pass::weight_gradient, i);
  const auto before = [&](Place first, Pass first_pass, Place second, Pass second_pass) {
    if (first.rank == second.rank && first.position < second.position) return;
    source.fail(second, fmt::format("{} must come after {} on the same rank", name(second_pass),
                                    name(first_pass)));
  };
  if (full) {
    before(f, Pass::forward, full, Pass::backward);
  } else {
    before(f, Pass::forward, i, Pass::input_gradient);
    before(i, Pass::input_gradient, w, Pass::weight_gradient);
  }
}

/// Slices of one micro-batch go forward in order and backward in reverse.
void check_slices(const Schedule& s, const Pieces& pieces, int stage, int b, const Source& source) {
  for (int k = 1; k < s.slices; ++k) {
    const Place first = pieces.find(Pass::forward, stage, b, k - 1);
    const Place second = pieces.find(Pass::forward, stage, b, k);
    if (first.rank != second.rank || first.position > second.position) {
      source.fail(second, fmt::format("{} must come after {} on the same rank",
                                      piece(s, Pass::forward, stage, b, k),
                                      piece(s, Pass::forward, stage, b, k - 1)));
    }
    const Place earlier = pieces.backward(stage, b, k - 1);
    if (pieces.backward(stage, b, k).position > earlier.position) {
      source.fail(earlier,
                  fmt::format("{} must come after {}", piece(s, Pass::backward, stage, b, k - 1),
                              piece(s, Pass::backward, stage, b, k)));
    }
  }
}

/// Runs the orders by their data dependencies alone; a rank that cannot go on is on a cycle.
class DryRun {
 public:
  DryRun(const Schedule& s, const Pieces& pieces)
      : s_(s), pieces_(pieces), next_(s.order.size(), 0), waiting_(s.order.size()) {}

  void run() {
    std::vector<int> work;
    for (int rank = 0; rank < s_.ranks(); ++rank) work.push_back(rank);
    while (!work.empty()) {
      const int rank = work.back();
      work.pop_back();
      if (!goes_on(rank)) continue;
      work.insert(work.end(), waiting_[rank].begin(), waiting_[rank].end());
      waiting_[rank].clear();
    }
  }

  /// Throws at the first rank that is not through its order.
  void check(const Source& source) const {
    for (int rank = 0; rank < s_.ranks(); ++rank) {
      if (next_[rank] == s_.order[rank].size()) continue;
      const Action& a = s_.order[rank][next_[rank]];
      Place need = blocked_by(a);
      if (!need) need = blocked_by(s_.order[rank][next_[rank] + 1]);
      source.fail(
          {rank, static_cast<int>(next_[rank])},
          fmt::format(
              "the order cannot run: rank {} waits at {} for {} of rank {}, which waits in turn",
              rank, to_string(a, s_.slices > 1),
              to_string(s_.order[need.rank][need.position], s_.slices > 1), need.rank));
    }
  }

 private:
  /// Returns the pass whose data an action needs, where it was not yet.
  Place blocked_by(const Action& a) const {
    Place need{};
    if (a.pass == Pass::forward && a.stage > 0)
      need = pieces_.find(Pass::forward, a.stage - 1, a.micro_batch, a.slice);
    else if ((a.pass == Pass::backward || a.pass == Pass::input_gradient) &&
             a.stage + 1 < s_.stages)
      need = pieces_.backward(a.stage + 1, a.micro_batch, a.slice);
    if (need && next_[need.rank] > static_cast<size_t>(need.position)) need = {};
    return need;
  }

  /// Takes a rank as far as it comes. Returns whether that is any farther.
  bool goes_on(int rank) {
    const Order& order = s_.order[rank];
    const size_t start = next_[rank];
    while (next_[rank] < order.size()) {
      const Action& a = order[next_[rank]];
      Place need = blocked_by(a);
      if (!need && a.pairs_with_next) need = blocked_by(order[next_[rank] + 1]);
      if (need) {
        waiting_[need.rank].push_back(rank);
        break;
      }
      next_[rank] += a.pairs_with_next ? 2 : 1;
    }
    return next_[rank] != start;
  }

  const Schedule& s_;
  const Pieces& pieces_;
  std::vector<size_t> next_;
  std::vector<std::vector<int>> waiting_;  // ranks that wait for a rank's progress
};

void check_runnable(const Schedule& s, const Pieces& pieces, const Source& source) {
  DryRun dry(s, pieces);
  dry.run();
  dry.check(source);
}

}  // namespace

void validate(const Schedule& schedule, const config::Value& where) {
  validate(schedule, Source(where));
}

void validate(const Schedule& schedule, const Source& source) {
  check_ranges(schedule, source);
  check_pairs(schedule, source);
  const Pieces pieces(schedule, source);
  for (int stage = 0; stage < schedule.stages; ++stage) {
    for (int b = 0; b < schedule.total_micro_batches(); ++b) {
      for (int k = 0; k < schedule.slices; ++k) check_piece(schedule, pieces, stage, b, k, source);
      check_slices(schedule, pieces, stage, b, source);
    }
  }
  check_runnable(schedule, pieces, source);
}

}  // namespace pipewright::schedule
