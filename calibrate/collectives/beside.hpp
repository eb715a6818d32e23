// A kernel alone, then while the ranks run a collective over and over: on a second thread of every
// rank, as libraries want collectives from the first.
#pragma once

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/measure/sampler.hpp"
#include "cost/conditions.hpp"

namespace pipewright::calibration {

/// A kernel that can be timed on any thread.
struct BesideKernel {
  std::string name;  ///< with its shape, as Conditions has it
  double bytes = 0;  ///< that it cannot do without
  TimedCalls run;
};

struct BesideOptions {
  std::vector<Operation> operations = {Operation::all_reduce, Operation::all_gather,
                                       Operation::all_to_all};
  std::vector<int> channels = {1};    ///< of NCCL; MPI has one
  int64_t bytes = int64_t{16} << 20;  ///< of a collective's buffer
  double memory_bandwidth = 0;        ///< bytes/s, of the device
  SamplerOptions sampler{.most_s = 0.1};
};

/// All ranks of the session come here, each with its own kernels of the same names; the first has
/// the result: times by the ranks' mean, `bytes_per_s` those of the collective's buffer.
std::vector<BesideTime> measure_beside(transport::Session& session, Communicators& communicators,
                                       const std::vector<BesideKernel>& kernels,
                                       const BesideOptions& options);

}  // namespace pipewright::calibration
