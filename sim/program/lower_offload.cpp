// Lowers what the host keeps for a device, layer by layer; copies run beside compute, one each way
// at a time (ZeRO-Infinity, arXiv 2104.07857; vDNN, 1602.08124).
//
//   weights      come before a layer's forward and backward; nothing is copied back, as they do not
//                change. The layer at which a forward turns into its backward stays.
//   activations  leave when a layer's forward has computed and come back before its backward. Those
//                of the layer at which a forward turns into its backward stay.
//   prefetch p   what a layer needs is fetched when the one 1 + p before it has computed, so 1 + p
//                layers' are there at most
//   forward      a layer computes once the activations of the one two before it have left, so that
//                those of two layers are there at most
// A weight gradient that is put off finds the activations that its input gradient has fetched.
// Left out: pinning of host memory, the host's own traffic (data loading, other programs).
#include "program/lowering.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

namespace {

constexpr size_t layers_that_leave = 2;

HostTraffic::Piece piece_of(const Action& a, int part) {
  return {a.stage, a.micro_batch, a.slice, part};
}

}  // namespace

OpId Lowering::add_copy(int rank, uint32_t member, uint32_t type, Stream stream, const Action& a) {
  const uint32_t at = program_rank(rank, member);
  const OpId op =
      builder_.add({.type = type, .rank = at, .micro_batch = a.micro_batch, .slice = a.slice});
  builder_.append(lane(at, stream), op);
  return op;
}

/// A copy to the device, for the run that comes next. `after`: by member; empty for nothing.
void Lowering::add_fetch(int rank, uint32_t type, const Action& a, const std::vector<OpId>& after) {
  const size_t run = host_traffic_.runs.size();
  const auto window = static_cast<size_t>(in_.offloaded.prefetch) + 1;
  for (uint32_t member = 0; member < width_; ++member) {
    const OpId op = add_copy(rank, member, type, Stream::fetch, a);
    if (run >= window)
      builder_.depend(host_traffic_.runs[run - window].ends[member], op);
    else if (!host_traffic_.stepped.empty())
      builder_.depend(host_traffic_.stepped[member], op);
    if (!after.empty()) builder_.depend(after[member], op);
    server(member, false).previous.push_back({op, 0});
  }
}

/// Fetches, before the first kernel of a part, what the part needs from the host.
void Lowering::fetch_part(int rank, int part, const Action& a) {
  const OffloadTypes& types = types_.offload(a.stage, part);
  const std::vector<HostTraffic::Run>& runs = host_traffic_.runs;
  if (a.pass != Pass::weight_gradient) {
    const bool there = !runs.empty() && runs.back().stage == a.stage && runs.back().part == part;
    if (types.weights != none && !there) add_fetch(rank, types.weights, a, {});
    const auto left = host_traffic_.left.find(piece_of(a, part));
    if (a.pass != Pass::forward && left != host_traffic_.left.end()) {
      add_fetch(rank, types.come_back, a, left->second);
      host_traffic_.left.erase(left);
    }
  }
  if (runs.size() >= layers_that_leave) {
    const std::vector<OpId>& leaves = runs[runs.size() - layers_that_leave].leaves;
    for (uint32_t member = 0; member < leaves.size(); ++member)
      server(member, false).previous.push_back({leaves[member], 0});
  }
  host_traffic_.runs.push_back({.stage = a.stage, .part = part, .ends = {}, .leaves = {}});
}

/// Sends to the host, after the last kernel of a part, what the part leaves there.
void Lowering::leave_part(int rank, int part, const Action& a) {
  HostTraffic::Run& run = host_traffic_.runs.back();
  for (uint32_t member = 0; member < width_; ++member)
    run.ends.push_back(server(member, false).newest);
  const uint32_t type = types_.offload(a.stage, part).leave;
  const bool stays = turns_ && part + 1 == types_.offloaded_parts(a.stage);
  if (a.pass != Pass::forward || type == none || stays) return;
  for (uint32_t member = 0; member < width_; ++member) {
    run.leaves.push_back(add_copy(rank, member, type, Stream::leave, a));
    builder_.depend(run.ends[member], run.leaves.back());
  }
  host_traffic_.left[piece_of(a, part)] = run.leaves;
}

/// Weights that have been stepped are not those on their way. Activations may still be out.
void Lowering::fetch_anew() {
  host_traffic_.runs.clear();
  host_traffic_.stepped.clear();
  for (uint32_t member = 0; member < width_; ++member)
    host_traffic_.stepped.push_back(server(member, false).newest);
}

}  // namespace pipewright
