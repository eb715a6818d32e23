// Writes GOAL text statement by statement, so that what is written need not fit in memory. Labels
// are the numbers of ops in their rank, from 0, in the order of writing: "l0", "l1", ...
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>

#include "interop/trace_writer.hpp"

namespace pipewright::goal {

class Writer : public TraceWriter {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}
  ~Writer() override { flush(); }

  void num_ranks(uint32_t count) override;
  void begin_rank(uint32_t rank) override;
  void end_rank() override;

  // Each returns the op's number.
  uint32_t calc(int64_t nanoseconds, int cpu);
  uint32_t calc(const Calculation& what) override { return calc(what.nanoseconds, what.cpu); }
  uint32_t send(int64_t bytes, uint32_t to, uint32_t tag, int cpu) override;
  uint32_t recv(int64_t bytes, uint32_t from, uint32_t tag, int cpu) override;

  /// GOAL has none.
  uint32_t collective(CollectiveKind, Bytes, uint32_t, std::span<const int32_t>) override;

  void requires_end(uint32_t op, uint32_t on) override;
  void requires_start(uint32_t op, uint32_t on);
  void flush();

 private:
  void flush_when_full() {
    if (text_.size() > (1 << 16)) flush();
  }

  std::ostream& out_;
  fmt::memory_buffer text_;
  uint32_t next_ = 0;
};

}  // namespace pipewright::goal
