// The layout of a model over the ranks: which rank holds which stage, in how many copies, and which
// copy serves which micro-batch.
#pragma once

#include "schedule/rules/context.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule::rules {

/// The keys `placement`, `stages`, `copies` and `copy` of a rules file.
struct Placement {
  Expression rank_of;  ///< in s and q
  Expression stages, copies;
  Expression copy_of;  ///< in b
};
Placement read_placement(const config::Fields& fields, const Names& names);

/// A stage as a rank holds it.
struct Chunk {
  int copy, stage;
};

struct Layout {
  int stages = 0, copies = 0, slices = 1;
  std::vector<int> rank_of;                     ///< by copy * stages + stage
  std::vector<std::vector<Chunk>> chunks;       ///< by rank; copy by copy, in model order
  std::vector<std::vector<int>> micro_batches;  ///< by copy
  std::vector<int> copy_of, nth_of_copy;        ///< by micro-batch

  int total_micro_batches() const { return static_cast<int>(copy_of.size()); }
};

/// The shape that a layout is asked for.
struct LayoutShape {
  int ranks, micro_batches, slices;
  int64_t most_pieces;  ///< stages x micro-batches x slices, or x copies
};
/// Throws InputError where the file says something that cannot be: a rank that does not exist, more
/// pieces than there may be.
Layout lay_out(const Placement& placement, Context& context, const LayoutShape& shape);

/// Gives i, s, b, x, q and n their values for one pass.
void set_pass(Context& context, const Layout& layout, const Action& action);

}  // namespace pipewright::schedule::rules
