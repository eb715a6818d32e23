#include "diagnose/recognise_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

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

uint64_t token(bool backward, int stage, int micro_batch) {
  return static_cast<uint64_t>(micro_batch) << 33 | static_cast<uint64_t>(stage) << 1 |
         static_cast<uint64_t>(backward);
}

std::string words(uint64_t token) {
  return fmt::format("{}{}{}", (token & 0xffffffff) >> 1, token & 1 ? 'B' : 'F', token >> 33);
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
    for (const size_t place : passes_of(job, 0, stage)) {
      const TracedOperation& one = job.of_step(0)[place];
      order.push_back(token(one.kind == OperationKind::backward,
                            std::max(one.chunk, 0) * job.stages + stage, number[one.micro_batch]));
    }
  }
  return orders;
}

Orders orders_of(const schedule::Schedule& built) {
  Orders orders;
  for (const schedule::Order& of_rank : built.order) {
    std::vector<uint64_t>& order = orders.emplace_back();
    for (const Action& action : of_rank)
      if (action.pass != Pass::weight_gradient)
        order.push_back(token(action.pass != Pass::forward, action.stage, action.micro_batch));
  }
  return orders;
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

/// The ways to ask for a schedule with so many chunks a rank.
std::vector<config::Value> specifications(const schedule::Kind& kind, int chunks) {
  std::vector<config::Value> all;
  config::Value plain;
  plain.set("name", config::scalar(kind.name));
  if (kind.takes_virtual && chunks > 1)
    plain.set("virtual", config::scalar(fmt::format("{}", chunks)));
  if (kind.name == "hanayo" && chunks % 2 == 0)
    plain.set("waves", config::scalar(fmt::format("{}", chunks / 2)));
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
  explicit Recognition(const MeasuredJob& job) : job_(job), trace_(orders_of(job)) {
    for (const std::vector<uint64_t>& order : trace_) result_.passes += order.size();
    best_ = result_.passes / 10 + 1;
  }

  RecognisedSchedule run() {
    for (const schedule::Kind* kind : schedule::kinds()) {
      if (kind->name == "zb-auto" && result_.passes > most_passes_of_a_search) continue;
      if (!kind->plain && result_.passes > most_passes_of_any) continue;
      for (const config::Value& one : specifications(*kind, job_.chunks))
        if (best_ > 0) try_one(one);
    }
    result_.distance = best_;
    if (result_.name == "unknown") result_.deviation.clear();
    return result_;
  }

 private:
  void try_one(const config::Value& specification) {
    const int count = micro_batches(job_);
    const schedule::Shape shape{.ranks = job_.stages,
                                .micro_batches = count,
                                .costs = [this](int stages) { return costs_of(job_, stages); }};
    try {
      consider(schedule_name(specification), orders_of(schedule::build(shape, specification)));
    } catch (const InputError&) {
      // It cannot serve the shape.
    }
  }

  void consider(const std::string& name, const Orders& orders) {
    if (orders.size() != trace_.size()) return;
    size_t distance = 0;
    for (size_t rank = 0; rank < orders.size() && distance < best_; ++rank)
      distance += distance_of(rank, orders[rank], best_ - distance);
    if (distance >= best_) return;
    best_ = distance;
    result_.name = name;
    result_.deviation = first_difference(orders);
  }

  /// `most` also where a rank does something else altogether.
  size_t distance_of(size_t rank, const std::vector<uint64_t>& order, size_t most) const {
    const size_t distance = order_distance(trace_[rank], order, std::min(most, most_of_a_rank));
    return distance == most_of_a_rank ? most : distance;
  }

  std::string first_difference(const Orders& orders) const {
    for (size_t rank = 0; rank < orders.size(); ++rank) {
      const auto [ours, theirs] = std::ranges::mismatch(trace_[rank], orders[rank]);
      if (ours == trace_[rank].end() && theirs == orders[rank].end()) continue;
      const std::string there = theirs == orders[rank].end() ? "nothing" : words(*theirs);
      const std::string here = ours == trace_[rank].end() ? "nothing" : words(*ours);
      return fmt::format("stage {}, pass {}: {} instead of {}", rank, ours - trace_[rank].begin(),
                         here, there);
    }
    return {};
  }

  const MeasuredJob& job_;
  Orders trace_;
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
