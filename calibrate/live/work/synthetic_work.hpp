// Compute by kernels of the layers' shapes on made-up numbers: what is measured is the schedule on
// a device that is really busy, not a model that learns.
//
// Products and attention have the shapes that the model says. What is bound by memory (norms,
// activations, embeddings, the loss, the optimizer) streams as many bytes as the model says.
// Messages are copied; a collective adds up its members' parts and copies the sum back. All numbers
// are fp32: of a model in 16 bits as many numbers are worked on, in twice the bytes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "calibrate/live/executor/executor.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::live {

/// Throws Failure where the ops that SyntheticWork would run have no shapes, their operands would
/// take more than a few GB or their sums too long.
void require_synthetic(const Program& program, std::optional<uint32_t> rank = {});

/// Returns how many SyntheticWorks of a program that require_synthetic() lets pass may be there at
/// once.
int copies_that_fit(const Program& program);

class SyntheticWork final : public DeviceWork {
 public:
  /// Keeps both by reference. Throws as require_synthetic does. With `rank` only that rank's
  /// compute can be run: others, and messages, are other processes' affair.
  SyntheticWork(const Program& program, kernels::Kernels& kernels,
                std::optional<uint32_t> rank = {});
  void compute(OpId op) override;
  void communicate(OpId op) override;

 private:
  /// Memory that one thread works in.
  struct Scratch {
    kernels::Array a, b, c, more;
  };
  const Scratch& scratch(OpId op) const;
  void run(const Work& work, const Scratch& scratch);
  void multiply(const Work& work, const Scratch& scratch);
  void attend(const Work& work, const Scratch& scratch);
  void stream(Bytes bytes, const Scratch& scratch);

  const Program& program_;
  kernels::Kernels& kernels_;
  std::vector<Scratch> scratch_;  ///< by lane, then by rank for what holds no lane
};

}  // namespace pipewright::live
