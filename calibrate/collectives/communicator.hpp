// Ranks that run collectives together, by the library that training would use: NCCL between GPUs,
// MPI between hosts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/collectives/operation.hpp"
#include "calibrate/transport/session.hpp"

namespace pipewright::calibration {

/// Some of the ranks. What is called here all of them call.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// Seconds that so many of the operation in a row took on this rank, on 32-bit floats in buffers
  /// that stay. The ranks begin together. Throws Failure.
  virtual double run(Operation operation, int64_t elements, int calls) = 0;
};

/// Makes the communicators of all ranks of a session.
class Communicators {
 public:
  virtual ~Communicators() = default;
  virtual std::string library() const = 0;  ///< with its version
  /// Returns what the data lies on, as its driver names it; empty for a host's memory.
  virtual std::string device() const = 0;
  /// Bytes that the two buffers of a rank may have together.
  virtual int64_t most_bytes() const = 0;
  /// All ranks of the session come here with the same members; nothing for who is none of them.
  std::unique_ptr<Communicator> join(const std::vector<int>& members) {
    return join(members, any_channels);
  }
  /// Does what join() does, with so many of NCCL's channels, each of which occupies a
  /// multiprocessor; a library without channels has no choice.
  virtual std::unique_ptr<Communicator> join(const std::vector<int>& members, int channels) = 0;
  static constexpr int any_channels = 0;  ///< as many as the library likes
};

/// Data in the hosts' memory. Throws Failure where this build has no MPI.
std::unique_ptr<Communicators> mpi_communicators(transport::Session& session);
/// Data on the current GPU of each rank. Throws Failure where this build has no NCCL, or the
/// machine none.
std::unique_ptr<Communicators> nccl_communicators(transport::Session& session);

}  // namespace pipewright::calibration
