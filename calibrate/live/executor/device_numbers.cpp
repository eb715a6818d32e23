#include "calibrate/live/executor/device_numbers.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::live {

using kernels::Array;
using kernels::Tensor;
using train::Exchange;
using train::Moving;
using train::Range;

namespace {

bool is_contiguous(const Tensor& tensor) {
  return tensor.rows <= 1 || tensor.stride == tensor.columns;
}

/// Returns the numbers of a tensor that stands in one piece.
std::span<float> numbers_of(const Tensor& tensor) {
  ensure(is_contiguous(tensor), "links carry numbers that stand one after the other");
  return {tensor.data, static_cast<size_t>(tensor.size())};
}

/// The columns `part` of all that `tensor` has from `first` on.
Tensor cut(const Tensor& tensor, int64_t first, const Range& part) {
  return part.count > 0 ? tensor.column_range(part.first - first, part.count) : Tensor{};
}

}  // namespace

/// The channel of a collective, and which of its members this rank is.
struct DeviceNumbers::Place {
  size_t channel = 0, own = 0, members = 0;
};

DeviceNumbers::DeviceNumbers(const Program& program, uint32_t rank,
                             const std::vector<transport::DeviceChannel>& channels,
                             NumberExchange& number_exchange, kernels::Kernels& kernels,
                             transport::DeviceLinks& links)
    : program_(program),
      rank_(rank),
      channels_(channels),
      number_exchange_(number_exchange),
      kernels_(kernels),
      links_(links),
      dummy_payloads_(program, links) {}

void DeviceNumbers::put(const Launch& launch) {
  // An activation that is lent out stays where it is worked on.
  if (program_.type(launch.op).moves_activation) return dummy_payloads_.put(launch);
  if (launch.part == Launch::Part::send) return send(launch);
  if (launch.part == Launch::Part::receive) return receive(launch);
  collect(launch);
}

void DeviceNumbers::send(const Launch& launch) {
  links_.send(launch.channel, numbers_of(packed(number_exchange_.message(launch.op))));
}

void DeviceNumbers::receive(const Launch& launch) {
  const Extent extent = number_exchange_.extent(launch.op);
  ensure(extent.rows > 0, "a rank knows what its messages are like");
  Array message = kernels_.array(extent.rows, extent.columns);
  links_.receive(launch.channel, numbers_of(message));
  number_exchange_.deliver(launch.op, std::move(message));
}

void DeviceNumbers::collect(const Launch& launch) {
  const std::vector<uint32_t>& members = channels_[launch.channel].members;
  const auto own = std::find(members.begin(), members.end(), rank_) - members.begin();
  const Place at{launch.channel, static_cast<size_t>(own), members.size()};
  std::vector<Array> arrays;
  for (const Moving& moving : number_exchange_.bring(launch.op))
    arrays.push_back(exchange(at, moving));
  number_exchange_.take(launch.op, std::move(arrays));
}

/// Returns what this rank has of it in the end.
Array DeviceNumbers::exchange(const Place& at, const Moving& moving) {
  switch (moving.how) {
    case Exchange::sum:
      sum(at, moving.array);
      return moving.array;
    case Exchange::softmax:
      join_softmax(at, moving.array);
      return moving.array;
    case Exchange::gather:
      return gather(at, moving.array);
    case Exchange::scatter:
      return scatter(at, moving.array);
    case Exchange::halo:
    case Exchange::home:
      return halo(at, moving);
    case Exchange::samples:
      return samples(at, moving);
    case Exchange::strips:
      return strips(at, moving);
  }
  return {};
}

void DeviceNumbers::sum(const Place& at, const Tensor& tensor) {
  if (is_contiguous(tensor)) return links_.all_reduce(at.channel, numbers_of(tensor));
  const Array numbers = packed({nullptr, tensor});
  links_.all_reduce(at.channel, numbers_of(numbers));
  kernels_.copy(numbers, tensor);
}

void DeviceNumbers::join_softmax(const Place& at, const Tensor& tensor) {
  const Tensor statistics = tensor.column_range(tensor.columns - 3, 3);
  const Array own = packed({nullptr, statistics});
  const int64_t rows = tensor.rows;
  const Array all = kernels_.array(static_cast<int64_t>(at.members) * rows, 3);
  links_.all_gather(at.channel, numbers_of(own), numbers_of(all));
  std::vector<Moving> parts;
  for (size_t i = 0; i < at.members; ++i) {
    const Tensor part = all.tensor.row_range(static_cast<int64_t>(i) * rows, rows);
    parts.push_back({Exchange::softmax, {all.memory, part}, nullptr});
  }
  std::vector<Moving*> group;
  for (Moving& part : parts) group.push_back(&part);
  train::carry_out(kernels_, group);
  kernels_.copy(parts[at.own].array, statistics);
}

Array DeviceNumbers::gather(const Place& at, const Tensor& part) {
  Array whole = kernels_.array(1, part.size() * static_cast<int64_t>(at.members));
  links_.all_gather(at.channel, numbers_of(part), numbers_of(whole));
  return whole;
}

Array DeviceNumbers::scatter(const Place& at, const Tensor& whole) {
  const auto members = static_cast<int64_t>(at.members);
  ensure(whole.size() % members == 0, "ranks have parts of the same size");
  Array part = kernels_.array(1, whole.size() / members);
  links_.reduce_scatter(at.channel, numbers_of(whole), numbers_of(part));
  return part;
}

Array DeviceNumbers::halo(const Place& at, const Moving& moving) {
  const bool home = moving.how == Exchange::home;
  const std::vector<Range>& has = home ? moving.cut->want : moving.cut->own;
  const std::vector<Range>& gets = home ? moving.cut->own : moving.cut->want;
  Array after = zeros(moving.array.tensor.rows, gets[at.own].count);
  std::vector<Tensor> to, from;
  for (size_t i = 0; i < at.members; ++i) {
    to.push_back(cut(moving.array, has[at.own].first, overlap(has[at.own], gets[i])));
    from.push_back(cut(after, gets[at.own].first, overlap(has[i], gets[at.own])));
  }
  send_and_receive(at, to, from);
  return after;
}

Array DeviceNumbers::samples(const Place& at, const Moving& moving) {
  const std::vector<Range>& all = moving.cut->own;
  const int64_t rows = moving.array.tensor.rows / static_cast<int64_t>(at.members);
  Array after = zeros(rows, all.back().end());
  std::vector<Tensor> to, from;
  for (size_t i = 0; i < at.members; ++i) {
    to.push_back(moving.array.tensor.row_range(static_cast<int64_t>(i) * rows, rows));
    from.push_back(after.tensor.column_range(all[i].first, all[i].count));
  }
  send_and_receive(at, to, from);
  return after;
}

Array DeviceNumbers::strips(const Place& at, const Moving& moving) {
  const std::vector<Range>& all = moving.cut->own;
  const int64_t rows = moving.array.tensor.rows;
  Array after = zeros(rows * static_cast<int64_t>(at.members), all[at.own].count);
  std::vector<Tensor> to, from;
  for (size_t i = 0; i < at.members; ++i) {
    to.push_back(moving.array.tensor.column_range(all[i].first, all[i].count));
    from.push_back(after.tensor.row_range(static_cast<int64_t>(i) * rows, rows));
  }
  send_and_receive(at, to, from);
  return after;
}

void DeviceNumbers::send_and_receive(const Place& at, const std::vector<Tensor>& to,
                                     const std::vector<Tensor>& from) {
  std::vector<Array> out(at.members), in(at.members);
  std::vector<std::span<const float>> given(at.members);
  std::vector<std::span<float>> got(at.members);
  for (size_t i = 0; i < at.members; ++i) {
    if (i != at.own && to[i].size() > 0) given[i] = numbers_of(out[i] = packed({nullptr, to[i]}));
    if (i != at.own && from[i].size() > 0)
      got[i] = numbers_of(in[i] = kernels_.array(from[i].rows, from[i].columns));
  }
  links_.send_and_receive(at.channel, given, got);
  for (size_t i = 0; i < at.members; ++i) {
    if (from[i].size() == 0) continue;
    kernels_.add(1, i == at.own ? to[i] : in[i].tensor, from[i]);
  }
}

/// The same numbers one after the other, where they stand if they do.
Array DeviceNumbers::packed(const Array& array) {
  if (is_contiguous(array)) return array;
  Array numbers = kernels_.array(array.tensor.rows, array.tensor.columns);
  kernels_.copy(array, numbers);
  return numbers;
}

Array DeviceNumbers::zeros(int64_t rows, int64_t columns) {
  Array array = kernels_.array(rows, columns);
  kernels_.zero(array);
  return array;
}

}  // namespace pipewright::live
