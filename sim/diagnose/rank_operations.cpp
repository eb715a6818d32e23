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

class Passes {
 public:
  Passes(const RankProfile& profile, const GridPlace& place) : profile_(profile), place_(place) {}

  void add_step(int number, const std::vector<const DeviceOp*>& ops) {
    number_ = number;
    counts_ = {};
    open_.reset();
    for (const DeviceOp* op : ops) {
      if (op->computes())
        compute(*op);
      else if (op->communicates)
        communicate(*op);
    }
    close();
  }

  RankOperations finish() && { return {std::move(operations_), std::move(exchanges_)}; }

 private:
  int& count(OperationKind kind) { return counts_[static_cast<size_t>(kind)]; }

  TracedOperation operation(OperationKind kind, Time start, Time end) {
    TracedOperation one{
        .dp_rank = place_.data, .stage = place_.stage, .step = number_, .kind = kind};
    one.chunk = 0;
    one.sequence = count(kind);
    one.start = start;
    one.duration = end - start;
    return one;
  }

  void close() {
    if (!open_) return;
    TracedOperation one = operation(kind_, open_->first, open_->second);
    if (kind_ != OperationKind::optimizer) one.micro_batch = count(kind_);
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
    if (!open_) open_ = {op.start, op.end};
    kind_ = kind;
    open_->first = std::min(open_->first, op.start);
    open_->second = std::max(open_->second, op.end);
  }

  void communicate(const DeviceOp& op) {
    if (op.traffic == Traffic::pipeline) return close();
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
    if (collective && joins_stages(*collective)) kind = OperationKind::embedding_grads_all_reduce;
    operations_.push_back(operation(kind, op.start, op.end));
    ++count(kind);
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
  int number_ = 0;
  std::array<int, operation_kinds> counts_{};
  OperationKind kind_ = OperationKind::forward;
  std::optional<std::pair<Time, Time>> open_;
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
  Passes passes(profile, place);
  std::vector<std::vector<const DeviceOp*>> by_step(work.steps.size());
  for (const DeviceOp& op : work.ops) by_step[static_cast<size_t>(op.step)].push_back(&op);
  for (size_t step = 0; step < by_step.size(); ++step) {
    std::ranges::stable_sort(by_step[step], {}, [](const DeviceOp* op) { return op->launched; });
    passes.add_step(work.steps[step].number, by_step[step]);
  }
  return std::move(passes).finish();
}

}  // namespace pipewright::diagnose
