#include "schedule/interleaved.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pipewright::schedule {
namespace {

int megatron_group(const Shape& shape, const config::Fields& fields) {
  const int group = static_cast<int>(fields.integer("group", shape.ranks, 1, 1 << 20));
  const config::Value* named = fields.find("group");
  const std::string why = why_not_in_groups(shape.ranks, shape.micro_batches, group);
  if (!why.empty()) (named ? *named : fields.value()).misfit(why);
  return group;
}

/// torch.distributed.pipelining: as many rounds of p or more as fit, all alike.
int torch_group(const Shape& shape, const config::Fields& fields) {
  const int m = shape.micro_batches;
  const int rounds = std::max(1, m / shape.ranks);
  if (m % rounds != 0) {
    fields.value().misfit(fmt::format(
        "{} micro-batches cannot be cut into {} equal rounds; a multiple of the {} ranks fits", m,
        rounds, shape.ranks));
  }
  return m / rounds;
}

/// All forwards of a rank as (chunk, micro-batch), without slices.
std::vector<std::pair<int, int>> chunk_order(const Interleaving& in, int micro_batches,
                                             bool backward) {
  std::vector<std::pair<int, int>> result;
  for (int first = 0; first < micro_batches; first += in.group) {
    const int last = std::min(first + in.group, micro_batches);
    for (int c = 0; c < in.chunks; ++c)
      for (int b = first; b < last; ++b) result.emplace_back(backward ? in.chunks - 1 - c : c, b);
  }
  return result;
}

Order passes(const Shape& shape, const Interleaving& in, int slices, int rank, Pass pass) {
  const bool is_backward = pass == Pass::backward;
  Order result;
  for (const auto& [chunk, b] : chunk_order(in, shape.micro_batches, is_backward)) {
    const int stage = chunk * shape.ranks + rank;
    for (int k = 0; k < slices; ++k)
      result.push_back(is_backward ? backward(stage, b, slices - 1 - k) : forward(stage, b, k));
  }
  return result;
}

}  // namespace

std::string why_not_in_groups(int p, int m, int group) {
  if (group < p || group > m) {
    return fmt::format(
        "groups of {} micro-batches must hold at least as many as there are ranks ({}) and at most "
        "all ({})",
        group, p, m);
  }
  if (m % group == 0 || m % group >= p) return {};
  return fmt::format(
      "{} micro-batches in groups of {} leave {}, fewer than the {} ranks; a multiple of {} fits, "
      "as does 'grouping: torch' where it divides them",
      m, group, m % group, p, group);
}

Interleaving read_interleaving(const Shape& shape, const config::Fields& fields, int chunks) {
  Interleaving in;
  in.chunks = static_cast<int>(fields.integer("virtual", chunks, 1, 1024));
  const config::Value* grouping = fields.find("grouping");
  const bool torch = grouping && config::as_choice(*grouping, grouping_names) == 1;
  if (const config::Value* group = fields.find("group"); group && torch && in.chunks > 1)
    group->fail("'grouping: torch' sets the group itself; leave one of the two out");
  if (in.chunks == 1) {
    in.group = shape.micro_batches;  // groups mean nothing
  } else {
    in.group = torch ? torch_group(shape, fields) : megatron_group(shape, fields);
  }
  return in;
}

Interleaving read_torch_interleaving(const Shape& shape, const config::Fields& fields, int chunks) {
  Interleaving in;
  in.chunks = static_cast<int>(fields.integer("virtual", chunks, 1, 1024));
  in.group = in.chunks == 1 ? shape.micro_batches : torch_group(shape, fields);
  return in;
}

Schedule interleaved_schedule(const Shape& shape, const Interleaving& in, int slices,
                              const std::function<int(int)>& warm_up) {
  Schedule schedule = make(shape, shape.ranks * in.chunks, slices);
  for (int i = 0; i < shape.ranks; ++i) {
    const Order forwards = passes(shape, in, slices, i, Pass::forward);
    const Order backwards = passes(shape, in, slices, i, Pass::backward);
    const size_t first = std::min(static_cast<size_t>(warm_up(i)), forwards.size());
    Order& order = schedule.order[i];
    order.assign(forwards.begin(), forwards.begin() + static_cast<ptrdiff_t>(first));
    for (size_t k = 0; k < backwards.size(); ++k) {
      if (first + k < forwards.size()) order.push_back(forwards[first + k]);
      order.push_back(backwards[k]);
    }
  }
  return schedule;
}

}  // namespace pipewright::schedule
