#include "run/unequal_batches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <tuple>

#include "base/required.hpp"
#include "run/prepared.hpp"
#include "workload/model/model.hpp"

namespace pipewright {

namespace {

/// The most tokens of a document.
constexpr int64_t longest_document = INT64_C(1) << 40;

/// Documents one after the other. The generator's numbers are the standard's, distributions' are
/// not, so those are made here.
class Documents {
 public:
  Documents(const DocumentLengths& lengths, uint64_t seed, int data)
      : lengths_(lengths), random_(seed * 1'000'003 + static_cast<uint64_t>(data)) {
    // The mean of exp(m + s z) is exp(m + s^2 / 2).
    log_median_ = std::log(std::max(lengths.mean, 1.0)) - lengths.spread * lengths.spread / 2;
  }

  int64_t next() {
    if (!lengths_.given.empty()) return lengths_.given[random_() % lengths_.given.size()];
    const double length = std::exp(log_median_ + lengths_.spread * normal());
    return std::llround(std::clamp(length, 1.0, static_cast<double>(longest_document)));
  }

 private:
  double uniform() { return static_cast<double>((random_() >> 11) + 1) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  const DocumentLengths& lengths_;
  std::mt19937_64 random_;
  double log_median_ = 0;
};

/// The sum of squares of the documents that fill a sequence; `rest` is what the last one lacks.
double filled(Documents& documents, int64_t sequence, int64_t& rest) {
  double squares = 0;
  for (int64_t room = sequence; room > 0;) {
    const int64_t document = rest > 0 ? rest : documents.next();
    const int64_t part = std::min(document, room);
    squares += static_cast<double>(part) * static_cast<double>(part);
    rest = document - part;
    room -= part;
  }
  return squares;
}

Work scaled(Work work, const LengthShare& share, bool packed) {
  const bool batched = work.kernel == Kernel::gemm && work.shape[0] > 1 && !work.in_turn;
  const bool fused = work.kernel == Kernel::attention;
  const bool squares = fused || (batched && !packed);
  work.flops *= squares ? share.attention : share.tokens;
  work.singles *= share.tokens;
  const auto shrink = [](int64_t& value, double by) {
    if (value > 0) value = std::max<int64_t>(1, std::llround(static_cast<double>(value) * by));
  };
  shrink(work.read.count, share.tokens);
  shrink(work.written.count, share.tokens);
  if (packed) return work;
  const bool reduces = work.kernel == Kernel::gemm && work.direction == Direction::weight_gradient;
  shrink(work.shape[fused ? 2 : reduces ? 3 : 1], share.tokens);
  return work;
}

class Lengthening {
 public:
  Lengthening(const Prepared& prepared, const Program& program)
      : prepared_(prepared),
        program_(program),
        lengths_(required(prepared.lengths, "micro-batches of unequal work")) {}

  double factor(const Op& op) {
    const ProgramRank& rank = program_.ranks[op.rank];
    const std::vector<std::vector<LengthShare>>& shares = lengths_.shares;
    const auto data = static_cast<size_t>(rank.data / prepared_.grid.meshes.front().context);
    const LengthShare& share = shares[data][static_cast<size_t>(op.micro_batch)];
    const int device_class = prepared_.prices.class_of(rank.device);
    const auto [found, is_new] = known_.try_emplace({op.type, device_class, share}, 1.0);
    if (is_new) found->second = compute(op.type, rank.device, share);
    return found->second;
  }

 private:
  double compute(uint32_t type, int32_t device, const LengthShare& share) const {
    double whole = 0, own = 0;
    for (const Work& work : program_.works_of(program_.types[type])) {
      whole += in_seconds(prepared_.prices.compute(work, device));
      own += in_seconds(prepared_.prices.compute(scaled(work, share, lengths_.packed), device));
    }
    return whole > 0 ? own / whole : 1;
  }

  const Prepared& prepared_;
  const Program& program_;
  const UnequalBatches& lengths_;
  std::map<std::tuple<uint32_t, int, LengthShare>, double> known_;
};

}  // namespace

std::vector<LengthShare> draw_shares(const DocumentLengths& lengths, int64_t sequence, int micro,
                                     int64_t count, uint64_t seed, int data) {
  Documents documents(lengths, seed, data);
  const double whole = static_cast<double>(sequence) * static_cast<double>(sequence);
  std::vector<LengthShare> shares;
  int64_t rest = 0;
  for (int64_t micro_batch = 0; micro_batch < count; ++micro_batch) {
    double squares = 0;
    int64_t longest = 1;
    for (int k = 0; k < micro; ++k) {
      if (lengths.packed)
        squares += filled(documents, sequence, rest);
      else
        longest = std::max(longest, std::min(documents.next(), sequence));
    }
    const double part = static_cast<double>(longest) / static_cast<double>(sequence);
    shares.push_back(lengths.packed ? LengthShare{1, squares / whole / micro}
                                    : LengthShare{part, part * part});
  }
  return shares;
}

void apply_lengths(const Prepared& prepared, const Program& program, std::vector<Time>& durations) {
  Lengthening lengthening(prepared, program);
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).kind == OpKind::compute)
      durations[op] = seconds(in_seconds(durations[op]) * lengthening.factor(program.ops[op]));
}

UnequalBatches unequal_batches(const Experiment& e, const Model& model,
                               const schedule::Schedule& schedule, int64_t sequence,
                               uint64_t seed) {
  const DocumentLengths& lengths = required(e.batch.lengths, "documents of unequal length");
  if (!model.has_tokens() || schedule.slices > 1 || model.transformer.decoder.layers > 0 ||
      e.batch.images > 0)
    e.misfit("batch", "batch.lengths needs whole sequences of one kind of tokens");
  if (e.meshes.reshards())
    e.misfit(
        "batch",
        "batch.lengths needs stages that are alike: those of this 'strategy' split a micro-batch "
        "each in its own way");
  UnequalBatches batches{.packed = lengths.packed, .shares = {}};
  for (int data = 0; data < e.parallel.data; ++data)
    batches.shares.push_back(
        draw_shares(lengths, sequence, e.batch.micro, schedule.total_micro_batches(), seed, data));
  return batches;
}

}  // namespace pipewright
