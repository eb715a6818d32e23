#include "convert/deepspeed/documents.hpp"

#include <fmt/format.h>

#include "convert/deepspeed/along.hpp"
#include "convert/deepspeed/keys.hpp"

namespace pipewright::deepspeed {

using config::Value;

namespace {

constexpr int64_t most_counted = INT64_C(1'000'000'000'000);

}  // namespace

Documents::Documents(Inputs inputs, const job::Source& source, job::Import& import)
    : inputs_(std::move(inputs)),
      config_(inputs_.config, source, import),
      arguments_(inputs_.launch.arguments.map, source, import) {}

const Value* Documents::key(std::string_view path) {
  const Value* value = config_.find(path);
  return value && value->text != "auto" ? value : nullptr;
}

std::optional<int64_t> Documents::number(const std::string& path, Names arguments) {
  const Value* said = argument(arguments);
  const Value* value = key(path);
  if (!value) value = said;
  if (!value) return std::nullopt;
  return config::as_int(*value, 1, most_counted);
}

bool Documents::truth(const std::string& path, bool otherwise) {
  const Value* value = key(path);
  return value ? job::python_truth(*value) : otherwise;
}

bool Documents::enabled(const std::string& path, Names arguments) {
  const bool said = argument(arguments) != nullptr, on = flag(arguments);
  const Value* value = config_.find(path);
  if (!value || value->text != "auto") return value && job::python_truth(*value);
  if (!said)
    config_.import().assumed.push_back(
        fmt::format("{}: auto is false, as transformers has it without an argument", path));
  return on;
}

const Value* Documents::argument(Names names) {
  const Value* found = nullptr;
  for (const std::string& name : names) {
    const Value* value = arguments_.find(std::string_view(name));
    if (!value || found) continue;
    const auto unknown = inputs_.launch.arguments.unknown.find(name);
    if (unknown != inputs_.launch.arguments.unknown.end())
      job::fail_unknown(unknown->second, "--" + name);
    found = value;
  }
  return found;
}

bool Documents::flag(Names names) {
  const Value* value = argument(names);
  return value && job::python_truth(*value);
}

void Documents::review() {
  review_config();
  const size_t before = config_.import().idle.size();
  arguments_.review(argument_keys(), "the program");
  std::vector<std::string>& idle = config_.import().idle;
  idle.erase(idle.begin(), idle.begin() + static_cast<std::ptrdiff_t>(before));
  carry_program(config_.import(), inputs_.launch.arguments.map);
}

void Documents::review_config() {
  config_.review(config_keys(), "DeepSpeed");
  carry_configuration(config_.import(), config_);
}

}  // namespace pipewright::deepspeed
