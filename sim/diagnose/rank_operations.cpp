#include "diagnose/rank_operations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "diagnose/main_groups.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

/// The place of `rank` in the list "[3, 7, 11]".
std::optional<int> place_in(const std::string& ranks, int rank) {
  int place = 0;
  for (const std::string_view word : interop::split(ranks, "[], ", false)) {
    if (interop::number_of<int>(word) == rank) return place;
    ++place;
  }
  return std::nullopt;
}

const ProfiledCollective* collective_of(const RankProfile& profile, const DeviceOp& op) {
  return op.collective < 0 ? nullptr : &profile.collectives[static_cast<size_t>(op.collective)];
}

/// The times in which a device communicates or copies.
class Moving {
 public:
  void add(const DeviceOp& op) {
    if (!op.computes()) all_.emplace_back(op.start, op.end);
  }
  void sort() { std::ranges::sort(all_); }

  /// What of the time between is none of them.
  Time still(Time begin, Time end) const {
    Time sum, at = begin;
    for (const auto& [from, to] : all_) {
      if (from >= end) break;
      sum += std::max(from - at, Time{});
      at = std::max(at, to);
    }
    return sum + std::max(end - at, Time{});
  }

 private:
  std::vector<std::pair<Time, Time>> all_;
};

bool has_word(const std::string& name, const char* word) {
  return interop::lower_case(name).find(word) != std::string::npos;
}

/// Traces round starts and lengths to a microsecond or less.
constexpr Time rounding = microseconds(1);

/// Whether every send of the rank ends before what it computes next, every receive begins after
/// what it computed before.
struct Order {
  bool sends_first = true, receives_last = true;
};

void hold_against(const DeviceOp& op, const ProfiledCollective* message, Time computed, Time next,
                  Order& order) {
  if (!op.communicates || op.traffic != Traffic::pipeline || message == nullptr) return;
  if (has_word(message->name, "send") && next + rounding < op.end) order.sends_first = false;
  if (has_word(message->name, "recv") && op.start + rounding < computed)
    order.receives_last = false;
}

/// `steps`: ops in the order of their launches.
Order order_of(const RankProfile& profile, const std::vector<std::vector<const DeviceOp*>>& steps) {
  Order order;
  for (const std::vector<const DeviceOp*>& ops : steps) {
    std::vector<Time> next(ops.size() + 1, longest_time);  // the start of what is computed next
    for (size_t i = ops.size(); i-- > 0;)
      next[i] = ops[i]->computes() ? ops[i]->start : next[i + 1];
    Time computed;
    for (size_t i = 0; i < ops.size(); ++i) {
      hold_against(*ops[i], collective_of(profile, *ops[i]), computed, next[i], order);
      if (ops[i]->computes()) computed = std::max(computed, ops[i]->end);
    }
  }
  return order;
}

class Passes {
 public:
  Passes(const RankProfile& profile, const GridPlace& place, const ProfiledCollective* pipeline,
         Order order)
      : profile_(profile), place_(place), order_(order) {
    if (pipeline) pipeline_ = interop::split(pipeline->ranks, "[], ", false);
  }

  void add_step(const DeviceStep& step, const std::vector<const DeviceOp*>& ops) {
    step_ = step;
    counts_ = {};
    open_.reset();
    received_.clear();
    last_pass_.reset();
    moving_ = {};
    for (const DeviceOp* op : ops) moving_.add(*op);
    moving_.sort();
    for (const DeviceOp* op : ops) {
      if (op->computes())
        compute(*op);
      else if (op->communicates)
        communicate(*op);
    }
    close();
  }

  RankOperations finish() && {
    return {.operations = std::move(operations_), .exchanges = std::move(exchanges_)};
  }

 private:
  int& count(OperationKind kind) { return counts_[static_cast<size_t>(kind)]; }

  TracedOperation operation(OperationKind kind, Time start, Time end) {
    TracedOperation one{
        .dp_rank = place_.data, .stage = place_.stage, .step = step_.number, .kind = kind};
    one.chunk = 0;
    one.sequence = count(kind);
    one.start = start;
    one.duration = end - start;
    one.since_begin = std::max(start - step_.begin, Time{});
    return one;
  }

  TracedOperation communication(OperationKind kind, const DeviceOp& op) {
    TracedOperation one = operation(kind, op.start, op.end);
    one.ahead = op.start - op.asked;
    if (const ProfiledCollective* collective = collective_of(profile_, op))
      one.bytes = collective->bytes;
    ++count(kind);
    return one;
  }

  void close() {
    if (!open_) return;
    TracedOperation one = operation(kind_, open_->first, open_->second);
    one.ahead = open_->first - asked_;
    one.held = held_;
    if (kind_ != OperationKind::optimizer) {
      one.micro_batch = count(kind_);
      last_pass_ = kind_;
    }
    ++count(kind_);
    tell_ways(pending_);
    for (ExpertExchange exchange : std::exchange(pending_, {})) {
      exchange.operation = operations_.size();
      exchanges_.push_back(exchange);
    }
    operations_.push_back(one);
    open_.reset();
  }

  void compute(const DeviceOp& op) {
    OperationKind kind = OperationKind::forward;
    if (op.compute == ComputeKind::backward) kind = OperationKind::backward;
    if (op.compute == ComputeKind::optimizer) kind = OperationKind::optimizer;
    if (open_ && kind != kind_) close();
    if (!open_) open(kind, op);
    if (open_) extend(*open_, op);
  }

  /// Adds to `span`, the operation that is open, what it has and waits for.
  void extend(std::pair<Time, Time>& span, const DeviceOp& op) {
    auto& [begin, end] = span;
    if (op.start > end) held_ += moving_.still(end, std::max(op.asked, end));
    if (op.start < begin) begin = op.start, asked_ = op.asked;
    end = std::max(end, op.end);
  }

  void open(OperationKind kind, const DeviceOp& op) {
    open_ = {op.start, op.end};
    kind_ = kind;
    asked_ = op.asked;
    held_ = {};
    if (kind == OperationKind::optimizer) return;
    for (const DeviceOp* message : std::exchange(received_, {})) {
      operations_.push_back(communication(kind == OperationKind::forward
                                              ? OperationKind::forward_recv
                                              : OperationKind::backward_recv,
                                          *message));
      operations_.back().awaited = order_.receives_last;
    }
  }

  /// What sends and receives at once is between passes, and says no more.
  void pass_on(const DeviceOp& op) {
    close();
    const ProfiledCollective* message = collective_of(profile_, op);
    if (message == nullptr) return;
    const bool sends = has_word(message->name, "send"), receives = has_word(message->name, "recv");
    if (receives && !sends) received_.push_back(&op);
    if (!sends || receives || !last_pass_) return;
    operations_.push_back(communication(*last_pass_ == OperationKind::forward
                                            ? OperationKind::forward_send
                                            : OperationKind::backward_send,
                                        op));
    operations_.back().awaited = order_.sends_first;
  }

  /// The norm of gradients is summed over stages, too.
  bool sums_over_stages(const ProfiledCollective& collective) const {
    size_t members = 0;
    for (const std::string_view rank : interop::split(collective.ranks, "[], ", false))
      members += std::ranges::find(pipeline_, rank) != pipeline_.end();
    return members > 1;
  }

  void communicate(const DeviceOp& op) {
    if (op.traffic == Traffic::pipeline) return pass_on(op);
    if (op.traffic == Traffic::expert) exchange_tokens(op);
    if (op.traffic != Traffic::data) return;
    const ProfiledCollective* collective = collective_of(profile_, op);
    const std::string& name = collective ? collective->name : profile_.names[op.name];
    const bool gathers =
        name.find("gather") != std::string::npos || name.find("AllGather") != std::string::npos;
    const bool begun = open_ || count(OperationKind::forward) > 0;
    if (gathers && begun) return;  // weights of the next layers: within the pass
    OperationKind kind =
        gathers ? OperationKind::params_all_gather : OperationKind::grads_reduce_scatter;
    if (collective && joins_stages(*collective))
      kind = OperationKind::embedding_grads_all_reduce;
    else if (collective && sums_over_stages(*collective))
      kind = OperationKind::clip;
    operations_.push_back(communication(kind, op));
  }

  void exchange_tokens(const DeviceOp& op) {
    const ProfiledCollective* collective = collective_of(profile_, op);
    const ExchangeWay way = exchange_way(collective ? collective->name : profile_.names[op.name]);
    announced_ += op.end - op.start;
    if (way == ExchangeWay::announcement) return;
    const Time length = std::exchange(announced_, {});
    if (way == ExchangeWay::none) return;
    pending_.push_back({.length = length, .collective = op.collective, .way = way});
    if (collective)
      pending_.back().sent = collective->bytes, pending_.back().received = collective->received;
  }

  const RankProfile& profile_;
  GridPlace place_;
  Order order_;
  std::vector<std::string_view> pipeline_;  ///< its ranks
  DeviceStep step_;
  Moving moving_;
  std::array<int, operation_kinds> counts_{};
  OperationKind kind_ = OperationKind::forward;
  std::optional<std::pair<Time, Time>> open_;
  Time asked_;                              ///< when its host asked for what is open
  Time held_;                               ///< of it, in which the device waits for that
  std::vector<const DeviceOp*> received_;   ///< for the pass that comes next
  std::optional<OperationKind> last_pass_;  ///< its direction
  std::vector<TracedOperation> operations_;
  std::vector<ExpertExchange> exchanges_, pending_;  ///< pending: of the pass that is open
  Time announced_;                                   ///< of the exchange that follows
};

}  // namespace

GridPlace place_of(const RankProfile& profile, const DeviceWork& work) {
  GridPlace place;
  if (profile.rank < 0) return place;
  const auto groups = main_groups(profile, work);
  const auto place_among = [&](Traffic traffic) {
    const ProfiledCollective* group = groups[static_cast<size_t>(traffic)];
    return group == nullptr ? 0 : place_in(group->ranks, profile.rank).value_or(0);
  };
  place.data = place_among(Traffic::data);
  place.stage = place_among(Traffic::pipeline);
  place.tensor = place_among(Traffic::tensor);
  return place;
}

RankOperations operations_of(const RankProfile& profile, const DeviceWork& work,
                             const GridPlace& place) {
  std::vector<std::vector<const DeviceOp*>> by_step(work.steps.size());
  for (const DeviceOp& op : work.ops) by_step[static_cast<size_t>(op.step)].push_back(&op);
  for (std::vector<const DeviceOp*>& ops : by_step)
    std::ranges::stable_sort(ops, {}, [](const DeviceOp* op) { return op->launched; });
  Passes passes(profile, place, main_groups(profile, work)[static_cast<size_t>(Traffic::pipeline)],
                order_of(profile, by_step));
  for (size_t step = 0; step < by_step.size(); ++step)
    passes.add_step(work.steps[step], by_step[step]);
  RankOperations found = std::move(passes).finish();
  found.knows_hosts = work.has_launches;
  for (const DeviceStep& step : work.steps)
    if (work.has_marks) found.step_lengths[step.number] = step.end - step.begin;
  return found;
}

}  // namespace pipewright::diagnose
