// Weights cut over replicas (ZeRO 3, arXiv 1910.02054; FSDP, 2304.11277), layer by layer.
//
// Before a layer's forward and backward its weights are all-gathered, after its backward its
// gradients are reduce-scattered; with copies of the shards (hybrid sharding) each piece is then
// all-reduced over them. For weights W of a layer that is 3 W a micro-batch: W forward, 2 W
// backward. The layer at which a forward turns into its backward stays gathered between them.
//   prefetch p    the gathering of a layer starts when the one 1 + p before it has computed, so
//                 1 + p layers are gathered at most
//   gradients     the layer two after it computes once they are scattered, so two layers' are held
//   order         gatherings and scatterings are issued on one communicator, one after the other: a
//                 layer's gradients after the weights of the next p, as FSDP issues them; copies
//                 have a communicator of their own
//   no reshard    weights stay gathered from forward to backward; with `keep` over all
//                 micro-batches of a step, and gradients are scattered once, as PyTorch's pipeline
//                 stages do
//   stepped       weights that ZeRO 1 and 2 keep whole are gathered once a step, each part ahead of
//                 its first forward; gradients of ZeRO 1 are reduced elsewhere
//                 (update_collectives.cpp). All parts are issued at the step, in the order of the
//                 forwards, as Megatron-LM's interleaved schedule issues a chunk's. Without virtual
//                 stages it issues a bucket when the one before it is waited for: that is left out.
//   experts       of a part that fewer devices hold than the rest of it: over those that do
//   near          ZeRO++ (arXiv 2306.10209): after a forward each of n neighbours keeps an n-th of
//                 the weights, from which backward passes gather; gradients go in two exchanges,
//                 all of them among the neighbours, then an n-th among those at the same place
// Left out: copies into and out of the flat buffers, DeepSpeed's persistent small parameters.
#include "program/lower_sharding.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

ShardedRank::ShardedRank(ProgramDraft& draft, LoweredRank& rank)
    : draft_(draft),
      rank_(rank),
      in_(draft.in.sharded),
      ahead_(draft.in.overlap_data ? static_cast<size_t>(in_.prefetch) : 0),
      held_(draft.in.overlap_data ? 2 : 1) {}

void ShardedRank::begin_part(int part, const Action& a) {
  if (in_.stepped) gather_once(part, a);
  if (!in_.scatter) return;
  const size_t run = runs_.size();
  if (run > ahead_) place_reductions(run - ahead_);
  if (run >= held_) wait_for_reductions(runs_[run - held_]);
  runs_.push_back({.stage = a.stage, .part = part, .ends = {}, .reductions = {}});
  if (in_.stepped || a.pass == Pass::weight_gradient) return;  // needs no weights, or has them
  if (!gathered_.insert({a.stage, part}).second) return;
  const std::optional<size_t> window = window_of(run);
  // What the layer there waits for is in the lanes before what waits for that layer.
  if (window && *window + 1 > held_) place_reductions(*window + 1 - held_);
  add_gathers(part, a, window);
}

void ShardedRank::gather_once(int part, const Action& a) {
  if (a.pass == Pass::forward && gathered_.insert({a.stage, part}).second)
    add_gathers(part, a, std::nullopt);
}

/// The next ops wait for the gradients of an earlier run.
void ShardedRank::wait_for_reductions(const Run& run) {
  for (const Reduction& reduction : run.reductions) {
    if (reduction.stream != Stream::data) continue;
    for (const uint32_t member : reduction.members) rank_.next_waits_for(member, reduction.op);
  }
}

/// Returns the run after which the weights of `run` are gathered; nothing for at once.
std::optional<size_t> ShardedRank::window_of(size_t run) const {
  // What has just been given up is not there twice.
  if (run > 0 && runs_[run - 1].stage == runs_[run].stage && runs_[run - 1].part == runs_[run].part)
    return run - 1;
  if (run > ahead_) return run - 1 - ahead_;
  return std::nullopt;
}

void ShardedRank::add_gathers(int part, const Action& a, std::optional<size_t> window) {
  const ShardTypes& types = draft_.types.shard(a.stage, part);
  const bool near = a.pass != Pass::forward && !types.near_gathers.empty();
  for (const auto& [type, axis] : near ? types.near_gathers : types.gathers) {
    for (const GroupMembers* group : rank_.groups(axis)) {
      const OpId op = rank_.add_collective(*group, type, a);
      for (const uint32_t member : group->members) {
        draft_.builder.append(rank_.lane(member, Stream::data), op);
        if (window)
          draft_.builder.depend(runs_[*window].ends[member], op);
        else if (!stepped_.empty())
          draft_.builder.depend(stepped_[member], op);
        rank_.next_waits_for(member, op);
      }
    }
  }
}

void ShardedRank::end_part(int part, const Action& a, bool last, bool turns) {
  if (!in_.scatter) return;
  for (const uint32_t member : rank_.members()) runs_.back().ends.push_back(rank_.newest(member));
  const bool forward = a.pass == Pass::forward;
  const auto parts = static_cast<int>(in_.stages[a.stage].weights.size());
  const bool stays = turns && part == parts - 1;
  const bool gives_up = forward ? in_.reshard && !stays : a.pass != Pass::weight_gradient;
  if (gives_up && !in_.keep && !in_.stepped) gathered_.erase({a.stage, part});
  const bool completes = a.pass == Pass::backward || a.pass == Pass::weight_gradient;
  if (completes && (last || !in_.keep)) reduce_part(draft_.types.shard(a.stage, part), a);
}

void ShardedRank::reduce_part(const ShardTypes& types, const Action& a) {
  Run& run = runs_.back();
  std::vector<std::vector<OpId>> scattered(rank_.width());
  for (const auto& [type, axis] : types.scatters) {
    for (const GroupMembers* group : rank_.groups(axis)) {
      const OpId op = rank_.add_collective(*group, type, a);
      for (const uint32_t member : group->members) {
        draft_.builder.depend(run.ends[member], op);
        scattered[member].push_back(op);
      }
      run.reductions.push_back({op, Stream::data, group->members});
    }
  }
  if (types.sum == none) return;
  for (const GroupMembers* group : rank_.groups(Axis::copies)) {
    const OpId op = rank_.add_collective(*group, types.sum, a);
    for (const uint32_t member : group->members) {
      // What nobody else has of a group is there at the end of the pass.
      if (scattered[member].empty()) draft_.builder.depend(run.ends[member], op);
      for (const OpId scatter : scattered[member]) draft_.builder.depend(scatter, op);
    }
    run.reductions.push_back({op, Stream::copies, group->members});
  }
}

/// Puts the reductions of the first `runs` runs into their lanes.
void ShardedRank::place_reductions(size_t runs) {
  for (; next_ < runs; ++next_)
    for (const Reduction& reduction : runs_[next_].reductions)
      for (const uint32_t member : reduction.members)
        draft_.builder.append(rank_.lane(member, reduction.stream), reduction.op);
}

void ShardedRank::finish_reductions() {
  place_reductions(runs_.size());
  for (const Run& run : runs_)
    for (const Reduction& reduction : run.reductions)
      for (const uint32_t member : reduction.members) rank_.next_waits_for(member, reduction.op);
}

void ShardedRank::forget_gathered() {
  runs_.clear();
  next_ = 0;
  gathered_.clear();
  stepped_.clear();
  for (const uint32_t member : rank_.members()) stepped_.push_back(rank_.newest(member));
}

}  // namespace pipewright
