// How far the passes of ranks that train are, and the exchanges in the middle of them.
#pragma once

#include "base/error.hpp"
#include "calibrate/train/reference/stage_state.hpp"
#include "program/program.hpp"

namespace pipewright::live {

class PassExchanges {
 public:
  PassExchanges(size_t ranks, kernels::Kernels& kernels) : kernels_(kernels), progress_(ranks) {}

  /// Tells whether the op is an exchange in the middle of a pass.
  static bool is_exchange(const OpType& type) {
    return type.traffic == Traffic::tensor || type.traffic == Traffic::context;
  }

  /// Returns how far the pass is that a rank is at.
  train::Progress& of(uint32_t rank) { return progress_[rank]; }
  /// Throws Failure where a rank waits for an exchange that has not been made.
  void expect_exchanged(uint32_t rank) const;
  /// Throws Failure where a rank has an exchange before it.
  void expect_over(uint32_t rank) const;
  /// Throws Failure where a rank does not wait for an exchange of this kind.
  void expect(CollectiveKind kind, uint32_t rank) const;
  /// Exchanges what the layers of all these ranks wait for.
  void carry_out(CollectiveKind kind, const std::vector<uint32_t>& ranks);
  /// Gives a rank what an exchange with other processes has made.
  void take(uint32_t rank, std::vector<train::Array> arrays);

 private:
  kernels::Kernels& kernels_;
  std::vector<train::Progress> progress_;  ///< by rank
};

}  // namespace pipewright::live
