#include "convert/deepspeed/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "interop/words.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"

namespace pipewright::deepspeed {
namespace {

using config::Value;

/// Keys of which a configuration of DeepSpeed has one at least.
constexpr std::string_view own_keys[] = {"zero_optimization",
                                         "train_batch_size",
                                         "train_micro_batch_size_per_gpu",
                                         "gradient_accumulation_steps",
                                         "fp16",
                                         "bf16",
                                         "optimizer"};

bool is_config(const Value& value) {
  return value.is_map() &&
         std::any_of(std::begin(own_keys), std::end(own_keys),
                     [&](std::string_view key) { return value.find(key) != nullptr; });
}

/// Scripts do not begin as JSON does, before which comments may stand.
bool is_document(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = interop::take_line(text);
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#') return line[first] == '{';
  }
  return false;
}

class Reader {
 public:
  Reader(const job::Source& source, job::Import& import) : source_(source), import_(import) {}

  Inputs run() {
    in_.launch.arguments.map.kind = Value::Kind::map;
    for (const auto& [name, value] : source_.given)
      if (name != "NGPU") in_.launch.arguments.map.set(name, config::scalar(value));
    take(source_.file, source_.text);
    for (const job::Further& further : source_.further) {
      if (!further.text) throw InputError(fmt::format("'{}': there is no such file", further.word));
      take(further.word, *further.text);
    }
    if (in_.config.is_null()) read_named();
    return std::move(in_);
  }

 private:
  void take(const std::string& file, std::string_view text) {
    if (is_document(text))
      take_document(file, config::parse(text, file));
    else
      in_.launch = read_launch(text, file, source_, import_);
  }

  /// A trainer writes its arguments with the configuration that it was given.
  static void check_whole(const Value& document) {
    const Value* inner = document.is_map() ? document.find("deepspeed") : nullptr;
    if (inner && is_config(*inner) && !document.find("zero_optimization"))
      inner->fail(
          "these are the arguments of a program, and in them a configuration of DeepSpeed: give "
          "this map as a file of its own, and arguments by --define NAME=VALUE");
  }

  void take_document(const std::string& file, Value document) {
    check_whole(document);
    if (is_config(document))
      in_.config = std::move(document);
    else if (document.is_map() && is_hugging_face(document))
      in_.model = std::move(document);
    else
      throw InputError({file, 1, 1},
                       "this is no configuration of DeepSpeed, which has zero_optimization or "
                       "train_batch_size, and no config.json of Hugging Face");
  }

  void read_named() {
    const std::string what = "give the configuration of DeepSpeed (JSON) as a further FILE";
    const std::optional<Value>& named = in_.launch.named;
    if (!named)
      throw InputError({source_.file, 1, 1},
                       fmt::format("no configuration of DeepSpeed is named here: {}", what));
    if (!in_.launch.config && in_.launch.unknown)
      job::fail_unknown({named->text, named->mark.where(), in_.launch.unknown, {}},
                        "the name of the configuration");
    if (!in_.launch.config && in_.launch.is_written)
      throw InputError(
          named->mark.where(),
          fmt::format("'{}' is written by the script in ways that are not followed: {}",
                      named->text, what));
    if (!in_.launch.config)
      throw InputError(named->mark.where(),
                       fmt::format("'{}' cannot be read: {}", named->text, what));
    in_.config = parse_named(*in_.launch.config, *named);
    if (!in_.config.is_map())
      throw InputError(in_.config.mark.where(), "this is no configuration of DeepSpeed");
  }

  /// Without the values that a script writes into it, it may be no document.
  Value parse_named(const std::string& text, const Value& named) const {
    try {
      return config::parse(text, named.text);
    } catch (const InputError&) {
      const job::Word word{named.text, named.mark.where(), in_.launch.unknown, {}};
      if (in_.launch.unknown) job::fail_unknown(word, fmt::format("'{}'", named.text));
      throw;
    }
  }

  const job::Source& source_;
  job::Import& import_;
  Inputs in_;
};

}  // namespace

Inputs read_inputs(const job::Source& source, job::Import& import) {
  return Reader(source, import).run();
}

}  // namespace pipewright::deepspeed
