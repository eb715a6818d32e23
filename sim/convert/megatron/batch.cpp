// After megatron/core/num_microbatches_calculator.py and validate_args of
// megatron/training/arguments.py.
#include "convert/megatron/batch.hpp"

#include <fmt/format.h>

#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

constexpr const char* ramp = "rampup-batch-size";
constexpr const char* steps = "step-batch-size-schedule";

int64_t whole(Flags& flags, const char* name, std::string text) {
  std::erase(text, '_');  // Python's int() takes digits in groups
  const std::optional<int64_t> number = interop::number_of<int64_t>(text);
  if (!number || *number < 1 || *number > 1'000'000'000'000)
    flags.fail(name, fmt::format("needs whole numbers from 1 on, not '{}'", text));
  return *number;
}

/// A batch that starts at a size and grows by another one, until it is the global batch.
void note_ramp(Flags& flags, int64_t global) {
  const std::vector<std::string> words = flags.texts(ramp);
  if (words.empty() || words == std::vector<std::string>{"None"}) return;
  if (words.size() != 3)
    flags.fail(ramp, fmt::format("needs a first batch, an increment and samples, not {} values",
                                 words.size()));
  const int64_t first = whole(flags, ramp, words[0]), by = whole(flags, ramp, words[1]);
  const int64_t samples = whole(flags, ramp, words[2]);
  if (first > global || (global - first) % by != 0)
    flags.fail(ramp, fmt::format("does not lead from {} by steps of {} to the global batch of {}",
                                 first, by, global));
  if (flags.has("train-iters") && !flags.has("train-samples"))
    flags.fail(ramp, "needs --train-samples: Megatron-LM refuses it beside --train-iters");
  flags.import().assumed.push_back(fmt::format(
      "{}: the batch grows from {} by {} over {} samples; what is simulated is the last "
      "one, of {}",
      flags.named(ramp), first, by, samples, global));
}

/// Returns the last batch of "0:768 250B:1536", sizes behind the tokens or samples that they begin
/// at.
int64_t last_of(Flags& flags, const std::string& schedule) {
  const std::vector<std::string_view> words = interop::words_of(schedule);
  const std::string_view last = words.empty() ? std::string_view() : words.back();
  const size_t colon = last.find(':');
  if (colon == std::string_view::npos)
    flags.fail(steps, fmt::format("needs 'THRESHOLD:BATCH ...', not '{}'", schedule));
  const int64_t batch = whole(flags, steps, std::string(last.substr(colon + 1)));
  flags.import().assumed.push_back(
      fmt::format("{} {}: what is simulated is the last batch, of {}; a training has all its steps "
                  "at that",
                  flags.named(steps), schedule, batch));
  return batch;
}

int64_t global_batch(Flags& flags, int64_t otherwise) {
  if (const auto schedule = flags.text(steps); schedule && *schedule != "None") {
    flags.has("global-batch-size");  // the schedule stands in for it
    return last_of(flags, *schedule);
  }
  const int64_t global = flags.number("global-batch-size", otherwise);
  note_ramp(flags, global);
  return global;
}

int64_t sequence_of(Flags& flags) {
  for (const char* name : {"seq-length", "encoder-seq-length"})
    if (const int64_t sequence = flags.number(name, 0, 0); sequence > 0) return sequence;
  flags.miss("seq-length");
}

}  // namespace

Batch read_batch(Flags& flags, const Degrees& degrees) {
  // Until 2020 a batch was that of a replica, in one piece.
  const char* name = flags.has("batch-size") ? "batch-size" : "micro-batch-size";
  if (!flags.has(name)) flags.miss("micro-batch-size");
  Batch batch{.micro = flags.number(name, 1)};
  batch.global = global_batch(flags, batch.micro * degrees.data);
  if (batch.global % (batch.micro * degrees.data) != 0)
    throw InputError(
        flags.where("global-batch-size"),
        fmt::format("a global batch of {} is not a multiple of {} replicas of micro-batches of {}",
                    batch.global, degrees.data, batch.micro));
  batch.sequence = sequence_of(flags);
  return batch;
}

}  // namespace pipewright::megatron
