#include "diagnose/rank_operations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "diagnose/communicating_times.hpp"
#include "diagnose/main_groups.hpp"
#include "diagnose/measured_job.hpp"
#include "diagnose/message_order.hpp"
#include "diagnose/pipeline_group.hpp"
#include "diagnose/rank_actions.hpp"

namespace pipewright::diagnose {
namespace {

OperationKind kind_of(ComputeKind compute) {
  if (compute == ComputeKind::optimizer) return OperationKind::optimizer;
  if (compute == ComputeKind::weight_gradient) return OperationKind::weight_gradient;
  const bool back = compute == ComputeKind::backward || compute == ComputeKind::input_gradient;
  return back ? OperationKind::backward : OperationKind::forward;
}

int64_t bytes_of(const std::vector<ProfiledMessage>& messages) {
  int64_t sum = 0;
  for (const ProfiledMessage& one : messages) sum += one.bytes;
  return sum;
}

class Passes {
 public:
  /// `profile` and `actions` must outlive it.
  Passes(const RankProfile& profile, const GridPlace& place, const RankActions& actions,
         PipelineGroup pipeline, MessageOrder order)
      : profile_(profile),
        place_(place),
        actions_(actions),
        pipeline_(std::move(pipeline)),
        order_(order) {}

  void add_step(const DeviceStep& step, const std::vector<const DeviceOp*>& ops) {
    step_ = step;
    counts_ = {};
    open_.reset();
    received_.clear();
    last_pass_.reset();
    busy_until_.reset();
    moving_ = {};
    data_ = CollectiveTimes(Traffic::data);
    experts_ = CollectiveTimes(Traffic::expert);
    for (const DeviceOp* op : ops) moving_.add(*op), data_.add(*op), experts_.add(*op);
    moving_.sort();
    data_.sort();
    experts_.sort();
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
    if (computes(kind_) && (experts_wait_ || data_.run_between(one.start, one.end())))
      one.own = one.duration - waits_ - held_, one.waits = waits_, one.together = all_together;
    if (kind_ != OperationKind::optimizer) {
      one.micro_batch = count(kind_);
      last_pass_ = kind_;
    }
    if (const interop::PipelineAction* action = actions_.at(action_)) take_name(*action, one);
    ++count(kind_);
    tell_ways(pending_);
    for (ExpertExchange exchange : std::exchange(pending_, {})) {
      exchange.operation = operations_.size();
      exchanges_.push_back(exchange);
    }
    operations_.push_back(one);
    open_.reset();
  }

  void take_name(const interop::PipelineAction& action, TracedOperation& one) const {
    one.chunk = actions_.chunk_of(action);
    one.micro_batch = action.micro_batch;
  }

  /// Whether a kernel that no action names belongs to no pass: none of its direction is open.
  bool is_beside_passes(const DeviceOp& op, OperationKind kind) const {
    if (!actions_.known() || op.action >= 0 || kind == OperationKind::optimizer) return false;
    return !open_ || !computes(kind_) ||
           (kind == OperationKind::forward) != (kind_ == OperationKind::forward);
  }

  void compute(const DeviceOp& op) {
    const OperationKind kind = kind_of(op.compute);
    if (is_beside_passes(op, kind)) return;
    const bool goes_on = actions_.known() && op.action < 0 && kind != OperationKind::optimizer;
    if (open_ && !goes_on && (kind != kind_ || op.action != action_)) close();
    if (!open_) open(kind, op);
    if (open_) extend(*open_, op);
    busy_until_ = std::max(busy_until_.value_or(op.end), op.end);
  }

  /// A pass begins with its wait for weights, once another has begun: what is gathered before the
  /// first is an operation of its own.
  void begin_with_wait(const DeviceOp& op) {
    if (!busy_until_ || !data_.hold_up(*busy_until_, op.start)) return;
    const Time begin = std::clamp(op.asked, *busy_until_, op.start);
    waits_ = op.start - begin;
    asked_ = std::min(op.asked, begin);
    open_ = {begin, op.end};
  }

  /// Adds to `span`, the operation that is open, what it has and waits for.
  void extend(std::pair<Time, Time>& span, const DeviceOp& op) {
    auto& [begin, end] = span;
    if (op.start > end) {
      const Time asked = std::clamp(op.asked, end, op.start);
      if (!op.within_graph) held_ += moving_.still(end, asked);
      const bool for_tokens = experts_.hold_up(end, op.start);
      if (for_tokens || data_.hold_up(end, op.start)) waits_ += op.start - asked;
      experts_wait_ |= for_tokens;
    }
    if (op.start < begin) begin = op.start, asked_ = op.asked;
    end = std::max(end, op.end);
  }

  void open(OperationKind kind, const DeviceOp& op) {
    open_ = {op.start, op.end};
    kind_ = kind;
    action_ = op.action;
    asked_ = op.asked;
    held_ = waits_ = {};
    experts_wait_ = false;
    if (kind == OperationKind::optimizer) return;
    begin_with_wait(op);
    for (const DeviceOp* message : std::exchange(received_, {})) {
      operations_.push_back(communication(received_before(kind), *message));
      operations_.back().awaited = order_.receives_last;
      if (const ProfiledCollective* batch = collective_of(profile_, *message))
        operations_.back().batched = !batch->messages.empty();
    }
  }

  /// A message that says of which pass it is, however many tensors it moves.
  void pass_on_named(const DeviceOp& op, const interop::PipelineAction& action) {
    close();
    const ProfiledCollective* message = collective_of(profile_, op);
    const OperationKind kind = kind_of_message(action, message);
    TracedOperation one = communication(kind, op);
    take_name(action, one);
    if (message && !message->messages.empty()) one.bytes = bytes_of(message->messages);
    one.awaited = is_sent(kind) ? order_.sends_first : order_.receives_last;
    operations_.push_back(one);
  }

  /// Messages are between passes.
  void pass_on(const DeviceOp& op) {
    if (const interop::PipelineAction* action = actions_.at(op.action))
      return pass_on_named(op, *action);
    close();
    busy_until_ = std::max(busy_until_.value_or(op.end), op.end);
    const ProfiledCollective* message = collective_of(profile_, op);
    if (message == nullptr) return;
    for (const ProfiledMessage& one : message->messages) pass_on_one(op, one);
    if (!message->messages.empty()) return;
    const bool sends = has_word(message->name, "send"), receives = has_word(message->name, "recv");
    if (receives && !sends) received_.push_back(&op);
    if (!sends || receives || !last_pass_) return;
    operations_.push_back(communication(sent_after(*last_pass_), op));
    operations_.back().awaited = order_.sends_first;
  }

  /// One of several messages that a kernel moves at once.
  void pass_on_one(const DeviceOp& op, const ProfiledMessage& message) {
    std::optional<OperationKind> pass = pipeline_.way_of(message);
    if (!pass && !message.sent) return received_.push_back(&op);
    if (!pass) pass = last_pass_;
    if (!pass) return;
    TracedOperation one =
        communication(message.sent ? sent_after(*pass) : received_before(*pass), op);
    one.bytes = message.bytes;
    one.batched = true;
    one.awaited = message.sent ? order_.sends_first : order_.receives_last;
    operations_.push_back(one);
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
    else if (collective && pipeline_.sums_over_stages(*collective))
      kind = OperationKind::clip;
    if (open_ && kind_ == OperationKind::optimizer) close();  // an update waits for what is summed
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
  const RankActions& actions_;
  PipelineGroup pipeline_;
  MessageOrder order_;
  DeviceStep step_;
  Moving moving_;
  CollectiveTimes data_{Traffic::data}, experts_{Traffic::expert};
  std::array<int, operation_kinds> counts_{};
  OperationKind kind_ = OperationKind::forward;
  std::optional<std::pair<Time, Time>> open_;
  int32_t action_ = -1;        ///< of what is open
  Time asked_;                 ///< when its host asked for what is open
  Time held_;                  ///< of it, in which the device waits for that
  Time waits_;                 ///< of it, in which it waits for data ranks or for tokens
  bool experts_wait_ = false;  ///< whether it waits for tokens
  /// The end of what the rank has computed, sent and received in the step.
  std::optional<Time> busy_until_;
  std::vector<const DeviceOp*> received_;   ///< for the pass that comes next
  std::optional<OperationKind> last_pass_;  ///< its direction
  std::vector<TracedOperation> operations_;
  std::vector<ExpertExchange> exchanges_, pending_;  ///< pending: of the pass that is open
  Time announced_;                                   ///< of the exchange that follows
};

}  // namespace

RankOperations operations_of(const RankProfile& profile, const DeviceWork& work,
                             const GridPlace& place) {
  std::vector<std::vector<const DeviceOp*>> by_step(work.steps.size());
  for (const DeviceOp& op : work.ops) by_step[static_cast<size_t>(op.step)].push_back(&op);
  for (std::vector<const DeviceOp*>& ops : by_step)
    std::ranges::stable_sort(ops, {}, [](const DeviceOp* op) { return op->launched; });
  const RankActions actions(work);
  const auto groups = main_groups(profile, work);
  Passes passes(profile, place, actions,
                PipelineGroup(groups[static_cast<size_t>(Traffic::pipeline)], place.stage),
                message_order(profile, by_step));
  for (size_t step = 0; step < by_step.size(); ++step)
    passes.add_step(work.steps[step], by_step[step]);
  RankOperations found = std::move(passes).finish();
  found.knows_hosts = work.has_launches;
  found.model_stages = actions.stages();
  for (const DeviceStep& step : work.steps)
    if (work.has_marks) found.step_lengths[step.number] = step.end - step.begin;
  return found;
}

}  // namespace pipewright::diagnose
