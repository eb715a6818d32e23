// Compute with real numbers: a program's ops train a small model. Every simulated rank holds its
// stages, messages are copied from rank to rank, gradients are reduced over the copies of a stage.
#pragma once

#include <optional>

#include "calibrate/live/executor/executor.hpp"
#include "calibrate/live/messages/number_exchange.hpp"
#include "calibrate/live/work/trained_parts.hpp"
#include "calibrate/train/reference/training.hpp"

namespace pipewright::live {

class RealWork final : public DeviceWork {
 public:
  /// Prepares the work of one rank, where ranks are processes, or of all. Takes the schedule from
  /// which `program` was lowered without folding, and the model cut into its stages; all are kept
  /// by reference. A rank with a device of its own has to know its messages' extents().
  RealWork(const Program& program, const schedule::Schedule& schedule,
           const train::StagedModel& model, const train::Training& training,
           kernels::Kernels& kernels, std::optional<uint32_t> rank = {},
           std::vector<Extent> extents = {});
  ~RealWork() override;
  void compute(OpId op) override;
  void communicate(OpId op) override;
  Payloads* payloads() override;
  NumberExchange* number_exchange() override;

  /// Returns, after the run, what this rank holds, or all of them.
  TrainedParts parts() const;
  /// Returns, after a run of all ranks, the extents by op of what was transferred.
  const std::vector<Extent>& extents() const;
  /// Returns the result of a run of all ranks. Throws Failure when copies of a stage have come
  /// apart.
  train::Trained result() const;

 private:
  class Trainer;
  std::unique_ptr<Trainer> trainer_;
};

}  // namespace pipewright::live
