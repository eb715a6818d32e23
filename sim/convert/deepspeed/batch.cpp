// After DeepSpeedConfig._set_batch_related_parameters (deepspeed/runtime/config.py): divisions are
// rounded down, and _batch_assertion then finds that the three do not agree.
#include "convert/deepspeed/batch.hpp"

namespace pipewright::deepspeed {

Batch complete(const GivenBatch& given, int64_t replicas) {
  Batch batch{.train = given.train.value_or(0),
              .micro = given.micro.value_or(0),
              .steps = given.steps.value_or(given.train && given.micro ? 0 : 1)};
  if (given.train && given.micro && !given.steps)
    batch.steps = batch.train / batch.micro / replicas;
  else if (given.train && !given.micro)
    batch.micro = batch.train / replicas / batch.steps;
  else if (!given.train && given.micro)
    batch.train = batch.micro * batch.steps * replicas;
  return batch;
}

bool agrees(const Batch& batch, int64_t replicas) {
  return batch.train > 0 && batch.micro > 0 && batch.steps > 0 &&
         batch.train == batch.micro * batch.steps * replicas;
}

}  // namespace pipewright::deepspeed
