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
//   micro-batches
//                 of a step, and gradients are scattered once, as PyTorch's pipeline stages do
// Left out: copies into and out of the flat buffers, DeepSpeed's persistent small parameters.
#include "program/lowering.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

bool Lowering::turns_at(const schedule::Order& order, size_t position) {
  if (position + 1 >= order.size()) return false;
  const Action &a = order[position], &b = order[position + 1];
  return a.pass == Pass::forward && (b.pass == Pass::backward || b.pass == Pass::input_gradient) &&
         a.stage == b.stage && a.micro_batch == b.micro_batch && a.slice == b.slice;
}

OpId Lowering::add_exchange(int rank, const GroupMembers& group, uint32_t type, const Action& a) {
  return builder_.add({.type = type,
                       .rank = program_rank(rank, group.members.front()),
                       .peer = group.group,
                       .micro_batch = a.micro_batch,
                       .slice = a.slice});
}

/// Gathers the weights of a part before its first kernel, after what that has to wait for.
void Lowering::gather_part(int rank, int part, const Action& a) {
  using Reduction = Shards::Reduction;
  const size_t run = shards_.runs.size();
  const size_t ahead = in_.overlap_data ? static_cast<size_t>(in_.sharded.prefetch) : 0;
  if (run > ahead) place_reductions(rank, run - ahead);
  const size_t held = in_.overlap_data ? 2 : 1;  // layers whose gradients are whole
  if (run >= held) {
    for (const Reduction& reduction : shards_.runs[run - held].reductions)
      if (reduction.stream == Stream::data)
        for (const uint32_t member : reduction.members)
          server(member, false).previous.push_back({reduction.op, 0});
  }
  shards_.runs.push_back({.stage = a.stage, .part = part, .ends = {}, .reductions = {}});
  if (a.pass == Pass::weight_gradient) return;  // needs activations and gradients only
  if (!shards_.gathered.insert({a.stage, part}).second) return;
  size_t window = run > ahead ? run - 1 - ahead : SIZE_MAX;
  // What has just been given up is not there twice.
  if (run > 0 && shards_.runs[run - 1].stage == a.stage && shards_.runs[run - 1].part == part)
    window = run - 1;
  // What the layer there waits for is in the lanes before what waits for that layer.
  if (window != SIZE_MAX && window + 1 > held) place_reductions(rank, window + 1 - held);
  for (const GroupMembers& group : groups_[static_cast<size_t>(Axis::shard)]) {
    const OpId op = add_exchange(rank, group, types_.shard(a.stage, part).gather, a);
    for (const uint32_t member : group.members) {
      builder_.append(lane(program_rank(rank, member), Stream::data), op);
      if (window != SIZE_MAX)
        builder_.depend(shards_.runs[window].ends[member], op);
      else if (!shards_.stepped.empty())
        builder_.depend(shards_.stepped[member], op);
      server(member, false).previous.push_back({op, 0});
    }
  }
}

/// Ends a part after its last kernel: gives up gathered weights where they are not kept.
void Lowering::end_part(int rank, int part, const Action& a, bool last) {
  for (uint32_t member = 0; member < width_; ++member)
    shards_.runs.back().ends.push_back(server(member, false).newest);
  const bool forward = a.pass == Pass::forward;
  const auto parts = static_cast<int>(in_.sharded.stages[a.stage].weights.size());
  const bool stays = turns_ && part == parts - 1;
  const bool gives_up = forward ? in_.sharded.reshard && !stays : a.pass != Pass::weight_gradient;
  if (gives_up && !in_.sharded.keep) shards_.gathered.erase({a.stage, part});
  const bool completes = a.pass == Pass::backward || a.pass == Pass::weight_gradient;
  if (completes && (last || !in_.sharded.keep)) reduce_part(rank, types_.shard(a.stage, part), a);
}

void Lowering::reduce_part(int rank, const ShardTypes& types, const Action& a) {
  Shards::Run& run = shards_.runs.back();
  std::vector<OpId> scattered(width_);
  for (const GroupMembers& group : groups_[static_cast<size_t>(Axis::shard)]) {
    const OpId op = add_exchange(rank, group, types.scatter, a);
    for (const uint32_t member : group.members) {
      builder_.depend(run.ends[member], op);
      scattered[member] = op;
    }
    run.reductions.push_back({op, Stream::data, group.members});
  }
  if (types.sum == none) return;
  for (const GroupMembers& group : groups_[static_cast<size_t>(Axis::copies)]) {
    const OpId op = add_exchange(rank, group, types.sum, a);
    for (const uint32_t member : group.members) builder_.depend(scattered[member], op);
    run.reductions.push_back({op, Stream::copies, group.members});
  }
}

/// Puts the reductions of the first `runs` runs into their lanes.
void Lowering::place_reductions(int rank, size_t runs) {
  while (shards_.next < runs) {
    for (const Shards::Reduction& reduction : shards_.runs[shards_.next].reductions)
      for (const uint32_t member : reduction.members)
        builder_.append(lane(program_rank(rank, member), reduction.stream), reduction.op);
    ++shards_.next;
  }
}

/// The optimizer steps once all gradients are reduced.
void Lowering::finish_reductions(int rank) {
  place_reductions(rank, shards_.runs.size());
  for (const Shards::Run& run : shards_.runs)
    for (const Shards::Reduction& reduction : run.reductions)
      for (const uint32_t member : reduction.members)
        server(member, false).previous.push_back({reduction.op, 0});
}

/// Weights that have been stepped are gathered anew.
void Lowering::forget_gathered() {
  std::vector<OpId> stepped;
  for (uint32_t member = 0; member < width_; ++member)
    stepped.push_back(server(member, false).newest);
  shards_ = {};
  shards_.stepped = std::move(stepped);
}

}  // namespace pipewright
