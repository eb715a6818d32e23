// After tests/functional_tests/shell_test_utils/_run_training.sh of Megatron-LM and
// sbatch_benchmarking.sh of Megatron-MoE-ModelZoo, which make a command line of the map: `true`
// makes a flag, an empty text nothing, and "[a b]" several values. `false` leaves an argument out.
// Bash takes backslashes away that stand before the signs of a layout.
#include "convert/megatron/model_args.hpp"

#include <fmt/format.h>

#include "convert/job/documents.hpp"
#include "convert/job/settings.hpp"
#include "convert/megatron/arguments.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

/// Replaces ${NAME} and ${NAME:-otherwise} by what is defined. The first one that is not stays, and
/// is the unknown of the word.
job::Word resolved(const std::string& text, const Where& where, const job::Source& source) {
  job::Word word{text, where, nullptr, {}};
  size_t from = 0;
  while ((from = word.text.find("${", from)) != std::string::npos) {
    const size_t end = word.text.find('}', from);
    if (end == std::string::npos) return word;
    const std::string written = word.text.substr(from, end - from + 1);
    const std::string inner = written.substr(2, written.size() - 3);
    const size_t colon = inner.find(":-");
    const auto given = source.given.find(inner.substr(0, colon));
    from = end + 1;
    if (given == source.given.end() && colon == std::string::npos) {
      if (!word.unknown) word.unknown = std::make_shared<shell::Unknown>(written, inner, true);
      continue;
    }
    const std::string with = given != source.given.end() ? given->second : inner.substr(colon + 2);
    word.text.replace(end + 1 - written.size(), written.size(), with);
    from = end + 1 - written.size() + with.size();
  }
  return word;
}

bool takes_several(std::string_view name) {
  const Argument* argument = find_argument(name);
  return argument && argument->takes == Takes::some;
}

void add_values(const std::string& name, const Value& value, const job::Source& source,
                std::vector<job::Word>& words) {
  std::string_view text = value.text;
  const bool is_quoted = text.size() > 2 && text.starts_with('\'') && text.ends_with('\'');
  if (is_quoted) text = text.substr(1, text.size() - 2);
  const bool is_list = text.size() > 2 && text.starts_with('[') && text.ends_with(']');
  if (is_list) text = text.substr(1, text.size() - 2);
  std::string plain(text);
  if (name == "pipeline-model-parallel-layout") std::erase(plain, '\\');
  text = plain;
  if (!takes_several(name)) {
    words.push_back(resolved(std::string(text), value.mark.where(), source));
    return;
  }
  for (const std::string_view one : interop::words_of(text))
    words.push_back(resolved(std::string(one), value.mark.where(), source));
}

/// Adds one argument and its values to `words`.
void add_entry(const config::Entry& entry, const job::Source& source, job::Import& notes,
               std::vector<job::Word>& words) {
  const Value& value = entry.value;
  const bool is_nemo = !entry.key.starts_with("--") && entry.key.find('.') != std::string::npos;
  if (is_nemo)
    value.fail(
        fmt::format("'{}' is an override of NeMo's configuration, and no argument of "
                    "Megatron-LM: 'import nemo' reads the configuration, with such "
                    "overrides as words KEY=VALUE",
                    entry.key));
  if (!entry.key.starts_with("--") || entry.key.size() < 3)
    value.fail(fmt::format("'{}' is no argument: it begins with --", entry.key));
  if (value.is_null() || (value.is_scalar() && (value.text == "false" || value.text.empty()))) {
    notes.unused.push_back(fmt::format("{}: {}", entry.key, value.text));
    return;
  }
  words.push_back({entry.key, value.mark.where(), nullptr, {}});
  if (value.is_list())
    for (const Value& item : value.items)
      words.push_back(resolved(job::written(item), item.mark.where(), source));
  else if (!value.is_scalar())
    value.fail("must be a value, a list, true or false");
  else if (value.text != "true")
    add_values(entry.key.substr(2), value, source, words);
}

/// Tells which program the arguments are for: the file does not say it.
std::string program_told_by(const Value& arguments) {
  if (arguments.find("--encoder-num-layers") || arguments.find("--decoder-seq-length"))
    return "pretrain_t5.py";
  for (const char* hybrid :
       {"--hybrid-layer-pattern", "--hybrid-override-pattern", "--is-hybrid-model"})
    if (arguments.find(hybrid)) return "pretrain_mamba.py";
  const Value* tokenizer = arguments.find("--tokenizer-type");
  const Value* file = arguments.find("--vocab-file");
  // GPT-2's vocabulary is a JSON file, and BERT's has a word on each line.
  const bool is_bert = tokenizer ? tokenizer->text.starts_with("Bert")
                                 : file && file->is_scalar() && file->text.ends_with(".txt");
  return is_bert ? "pretrain_bert.py" : "pretrain_gpt.py";
}

/// The launcher's counts, as both scripts call them.
job::Devices devices_of(const job::Source& source) {
  job::Devices devices = defined_devices(source);
  const auto count = [&](const char* name) -> std::optional<int64_t> {
    const auto given = source.given.find(name);
    if (given == source.given.end()) return std::nullopt;
    const auto number = interop::number_of<int64_t>(given->second);
    if (!number || *number < 1 || *number > 1'048'576)
      throw InputError(fmt::format("--define {}={}: needs a number", name, given->second));
    return number;
  };
  devices.nodes = count("NUM_NODES");
  devices.per_node = count("GPUS_PER_NODE");
  return devices;
}

}  // namespace

job::Import import_model_args(const job::Source& source) {
  job::Import notes;
  const Value root = job::parse_job(source, notes);
  const Value* arguments = root.is_map() ? root.find("MODEL_ARGS") : nullptr;
  if (!arguments || !arguments->is_map())
    throw InputError({source.file, 1, 1}, "no map MODEL_ARGS is here");
  job::Launch launch;
  launch.where = arguments->mark.where();
  launch.program = program_told_by(*arguments);
  for (const config::Entry& entry : arguments->entries)
    add_entry(entry, source, notes, launch.arguments);
  if (const Value* variables = root.find("ENV_VARS"); variables && variables->is_map())
    for (const config::Entry& entry : variables->entries)
      if (entry.value.is_scalar())
        launch.variables[entry.key] = resolved(entry.value.text, entry.value.mark.where(), source);
  notes.assumed.push_back(
      fmt::format("the file does not say its program: {} is assumed", launch.program));
  job::Import import = translate(launch, devices_of(source), source);
  import.from = "the MODEL_ARGS of a job of Megatron-LM";
  job::add_notes(import, notes);
  return import;
}

}  // namespace pipewright::megatron
