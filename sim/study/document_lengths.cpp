#include "study/document_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <sstream>
#include <tuple>

#include "study/prepare.hpp"

namespace pipewright {
namespace {

constexpr int64_t longest_document = INT64_C(1) << 40;

std::vector<int64_t> read_file_of_lengths(const config::Value& path) {
  std::istringstream text(config::read_file(config::as_text(path), path.mark.where()));
  std::vector<int64_t> lengths;
  std::string word;
  while (text >> word) {
    char* end = nullptr;
    const long long length = std::strtoll(word.c_str(), &end, 10);
    if (*end != '\0' || length < 1 || length > longest_document)
      path.fail(fmt::format("'{}' in '{}' must be a number of tokens above 0", word,
                            config::as_text(path)));
    lengths.push_back(length);
  }
  if (lengths.empty()) path.fail(fmt::format("'{}' has no lengths", config::as_text(path)));
  return lengths;
}

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
      : prepared_(prepared), program_(program) {}

  double factor(const Op& op) {
    const ProgramRank& rank = program_.ranks[op.rank];
    const std::vector<std::vector<LengthShare>>& shares = prepared_.lengths->shares;
    const auto data = static_cast<size_t>(rank.data / prepared_.grid.meshes.front().context);
    const LengthShare& share = shares[data][static_cast<size_t>(op.micro_batch)];
    const auto& classes = prepared_.prices.device_class;
    const int device_class = classes.empty() ? 0 : classes[static_cast<size_t>(rank.device)];
    const auto [found, is_new] = known_.try_emplace({op.type, device_class, share}, 1.0);
    if (is_new) found->second = compute(op.type, rank.device, share);
    return found->second;
  }

 private:
  double compute(uint32_t type, int32_t device, const LengthShare& share) const {
    double whole = 0, own = 0;
    for (const Work& work : program_.works_of(program_.types[type])) {
      whole += in_seconds(prepared_.prices.compute(work, device));
      own += in_seconds(
          prepared_.prices.compute(scaled(work, share, prepared_.lengths->packed), device));
    }
    return whole > 0 ? own / whole : 1;
  }

  const Prepared& prepared_;
  const Program& program_;
  std::map<std::tuple<uint32_t, int, LengthShare>, double> known_;
};

}  // namespace

DocumentLengths read_lengths(const config::Value& value) {
  const config::Fields fields(value, "batch.lengths", {"mean", "spread", "file", "packing"});
  DocumentLengths lengths;
  if (const config::Value* file = fields.find("file")) {
    for (const char* key : {"mean", "spread"})
      if (const config::Value* other = fields.find(key))
        other->fail(fmt::format("'{}' means nothing beside 'file'", key));
    lengths.given = read_file_of_lengths(*file);
  } else {
    fields.at("mean");
    lengths.mean = fields.real("mean", 1, 1, 1e12);
    lengths.spread = fields.real("spread", 0, 0, 10);
  }
  if (const config::Value* packing = fields.find("packing"))
    lengths.packed = config::as_choice(*packing, {"packed", "padded"}) == 0;
  return lengths;
}

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

}  // namespace pipewright
