// The payloads of the messages of a run over processes.
#pragma once

#include <map>
#include <vector>

#include "calibrate/transport/transport.hpp"
#include "program/program.hpp"

namespace pipewright::live {

/// A packet that a rank sends in a step of a collective, and whose packet it gets in it.
struct PayloadStep {
  uint32_t to = 0, from = 0;  ///< ranks
  transport::Payload payload;
  size_t size = 0;  ///< bytes of it; none: null
};

/// The contents of messages; called by one thread.
class Payloads {
 public:
  virtual ~Payloads() = default;

  /// Returns the message of a transfer, at its sender: bytes, of which `size` go.
  virtual PayloadStep message(OpId transfer) = 0;
  virtual void receive(OpId transfer, const std::vector<std::byte>& bytes) = 0;

  /// Returns the steps of a collective, or of what one mesh sends another, once this rank takes
  /// part; they are made one after the other.
  virtual int steps(OpId collective) = 0;
  virtual PayloadStep step(OpId collective, int number) = 0;
  virtual void receive(OpId collective, int number, const std::vector<std::byte>& bytes) = 0;
  virtual void finish(OpId collective) = 0;
};

}  // namespace pipewright::live
