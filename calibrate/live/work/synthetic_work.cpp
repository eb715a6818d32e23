#include "calibrate/live/work/synthetic_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace pipewright::live {
namespace {

using Form = kernels::Kernels::Form;

constexpr int64_t number_bytes = 4;
constexpr int64_t most_numbers = int64_t{1} << 31;  // in all scratch memories: 8 GiB
constexpr double most_flops = 1e14;                 // about an hour of a core
/// What is streamed goes through this much, as all of a large tensor goes through the caches.
constexpr int64_t most_streamed = int64_t{1} << 24;

int64_t numbers_of(Bytes bytes) { return (bytes.count + number_bytes - 1) / number_bytes; }

bool has_heads(const Work& work) { return work.kernel == Kernel::attention && work.shape[3] > 0; }

int64_t width(const Work& work) { return work.shape[1] * work.shape[3]; }

/// Numbers of the first operand, the second, the result and the rest.
struct Needs {
  int64_t a = 0, b = 0, c = 0, more = 0;

  void cover(const Needs& other) {
    a = std::max(a, other.a);
    b = std::max(b, other.b);
    c = std::max(c, other.c);
    more = std::max(more, other.more);
  }
  int64_t all() const { return a + b + c + more; }
};

Needs needs_of(Bytes streamed) {
  const int64_t numbers = std::min(numbers_of(streamed), most_streamed);
  return {numbers, 0, numbers, 0};
}

Needs needs_of(const Work& work) {
  const auto& [batch, m, n, k] = work.shape;
  if (work.kernel == Kernel::gemm) return {m * k, k * n, m * n, 0};
  if (!has_heads(work)) return needs_of(work.read + work.written);
  // q, keys, values beside y, its gradient and theirs; log_sums.
  const int64_t rows = batch * n;
  return {3 * rows * width(work), rows * m, rows * width(work), 4 * rows * width(work)};
}

bool communicates(const OpType& type) {
  return type.kind == OpKind::transfer || type.kind == OpKind::collective;
}

Needs needs_of(const Program& program, const OpType& type) {
  Needs needs;
  if (communicates(type)) return needs_of(type.bytes);
  for (const Work& work : program.works_of(type)) needs.cover(needs_of(work));
  return needs;
}

size_t place_of(const Program& program, OpId op) {
  const Op& o = program.ops[op];
  return o.lane == none ? program.lanes.size() + o.rank : o.lane;
}

/// Tells whether this work runs the op.
bool is_run(const Program& program, OpId op, std::optional<uint32_t> rank) {
  return !rank || (program.ops[op].rank == *rank && !communicates(program.type(op)));
}

void check_shapes(const Program& program, std::optional<uint32_t> rank) {
  double flops = 0;
  for (OpId id = 0; id < program.ops.size(); ++id) {
    if (!is_run(program, id, rank)) continue;
    const Op& op = program.ops[id];
    for (const Work& work : program.works_of(program.types[op.type])) {
      flops += work.flops;
      if (work.kernel == Kernel::fixed)
        throw Failure(
            "--compute synthetic runs kernels of the layers' shapes, which this model has none of: "
            "--compute timed waits the times that it gives");
    }
  }
  if (flops > most_flops)
    throw Failure(fmt::format(
        "--compute synthetic: {:.3g} operations are too many for a live run; at most {:.0g}: take "
        "fewer layers, a smaller batch, or --compute timed",
        flops, most_flops));
}

/// Returns the needs by place: a lane, or a rank for what holds no lane.
std::vector<Needs> needs_of(const Program& program, std::optional<uint32_t> rank) {
  std::vector<Needs> needs(program.lanes.size() + program.ranks.size());
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (is_run(program, op, rank))
      needs[place_of(program, op)].cover(needs_of(program, program.type(op)));
  return needs;
}

int64_t all_numbers(const Program& program, std::optional<uint32_t> rank) {
  int64_t all = 0;
  for (const Needs& one : needs_of(program, rank)) all += one.all();
  return all;
}

/// The first `rows` x `columns` numbers.
kernels::Tensor cut(const kernels::Array& array, int64_t rows, int64_t columns, int64_t from = 0) {
  return {array.tensor.data + from, rows, columns, columns};
}

}  // namespace

void require_synthetic(const Program& program, std::optional<uint32_t> rank) {
  check_shapes(program, rank);
  const int64_t all = all_numbers(program, rank);
  if (all > most_numbers)
    throw Failure(fmt::format(
        "--compute synthetic: the operands of all ranks take {:.1f} GB, at most {:.1f} GB do",
        1e-9 * static_cast<double>(all * number_bytes),
        1e-9 * static_cast<double>(most_numbers * number_bytes)));
}

int copies_that_fit(const Program& program) {
  return static_cast<int>(
      std::min<int64_t>(1 << 20, most_numbers / std::max<int64_t>(1, all_numbers(program, {}))));
}

SyntheticWork::SyntheticWork(const Program& program, kernels::Kernels& kernels,
                             std::optional<uint32_t> rank)
    : program_(program), kernels_(kernels), scratch_(program.lanes.size() + program.ranks.size()) {
  require_synthetic(program, rank);
  const std::vector<Needs> needs = needs_of(program, rank);
  for (size_t i = 0; i < needs.size(); ++i) {
    const auto array = [&](int64_t numbers) {
      kernels::Array made = kernels.array(1, std::max<int64_t>(1, numbers));
      // Of zeros a GPU draws less power.
      const std::vector<float> pattern = {0.5f, -0.25f, 0.125f, -0.75f};
      std::vector<float> filled(static_cast<size_t>(made.tensor.columns));
      for (size_t k = 0; k < filled.size(); ++k) filled[k] = pattern[k % pattern.size()];
      kernels.upload(filled, made);
      return made;
    };
    scratch_[i] = {array(needs[i].a), array(needs[i].b), array(needs[i].c), array(needs[i].more)};
  }
}

const SyntheticWork::Scratch& SyntheticWork::scratch(OpId op) const {
  return scratch_[place_of(program_, op)];
}

void SyntheticWork::compute(OpId op) {
  for (const Work& work : program_.works_of(program_.type(op))) run(work, scratch(op));
}

void SyntheticWork::communicate(OpId op) {
  const OpType& type = program_.type(op);
  if (type.kind == OpKind::transfer) return stream(type.bytes, scratch(op));
  // A sum and a copy for each member but the first.
  const auto members = static_cast<int64_t>(program_.groups[program_.ops[op].peer].size());
  stream({2 * (members - 1) * type.bytes.count}, scratch(op));
}

void SyntheticWork::run(const Work& work, const Scratch& scratch) {
  if (work.kernel == Kernel::gemm) return multiply(work, scratch);
  if (has_heads(work)) return attend(work, scratch);
  stream(work.read + work.written, scratch);
}

void SyntheticWork::multiply(const Work& work, const Scratch& s) {
  const auto& [batch, m, n, k] = work.shape;
  const bool flip_a = work.direction == Direction::weight_gradient;
  const bool flip_b = work.direction == Direction::input_gradient;
  const kernels::Tensor a = flip_a ? cut(s.a, k, m) : cut(s.a, m, k);
  const kernels::Tensor b = flip_b ? cut(s.b, n, k) : cut(s.b, k, n);
  for (int64_t i = 0; i < batch; ++i)
    kernels_.multiply(a, flip_a ? Form::transposed : Form::plain, b,
                      flip_b ? Form::transposed : Form::plain, cut(s.c, m, n), false);
}

void SyntheticWork::attend(const Work& work, const Scratch& s) {
  const auto& [batch, heads, tokens, head_dim] = work.shape;
  const kernels::AttentionShape shape{.sequences = static_cast<int>(batch),
                                      .tokens = static_cast<int>(tokens),
                                      .total = static_cast<int>(tokens),
                                      .heads = static_cast<int>(heads),
                                      .kv_heads = static_cast<int>(heads),
                                      .head_dim = static_cast<int>(head_dim)};
  const int64_t rows = batch * tokens, columns = width(work), one = rows * columns;
  const auto operand = [&](int64_t i) { return cut(s.a, rows, columns, i * one); };
  const auto gradient = [&](int64_t i) { return cut(s.more, rows, columns, i * one); };
  const kernels::Tensor y = cut(s.c, rows, columns), log_sums = cut(s.b, rows, heads);
  if (work.direction == Direction::forward)
    return kernels_.attention(shape, operand(0), operand(1), operand(2), y, log_sums);
  kernels_.attention_gradient(shape, operand(0), operand(1), operand(2), y, log_sums, gradient(3),
                              gradient(0), gradient(1), gradient(2));
}

void SyntheticWork::stream(Bytes bytes, const Scratch& s) {
  // A copy reads half and writes half.
  for (int64_t left = numbers_of(bytes) / 2; left > 0;) {
    const int64_t now = std::min({left, s.a.tensor.columns, s.c.tensor.columns});
    kernels_.copy(cut(s.a, 1, now), cut(s.c, 1, now));
    left -= now;
  }
}

}  // namespace pipewright::live
