#include "convert/megatron/along.hpp"

#include <algorithm>
#include <span>

#include "convert/job/carried.hpp"
#include "convert/megatron/variables.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;

/// Say the vocabulary, which the experiment has as a number.
constexpr std::string_view of_tokenizer[] = {"tokenizer-type",
                                             "tokenizer-model",
                                             "vocab-file",
                                             "merge-file",
                                             "vocab-extra-ids",
                                             "make-vocab-size-divisible-by",
                                             "tiktoken-num-special-tokens"};
constexpr const char* words = "vocab-file";
/// Say how long the training is, which the experiment has as tokens.
constexpr std::string_view samples = "train-samples", iterations = "train-iters";
/// Say by which library tokens are sent.
constexpr std::string_view dispatcher = "moe-flex-dispatcher-backend", deepep = "deepep";
/// Says the longest sequence, which may be longer than those of the training, and of which family
/// the kernels of attention are.
constexpr std::string_view positions = "max-position-embeddings", backend = "attention-backend";
/// Hides shared experts, which is not simulated.
constexpr std::string_view beside = "moe-shared-expert-overlap";
/// Says of which sharding the job was, too.
constexpr std::string_view checkpoints = "ckpt-format";

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Tells whether a tokenizer without files stands for itself.
bool is_null_tokenizer(const Flags& flags) {
  const GivenFlag* type = flags.given().find("tokenizer-type");
  if (!type) return flags.given().find(words) == nullptr;  // a program has its usual one
  return type->values.empty() || type->values.front().text.starts_with("Null");
}

bool goes(const std::string& name, const GivenFlag& flag, const Flags& flags,
          bool takes_tokenizer) {
  constexpr std::string_view always[] = {samples, iterations,  dispatcher, positions,
                                         backend, checkpoints, beside};
  if (is_in(always, name)) return true;
  if (is_in(of_tokenizer, name)) return takes_tokenizer;
  const bool decides_nothing = flag.argument && (flag.argument->effect == Effect::nothing ||
                                                 flag.argument->effect == Effect::slight);
  return decides_nothing && !flags.is_used(name) && flag.argument->goes == Goes::along;
}

/// Tells whether the newest release takes the argument with its values, wherever it stands.
bool is_taken_today(const GivenFlag& flag) {
  return is_of_today(*flag.argument) &&
         std::ranges::all_of(flag.values, [&](const job::Word& value) {
           return is_portable(value) &&
                  (value.unknown || misfit_of(*flag.argument, value.text).empty());
         });
}

Value values_of(const GivenFlag& flag) {
  if (flag.values.empty()) return job::truth(true);
  if (flag.values.size() == 1) return scalar(flag.values.front().text);
  Value list;
  list.kind = Value::Kind::list;
  for (const job::Word& value : flag.values) list.items.push_back(scalar(value.text));
  return list;
}

/// Tells whether the tokenizer goes along, so that none stands for it.
bool brings_tokenizer(const Value& along) {
  return along.find(of_tokenizer[0]) || along.find(words);
}

bool says(const ArgumentLines& lines, std::string_view name) {
  return std::ranges::find(lines.lines(), name, &ArgumentLine::name) != lines.lines().end();
}

/// Returns the length of the training in the unit that goes along.
ArgumentLine length(const ArgumentLine& line, const Value& along, int64_t global_batch) {
  const bool has_samples = along.find(samples), has_steps = along.find(iterations);
  const auto count = interop::number_of<int64_t>(line.value);
  if (!count || has_samples == has_steps) return line;
  if (line.name == iterations && has_samples)
    return {std::string(samples), std::to_string(*count * global_batch)};
  if (line.name == samples && has_steps)
    return {std::string(iterations),
            std::to_string(std::max<int64_t>(1, (*count + global_batch / 2) / global_batch))};
  return line;
}

int64_t number_in(const Value& value) {
  return interop::number_of<int64_t>(value.text).value_or(0);
}

/// Returns a line that is written as what goes along has it.
ArgumentLine as_along(const ArgumentLine& line, const Value& along, int64_t global_batch) {
  const Value* said = along.find(dispatcher);
  if (said && line.name == dispatcher && line.value == deepep) return {line.name, said->text};
  const Value* longest = along.find(positions);
  if (longest && line.name == positions && number_in(*longest) > number_in(scalar(line.value)))
    return {line.name, longest->text};
  return length(line, along, global_batch);
}

/// Attention is fused where an experiment does not say otherwise.
bool is_unfused(const config::Entry& entry) {
  return entry.key == backend && (entry.value.text == "unfused" || entry.value.text == "local");
}

}  // namespace

bool is_ours(const std::string& key) {
  constexpr std::string_view all[] = {samples, iterations, dispatcher, positions};
  return is_in(all, key) || key == job::left || key == variables_key;
}

std::string in_script(const Value& value) {
  if (value.is_scalar()) return value.text == "true" ? std::string() : in_bash(value.text);
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : " ") + in_bash(item.text);
  return text;
}

Value arguments_along(const Flags& flags) {
  Value along, others;
  others.kind = Value::Kind::list;
  const bool takes_tokenizer = !is_null_tokenizer(flags);
  for (const std::string& name : flags.given().names()) {
    const GivenFlag& flag = *flags.given().find(name);
    if (!goes(name, flag, flags, takes_tokenizer)) continue;
    if (is_taken_today(flag))
      along.set(name, values_of(flag));
    else
      others.items.push_back(scalar(flag.written()));
  }
  if (!others.items.empty()) along.set(job::left, std::move(others));
  return along;
}

ArgumentLines with_along(const ArgumentLines& written, const Value& along, int64_t global_batch) {
  const bool takes_tokenizer = brings_tokenizer(along);
  ArgumentLines lines;
  for (const ArgumentLine& line : written.lines()) {
    const bool is_replaced =
        takes_tokenizer && (is_in(of_tokenizer, line.name) || line.name == "vocab-size");
    if (!is_replaced) lines.add(as_along(line, along, global_batch));
  }
  for (const config::Entry& entry : along.entries) {
    if (is_ours(entry.key) || is_unfused(entry) || says(lines, entry.key)) continue;
    lines.add({entry.key, in_script(entry.value)});
  }
  return lines;
}

TrainingLength length_of(const ArgumentLines& written, const Value& along) {
  for (const std::string_view unit : {samples, iterations}) {
    const Value* said = along.find(unit);
    if (!said) continue;
    for (const ArgumentLine& line : written.lines())
      if (line.name == unit) return {unit, number_in(*said), number_in(scalar(line.value))};
  }
  return {};
}

Value in_unit_of(const Value& along, std::string_view section, const Value& batch) {
  const Value* said = section.empty() ? &along : along.find(section);
  const Value* steps = batch.find("train_iters");
  const Value* sequences = batch.find("train_samples");
  const bool has_samples = said && said->find("train_samples");
  if (along.is_null() || has_samples == (sequences != nullptr) || (!steps && !sequences))
    return batch;
  const int64_t global = config::as_int(*batch.find("global_batch_size"), 1, INT64_MAX);
  const ArgumentLine line = {std::string(steps ? iterations : samples),
                             (steps ? steps : sequences)->text};
  Value unit;
  unit.set(has_samples ? samples : iterations, job::truth(true));
  Value other = batch;
  std::erase_if(other.entries, [](const config::Entry& entry) {
    return entry.key == "train_iters" || entry.key == "train_samples";
  });
  other.set(has_samples ? "train_samples" : "train_iters",
            scalar(length(line, unit, global).value));
  return other;
}

void keep_dispatcher(const Value* along, Value& model) {
  constexpr std::string_view key = "moe_flex_dispatcher_backend";
  const Value* said = along ? along->find(key) : nullptr;
  Value* written = model.find(key);
  if (said && written && written->text == deepep) *written = *said;
}

std::map<std::string, std::string> tokens_outside(const Experiment& experiment,
                                                  const Value& along) {
  if (!brings_tokenizer(along)) return {};
  const int64_t tokens = experiment.model_or_fail().transformer.ends.vocabulary;
  return {{"VOCAB_SIZE", std::to_string(tokens)}};
}

Value less_along(const Value& along) {
  if (!brings_tokenizer(along)) return {};
  Value rest = along;
  std::erase_if(rest.entries,
                [](const config::Entry& entry) { return is_in(of_tokenizer, entry.key); });
  return rest;
}

}  // namespace pipewright::megatron
