// The time of compute ops with what they wait for their host.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/host_load.hpp"
#include "engine/pass_collectives.hpp"

namespace pipewright {

/// Prices the compute ops of a program by type and kind of device. Devices are of one kind if their
/// class is the same and the collectives of their passes last as long. Not to be shared by threads.
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
  uint32_t kind_of(int32_t device);
  void price_alone(uint32_t type, int32_t device, std::vector<Time>& times) const;
  void price_stage(int32_t stage, int32_t device, std::vector<Time>& times) const;
  Load load_of(const PassRange& pass, int32_t device, std::vector<Time>& times) const;
  void add_wait(const PassRange& pass, const Load& load, double part,
                std::vector<Time>& times) const;

  const Program& program_;
  const Prices& prices_;
  std::vector<int64_t> count_;                  ///< ops, by type
  std::vector<std::vector<PassRange>> passes_;  ///< that ops run, by stage
  std::vector<bool> in_pass_;                   ///< by type
  PassCollectives collectives_;
  /// By class and collectives.
  std::map<std::pair<int32_t, PassCollectives::Unlike>, uint32_t> kinds_;
  std::vector<uint32_t> kind_of_;         ///< by device; `none`: unknown
  std::vector<std::vector<Time>> times_;  ///< by kind and type; below zero: unknown
};

}  // namespace pipewright
