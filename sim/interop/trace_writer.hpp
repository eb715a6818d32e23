// The interface through which a trace is written, rank by rank, whatever its form. Ops are numbered
// in their rank from 0, in the order of writing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "workload/layer.hpp"

namespace pipewright {

class TraceWriter {
 public:
  struct Calculation {
    int64_t nanoseconds = 0;
    int cpu = 0;  ///< those of one run one at a time
    std::string name;
    double flops = 0, bytes = 0;  ///< what it does, where that is known
  };

  virtual ~TraceWriter() = default;

  virtual void num_ranks(uint32_t) {}
  virtual void begin_rank(uint32_t rank) = 0;
  virtual void end_rank() = 0;

  // Each returns the op's number.
  virtual uint32_t calc(const Calculation& calculation) = 0;
  virtual uint32_t send(int64_t bytes, uint32_t to, uint32_t tag, int cpu) = 0;
  virtual uint32_t recv(int64_t bytes, uint32_t from, uint32_t tag, int cpu) = 0;

  /// Tells whether collective() may be called; otherwise they are written as messages.
  virtual bool has_collectives() const { return false; }
  /// The rank's part in a collective of the ranks `members`, which are `group` wherever they are
  /// named. `bytes` as nccl-tests counts.
  virtual uint32_t collective(CollectiveKind kind, Bytes bytes, uint32_t group,
                              std::span<const int32_t> members) = 0;

  /// `op` starts after `on` has ended.
  virtual void requires_end(uint32_t op, uint32_t on) = 0;
};

}  // namespace pipewright
