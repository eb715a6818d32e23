// Interleaved 1F1B (Megatron-LM, arXiv 2104.04473): v chunks of the model on every rank.
//
// Rank i holds the stages i, p + i, ..., (v-1)p + i. Micro-batches go in groups of g: all of a
// group through chunk 0, then chunk 1, ...; backward the same from the last chunk. Warm-up
// w = 2(p-1-i) + (v-1)g forwards, then F and B in turn. In flight min(mv, w + 1) of one chunk each,
// one weight version. Times per chunk, uniform, no latency, p | m, g = p:
//   T = (mv + p - 1)(tF + tB): the bubble is 1/v of 1F1B's; latency is paid on v times the hops.
// Options: virtual (v, default 2; 1 is 1F1B, as in Megatron-LM); extra_warm_up (default 0; 1 is
// Megatron-LM's where it overlaps expert-parallel communication); grouping:
//   megatron (default): g = `group` (default p), p <= g <= m, m mod g is 0 or at least p;
//   torch: r = max(1, m div p) rounds of g = m / r, which must be whole.
#include <algorithm>

#include "schedule/interleaved.hpp"
#include "schedule/kinds/registry.hpp"
#include "schedule/kinds/shared_options.hpp"

namespace pipewright::schedule {
namespace {

constexpr int default_chunks = 2;

Schedule build_interleaved(const Shape& shape, const config::Value& options) {
  const config::Fields fields = fields_of(kind::interleaved_one_f_one_b, options);
  const Interleaving in = read_interleaving(shape, fields, default_chunks);
  const int extra = static_cast<int>(fields.integer("extra_warm_up", 0, 0, 1 << 20));
  Schedule schedule = interleaved_schedule(shape, in, 1, [&](int i) {
    const int below = shape.ranks - 1 - i;
    return extra + (in.chunks == 1 ? below : 2 * below + (in.chunks - 1) * in.group);
  });
  repeat_iterations(schedule);
  return schedule;
}

int64_t ahead(const PipelineSizes& sizes) {
  const auto [p, v, m] = sizes;
  return v == 1 ? one_f_one_b_ahead(sizes) : std::min(m * v, (v + 1) * p - 1);
}

int64_t in_flight(const PipelineSizes& sizes, int64_t rank, int64_t chunk) {
  const auto [p, v, m] = sizes;
  if (v == 1) return one_f_one_b_in_flight(sizes, rank, chunk);
  const int64_t all = std::min(m * v, 2 * (p - rank - 1) + (v - 1) * p + 1);
  // p micro-batches of the first chunk, p of the second, ..., then again of the first.
  const int64_t rounds = all / (p * v), rest = all % (p * v);
  return rounds * p + std::clamp<int64_t>(rest - chunk * p, 0, p);
}

/// Whole groups of p alone.
std::string misfit(const PipelineSizes& sizes) {
  const auto p = static_cast<int>(sizes.ranks);
  return why_not_in_groups(p, static_cast<int>(sizes.micro_batches), p);
}

constexpr PlainPipeline plain_interleaved{
    .ahead = ahead, .in_flight = in_flight, .chunks = default_chunks, .misfit = misfit};

}  // namespace

const Kind kind::interleaved_one_f_one_b{
    .name = "interleaved-1f1b",
    .aliases = {"Interleaved1F1B"},
    .summary = "1F1B over several chunks of the model a rank; less bubble, more messages",
    .build = build_interleaved,
    .plain = &plain_interleaved,
    .options = {virtual_option("2"),
                grouping_option(),
                group_option(),
                {"extra_warm_up",
                 "a whole number",
                 "0",
                 "The forwards that each rank runs more before its first backward.",
                 {}}}};

}  // namespace pipewright::schedule
