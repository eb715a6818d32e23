// Seq1F1B (arXiv 2406.03488): 1F1B over token slices of a causal model's sequences.
//
// The unit is a slice: stage i runs min(p-i-2+K, mK) forwards, then F and B in turn, then the last
// backwards; slices of a micro-batch go forward in order and backward in reverse, so the first B
// waits for all K slices of its micro-batch. In flight min(mK, p-1-i+K) slices, one weight
// version. Uniform slices, no latency, times per slice:
//   T = (mK + p - 1)(tF + tB).
// Options: slices (K, default 4, or a list of token lengths, or auto: TeraPipe's); balance: what
// slices of a given number share alike, compute (default where the model's costs are known) or
// tokens; granularity as in terapipe.cpp; virtual (default 1), group and grouping: interleaved as
// in interleaved_one_f_one_b.cpp, with warm-up 2(p-1-i) + (v-1)gK + K-1.
#include "schedule/interleaved.hpp"
#include "schedule/kinds/registry.hpp"
#include "schedule/kinds/shared_options.hpp"
#include "schedule/slicing.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_seq_one_f_one_b(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::seq_one_f_one_b, options);
  const bool by_tokens = choice_of(kind::seq_one_f_one_b, fields, "balance") == 1;
  Slicing slicing =
      SliceOptions(shape, fields).read(4, by_tokens ? Cutting::equal_tokens : Cutting::equal_cost);
  const Interleaving in = read_interleaving(shape, fields, 1);
  const int slices = slicing.count;
  Schedule schedule = interleaved_schedule(shape, in, slices, [&](int i) {
    const int below = shape.ranks - 1 - i;
    return slices - 1 + (in.chunks == 1 ? below : 2 * below + (in.chunks - 1) * in.group * slices);
  });
  schedule.slice_tokens = std::move(slicing.tokens);
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::seq_one_f_one_b{
    .name = "seq-1f1b",
    .aliases = {},
    .summary = "1F1B over token slices",
    .build = build_seq_one_f_one_b,
    .options = {slices_option("4"),
                {"balance",
                 "",
                 "",
                 "What slices of a given number share alike. Without known costs it is tokens.",
                 {"compute", "tokens"}},
                granularity_option(),
                virtual_option("1"),
                group_option(),
                grouping_option()}};

}  // namespace pipewright::schedule
