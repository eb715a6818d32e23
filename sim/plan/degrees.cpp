#include "plan/degrees.hpp"

#include "experiment/readers.hpp"

#include <fmt/format.h>

#include <limits>

namespace pipewright {

void throw_misfit(const Refusal& refusal, const Experiment& e) {
  e.misfit(refusal.key, refusal.message);
}

std::string too_few_devices(int devices, int64_t needed) {
  return fmt::format("the cluster has {} devices, but {} are needed", devices, needed);
}

int64_t devices_needed(const Parallel& p) {
  const int64_t of_replica = int64_t{p.tensor} * p.context * p.pipeline;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return of_replica > most / p.data ? most : of_replica * p.data;
}

void require_devices(const Experiment& e, int devices) {
  const int64_t needed = devices_needed(e.parallel);
  if (needed > devices) e.misfit("cluster", too_few_devices(devices, needed));
}

Refusal settle_degrees(Parallel& p, int devices) {
  if (p.data <= 0) {
    const int64_t each = int64_t{p.tensor} * p.context * p.pipeline;
    if (devices % each != 0 && !(p.data == fill_cluster && devices > each)) {
      return {"cluster",
              fmt::format("the cluster's {} devices are no multiple of tensor x context x "
                          "pipeline = {}",
                          devices, each)};
    }
    p.data = static_cast<int>(devices / each);
  }
  if (devices_needed(p) > devices) return {"cluster", too_few_devices(devices, devices_needed(p))};
  const int64_t sharers = int64_t{p.tensor} * p.context * p.data;
  if (p.expert == 1 && p.expert_tensor > 1)
    return {"parallel.expert_tensor",
            "expert_tensor needs expert above 1: with expert 1 the tensor ranks cut the experts"};
  if (sharers % (int64_t{p.expert} * p.expert_tensor) == 0) return {};
  const std::string cut =
      p.expert_tensor > 1 ? fmt::format(" x expert_tensor {}", p.expert_tensor) : "";
  return {"parallel.expert", fmt::format("expert {}{} must divide tensor x context x data = {}",
                                         p.expert, cut, sharers)};
}

Refusal settle_batch(Batch& batch, const Parallel& parallel, int64_t& micro_batches) {
  const int64_t together = int64_t{parallel.data} * batch.micro;
  if (batch.global == 0) batch.global = 8 * parallel.pipeline * together;
  micro_batches = batch.global / together;
  if (batch.global % together == 0) return {};
  return {"batch.global", fmt::format("batch.global {} must be a multiple of data x micro = {}",
                                      batch.global, together)};
}

}  // namespace pipewright
