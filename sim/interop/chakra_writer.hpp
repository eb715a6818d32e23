// Writes MLCommons Chakra execution traces: a file for each rank, which is kept in memory until the
// rank ends. What the nodes say, see chakra.hpp; besides duration_ns they have duration_micros, in
// whole microseconds, which is what other simulators read, and calculations their num_ops and
// tensor_size. Groups are described by a METADATA node in each file, as PyTorch's are.
#pragma once

#include <functional>
#include <memory>

#include "interop/trace_writer.hpp"

namespace pipewright::chakra {

class Writer : public TraceWriter {
 public:
  /// Takes the contents of each rank's file.
  using Sink = std::function<void(uint32_t rank, const std::string& contents)>;
  explicit Writer(Sink sink);
  ~Writer() override;

  void begin_rank(uint32_t rank) override;
  void end_rank() override;
  uint32_t calc(const Calculation& calculation) override;
  uint32_t send(int64_t bytes, uint32_t to, uint32_t tag, int cpu) override;
  uint32_t recv(int64_t bytes, uint32_t from, uint32_t tag, int cpu) override;
  bool has_collectives() const override { return true; }
  uint32_t collective(CollectiveKind kind, Bytes bytes, uint32_t group,
                      std::span<const int32_t> members) override;
  void requires_end(uint32_t op, uint32_t on) override;

 private:
  struct Nodes;
  Sink sink_;
  uint32_t rank_ = 0;
  std::unique_ptr<Nodes> nodes_;  ///< of the rank at hand
};

}  // namespace pipewright::chakra
