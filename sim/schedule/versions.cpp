#include "schedule/versions.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace pipewright::schedule {
namespace {

/// Times are 2 * position while a pass runs and 2 * position + 1 right after it.
struct HeldChange {
  int64_t time;
  int change;  // of the number of versions held
  /// Orders events; at equal times a version is given up before the next is made, for it is written
  /// over.
  auto operator<=>(const HeldChange&) const = default;
};

struct Read {
  int position;
  int version;
  int step;  // that its micro-batch's gradient is part of
  bool makes_gradient;
};

/// Returns when each version is made: version t + 1 after the last gradient of any step up to t,
/// version 0 before everything.
std::vector<int64_t> made_at(const std::vector<Read>& reads) {
  int steps = 0;
  for (const Read& read : reads) steps = std::max(steps, read.step + 1);
  std::vector<int64_t> made(static_cast<size_t>(steps) + 1, -1);
  for (const Read& read : reads)
    if (read.makes_gradient) made[read.step + 1] = 2 * int64_t{read.position} + 1;
  for (size_t t = 1; t < made.size(); ++t) made[t] = std::max(made[t], made[t - 1]);
  return made;
}

int most_held(const std::vector<Read>& reads) {
  const std::vector<int64_t> made = made_at(reads);
  std::vector<int64_t> last_use(made.begin() + 1, made.end());  // the next step reads it too
  for (const Read& read : reads) {
    ensure(read.version < static_cast<int>(last_use.size()), "a pass reads a version never made");
    last_use[read.version] = std::max(last_use[read.version], 2 * int64_t{read.position} + 1);
  }
  std::vector<HeldChange> events;
  for (size_t version = 0; version < last_use.size(); ++version) {
    events.push_back({made[version], 1});
    events.push_back({last_use[version], -1});
  }
  std::ranges::sort(events);
  int held = 0, most = 1;
  for (const HeldChange& event : events) most = std::max(most, held += event.change);
  return most;
}

}  // namespace

int steady_iterations(const Schedule& schedule) {
  constexpr int two_steps_behind = 4;  // iterations until both have been made and read
  const int p = schedule.ranks(), m = schedule.micro_batches;
  const int whole = m / std::gcd(m, p) * p;
  const int window = whole <= 8 * std::max(p, m) ? whole : (p + m - 1) / m * m;
  return std::max(two_steps_behind, (2 * p + 1 + window + m - 1) / m);
}

bool steps_apart(const Schedule& schedule) {
  return !schedule.synchronous && schedule.step_every == 1 && schedule.ranks() > 1;
}

std::vector<Versions> weight_versions(const Schedule& schedule) {
  std::vector<Versions> result(schedule.order.size());
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    std::map<int, std::vector<Read>> reads_of_stage;
    const Order& order = schedule.order[rank];
    for (int k = 0; k < static_cast<int>(order.size()); ++k) {
      const Action& a = order[k];
      const Read read{k, a.weight_version, a.micro_batch / schedule.step_every,
                      a.pass == Pass::backward || a.pass == Pass::weight_gradient};
      reads_of_stage[a.stage].push_back(read);
      result[rank].staleness = std::max(result[rank].staleness, read.step - read.version);
    }
    for (const auto& [stage, reads] : reads_of_stage)
      result[rank].held = std::max(result[rank].held, most_held(reads));
  }
  return result;
}

}  // namespace pipewright::schedule
