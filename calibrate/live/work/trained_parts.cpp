#include "calibrate/live/work/trained_parts.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"

namespace pipewright::live {
namespace {

class Writer {
 public:
  void put(int64_t number) { put(&number, sizeof number); }
  void put(const void* data, size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  int64_t number() {
    int64_t number = 0;
    take(&number, sizeof number);
    return number;
  }
  void take(void* to, size_t size) {
    ensure(at_ + size <= bytes_.size(), "ranks of one build say what they hold alike");
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }

 private:
  const std::vector<std::byte>& bytes_;
  size_t at_ = 0;
};

/// Weights of a part or of all into their places in the whole stage.
void put(const std::vector<float>& weights, const train::Stage& part, size_t size,
         std::vector<float>& whole) {
  whole.resize(size, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < weights.size(); ++i) {
    float& to = whole[part.places.empty() ? i : static_cast<size_t>(part.places[i])];
    if (!std::isnan(to) && to != weights[i])
      throw Failure("two copies of a stage have different weights after the same steps");
    to = weights[i];
  }
}

}  // namespace

std::vector<std::byte> bytes_of(const TrainedParts& parts) {
  Writer writer;
  writer.put(static_cast<int64_t>(parts.weights.size()));
  for (const TrainedParts::Weights& one : parts.weights) {
    for (const int64_t number :
         {int64_t{one.stage}, int64_t{one.sharer}, static_cast<int64_t>(one.numbers.size())})
      writer.put(number);
    if (!one.numbers.empty()) writer.put(one.numbers.data(), one.numbers.size() * sizeof(float));
  }
  writer.put(static_cast<int64_t>(parts.losses.size()));
  for (const TrainedParts::Loss& loss : parts.losses) {
    writer.put(static_cast<int64_t>(loss.place));
    writer.put(&loss.loss, sizeof loss.loss);
  }
  return writer.take();
}

TrainedParts parts_of(const std::vector<std::byte>& bytes) {
  Reader reader(bytes);
  TrainedParts parts;
  parts.weights.resize(static_cast<size_t>(reader.number()));
  for (TrainedParts::Weights& one : parts.weights) {
    one.stage = static_cast<int>(reader.number());
    one.sharer = static_cast<int>(reader.number());
    one.numbers.resize(static_cast<size_t>(reader.number()));
    reader.take(one.numbers.data(), one.numbers.size() * sizeof(float));
  }
  parts.losses.resize(static_cast<size_t>(reader.number()));
  for (TrainedParts::Loss& loss : parts.losses) {
    loss.place = static_cast<size_t>(reader.number());
    reader.take(&loss.loss, sizeof loss.loss);
  }
  return parts;
}

train::Trained assemble(const train::StagedModel& model, const train::Training& training,
                        const std::vector<TrainedParts>& of_ranks) {
  train::Trained trained;
  trained.weights.resize(model.stages.size());
  trained.losses.assign(static_cast<size_t>(training.steps), 0);
  const auto in_step = static_cast<size_t>(training.step_every * training.slices() *
                                           training.replicas * model.sharers());
  for (const TrainedParts& parts : of_ranks) {
    for (const TrainedParts::Weights& one : parts.weights) {
      const auto stage = static_cast<size_t>(one.stage);
      put(one.numbers, model.stage(one.stage, one.sharer), model.stages[stage].initial.size(),
          trained.weights[stage]);
    }
    for (const TrainedParts::Loss& loss : parts.losses)
      trained.losses[loss.place / in_step] += loss.loss;
  }
  return trained;
}

}  // namespace pipewright::live
