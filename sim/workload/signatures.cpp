// Boxing (AutoDDL, arXiv 2301.06813, section 3; OneFlow, arXiv 2110.15032), over the n devices of
// the sides that change alike, V bytes after the cuts of all other sides:
//   whole -> cut         each takes its part: nothing is sent
//   partial -> cut       reduce-scatter of V
//   S(0) <-> S(1)        all-to-all, V / n from each device
//   partial -> whole     all-reduce of V
//   cut -> whole         all-gather of V
// in this order, so that what can be cut first is. Sides that change alike are one group and one
// collective: cutting samples on every side is plain data parallelism.
#include "workload/signatures.hpp"

#include <algorithm>

#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

using SideSet = std::array<bool, grid_sides>;

bool cuts(Spread spread) { return spread == Spread::batch || spread == Spread::features; }

/// Returns what brings one side from `from` to `to`; none where nothing is sent.
std::optional<CollectiveKind> collective_of(Spread from, Spread to) {
  if (from == to || from == Spread::whole) return std::nullopt;
  if (from == Spread::partial)
    return cuts(to) ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  return cuts(to) ? CollectiveKind::all_to_all : CollectiveKind::all_gather;
}

/// A tensor on its way.
class Boxing {
 public:
  Boxing(const TensorGrid& grid, const Spreads& from, const Spreads& to, double bytes)
      : grid_(grid), now_(from), to_(to), bytes_(bytes) {}

  Segments run() {
    for (size_t side = 0; side < grid_sides; ++side)
      if (now_[side] == Spread::whole) now_[side] = to_[side];
    for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                      CollectiveKind::all_reduce, CollectiveKind::all_gather})
      move(kind);
    return std::move(steps_);
  }

 private:
  /// Returns what one device has of the tensor.
  double held() const {
    return bytes_ / static_cast<double>(parts(grid_, now_, Spread::batch) *
                                        parts(grid_, now_, Spread::features));
  }

  void move(CollectiveKind kind) {
    SideSet sides{};
    bool any = false;
    const double before = held();
    for (size_t side = 0; side < grid_sides; ++side) {
      if (grid_.sides[side] == 1 || collective_of(now_[side], to_[side]) != kind) continue;
      sides[side] = any = true;
      now_[side] = to_[side];
    }
    if (!any) return;
    // The larger of both ends: gathered, or not yet scattered.
    const double whole = std::max(before, held());
    steps_.push_back(
        {.collective = CollectiveWork{kind, axis_of(grid_, sides), whole_bytes(whole)}});
  }

  const TensorGrid& grid_;
  Spreads now_, to_;
  double bytes_;
  Segments steps_;
};

}  // namespace

Spread input_of(Signature signature) {
  constexpr Spread spreads[] = {Spread::batch, Spread::whole, Spread::features, Spread::whole};
  return spreads[static_cast<size_t>(signature)];
}

Spread output_of(Signature signature) {
  constexpr Spread spreads[] = {Spread::batch, Spread::features, Spread::partial, Spread::whole};
  return spreads[static_cast<size_t>(signature)];
}

Spread input_gradient_of(Signature signature) {
  return signature == Signature::column ? Spread::partial : input_of(signature);
}

Spread output_gradient_of(Signature signature) {
  return signature == Signature::row ? Spread::whole : output_of(signature);
}

Spreads on_sides(const Signatures& signatures, Spread (*spread)(Signature)) {
  Spreads spreads{};
  std::ranges::transform(signatures, spreads.begin(), spread);
  return spreads;
}

int64_t parts(const TensorGrid& grid, const Spreads& spreads, Spread which) {
  int64_t parts = 1;
  for (size_t side = 0; side < grid_sides; ++side)
    if (spreads[side] == which) parts *= grid.sides[side];
  return parts;
}

Axis axis_of(const TensorGrid& grid, const SideSet& sides) {
  constexpr Axis axes_of[] = {Axis::tensor_row,          Axis::tensor_row,   Axis::tensor_column,
                              Axis::tensor_row_column,   Axis::tensor_depth, Axis::tensor_row_depth,
                              Axis::tensor_column_depth, Axis::tensor};
  size_t set = 0;
  for (size_t side = 0; side < grid_sides; ++side)
    if (sides[side] && grid.sides[side] > 1) set |= size_t{1} << side;
  return axes_of[set];
}

std::optional<Axis> summed_over(const TensorGrid& grid, const Signatures& signatures) {
  SideSet sides{};
  bool any = false;
  for (size_t side = 0; side < grid_sides; ++side) {
    sides[side] = signatures[side] == Signature::batch && grid.sides[side] > 1;
    any = any || sides[side];
  }
  return any ? std::optional(axis_of(grid, sides)) : std::nullopt;
}

Segments boxing(const TensorGrid& grid, const Spreads& from, const Spreads& to, double bytes) {
  return Boxing(grid, from, to, bytes).run();
}

}  // namespace pipewright
