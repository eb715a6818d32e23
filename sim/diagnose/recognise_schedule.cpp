#include "diagnose/recognise_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::diagnose {
namespace {

using schedule::Action;
using schedule::Pass;
using Orders = std::vector<std::vector<uint64_t>>;

/// Above this many passes, schedules that are searched for take minutes.
constexpr size_t most_passes_of_a_search = 4096;
/// Above this many, others may, too: closed forms are left.
constexpr size_t most_passes_of_any = 100'000;
/// A rank whose order is further off does not follow the schedule.
constexpr size_t most_of_a_rank = 500;

enum class Part : uint8_t { forward, backward, weight_gradient };

/// A pass of a rank.
uint64_t token(Part part, int chunk, int micro_batch) {
  return static_cast<uint64_t>(micro_batch) << 34 | static_cast<uint64_t>(chunk) << 2 |
         static_cast<uint64_t>(part);
}

Part part_of(Pass pass) {
  if (pass == Pass::weight_gradient) return Part::weight_gradient;
  return pass == Pass::forward ? Part::forward : Part::backward;
}

Part part_of(OperationKind kind) {
  if (kind == OperationKind::weight_gradient) return Part::weight_gradient;
  return kind == OperationKind::forward ? Part::forward : Part::backward;
}

std::string token_words(uint64_t token, const std::vector<int32_t>& stages) {
  const size_t chunk = (token & 0x3ffffffff) >> 2;
  return fmt::format("{}{}{}", chunk < stages.size() ? stages[chunk] : -1, "FBW"[token & 3],
                     token >> 34);
}

/// The passes of a stage in the first step, on the first data rank that the trace has. Empty: it
/// has none.
std::vector<size_t> passes_of_stage(const MeasuredJob& job, int stage) {
  std::vector<size_t> passes;
  for (int data = 0; data < job.data && passes.empty(); ++data)
    passes = compute_of(job, 0, data * job.stages + stage);
  return passes;
}

Orders orders_of(const MeasuredJob& job) {
  std::map<int32_t, int> number;
  for (const TracedOperation& one : job.of_step(0))
    if (is_pass(one.kind)) number.emplace(one.micro_batch, 0);
  int count = 0;
  for (auto& [micro_batch, n] : number) n = count++;
  Orders orders;
  for (int stage = 0; stage < job.stages; ++stage) {
    std::vector<uint64_t>& order = orders.emplace_back();
    for (const size_t place : passes_of_stage(job, stage)) {
      const TracedOperation& one = job.of_step(0)[place];
      order.push_back(token(part_of(one.kind), std::max(one.chunk, 0), number[one.micro_batch]));
    }
  }
  return orders;
}

Placement built_placement(const schedule::Schedule& built) {
  Placement placement;
  for (const schedule::Order& of_rank : built.order) {
    std::set<int32_t> stages;
    for (const Action& action : of_rank) stages.insert(action.stage);
    placement.emplace_back(stages.begin(), stages.end());
  }
  return placement;
}

/// Whether the trace tells the halves of backwards apart.
bool has_halves(const Orders& orders) {
  const auto is_half = [](uint64_t one) { return (one & 3) == uint64_t{2}; };
  return std::ranges::any_of(
      orders, [&](const auto& order) { return std::ranges::any_of(order, is_half); });
}

Orders orders_of(const schedule::Schedule& built, const Placement& placement, int slices,
                 bool halves) {
  Orders orders;
  for (size_t rank = 0; rank < built.order.size(); ++rank) {
    std::vector<uint64_t>& order = orders.emplace_back();
    for (const Action& action : built.order[rank]) {
      if (!halves && action.pass == Pass::weight_gradient) continue;
      const auto chunk = std::ranges::lower_bound(placement[rank], action.stage);
      order.push_back(token(part_of(action.pass), static_cast<int>(chunk - placement[rank].begin()),
                            action.micro_batch * slices + action.slice));
    }
  }
  return orders;
}

std::vector<std::vector<bool>> pairs_of(const schedule::Schedule& built, bool halves) {
  std::vector<std::vector<bool>> pairs;
  for (const schedule::Order& of_rank : built.order) {
    std::vector<bool>& own = pairs.emplace_back();
    for (const Action& action : of_rank)
      if (halves || action.pass != Pass::weight_gradient) own.push_back(action.pairs_with_next);
  }
  return pairs;
}

/// What schedules that are searched for may take passes to last: as long as they did, backwards cut
/// in two halves.
schedule::StageCosts costs_of(const MeasuredJob& job, int stages) {
  Time forward, backward;
  int64_t forwards = 0, backwards = 0;
  for (const TracedOperation& one : job.of_step(0)) {
    if (one.kind == OperationKind::forward) forward += one.duration, ++forwards;
    if (one.kind == OperationKind::backward) backward += one.duration, ++backwards;
  }
  const auto count = static_cast<size_t>(stages);
  const Time half = divide(backward, 2 * std::max<int64_t>(backwards, 1));
  schedule::StageCosts costs;
  costs.forward.assign(count, divide(forward, std::max<int64_t>(forwards, 1)));
  costs.input_gradient.assign(count, half);
  costs.weight_gradient.assign(count, half);
  return costs;
}

/// The ways to ask for a schedule with so many chunks a rank and slices a micro-batch.
std::vector<config::Value> specifications(const schedule::Kind& kind, const MeasuredJob& job) {
  const int chunks = job.chunks;
  std::vector<config::Value> all;
  config::Value plain;
  plain.set("name", config::scalar(kind.name));
  if (kind.takes("virtual") && chunks > 1)
    plain.set("virtual", config::scalar(fmt::format("{}", chunks)));
  if (kind.name == "hanayo" && chunks % 2 == 0)
    plain.set("waves", config::scalar(fmt::format("{}", chunks / 2)));
  if (job.slices > 1 && (kind.name == "terapipe" || kind.name == "seq-1f1b"))
    plain.set("slices", config::scalar(fmt::format("{}", job.slices)));
  all.push_back(plain);
  if (kind.name == "gpipe") {
    plain.set("backward_order", config::scalar("reversed"));
    all.push_back(plain);
  }
  return all;
}

std::string schedule_name(const config::Value& specification) {
  std::string text;
  for (const config::Entry& one : specification.entries)
    text += one.key == "name" ? one.value.text : fmt::format(", {}: {}", one.key, one.value.text);
  return text.find(',') == std::string::npos ? text : "{name: " + text + "}";
}

class Recognition {
 public:
  explicit Recognition(const MeasuredJob& job)
      : job_(job), trace_(orders_of(job)), halves_(has_halves(trace_)) {
    for (const std::vector<uint64_t>& order : trace_) result_.passes += order.size();
    best_ = result_.passes / 10 + 1;
  }

  RecognisedSchedule run() {
    for (const schedule::Kind* kind : schedule::kinds()) {
      if (kind->name == "zb-auto" && result_.passes > most_passes_of_a_search) continue;
      if (!kind->plain && result_.passes > most_passes_of_any) continue;
      for (const config::Value& one : specifications(*kind, job_))
        if (best_ > 0) try_one(one);
    }
    result_.distance = best_;
    if (result_.name == "unknown") result_.deviation.clear();
    return result_;
  }

 private:
  void try_one(const config::Value& specification) {
    const int count = micro_batches(job_) / job_.slices;
    const schedule::Shape shape{
        .ranks = job_.stages,
        .micro_batches = count,
        .iterations = static_cast<int>(std::max<size_t>(job_.run_on.size(), 1)),
        .costs = [this](int stages) { return costs_of(job_, stages); }};
    try {
      consider(schedule_name(specification), schedule::build(shape, specification));
    } catch (const InputError&) {
      // It cannot serve the shape.
    }
  }

  void consider(const std::string& name, const schedule::Schedule& built) {
    if (!job_.run_on.empty() && !updates_as(built)) return;
    Placement placement = built_placement(built);
    const Orders orders = orders_of(built, placement, job_.slices, halves_);
    if (orders.size() != trace_.size()) return;
    size_t distance = 0;
    for (size_t rank = 0; rank < orders.size() && distance < best_; ++rank)
      distance += distance_of(rank, orders[rank], best_ - distance);
    if (distance >= best_) return;
    best_ = distance;
    result_.name = name;
    result_.deviation = first_difference(orders, placement);
    result_.placement = std::move(placement);
    if (distance == 0) result_.pairs = pairs_of(built, halves_);
  }

  /// Iterations that run into each other are of a schedule that goes on while it updates, and as
  /// often as it does.
  bool updates_as(const schedule::Schedule& built) const {
    return !built.synchronous && built.step_every == micro_batches(job_) / job_.slices;
  }

  /// `most` also where a rank does something else altogether.
  size_t distance_of(size_t rank, const std::vector<uint64_t>& order, size_t most) const {
    if (trace_[rank].empty()) return 0;  // the trace lacks this stage
    const size_t distance = order_distance(trace_[rank], order, std::min(most, most_of_a_rank));
    return distance == most_of_a_rank ? most : distance;
  }

  std::string first_difference(const Orders& orders, const Placement& placement) const {
    for (size_t rank = 0; rank < orders.size(); ++rank) {
      if (trace_[rank].empty()) continue;
      const auto [ours, theirs] = std::ranges::mismatch(trace_[rank], orders[rank]);
      if (ours == trace_[rank].end() && theirs == orders[rank].end()) continue;
      const std::string there =
          theirs == orders[rank].end() ? "nothing" : token_words(*theirs, placement[rank]);
      const std::string here =
          ours == trace_[rank].end() ? "nothing" : token_words(*ours, placement[rank]);
      return fmt::format("stage {}, pass {}: {} instead of {}", rank, ours - trace_[rank].begin(),
                         here, there);
    }
    return {};
  }

  const MeasuredJob& job_;
  Orders trace_;
  bool halves_;
  size_t best_ = 0;
  RecognisedSchedule result_;
};

using Actions = std::span<const uint64_t>;

/// Cuts off what both begin with and what both end with.
void cut_common_ends(Actions& a, Actions& b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) a = a.subspan(1), b = b.subspan(1);
  while (!a.empty() && !b.empty() && a.back() == b.back())
    a = a.first(a.size() - 1), b = b.first(b.size() - 1);
}

/// Returns row `i` of the table of edit distances out of the one above. Cell k is column
/// i + k - most: only cells as near to the diagonal as `most` can be on a path that is short
/// enough.
std::vector<size_t> row_below(const std::vector<size_t>& above, Actions a, Actions b, size_t i,
                              size_t most) {
  std::vector<size_t> row(above.size(), most);
  for (size_t k = 0; k < row.size(); ++k) {
    if (i + k < most || i + k - most > b.size()) continue;
    const size_t j = i + k - most;
    if (k + 1 < row.size()) row[k] = std::min(row[k], above[k + 1] + 1);
    if (j == 0) continue;
    row[k] = std::min(row[k], above[k] + (a[i - 1] != b[j - 1]));
    if (k > 0) row[k] = std::min(row[k], row[k - 1] + 1);
  }
  return row;
}

}  // namespace

size_t order_distance(Actions a, Actions b, size_t most) {
  cut_common_ends(a, b);
  const size_t apart = std::max(a.size(), b.size()) - std::min(a.size(), b.size());
  if (apart >= most) return most;
  std::vector<size_t> row(2 * most + 1, most);
  for (size_t j = 0; j <= std::min(b.size(), most); ++j) row[j + most] = j;
  for (size_t i = 1; i <= a.size(); ++i) row = row_below(row, a, b, i, most);
  return std::min(most, row[b.size() + most - a.size()]);
}

RecognisedSchedule recognise_schedule(const MeasuredJob& job) { return Recognition(job).run(); }

}  // namespace pipewright::diagnose
