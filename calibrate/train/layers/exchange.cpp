#include "calibrate/train/layers/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace pipewright::train {
namespace {

using Group = std::vector<Moving*>;

void sum(Kernels& kernels, const Group& group) {
  const Tensor& first = group.front()->array;
  for (size_t i = 1; i < group.size(); ++i) kernels.add(1, group[i]->array, first);
  for (size_t i = 1; i < group.size(); ++i) kernels.copy(first, group[i]->array);
}

void join_softmax(Kernels& kernels, const Group& group) {
  const auto statistics = [](const Moving* part) {
    return part->array.tensor.column_range(part->array.tensor.columns - 3, 3);
  };
  const auto rows = static_cast<size_t>(group.front()->array.tensor.rows);
  std::vector<std::vector<float>> all;
  for (const Moving* part : group) kernels.download(statistics(part), all.emplace_back(3 * rows));
  std::vector<float> joined(3 * rows);
  for (size_t row = 0; row < rows; ++row) {
    float* to = joined.data() + 3 * row;
    to[0] = all.front()[3 * row];
    for (const std::vector<float>& one : all) to[0] = std::max(to[0], one[3 * row]);
    for (const std::vector<float>& one : all) {
      to[1] += one[3 * row + 1] * std::exp(one[3 * row] - to[0]);
      to[2] += one[3 * row + 2];
    }
  }
  for (const Moving* part : group) kernels.upload(joined, statistics(part));
}

/// The columns of all that each rank of the group has of them.
std::vector<Range> parts_of(int64_t columns, const Group& group) {
  ensure(columns % static_cast<int64_t>(group.size()) == 0, "ranks have parts of the same size");
  return even_parts(columns, static_cast<int>(group.size()));
}

void gather(Kernels& kernels, const Group& group) {
  const int64_t own = group.front()->array.tensor.columns;
  const std::vector<Range> parts = parts_of(own * static_cast<int64_t>(group.size()), group);
  std::vector<Array> all;
  for (size_t to = 0; to < group.size(); ++to) {
    const Array& whole = all.emplace_back(kernels.array(1, parts.back().end()));
    for (size_t from = 0; from < group.size(); ++from)
      kernels.copy(group[from]->array,
                   whole.tensor.column_range(parts[from].first, parts[from].count));
  }
  for (size_t i = 0; i < group.size(); ++i) group[i]->array = std::move(all[i]);
}

void scatter(Kernels& kernels, const Group& group) {
  const std::vector<Range> parts = parts_of(group.front()->array.tensor.columns, group);
  std::vector<Array> own;
  for (const Range& part : parts) {
    const auto of = [&](const Moving* from) {
      return from->array.tensor.column_range(part.first, part.count);
    };
    const Array& to = own.emplace_back(kernels.array(1, part.count));
    kernels.copy(of(group.front()), to);
    for (size_t i = 1; i < group.size(); ++i) kernels.add(1, of(group[i]), to);
  }
  for (size_t i = 0; i < group.size(); ++i) group[i]->array = std::move(own[i]);
}

void halo(Kernels& kernels, const Group& group, bool home) {
  const Movement& cut = *group.front()->cut;
  Workers all;
  for (const Moving* one : group) all.push_back(one->array);
  all = home ? adjoint(cut, kernels, all) : forward(cut, kernels, all);
  for (size_t i = 0; i < group.size(); ++i) group[i]->array = std::move(all[i]);
}

void share_samples(Kernels& kernels, const Group& group) {
  const std::vector<Range>& strips = group.front()->cut->own;
  const int64_t rows = group.front()->array.tensor.rows / static_cast<int64_t>(group.size());
  Workers all;
  for (size_t to = 0; to < group.size(); ++to) {
    const Array& whole = all.emplace_back(kernels.array(rows, strips.back().end()));
    for (size_t from = 0; from < group.size(); ++from)
      kernels.copy(group[from]->array.tensor.row_range(static_cast<int64_t>(to) * rows, rows),
                   whole.tensor.column_range(strips[from].first, strips[from].count));
  }
  for (size_t i = 0; i < group.size(); ++i) group[i]->array = std::move(all[i]);
}

void share_strips(Kernels& kernels, const Group& group) {
  const std::vector<Range>& strips = group.front()->cut->own;
  const int64_t rows = group.front()->array.tensor.rows;
  Workers all;
  for (const Range& strip : strips) {
    const Array& own =
        all.emplace_back(kernels.array(rows * static_cast<int64_t>(group.size()), strip.count));
    for (size_t from = 0; from < group.size(); ++from)
      kernels.copy(group[from]->array.tensor.column_range(strip.first, strip.count),
                   own.tensor.row_range(static_cast<int64_t>(from) * rows, rows));
  }
  for (size_t i = 0; i < group.size(); ++i) group[i]->array = std::move(all[i]);
}

}  // namespace

void carry_out(Kernels& kernels, const Group& group) {
  for (const Moving* one : group)
    ensure(
        one->how == group.front()->how && (one->cut != nullptr) == (group.front()->cut != nullptr),
        "ranks of a group move alike");
  switch (group.front()->how) {
    case Exchange::sum:
      return sum(kernels, group);
    case Exchange::softmax:
      return join_softmax(kernels, group);
    case Exchange::gather:
      return gather(kernels, group);
    case Exchange::scatter:
      return scatter(kernels, group);
    case Exchange::halo:
    case Exchange::home:
      return halo(kernels, group, group.front()->how == Exchange::home);
    case Exchange::samples:
      return share_samples(kernels, group);
    case Exchange::strips:
      return share_strips(kernels, group);
  }
}

CollectiveKind collective_of(Exchange how) {
  switch (how) {
    case Exchange::sum:
    case Exchange::softmax:
      return CollectiveKind::all_reduce;
    case Exchange::gather:
      return CollectiveKind::all_gather;
    case Exchange::scatter:
      return CollectiveKind::reduce_scatter;
    case Exchange::halo:
    case Exchange::home:
      return CollectiveKind::shift;
    case Exchange::samples:
    case Exchange::strips:
      return CollectiveKind::all_to_all;
  }
  return CollectiveKind::all_reduce;
}

Array with_columns(const Array& numbers, int64_t columns) {
  return {numbers.memory, {numbers.tensor.data, numbers.tensor.size() / columns, columns, columns}};
}

}  // namespace pipewright::train
