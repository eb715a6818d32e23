#include "calibrate/live/work/pass_exchanges.hpp"

namespace pipewright::live {
namespace {

Failure other_collectives() {
  return Failure(
      "the program's tensor-parallel collectives are not those of "
      "the layers that are trained");
}

}  // namespace

void PassExchanges::expect_exchanged(uint32_t rank) const {
  const train::Progress& at = progress_[rank];
  if (!at.moving.empty() && !at.exchanged) throw other_collectives();
}

void PassExchanges::expect_over(uint32_t rank) const {
  if (!progress_[rank].moving.empty()) throw other_collectives();
}

void PassExchanges::expect(CollectiveKind kind, uint32_t rank) const {
  const train::Progress& at = progress_[rank];
  if (at.moving.empty() || at.exchanged || train::collective_of(at.moving.front().how) != kind)
    throw other_collectives();
}

void PassExchanges::carry_out(CollectiveKind kind, const std::vector<uint32_t>& ranks) {
  const size_t count = progress_[ranks.front()].moving.size();
  for (const uint32_t rank : ranks) {
    expect(kind, rank);
    if (progress_[rank].moving.size() != count) throw other_collectives();
    progress_[rank].exchanged = true;
  }
  for (size_t i = 0; i < count; ++i) {
    std::vector<train::Moving*> group;
    for (const uint32_t rank : ranks) group.push_back(&progress_[rank].moving[i]);
    train::carry_out(kernels_, group);
  }
}

void PassExchanges::take(uint32_t rank, std::vector<train::Array> arrays) {
  train::Progress& at = progress_[rank];
  for (size_t i = 0; i < arrays.size(); ++i) at.moving[i].array = std::move(arrays[i]);
  at.exchanged = true;
}

}  // namespace pipewright::live
