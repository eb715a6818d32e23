#include "program/lower.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "program/gradient_counter.hpp"
#include "program/lowering.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

namespace {

/// Collectives within passes couple all devices of a pipeline rank.
bool meet_as_a_stage(const std::vector<StageWork>& stages) {
  const auto meets = [](const Segment& segment) {
    return segment.collective && segment.collective->axis == Axis::stage;
  };
  return std::ranges::any_of(
      stages, [&](const StageWork& work) { return std::ranges::any_of(work.forward, meets); });
}

}  // namespace

Lowering::Lowering(const LoweringInput& input)
    : in_(input),
      schedule_(input.schedule),
      orders_(order_ranks(input.schedule, input.send_mode)),
      meshes_(simulated_meshes(input)),
      lanes_(input),
      types_(input, builder_.program),
      updates_(input, types_, meshes_),
      transfers_(orders_.messages.size()),
      handed_over_(orders_.messages.size()),
      taken_(orders_.messages.size()) {
  for (const SimulatedMesh& mesh : meshes_) widest_ = std::max(widest_, mesh.width());
}

Program Lowering::run() {
  ensure(!schedule_.parallel_passes || in_.send_mode != SendMode::rendezvous,
         "two servers of a rank do not post sends and receives together");
  ensure(in_.resharding_edges.empty() || in_.send_mode != SendMode::buffered,
         "what is resharded is not buffered");
  meets_as_a_stage_ = meet_as_a_stage(in_.stages);
  add_ranks();
  size_t ops = orders_.messages.size();
  for (const schedule::Order& order : schedule_.order)
    for (const Action& a : order)
      for (const SegmentTypes& segment : types_.pass(a.pass, a.stage, a.slice))
        ops += segment.collective == none ? 1 : 2;
  builder_.reserve(ops * widest_);
  const size_t pieces = static_cast<size_t>(schedule_.stages) * schedule_.total_micro_batches() *
                        schedule_.slices * 2;
  entry_.assign(pieces * widest_, none);
  exit_.assign(pieces * widest_, none);
  for (int rank = 0; rank < schedule_.ranks(); ++rank) lower_rank(rank);
  connect_transfers();
  for (uint32_t member = 0; member < width(0); ++member) connect_evictions(member);
  updates_.connect(builder_);
  return std::move(builder_).finish();
}

/// Index of the first and last op of a piece of work. Forward and backward (or its first half)
/// only: those are what messages join.
size_t Lowering::piece(const Action& a, uint32_t member) const {
  const size_t micro_batch =
      static_cast<size_t>(a.stage) * schedule_.total_micro_batches() + a.micro_batch;
  const size_t in_rank =
      (micro_batch * schedule_.slices + a.slice) * 2 + (a.pass == Pass::forward ? 0 : 1);
  return in_rank * widest_ + member;
}

void Lowering::add_ranks() {
  for (int rank = 0; rank < schedule_.ranks(); ++rank) {
    const Mesh& mesh = in_.grid.mesh(rank);
    const auto& [tensor, replicas, first] = meshes_[static_cast<size_t>(rank)];
    for (const ReplicaClass& replica : replicas) {
      for (int t = 0; t < tensor; ++t) {
        const auto id = static_cast<uint32_t>(builder_.program.ranks.size());
        builder_.program.ranks.push_back({rank, t, replica.replica, mesh.device(t, replica.replica),
                                          replica.count * mesh.tensor / tensor});
        for (const Stream stream : lanes_.streams()) builder_.add_lane(id, stream);
      }
    }
  }
}

void Lowering::lower_rank(int rank) {
  const Mesh& mesh = in_.grid.mesh(rank);
  const auto& [tensor, replicas, first] = meshes_[static_cast<size_t>(rank)];
  width_ = width(rank);
  for (size_t axis = 0; axis < groups_.size(); ++axis) {
    groups_[axis] =
        groups_along(mesh, static_cast<Axis>(axis), tensor, replicas, builder_.program.groups);
  }
  servers_.assign(size_t{2} * width_, {});
  completes_ = completing_actions(schedule_, schedule_.order[rank]);
  shards_ = {};
  host_traffic_ = {};
  // Replicas that no collective couples within a pass are lowered one after the other, so that
  // neighbours in time are neighbours in memory.
  const bool all = !in_.offloaded.stages.empty() || meets_as_a_stage_;
  const auto together = all ? width_ : static_cast<uint32_t>(coupled_replicas(mesh) * tensor);
  for (first_ = 0; first_ < width_; first_ += together) {
    last_ = std::min(width_, first_ + together);
    for (const RankStep& step : orders_.steps[rank]) lower_step(rank, step);
  }
}

void Lowering::lower_step(int rank, const RankStep& step) {
  switch (step.kind) {
    case RankStep::Kind::pass:
      lower_pass(rank, static_cast<size_t>(step.index));
      break;
    case RankStep::Kind::transfer:
      place_transfer(rank, step.index);
      break;
    case RankStep::Kind::batch:
      place_batch(rank, step.posted);
      break;
    case RankStep::Kind::hand_over:
      hand_over(rank, step.index);
      break;
    case RankStep::Kind::take:
      take(rank, step.index);
      break;
    case RankStep::Kind::reduce:
    case RankStep::Kind::step:
      note_update(rank, step);
      break;
  }
}

OpId Lowering::add_compute(int rank, uint32_t member, uint32_t type, const Action& a,
                           std::optional<int> chain) {
  const OpId op = builder_.add({.type = type,
                                .rank = program_rank(rank, member),
                                .micro_batch = a.micro_batch,
                                .weight_version = a.weight_version,
                                .slice = a.slice});
  const bool backward = on_backward_server(a);
  builder_.append(compute_lane(rank, member, backward), op);
  wait_for_previous(server(member, backward), op, chain);
  return op;
}

void Lowering::wait_for_previous(Server& server, OpId op, std::optional<int> chain) {
  std::erase_if(server.previous, [&](const Server::Previous& before) {
    const bool waits = !chain || before.chain == *chain;
    if (waits) builder_.depend(before.op, op);
    return waits;
  });
  server.newest = op;
}

void Lowering::lower_pass(int rank, size_t position) {
  const schedule::Order& order = schedule_.order[rank];
  const Action& a = order[position];
  turns_ = turns_at(order, position);
  if (!a.pairs_with_next) return lower_action(rank, a, completes_[position]);
  const Action& b = order[position + 1];
  const uint32_t pair = types_.pair(a.stage, a.slice);
  if (pair != none) return lower_paired_op(rank, a, b, pair);
  lower_action(rank, a, completes_[position]);
  lower_action(rank, b, completes_[position + 1]);
  for (uint32_t member = first_; member < last_; ++member) {
    // Both receives are awaited before the pair, and both sends leave after it.
    entry_[piece(b, member)] = entry_[piece(a, member)];
    exit_[piece(a, member)] = exit_[piece(b, member)];
  }
}

void Lowering::lower_paired_op(int rank, const Action& a, const Action& b, uint32_t type) {
  builder_.program.partners.push_back(b);
  for (uint32_t member = first_; member < last_; ++member) {
    const OpId op = add_compute(rank, member, type, a);
    depend_on_own_stage(b, member, op);
    builder_.program.ops[op].peer = static_cast<uint32_t>(builder_.program.partners.size() - 1);
    for (const Action& action : {a, b})
      entry_[piece(action, member)] = exit_[piece(action, member)] = op;
  }
}

void Lowering::lower_action(int rank, const Action& a, bool last) {
  const bool joins_messages = a.pass != Pass::weight_gradient;
  bool first = true;
  const std::vector<SegmentTypes>& segments =
      last ? types_.last_pass(a.pass, a.stage, a.slice) : types_.pass(a.pass, a.stage, a.slice);
  const bool sharded = !in_.sharded.stages.empty() && !in_.sharded.stages[a.stage].weights.empty();
  const bool offloaded = types_.offloads(a.stage);
  for (const SegmentTypes& segment : segments) {
    const bool completes = last && segment.ends_part && !offloaded;
    if (sharded && segment.starts_part) gather_part(rank, segment.part, a);
    if (offloaded && segment.starts_part) fetch_part(rank, segment.part, a);
    for (uint32_t member = first_; member < last_; ++member) {
      const OpId op = add_compute(rank, member, segment.compute, a,
                                  segment.joins ? std::nullopt : std::optional(segment.chain));
      if (completes && segment.collective == none) part_ends_[{a.stage, member}].push_back(op);
      if (first) depend_on_own_stage(a, member, op);
      if (first) follow_backwards(a, member, op);
      if (!joins_messages) continue;
      if (first) entry_[piece(a, member)] = op;
      exit_[piece(a, member)] = op;
    }
    first = false;
    if (sharded && segment.ends_part) end_part(rank, segment.part, a, last);
    if (offloaded && segment.ends_part) leave_part(rank, segment.part, a);
    if (segment.collective != none) add_collective(rank, segment, a, completes);
  }
}

/// B and I need what F of the stage left there, W what I did.
void Lowering::depend_on_own_stage(const Action& a, uint32_t member, OpId op) {
  if (a.pass == Pass::forward) return;
  Action before = a;
  before.pass = a.pass == Pass::weight_gradient ? Pass::input_gradient : Pass::forward;
  builder_.depend(exit_[piece(before, member)], op);
}

/// Makes a forward wait for the backwards that precede it in the order, also where backwards have a
/// server of their own.
void Lowering::follow_backwards(const Action& a, uint32_t member, OpId op) {
  if (!schedule_.parallel_passes || a.pass != Pass::forward) return;
  const OpId before = server(member, true).newest;
  if (before != none) builder_.depend(before, op);
}

/// `completes`: gradients, which are not there before it is over.
void Lowering::add_collective(int rank, const SegmentTypes& segment, const Action& a,
                              bool completes) {
  for (const GroupMembers& group : groups_[static_cast<size_t>(segment.axis)]) {
    if (group.members.front() < first_ || group.members.front() >= last_) continue;
    const OpId op = builder_.add({.type = segment.collective,
                                  .rank = program_rank(rank, group.members.front()),
                                  .peer = group.group,
                                  .micro_batch = a.micro_batch,
                                  .slice = a.slice});
    for (const uint32_t member : group.members) {
      const bool backward = on_backward_server(a);
      builder_.append(
          lane(program_rank(rank, member), backward ? Stream::backward_tensor : Stream::tensor),
          op);
      Server& on = server(member, backward);
      builder_.depend(on.newest, op);
      on.previous.push_back({op, segment.chain});
      if (completes) part_ends_[{a.stage, member}].push_back(op);
    }
  }
}

/// Returns what ended each part of the stage; where nothing was noted, all that the last pass of
/// the stage did.
std::vector<OpId> Lowering::ends_of_parts(int stage, uint32_t member) {
  std::vector<OpId> ends = std::move(part_ends_[{stage, member}]);
  part_ends_.erase({stage, member});
  if (ends.empty()) ends.push_back(backward_server(member).newest);
  ensure(in_.updates.empty() || ends.size() >= in_.updates[stage].reduce.size(),
         "every reduction of a stage has its part of the last backward pass");
  return ends;
}

void Lowering::note_update(int rank, const RankStep& step) {
  const bool steps = step.kind == RankStep::Kind::step && !in_.sharded.stages.empty();
  if (steps) finish_reductions(rank);
  for (uint32_t member = first_; member < last_; ++member) {
    if (step.kind == RankStep::Kind::reduce) {
      updates_.gradients_complete(step.step_number, step.index, rank, member,
                                  ends_of_parts(step.index, member));
      continue;
    }
    const OpId last = backward_server(member).newest;
    updates_.all_complete(step.step_number, rank, member, last);
    if (schedule_.parallel_passes) server(member, false).previous.push_back({last, 0});
    for (const uint32_t type : updates_.step_types(step.step_number, rank)) {
      const OpId op = add_compute(rank, member, type, {.micro_batch = step.step_number});
      updates_.stepped(step.step_number, rank, member, op);
    }
  }
  if (steps) forget_gathered();
  if (step.kind == RankStep::Kind::step) fetch_anew();
}

Program lower(const LoweringInput& input) { return Lowering(input).run(); }

}  // namespace pipewright
