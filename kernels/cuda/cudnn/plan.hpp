// A plan by which cuDNN carries out a graph on a device.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cuda/cudnn/graph.hpp"

namespace pipewright::kernels::cuda::cudnn {

/// The device for which a plan is made: that of a handle, or one that is only described.
struct Target {
  cudnnHandle_t handle = nullptr;
  const Descriptor* device = nullptr;
};

/// A device that need not be there, by cuDNN's own description of it in JSON.
Descriptor described_device(const Library& library, std::string_view json);

/// The engines that serve `graph`, which is finished, in cuDNN's ranking, best first.
std::vector<Descriptor> ranked_engines(const Library& library, const Descriptor& graph,
                                       const Target& target, cudnnBackendHeurMode_t mode);

class Plan {
 public:
  /// The first engine of cuDNN's ranking that serves `graph`. Throws Failure with the last reason
  /// where none does.
  Plan(const Library& library, std::unique_ptr<Graph> graph, const Target& target);

  /// Returns what run() needs, aligned to 256 bytes.
  int64_t workspace_bytes() const { return own_bytes_ + scratch_bytes_; }
  /// `given` are the addresses of the graph's given tensors in their order.
  void run(cudnnHandle_t handle, std::span<void* const> given, void* workspace) const;

 private:
  bool try_engines(const Descriptor& graph, const Target& target, cudnnBackendHeurMode_t mode,
                   std::string& reason);

  const Library& library_;
  std::unique_ptr<Graph> graph_;
  std::vector<Descriptor> engines_;
  std::optional<Descriptor> plan_;
  int64_t own_bytes_ = 0, scratch_bytes_ = 0;
};

}  // namespace pipewright::kernels::cuda::cudnn
