#include "interop/run_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/packed_input.hpp"
#include "base/text.hpp"
#include "interop/json_events.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;
using Kind = RunSliceKind;

/// As the writer has it, or as another program that wrote it again does.
constexpr std::string_view schema = R"("pipewright.trace/1")";
constexpr std::string_view measured = " measured";
// Micro-batches and slices of them are counted together in 31 bits.
constexpr int64_t most_bytes = int64_t{1} << 50;
constexpr int32_t most_number = 1 << 20, most_slices = 1 << 10;

/// The category that the writer gives each kind but for collectives of data ranks.
constexpr std::array<std::pair<std::string_view, Kind>, 10> categories = {
    {{"forward", Kind::forward},
     {"backward", Kind::backward},
     {"input_gradient", Kind::input_gradient},
     {"weight_gradient", Kind::weight_gradient},
     {"pair", Kind::pair},
     {"step", Kind::update},
     {"pipeline", Kind::message},
     {"tensor", Kind::tensor_group},
     {"context", Kind::context_group},
     {"expert", Kind::expert_group}}};

/// "0F3": whether the pass of this name is a backward. None where it is no name of a pass.
std::optional<bool> goes_back(std::string_view pass) {
  const size_t letter = pass.find_first_not_of("0123456789");
  if (letter == 0 || letter == std::string_view::npos) return {};
  if (pass[letter] == 'F') return false;
  return pass[letter] == 'B' || pass[letter] == 'I' ? std::optional(true) : std::nullopt;
}

class Reading {
 public:
  explicit Reading(PackedInput input)
      : file_(input.path()), events_(std::move(input), "traceEvents") {}

  RunTrace run() {
    while (events_.next()) read(parse_json(events_.object()));
    return std::move(runs_[chosen()].trace);
  }

 private:
  struct Process {
    size_t run = 0;
    uint32_t rank = 0;
  };
  struct OneRun {
    RunTrace trace;
    bool has_passes = false;
  };

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, events_.line(), 0}, message);
  }

  int32_t number(const Json& object, const char* key, int32_t otherwise,
                 int32_t most = most_number) const {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    const bool whole = found->is_number_integer();
    const int64_t value = whole ? found->get<int64_t>() : -1;
    if (value < 0 || value > most)
      fail(fmt::format("'{}' of this event must be a whole number from 0 to {}", key, most));
    return static_cast<int32_t>(value);
  }

  int64_t bytes(const Json& args) const {
    const auto found = args.find("bytes");
    if (found == args.end()) return 0;
    const int64_t value = found->is_number_integer() ? found->get<int64_t>() : -1;
    if (value < 0 || value > most_bytes)
      fail("'bytes' of this event must be a whole number from 0 to 2^50");
    return value;
  }

  Time time(const Json& event, const char* key) const {
    const auto found = event.find(key);
    const double us = found != event.end() && found->is_number() ? found->get<double>() : -1;
    if (!(us >= 0 && us <= longest_us))
      fail(fmt::format("'{}' of this event must be a time from 0 to 23 days in us", key));
    return {std::llround(us * 1e6)};
  }

  static std::string_view text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string()
               ? std::string_view(found->get_ref<const std::string&>())
               : std::string_view();
  }

  void read(const Json& event) {
    if (!event.is_object()) fail("this event is no JSON");
    const auto args = event.find("args");
    if (args == event.end() || !args->is_object()) return;
    if (text(event, "ph") == "M" && text(event, "name") == "process_name") add_rank(event, *args);
    if (text(event, "ph") == "X") add_slice(event, *args);
  }

  void add_rank(const Json& event, const Json& args) {
    const std::string name(text(args, "run"));
    const auto [run, fresh] = run_of_.emplace(name, runs_.size());
    if (fresh) runs_.push_back({.trace = {.name = name}});
    std::vector<RunTraceRank>& ranks = runs_[run->second].trace.ranks;
    const int32_t process = number(event, "pid", 0);
    processes_[process] = {run->second, static_cast<uint32_t>(ranks.size())};
    // The processes of a run without a name are numbered from 1 on.
    ranks.push_back({.pipeline = number(args, "pipeline", 0),
                     .tensor = number(args, "tensor", 0),
                     .data = number(args, "data", 0),
                     .number = name.empty() ? process - 1 : -1,
                     .device = number(args, "device", -1),
                     .devices = std::max(number(args, "stands_for", 1), 1)});
    refuse_second(run->second);
  }

  /// No two ranks of a job are at one place.
  void refuse_second(size_t run) {
    const RunTraceRank& rank = runs_[run].trace.ranks.back();
    if (places_.insert({run, rank.pipeline, rank.tensor, rank.data}).second) return;
    fail(
        fmt::format("these seem to be two jobs: two processes are pipeline {}, tensor {}, replica "
                    "{}",
                    rank.pipeline, rank.tensor, rank.data));
  }

  void add_slice(const Json& event, const Json& args) {
    const auto process = processes_.find(number(event, "pid", 0));
    if (process == processes_.end()) fail("no event before this one names its process");
    OneRun& run = runs_[process->second.run];
    const std::string_view category = text(event, "cat");
    if (category == "repetition") run.trace.repeats = true;
    RunSlice slice{.rank = process->second.rank, .track = number(event, "tid", 0)};
    if (!tell_kind(category, text(event, "name"), slice)) return;
    slice.stage = number(args, "stage", 0);
    slice.micro_batch = number(args, "micro_batch", 0);
    slice.slice = number(args, "slice", 0, most_slices);
    slice.step = number(args, "step", 0);
    slice.to_rank = number(args, "to_rank", -1);
    slice.bytes = bytes(args);
    slice.devices = number(args, "devices", 0);
    slice.second_stage = number(args, "second_stage", 0);
    slice.second_micro_batch = number(args, "second_micro_batch", 0);
    slice.second_slice = number(args, "second_slice", 0, most_slices);
    slice.start = time(event, "ts");
    slice.end = slice.start + time(event, "dur");
    run.has_passes |= slice.kind <= Kind::pair;
    run.trace.slices.push_back(slice);
  }

  /// Whether the slice is of any of the kinds that are read.
  static bool tell_kind(std::string_view category, std::string_view name, RunSlice& slice) {
    if (category == "data") {
      slice.kind =
          name.find("all_gather") != std::string_view::npos ? Kind::data_gather : Kind::data_sum;
      slice.scatters = name.find("reduce_scatter") != std::string_view::npos;
      return true;
    }
    const auto* found =
        std::ranges::find(categories, category, &std::pair<std::string_view, Kind>::first);
    if (found == categories.end()) return false;
    slice.kind = found->second;
    if (slice.kind == Kind::pair) slice.first_goes_back = goes_back(name).value_or(false);
    if (slice.kind != Kind::message) return true;
    // What a rank lends another's memory (BPipe) is no output of a pass.
    constexpr std::string_view sent = "send ";
    const auto back = name.starts_with(sent) ? goes_back(name.substr(sent.size())) : std::nullopt;
    slice.back = back.value_or(false);
    return back.has_value();
  }

  size_t chosen() const {
    std::vector<size_t> all, of_hardware;
    for (size_t run = 0; run < runs_.size(); ++run) {
      if (!runs_[run].has_passes) continue;
      all.push_back(run);
      if (runs_[run].trace.name.ends_with(measured)) of_hardware.push_back(run);
    }
    if (all.empty()) throw InputError({file_, 0, 0}, "this trace has no pass of a pipeline");
    if (all.size() == 1) return all.front();
    if (of_hardware.size() == 1) return of_hardware.front();
    throw InputError({file_, 0, 0},
                     fmt::format("this trace holds the runs {}: diagnose reads one, or one that "
                                 "was measured beside its prediction",
                                 names_of(all)));
  }

  std::string names_of(const std::vector<size_t>& runs) const {
    std::string names;
    for (const size_t run : runs)
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", printable(runs_[run].trace.name));
    return names;
  }

  std::string file_;
  JsonEvents events_;
  std::vector<OneRun> runs_;
  std::map<std::string, size_t> run_of_;
  std::map<int32_t, Process> processes_;
  std::set<std::tuple<size_t, int32_t, int32_t, int32_t>> places_;  ///< run, pipeline, tensor, data
};

}  // namespace

bool is_run_trace(const std::string& file) {
  PackedInput input(file);
  std::array<char, 256> head{};
  return std::string_view(head.data(), input.read(head)).find(schema) != std::string_view::npos;
}

RunTrace read_run_trace(PackedInput input) { return Reading(std::move(input)).run(); }

}  // namespace pipewright
