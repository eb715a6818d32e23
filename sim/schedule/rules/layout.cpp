#include "schedule/rules/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace pipewright::schedule::rules {
namespace {

constexpr int64_t steps_to_place = 200;  // a stage of a copy, or a micro-batch

struct Named {
  std::string_view name, rank_of, stages, copies, copy_of;
};
constexpr Named named[] = {
    {"linear", "s / v", "v * p", "1", "0"},
    {"interleaved", "s % p", "v * p", "1", "0"},
    {"v-shape", "s / p % 2 == 0 ? s % p : p - 1 - s % p", "v * p", "1", "0"},
    {"bidirectional", "q == 0 ? s / v : p - 1 - s / v", "v * p", "2",
     "b % m < (m + 1) / 2 ? 0 : 1"},
};
constexpr Named by_expression{"", "", "v * p", "1", "0"};

/// The named placement, or nullptr when `placement` is an expression.
const Named* find_named(const config::Value& placement, const Names& names) {
  std::vector<std::string_view> known;
  for (const Named& one : named) {
    if (one.name == placement.text) return &one;
    known.push_back(one.name);
  }
  const Token first = tokens_of(placement).front();
  const bool expression = first.kind != Token::Kind::name || first.is("if") || first.is("min") ||
                          first.is("max") || names.variable(first.text) ||
                          names.function(first.text);
  if (expression) return nullptr;
  placement.fail(fmt::format("'{}' must be {} or an expression in s, the stage{}", placement.text,
                             join(known), did_you_mean(placement.text, known)));
}

}  // namespace

Placement read_placement(const config::Fields& fields, const Names& names) {
  const config::Value& value = fields.at("placement");
  if (!value.is_scalar()) value.fail("must be the name of a placement or an expression in s");
  const Named* found = find_named(value, names);
  const Named& defaults = found ? *found : by_expression;
  const auto read = [&](const char* key, std::string_view otherwise) {
    const config::Value* given = fields.find(key);
    return parse_expression(given ? *given : config::scalar(otherwise, value.mark), names);
  };
  return {.rank_of = found ? parse_expression(config::scalar(found->rank_of, value.mark), names)
                           : parse_expression(value, names),
          .stages = read("stages", defaults.stages),
          .copies = read("copies", defaults.copies),
          .copy_of = read("copy", defaults.copy_of)};
}

namespace {

/// Evaluates `stages` and `copies` and holds them to what is possible.
void count_stages(const Placement& placement, Context& context, const LayoutShape& shape,
                  Layout& layout) {
  layout.stages = static_cast<int>(context.evaluate(placement.stages, 1, 1 << 20));
  if (layout.stages % shape.ranks != 0) {
    context.fail(
        placement.stages.source, 0,
        fmt::format("{} stages must be a multiple of the {} ranks", layout.stages, shape.ranks));
  }
  layout.copies = static_cast<int>(context.evaluate(placement.copies, 1, 1 << 10));
  const int64_t placed = int64_t{layout.stages} * layout.copies;
  const int64_t pieces = int64_t{layout.stages} * shape.micro_batches * shape.slices;
  if (std::max(placed, pieces) > shape.most_pieces) {
    placement.stages.source.fail(fmt::format(
        "{} stages in {} copies x {} micro-batches x {} slices are more than {} pieces of work",
        layout.stages, layout.copies, shape.micro_batches, shape.slices, shape.most_pieces));
  }
  context.grant(steps_to_place * (placed + shape.micro_batches));
}

void place_stages(const Placement& placement, Context& context, int ranks, Layout& layout) {
  layout.chunks.resize(static_cast<size_t>(ranks));
  for (int q = 0; q < layout.copies; ++q) {
    context.set(variable::copy, q);
    for (int s = 0; s < layout.stages; ++s) {
      context.set(variable::stage, s);
      const auto rank = static_cast<int>(context.evaluate(placement.rank_of, 0, ranks - 1));
      layout.rank_of.push_back(rank);
      layout.chunks[static_cast<size_t>(rank)].push_back({q, s});
    }
  }
  context.at(variable::copy).reset();
  context.at(variable::stage).reset();
  for (int rank = 0; rank < ranks; ++rank)
    if (layout.chunks[static_cast<size_t>(rank)].empty())
      placement.rank_of.source.fail(
          fmt::format("no stage lies on rank {}; each of the {} ranks needs one", rank, ranks));
}

void share_micro_batches(const Placement& placement, Context& context, int micro_batches,
                         Layout& layout) {
  layout.micro_batches.resize(static_cast<size_t>(layout.copies));
  for (int b = 0; b < micro_batches; ++b) {
    context.set(variable::micro_batch, b);
    const auto q = static_cast<int>(context.evaluate(placement.copy_of, 0, layout.copies - 1));
    std::vector<int>& served = layout.micro_batches[static_cast<size_t>(q)];
    layout.copy_of.push_back(q);
    layout.nth_of_copy.push_back(static_cast<int>(served.size()));
    served.push_back(b);
  }
  context.at(variable::micro_batch).reset();
}

}  // namespace

Layout lay_out(const Placement& placement, Context& context, const LayoutShape& shape) {
  Layout layout{.slices = shape.slices};
  count_stages(placement, context, shape, layout);
  place_stages(placement, context, shape.ranks, layout);
  share_micro_batches(placement, context, shape.micro_batches, layout);
  return layout;
}

void set_pass(Context& context, const Layout& layout, const Action& action) {
  const int q = layout.copy_of[action.micro_batch];
  context.set(variable::rank,
              layout.rank_of[static_cast<size_t>(q) * layout.stages + action.stage]);
  context.set(variable::stage, action.stage);
  context.set(variable::micro_batch, action.micro_batch);
  context.set(variable::slice, action.slice);
  context.set(variable::copy, q);
  context.set(variable::nth_of_copy, layout.nth_of_copy[action.micro_batch]);
}

}  // namespace pipewright::schedule::rules
