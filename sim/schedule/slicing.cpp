#include "schedule/slicing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pipewright::schedule {
namespace {

constexpr int most_pieces = 2048;     // a user may ask for; the table of costs has half its square
constexpr int default_pieces = 256;   // what the default granularity aims at
constexpr int least_granularity = 8;  // TeraPipe's

bool all_alike(const std::vector<int>& tokens) {
  return std::ranges::all_of(tokens, [&](int n) { return n == tokens.front(); });
}

Slicing of_tokens(std::vector<int> tokens) {
  Slicing slicing{.count = static_cast<int>(tokens.size())};
  if (!all_alike(tokens)) slicing.tokens = std::move(tokens);
  return slicing;
}

std::vector<int> equal_tokens(int sequence, int count) {
  std::vector<int> tokens(static_cast<size_t>(count), sequence / count);
  for (int k = 0; k < sequence % count; ++k) ++tokens[k];
  return tokens;
}

}  // namespace

SliceOptions::SliceOptions(const Shape& shape, const config::Fields& fields)
    : shape_(shape), fields_(fields) {
  if (shape.costs && shape.sequence > 0) cost_ = shape.costs(shape.ranks).slice_cost;
}

Sequence SliceOptions::sequence() const {
  const int n = shape_.sequence;
  const int coarse = (n + default_pieces * least_granularity - 1) /
                     (default_pieces * least_granularity) * least_granularity;
  const int finest = (n + most_pieces - 1) / most_pieces;
  const auto granularity = fields_.integer("granularity", coarse, finest, n);
  return {n, static_cast<int>(granularity)};
}

Slicing SliceOptions::fastest() const {
  if (!cost_) {
    const config::Value* slices = fields_.find("slices");
    (slices ? *slices : fields_.value())
        .misfit(
            "'slices: auto' needs a model whose cost by tokens is known; a number of slices or "
            "a list of their tokens fits");
  }
  return of_tokens(fastest_cuts(sequence(), cost_, shape_.ranks, shape_.micro_batches));
}

Slicing SliceOptions::of_count(int count, Cutting cutting) const {
  if (shape_.sequence == 0) return {.count = count};
  const bool by_cost = cutting == Cutting::equal_cost && cost_;
  const int pieces = by_cost ? sequence().pieces() : shape_.sequence;
  if (count > pieces) {
    fields_.value().misfit(
        fmt::format("{} slices are more than the sequence has places to cut: {}", count, pieces));
  }
  return of_tokens(by_cost ? balanced_cuts(sequence(), cost_, count)
                           : equal_tokens(shape_.sequence, count));
}

Slicing SliceOptions::of_list(const config::Value& list) const {
  if (list.items.empty()) list.fail("must list the tokens of at least one slice");
  if (list.items.size() > most_slices)
    list.fail(fmt::format("lists {} slices; at most {} fit", list.items.size(), most_slices));
  std::vector<int> tokens;
  for (const config::Value& item : list.items)
    tokens.push_back(static_cast<int>(config::as_int(item, 1, 1 << 30)));
  const int64_t sum = std::accumulate(tokens.begin(), tokens.end(), int64_t{0});
  if (shape_.sequence > 0 && sum != shape_.sequence) {
    list.misfit(fmt::format("the slices have {} tokens together, but the sequence has {}", sum,
                            shape_.sequence));
  }
  return of_tokens(std::move(tokens));
}

Slicing SliceOptions::read(int otherwise, Cutting cutting) const {
  const config::Value* slices = fields_.find("slices");
  if (!slices) return of_count(otherwise, cutting);
  if (slices->is_list()) return of_list(*slices);
  if (slices->is_scalar() && slices->text == "auto") return fastest();
  if (!slices->is_scalar()) slices->fail("must be a number, a list of token lengths, or auto");
  return of_count(static_cast<int>(config::as_int(*slices, 1, most_slices)), cutting);
}

}  // namespace pipewright::schedule
