// Compute with real numbers: a program's ops train a small model. Every simulated rank holds its
// stages, messages are copied from rank to rank, gradients are reduced over the copies of a stage.
#pragma once

#include <optional>

#include "calibrate/live/executor/executor.hpp"
#include "calibrate/live/messages/trader.hpp"
#include "calibrate/live/work/trained_parts.hpp"
#include "calibrate/train/reference/training.hpp"

namespace pipewright::replay {

class RealWork final : public DeviceWork {
 public:
  /// Of one rank, where ranks are processes, or of all. The schedule that `program` was lowered
  /// from without folding, and the model cut into its stages. All are kept by reference. A rank
  /// with a device of its own has to know its messages' extents().
  RealWork(const Program& program, const schedule::Schedule& schedule,
           const train::StagedModel& model, const train::Training& training,
           kernels::Kernels& kernels, std::optional<uint32_t> rank = {},
           std::vector<Extent> extents = {});
  ~RealWork() override;
  void compute(OpId op) override;
  void communicate(OpId op) override;
  Cargo* cargo() override;
  Trader* trader() override;

  /// After the run what this rank holds, or all of them.
  TrainedParts parts() const;
  /// After a run of all ranks: by op, of what was transferred.
  const std::vector<Extent>& extents() const;
  /// After a run of all ranks. Throws Failure when copies of a stage have come apart.
  train::Trained result() const;

 private:
  class Trainer;
  std::unique_ptr<Trainer> trainer_;
};

/// Which weights the passes of `schedule` read.
train::PassReads reads_of(const schedule::Schedule& schedule);

}  // namespace pipewright::replay
