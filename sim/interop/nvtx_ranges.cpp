#include "interop/nvtx_ranges.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

/// What people call a step.
constexpr std::array<std::string_view, 16> step_words = {
    "profilerstep", "iteration",   "iterations",    "iter",         "step",        "steps",
    "global_step",  "train_step",  "training_step", "trainstep",    "train_batch", "batch",
    "train_iter",   "global step", "train step",    "training step"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view without_end(std::string_view text, std::string_view characters) {
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

/// "iteration 12", "step_7", "ProfilerStep#3" or "train_step".
std::optional<NvtxRange> step_of(std::string_view text) {
  const std::string_view before = without_end(text, "0123456789");
  const std::string_view word = without_end(before, " _:#=-");
  if (std::ranges::find(step_words, word) == step_words.end()) return {};
  return NvtxRange{.meaning = NvtxMeaning::step,
                   .word = std::string(word),
                   .number = number_of<int>(text.substr(before.size())).value_or(-1)};
}

bool is_optimizer(std::string_view text) {
  return text == "optimizer" || (has(text, "optimizer") && has(text, "step")) ||
         has(text, "opt_step") || has(text, "optim_step") || has(text, "deepspeedengine.step");
}

/// "forward_backward_func" holds passes of both directions.
bool is_backward(std::string_view text) {
  return (has(text, "backward") || text == "bwd") && !has(text, "forward");
}

/// "ncclAllReduce" of NCCL, "nccl:all_reduce" and "nccl:send 0->1" of PyTorch.
std::optional<NvtxRange> collective_of(std::string_view text) {
  if (!text.starts_with("nccl")) return {};
  text.remove_prefix(text.starts_with("nccl:") ? 5 : 4);
  text = text.substr(0, text.find_first_of(" ,("));
  for (const std::string_view other : {"Group", "Comm", "Get"})
    if (text.starts_with(other)) return {};
  return NvtxRange{.meaning = NvtxMeaning::collective, .word = std::string(text)};
}

/// What begins before the one before it has ended lies within it.
std::vector<NvtxRange> outermost(std::vector<NvtxRange> ranges) {
  std::ranges::stable_sort(ranges, {}, &NvtxRange::start);
  std::vector<NvtxRange> outer;
  for (NvtxRange& range : ranges)
    if (outer.empty() || range.start >= outer.back().end) outer.push_back(std::move(range));
  return outer;
}

std::vector<NvtxRange> steps_by_word(const std::vector<NvtxRange>& ranges) {
  std::map<std::string, std::vector<NvtxRange>> by_word;
  for (const NvtxRange& range : ranges)
    if (range.meaning == NvtxMeaning::step) by_word[range.word].push_back(range);
  std::vector<NvtxRange> steps;
  double longest = -1;
  for (auto& [word, all] : by_word) {
    double total = 0;
    for (const NvtxRange& one : all) total += in_seconds(one.end - one.start);
    if (total <= longest) continue;
    longest = total;
    steps = std::move(all);
  }
  return outermost(std::move(steps));
}

std::vector<NvtxRange> steps_by_updates(const std::vector<NvtxRange>& ranges) {
  std::vector<NvtxRange> steps;
  std::vector<const NvtxRange*> order;
  for (const NvtxRange& range : ranges)
    if (range.meaning != NvtxMeaning::collective) order.push_back(&range);
  std::ranges::stable_sort(order, {}, [](const NvtxRange* range) { return range->start; });
  Time begin{INT64_MIN};
  const NvtxRange* update = nullptr;
  bool learned = false;
  const auto close = [&] {
    if (update == nullptr || !learned) return;
    steps.push_back({.thread = update->thread, .start = begin, .end = update->end});
    begin = update->end;
    update = nullptr;
    learned = false;
  };
  for (const NvtxRange* range : order) {
    if (range->meaning == NvtxMeaning::optimizer) {
      update = range;
    } else {
      close();
      learned = true;
    }
  }
  close();
  return steps;
}

}  // namespace

std::optional<NvtxRange> nvtx_range(std::string_view text) {
  text = text.substr(0, 200);
  if (const auto collective = collective_of(text)) return collective;
  const std::string lower = lower_case(text);
  if (const auto step = step_of(lower)) return step;
  if (has(lower, "zero_grad")) return {};
  if (is_optimizer(lower)) return NvtxRange{.meaning = NvtxMeaning::optimizer};
  if (is_backward(lower)) return NvtxRange{.meaning = NvtxMeaning::backward};
  return {};
}

std::vector<NvtxRange> nvtx_steps(const std::vector<NvtxRange>& ranges) {
  std::vector<NvtxRange> steps = steps_by_word(ranges);
  if (steps.empty()) steps = steps_by_updates(ranges);
  const bool numbered = std::ranges::none_of(steps, [](const auto& one) { return one.number < 0; });
  int next = 0;
  for (NvtxRange& step : steps) {
    if (!numbered) step.number = next;
    ++next;
  }
  return steps;
}

}  // namespace pipewright::interop
