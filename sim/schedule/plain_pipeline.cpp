#include "schedule/plain_pipeline.hpp"

#include <algorithm>

namespace pipewright::schedule {

int64_t one_f_one_b_ahead(const PipelineSizes& sizes) {
  return std::min(sizes.micro_batches, sizes.ranks);
}

int64_t one_f_one_b_in_flight(const PipelineSizes& sizes, int64_t rank, int64_t) {
  return std::min(sizes.micro_batches, sizes.ranks - rank);
}

}  // namespace pipewright::schedule
