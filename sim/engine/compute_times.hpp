// The time of compute ops with what they wait for their host.
#pragma once

#include <vector>

#include "engine/host_load.hpp"

namespace pipewright {

/// Prices the compute ops of a program by type and class of device. Not to be shared by threads.
class ComputeTimes {
 public:
  /// Both must outlive it.
  ComputeTimes(const Program& program, const Prices& prices);

  /// Returns how long an op of `type` lasts on `device`.
  Time of(uint32_t type, int32_t device);

  /// Tells whether what the host takes to start ops of `type` is in the time of their pass.
  bool is_in_pass(uint32_t type) const { return in_pass_[type]; }

 private:
  /// The op types of one pass, both ends included.
  struct PassRange {
    uint32_t first = 0, last = 0;
  };
  struct Load {
    HostLoad all;
    std::vector<Time> lacks;  ///< by type: what its host takes longer than its kernels
  };

  void count_ops();
  void find_passes();
  void price_alone(uint32_t type, int32_t device, std::vector<Time>& times) const;
  void price_stage(int32_t stage, int32_t device, std::vector<Time>& times) const;
  Load load_of(const PassRange& pass, int32_t device, std::vector<Time>& times) const;
  void add_wait(const PassRange& pass, const Load& load, double part,
                std::vector<Time>& times) const;

  const Program& program_;
  const Prices& prices_;
  std::vector<int64_t> count_;                  ///< ops, by type
  std::vector<uint32_t> group_;                 ///< of the first op, by type of collective
  std::vector<std::vector<PassRange>> passes_;  ///< that ops run, by stage
  std::vector<bool> in_pass_;                   ///< by type
  std::vector<std::vector<Time>> times_;        ///< by class and type; below zero: unknown
};

}  // namespace pipewright
