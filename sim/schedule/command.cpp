#include "schedule/command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/command.hpp"
#include "base/json.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::schedule {
namespace {

using Json = nlohmann::json;

template <class Number>
std::optional<Number> whole_text_as(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Json to_json(const config::Value& value) {
  if (value.is_null()) return nullptr;
  if (value.is_list()) {
    Json list = Json::array();
    for (const config::Value& item : value.items) list.push_back(to_json(item));
    return list;
  }
  if (value.is_map()) {
    Json map = Json::object();
    for (const config::Entry& entry : value.entries) map[entry.key] = to_json(entry.value);
    return map;
  }
  if (value.quoted) return value.text;
  if (value.text == "true" || value.text == "false") return value.text == "true";
  if (const auto number = whole_text_as<int64_t>(value.text)) return *number;
  if (const auto number = whole_text_as<double>(value.text)) return *number;
  return value.text;
}

std::string question(const Shape& shape, const config::Value& spec) {
  Json options = Json::object();
  for (const config::Entry& entry : spec.entries)
    if (entry.key != "command" && entry.key != "time_limit")
      options[entry.key] = to_json(entry.value);
  const Json all = {{"ranks", shape.ranks},
                    {"micro_batches", shape.micro_batches},
                    {"iterations", shape.iterations},
                    {"sequence", shape.sequence},
                    {"options", options}};
  return dump_json(all) + "\n";
}

std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.substr(text.find_last_of('\n') + 1);
}

std::string answer(const config::Value& command, const std::string& text, const std::string& input,
                   const CommandLimits& limits) {
  CommandRun run = run_command(text, input, limits);
  if (run.end == CommandRun::End::exited && run.code == 0) return std::move(run.output);
  const std::string_view complaint = last_line(run.complaint);
  command.fail(fmt::format("the command '{}' {}{}{}", text, describe(run, limits),
                           complaint.empty() ? "" : ": ", complaint));
}

void check_wrote(const config::Value& command, const char* what, int wanted, int found) {
  if (wanted == found) return;
  command.misfit(fmt::format("the command wrote orders for {} {}, not {}", found, what, wanted));
}

}  // namespace

Schedule build_from_command(const Shape& shape, const config::Value& spec) {
  const config::Value* command = spec.find("command");
  ensure(command, "a spec without a command");
  const std::string& text = config::as_text(*command, "a command for the shell");
  if (!shape.allow_commands) {
    command->fail(fmt::format("'{}' is not run unless --allow-commands is given", text));
  }
  CommandLimits limits;
  if (const config::Value* limit = spec.find("time_limit")) limits.time = config::as_time(*limit);
  const std::string output = answer(*command, text, question(shape, spec), limits);
  Schedule schedule = read_torch_csv(output, fmt::format("output of '{}'", text));
  check_wrote(*command, "ranks", shape.ranks, schedule.ranks());
  check_wrote(*command, "micro-batches", shape.micro_batches, schedule.micro_batches);
  schedule.iterations = shape.iterations;
  repeat_iterations(schedule);
  return schedule;
}

}  // namespace pipewright::schedule
