// What decides how far off predictions of a run's like are.
#pragma once

#include <string>

namespace pipewright {

/// A run as the residuals of published runs know it. Shares are of the iteration time.
struct Regime {
  std::string
      framework;  ///< "megatron", "fsdp", "images", "recurrent"; "given" where nothing is modelled
  std::string device;  ///< "" where the cluster does not say
  std::string precision;
  int nodes = 1;
  double datasheet = 1;  ///< share of the compute whose kernels nobody measured on any device
  double exposed = 0;    ///< communication between nodes that is waited for
  double host = 0;       ///< waiting for the host
  double bubble = 0;
  /// How many times as long communication between nodes takes for one job of ten, where other jobs
  /// share the network (network/other_jobs.hpp).
  double busy = 1;
  /// The share of the nodes beyond those over which somebody measured the network; 0 where nobody
  /// did.
  double beyond_measured = 0;

  /// "megatron on h100-sxm, bf16, 5 to 16 nodes, measured kernels".
  std::string text() const;
};

}  // namespace pipewright
