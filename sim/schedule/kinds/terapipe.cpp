// TeraPipe (arXiv 2102.07988): GPipe over token slices of a causal model's sequence.
//
// Every stage runs all forwards of all micro-batches, slices in order, then all backwards in
// exactly the reverse order. F of a slice needs the keys and values of the slices before it on its
// own stage, B the gradients from the slices after it. One weight version; all slices stay in
// flight. Equal stages, forward times t_k of the K slices, tB = a tF, hop latency c:
//   T = (1 + a)(m sum_k t_k + (p - 1) max_k t_k) + 2 (p - 1) c.
// The paper's cut of the batch is the experiment's micro-batches; all are sliced alike, as in the
// paper's evaluation.
// Options: slices: a number (equal tokens), a list of token lengths, or auto: the paper's exact
// dynamic program (token_cuts.hpp) over F + B of a slice, which assumes that both phases scale
// alike (default: auto where the model's costs are known, else 4); granularity: where auto may
// cut, in tokens (default 8, or as many as leave 256 pieces).
#include "schedule/kinds/registry.hpp"
#include "schedule/kinds/shared_options.hpp"
#include "schedule/slicing.hpp"

namespace pipewright::schedule {
namespace {

Schedule build_terapipe(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::terapipe, options);
  const SliceOptions slices(shape, fields);
  const bool automatic = !fields.find("slices") && slices.costs_are_known();
  Slicing slicing = automatic ? slices.fastest() : slices.read(4, Cutting::equal_tokens);
  Schedule schedule = make(shape, shape.ranks, slicing.count);
  schedule.slice_tokens = std::move(slicing.tokens);
  for (int i = 0; i < shape.ranks; ++i) {
    Order& order = schedule.order[i];
    for (int b = 0; b < shape.micro_batches; ++b)
      for (int k = 0; k < slicing.count; ++k) order.push_back(forward(i, b, k));
    for (int b = shape.micro_batches - 1; b >= 0; --b)
      for (int k = slicing.count - 1; k >= 0; --k) order.push_back(backward(i, b, k));
  }
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace

const Kind kind::terapipe{
    .name = "terapipe",
    .aliases = {},
    .summary = "all forwards, then all backwards, over token slices",
    .build = build_terapipe,
    .options = {slices_option("auto where costs are known, else 4"), granularity_option()}};

}  // namespace pipewright::schedule
