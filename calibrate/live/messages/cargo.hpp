// What is in the messages of a run over processes.
#pragma once

#include <map>
#include <vector>

#include "calibrate/transport/transport.hpp"
#include "program/program.hpp"

namespace pipewright::replay {

/// A packet that a rank sends in a step of a collective, and whose packet it gets in it.
struct CargoStep {
  uint32_t to = 0, from = 0;  ///< ranks
  transport::Payload payload;
  size_t size = 0;  ///< bytes of it; none: null
};

/// Called by one thread.
class Cargo {
 public:
  virtual ~Cargo() = default;

  /// Of a transfer, at its sender: bytes, of which `size` go.
  virtual CargoStep message(OpId transfer) = 0;
  virtual void receive(OpId transfer, const std::vector<std::byte>& bytes) = 0;

  /// Of a collective, once this rank takes part: its steps, which are made one after the other.
  virtual int steps(OpId collective) = 0;
  virtual CargoStep step(OpId collective, int number) = 0;
  virtual void receive(OpId collective, int number, const std::vector<std::byte>& bytes) = 0;
  virtual void finish(OpId collective) = 0;
};

}  // namespace pipewright::replay
