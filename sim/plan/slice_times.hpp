// The times of the token slices of a stage, of which a search for the fastest slices asks for
// thousands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/price.hpp"
#include "plan/stage_layers.hpp"

namespace pipewright {

/// Each kind of kernel is priced once for each length, or for each slice where it sees what is
/// before the slice. Layers are alike, so a stage has a few dozen kinds and a few kinds of
/// segments. Not for several threads at once.
class SliceTimes {
 public:
  /// Takes the work of the whole `sequence`. `prices` and `mesh` must outlive this.
  SliceTimes(const StageWork& whole, const Prices& prices, const Mesh& mesh, int sequence);

  /// Returns the time of a slice of `length` tokens after `context` tokens, forward plus backward:
  /// what segments_time() says of both passes of slice_of().
  Time operator()(int length, int context);

 private:
  using SegmentKind = std::map<uint32_t, int64_t>;  // how often it has each kind of kernel
  /// A segment of a pass without its kernels, and where its times stand.
  struct Step {
    Segment segment;
    uint32_t kind = 0;
    std::optional<uint32_t> collective;  // its number
  };
  using Pass = std::vector<Step>;
  /// What does not depend on the context of a slice.
  struct OfLength {
    std::vector<Time> segments;  // by kind, those kernels that see no context
    std::vector<std::optional<Time>> collectives;
  };

  Pass pass_of(const Segments& segments);
  SegmentKind kind_of(const Segment& segment);
  const OfLength& of_length(int length);
  /// Returns the time of those kernels of a kind that see the context of a slice, or of the others.
  Time compute(const SegmentKind& kind, const SliceShare& share, bool see_context) const;

  const Prices& prices_;
  const Mesh& mesh_;
  int sequence_;
  std::vector<Work> kernels_;
  std::vector<SegmentKind> kinds_;
  std::vector<CollectiveWork> collectives_;
  Pass forward_, backward_;
  std::unordered_map<int, OfLength> lengths_;
};

}  // namespace pipewright
