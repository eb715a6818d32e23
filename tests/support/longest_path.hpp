// An exact evaluator of schedules for tests, written apart from the engine: the longest path
// through the orders and the flow of data.
//
//   start(a) = max(end of a's predecessor in its rank's order, arrival of a's inputs)
//   F(s,b,k) needs F(s-1,b,k) and F(s,b,k-1);  B or I(s,b,k) needs B or I(s+1,b,k) and (s,b,k+1);
//   an input made on another rank arrives `hop` after its end, on the same rank at once.
// An overlapped pair is one op: it needs the inputs of both actions and both end with it.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright::test {

using schedule::Action;
using schedule::Order;
using schedule::Pass;
using schedule::Schedule;

/// One value for every stage, or one value per stage.
struct PerStage {
  std::vector<Time> values;
  PerStage(Time same) : values{same} {}
  PerStage(std::vector<Time> each) : values(std::move(each)) {}
  Time operator[](int stage) const { return values.size() == 1 ? values[0] : values.at(stage); }
};

struct Times {
  PerStage forward = Time{}, backward = Time{};
  PerStage input_gradient = Time{}, weight_gradient = Time{};
  Time hop{};                ///< between different ranks
  std::optional<Time> pair;  ///< of an overlapped pair; the sum of its two passes when absent

  Time operator()(const Action& a) const {
    switch (a.pass) {
      case Pass::forward:
        return forward[a.stage];
      case Pass::backward:
        return backward[a.stage];
      case Pass::input_gradient:
        return input_gradient[a.stage];
      case Pass::weight_gradient:
        return weight_gradient[a.stage];
    }
    throw std::logic_error("unknown pass");
  }
};

struct Interval {
  Time start, end;
};
/// Every action's start and end, in the places of Schedule::order.
using Evaluation = std::vector<std::vector<Interval>>;

namespace detail {

/// An output that other passes need, and when and where it was made.
struct Made {
  int rank = -1;
  Time end;
};

/// What every F and every B or I has made so far.
class Outputs {
 public:
  explicit Outputs(const Schedule& s)
      : s_(s), made_(size_t{2} * s.stages * s.total_micro_batches() * s.slices) {}
  Made& of(bool is_forward, int stage, int micro_batch, int slice) {
    const size_t piece =
        (size_t(stage) * s_.total_micro_batches() + micro_batch) * s_.slices + slice;
    return made_.at(2 * piece + is_forward);
  }
  void add(const Action& a, Made made) {
    if (a.pass != Pass::weight_gradient)
      of(a.pass == Pass::forward, a.stage, a.micro_batch, a.slice) = made;
  }
  /// When the inputs of `a` are all on `rank`; nothing while one is not made yet.
  std::optional<Time> arrival(const Action& a, int rank, Time hop) {
    const bool is_forward = a.pass == Pass::forward;
    const int step = is_forward ? -1 : 1;
    Time latest{};
    if (!is_forward) latest = of(true, a.stage, a.micro_batch, a.slice).end;
    if (a.pass == Pass::weight_gradient) return latest;
    for (const auto& [stage, slice] :
         {std::pair{a.stage + step, int{a.slice}}, std::pair{a.stage, a.slice + step}}) {
      if (stage < 0 || stage >= s_.stages || slice < 0 || slice >= s_.slices) continue;
      const Made& input = of(is_forward, stage, a.micro_batch, slice);
      if (input.rank < 0) return std::nullopt;
      latest = std::max(latest, input.end + (input.rank == rank ? Time{} : hop));
    }
    return latest;
  }

 private:
  const Schedule& s_;
  std::vector<Made> made_;
};

}  // namespace detail

/// What a rank computes with: one server, or one for forwards and one for backwards (see
/// Schedule::parallel_passes).
enum class Servers { one, two };

/// Starts and ends where `duration` gives every action's length. Throws std::runtime_error when
/// the order cannot run.
inline Evaluation evaluate(const Schedule& s, const std::function<Time(const Action&)>& duration,
                           Time hop = {}, std::optional<Time> pair = {},
                           Servers servers = Servers::one) {
  Evaluation result(s.order.size());
  std::vector<Time> forwards_end(s.order.size()), backwards_end(s.order.size());
  detail::Outputs made(s);
  size_t left = 0;
  for (const Order& order : s.order) left += order.size();

  /// Runs the action (or pair) at the head of `rank`'s order, if its inputs are made.
  const auto advance = [&](int rank) {
    const Order& order = s.order[rank];
    const size_t k = result[rank].size();
    if (k == order.size()) return false;
    const size_t count = order[k].pairs_with_next ? 2 : 1;
    const bool is_forward = order[k].pass == Pass::forward;
    Time start = backwards_end[rank], length{};
    if (is_forward || servers == Servers::one) start = std::max(start, forwards_end[rank]);
    for (size_t j = k; j < k + count; ++j) {
      const std::optional<Time> inputs = made.arrival(order.at(j), rank, hop);
      if (!inputs) return false;
      start = std::max(start, *inputs);
      length += duration(order[j]);
    }
    if (count == 2) length = pair.value_or(length);
    const Time end = start + length;
    (is_forward ? forwards_end : backwards_end)[rank] = end;
    for (size_t j = k; j < k + count; ++j) {
      result[rank].push_back({start, end});
      made.add(order[j], {rank, end});
    }
    left -= count;
    return true;
  };

  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < s.ranks(); ++rank)
      while (advance(rank)) moved = true;
  }
  if (left > 0) throw std::runtime_error("the order cannot run");
  return result;
}

inline Evaluation evaluate(const Schedule& s, const Times& times, Servers servers = Servers::one) {
  return evaluate(s, std::cref(times), times.hop, times.pair, servers);
}

/// First start to last end of a rank; zero for a rank without work.
inline std::vector<Time> spans(const Evaluation& e) {
  std::vector<Time> result;
  for (const auto& rank : e)
    result.push_back(rank.empty() ? Time{} : rank.back().end - rank.front().start);
  return result;
}
inline Time max_span(const Evaluation& e) { return std::ranges::max(spans(e)); }

/// First start to last end of everything.
inline Time makespan(const Evaluation& e) {
  Time first = longest_time, last{};
  for (const auto& rank : e) {
    if (rank.empty()) continue;
    first = std::min(first, rank.front().start);
    last = std::max(last, rank.back().end);
  }
  return last - std::min(first, last);
}

/// How long each rank is busy; a pair's length counts once.
inline std::vector<Time> work(const Schedule& s, const Evaluation& e) {
  std::vector<Time> result;
  for (size_t rank = 0; rank < e.size(); ++rank) {
    Time busy{};
    for (size_t k = 0; k < e[rank].size(); ++k)
      if (!s.order[rank][k].pairs_with_next) busy += e[rank][k].end - e[rank][k].start;
    result.push_back(busy);
  }
  return result;
}

namespace detail {

/// A rank runs its order one after the other, so what it holds follows from the order alone: a
/// release always precedes the next F, and a pair's F precedes its B.
inline std::vector<int> peaks(const Schedule& s, Pass released_by) {
  std::vector<int> result;
  for (const Order& order : s.order) {
    int held = 0, most = 0;
    for (const Action& a : order) {
      if (a.pass == Pass::forward) most = std::max(most, ++held);
      if (a.pass == Pass::backward || a.pass == released_by) --held;
    }
    result.push_back(most);
  }
  return result;
}

}  // namespace detail

/// Most activations a rank holds at once, one for a stage, micro-batch and slice, from F's start
/// to the end of B or I.
inline std::vector<int> peak_in_flight(const Schedule& s) {
  return detail::peaks(s, Pass::input_gradient);
}
/// The same, to the end of B or W.
inline std::vector<int> peak_in_flight_to_weight_gradient(const Schedule& s) {
  return detail::peaks(s, Pass::weight_gradient);
}

}  // namespace pipewright::test
