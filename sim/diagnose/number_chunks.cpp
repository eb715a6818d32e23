#include "diagnose/number_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::diagnose {
namespace {

using schedule::Pass;
using schedule::Schedule;
using Directions = std::vector<bool>;  // true: backward

constexpr int most_chunks = 32;
/// Above this many passes of a rank nothing is tried.
constexpr size_t most_passes = 1 << 14;

class Numbering {
 public:
  Numbering(std::vector<TracedOperation>& operations, int stages)
      : operations_(operations), stages_(stages) {
    for (size_t i = 0; i < operations.size(); ++i)
      if (is_pass(operations[i]))
        passes_[{operations[i].step, operations[i].dp_rank, operations[i].stage}].push_back(i);
    for (auto& [place, passes] : passes_)
      std::ranges::stable_sort(passes, {}, [&](size_t i) { return operations_[i].start; });
    for (const auto& [place, passes] : passes_)
      trace_.try_emplace(std::get<2>(place), directions_of(passes));
  }

  int run() {
    if (trace_.empty() || stages_ < 2) return 1;
    const Directions& first = trace_.begin()->second;
    const auto forwards = static_cast<int>(std::ranges::count(first, false));
    if (first.size() > most_passes || has_one_chunk(forwards)) return 1;
    for (int chunks = 2; chunks <= std::min(most_chunks, forwards); ++chunks) {
      if (forwards % chunks != 0) continue;
      for (const schedule::Kind* kind : schedule::kinds())
        if (kind->takes("virtual") && number_as(*kind, chunks, forwards / chunks)) return chunks;
    }
    return 1;
  }

 private:
  static bool is_pass(const TracedOperation& one) {
    return one.kind == OperationKind::forward || one.kind == OperationKind::backward;
  }

  Directions directions_of(const std::vector<size_t>& passes) const {
    Directions directions;
    for (const size_t i : passes)
      directions.push_back(operations_[i].kind == OperationKind::backward);
    return directions;
  }

  static Directions directions_of(const schedule::Order& order) {
    Directions directions;
    for (const schedule::Action& action : order)
      if (action.pass != Pass::weight_gradient) directions.push_back(action.pass != Pass::forward);
    return directions;
  }

  bool has_directions(const Schedule& built) const {
    return std::ranges::all_of(trace_, [&](const auto& one) {
      const auto& [stage, directions] = one;
      return directions == directions_of(built.order[static_cast<size_t>(stage)]);
    });
  }

  /// The schedule, if it can serve the shape and has the directions of the trace.
  std::optional<Schedule> fitting(const schedule::Kind& kind, int chunks, int micro_batches) const {
    const schedule::Shape shape{.ranks = stages_, .micro_batches = micro_batches};
    config::Value specification;
    specification.set("name", config::scalar(kind.name));
    if (chunks > 1) specification.set("virtual", config::scalar(fmt::format("{}", chunks)));
    try {
      Schedule built = schedule::build(shape, specification);
      if (built.ranks() == stages_ && has_directions(built)) return built;
    } catch (const InputError&) {
      // It cannot serve the shape.
    }
    return std::nullopt;
  }

  bool has_one_chunk(int forwards) const {
    return std::ranges::any_of(schedule::kinds(), [&](const schedule::Kind* kind) {
      return kind->plain && !kind->takes("virtual") && fitting(*kind, 1, forwards);
    });
  }

  bool number_as(const schedule::Kind& kind, int chunks, int micro_batches) {
    const std::optional<Schedule> built = fitting(kind, chunks, micro_batches);
    if (!built) return false;
    for (const auto& [place, passes] : passes_)
      number(passes, built->order[static_cast<size_t>(std::get<2>(place))]);
    return true;
  }

  /// Passes in another order keep their numbers.
  void number(const std::vector<size_t>& passes, const schedule::Order& order) {
    if (directions_of(passes) != directions_of(order)) return;
    std::set<int32_t> stages;
    for (const schedule::Action& action : order) stages.insert(action.stage);
    auto next = passes.begin();
    for (const schedule::Action& action : order) {
      if (action.pass == Pass::weight_gradient) continue;
      TracedOperation& one = operations_[*next++];
      one.chunk = static_cast<int32_t>(std::distance(stages.begin(), stages.find(action.stage)));
      one.micro_batch = action.micro_batch;
    }
  }

  std::vector<TracedOperation>& operations_;
  int stages_;
  std::map<std::tuple<int32_t, int32_t, int32_t>, std::vector<size_t>> passes_;
  std::map<int32_t, Directions> trace_;  ///< by stage, of its first rank in the first step
};

}  // namespace

int number_chunks(std::vector<TracedOperation>& operations, int stages) {
  int32_t known = 0;
  for (const TracedOperation& one : operations) known = std::max(known, one.chunk);
  if (known > 0) return known + 1;
  for (const TracedOperation& one : operations) stages = std::max(stages, one.stage + 1);
  return Numbering(operations, stages).run();
}

}  // namespace pipewright::diagnose
