#include "plan/settled_sizes.hpp"

#include <fmt/format.h>

#include <utility>

#include "experiment/stage_meshes.hpp"
#include "plan/degrees.hpp"
#include "plan/nearest_divisors.hpp"

namespace pipewright {
namespace {

/// "replicate 2 x tensor 8", without axes of one device.
std::string axes_text(const Parallel& p, const DeviceMesh& mesh, int shard) {
  const std::pair<const char*, int> axes[] = {{"pipeline", p.pipeline},
                                              {"replicate", mesh.replicate},
                                              {"shard", shard},
                                              {"context", p.context},
                                              {"tensor", p.tensor}};
  std::string text;
  for (const auto& [name, degree] : axes)
    if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : " x ", name, degree);
  return text.empty() ? "one device" : text;
}

/// Throws Misfit where the axes of a mesh are not all devices.
void require_full_mesh(const Parallel& p, const DeviceMesh& mesh, int devices) {
  // No product of these is a divisor of the devices where one of three is none.
  const int64_t of_copy = int64_t{p.tensor} * p.context * p.pipeline;
  const int64_t others = of_copy > devices ? of_copy : of_copy * mesh.replicate;
  const int shard = mesh.shard;
  const bool divides = devices % others == 0;
  if (divides && (shard == 0 || shard == devices / others)) return;
  if (!divides)
    throw Misfit(mesh.where, fmt::format("parallel.mesh: {} must divide the cluster's {} devices",
                                         axes_text(p, mesh, 1), devices));
  throw Misfit(
      mesh.where,
      fmt::format("parallel.mesh: {} is not the cluster's {} devices; shard: {} fills them",
                  axes_text(p, mesh, shard), devices, devices / others));
}

/// Throws Misfit where experts do not divide over the devices that hold them once.
void require_experts_on_mesh(const Parallel& p, const DeviceMesh& mesh, int devices) {
  const int copies = p.zero == 3 ? mesh.replicate : 1;
  const int64_t sharers = devices / (int64_t{p.pipeline} * copies);
  if (p.expert_tensor > 1 || sharers % p.expert == 0) return;
  throw Misfit(mesh.where,
               fmt::format("parallel.mesh: expert {} must divide {} x context x tensor = {}{}",
                           p.expert, p.zero == 3 ? "shard" : "replicate", sharers,
                           nearest_divisors(p.expert, sharers, 1)));
}

void settle_degrees(Experiment& e, int devices) {
  if (!e.meshes.empty()) return settle_meshes(e, devices);
  if (e.device_mesh) {
    require_full_mesh(e.parallel, *e.device_mesh, devices);
    require_experts_on_mesh(e.parallel, *e.device_mesh, devices);
  }
  if (const Refusal refusal = settle_degrees(e.parallel, devices)) throw_misfit(refusal, e);
}

void settle_sequence(Experiment& e, const Model& model) {
  Batch& batch = e.batch;
  if (batch.sequence == 0) batch.sequence = static_cast<int>(model.sequence.value_or(0));
  if (!model.has_tokens()) batch.sequence = 0;
  if (batch.sequence == 0 && model.has_tokens())
    e.fail("", "batch.sequence is needed: the model does not say its sequence length");
}

}  // namespace

int settle_sizes(Experiment& e, const Model& model, int devices) {
  settle_degrees(e, devices);
  settle_sequence(e, model);
  int64_t count = 0;
  if (const Refusal refusal = settle_batch(e.batch, e.parallel, count)) throw_misfit(refusal, e);
  if (count > 1 << 20)
    e.fail("batch.global", fmt::format("more than a million micro-batches in an iteration: "
                                       "batch.global {} is {} of them",
                                       e.batch.global, count));
  return static_cast<int>(count);
}

}  // namespace pipewright
