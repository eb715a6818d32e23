// A run of a sweep as a store keeps it: a row with a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "result/sweep_run.hpp"
#include "study/sweep_store.hpp"

namespace pipewright {

/// The checksum of an owner, from which those of its runs go on.
int64_t checksum(const StoreOwner& owner);

/// The columns of a run but for its checksum.
struct StoredRun {
  std::string settings, schedule, reason, objectives, csv, json_deflated;
  int64_t point = 0, feasible = 0, json_bytes = 0;

  /// Damage anywhere in a run, or in whom it belongs to, changes this.
  int64_t checksum(int64_t of_owner) const;
};

/// Packs runs, whose results are much like `sample`, a result of the same study.
class RunPacker {
 public:
  explicit RunPacker(std::string sample) : sample_(std::move(sample)) {}

  const std::string& sample() const { return sample_; }
  /// Throws Failure for a result that is too large.
  StoredRun packed(const SweepRun& run);
  /// Nothing where the row is damaged.
  std::optional<SweepRun> unpacked(StoredRun row) const;

 private:
  std::string deflated_json(const std::string& json);

  std::string sample_;
  std::string nothing_;  ///< of a run without a result, as most of a screened study are
};

}  // namespace pipewright
