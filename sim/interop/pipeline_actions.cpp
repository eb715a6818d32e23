#include "interop/pipeline_actions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

constexpr std::string_view prefix = "PP:", overlapped = "OVERLAP_F_B";
/// No pipeline has more stages, no step more micro-batches.
constexpr int32_t most = 1 << 20;

/// What the runtime writes; the long forms are the names of the same members of its enumeration.
struct Word {
  std::string_view text;
  PipelineActionKind kind;
};
using enum PipelineActionKind;
constexpr std::array<Word, 15> words = {{{"F", forward},
                                         {"B", backward},
                                         {"I", input_gradient},
                                         {"W", weight_gradient},
                                         {"SEND_F", forward_send},
                                         {"RECV_F", forward_recv},
                                         {"SEND_B", backward_send},
                                         {"RECV_B", backward_recv},
                                         {"UNSHARD", weights},
                                         {"RESHARD", weights},
                                         {"REDUCE_GRAD", weights},
                                         {"FORWARD", forward},
                                         {"FULL_BACKWARD", backward},
                                         {"BACKWARD_INPUT", input_gradient},
                                         {"BACKWARD_WEIGHT", weight_gradient}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number at the beginning of `text`, which is cut off it.
std::optional<int32_t> take_number(std::string_view& text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > most) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

/// "2F5", "1UNSHARD".
std::optional<PipelineAction> action_of(std::string_view text) {
  const auto stage = take_number(text);
  const auto digits = std::ranges::find_if(text, is_digit);
  const auto length = static_cast<size_t>(digits - text.begin());
  const auto word = std::ranges::find(words, text.substr(0, length), &Word::text);
  if (!stage || word == words.end()) return std::nullopt;
  text.remove_prefix(length);
  if (word->kind == weights) return PipelineAction{weights, *stage};
  const auto micro_batch = number_of<int32_t>(text);
  if (!micro_batch || *micro_batch > most) return std::nullopt;
  return PipelineAction{word->kind, *stage, *micro_batch};
}

/// "0F1;3B0" of "(0F1;3B0)OVERLAP_F_B".
std::vector<PipelineAction> overlapped_actions(std::string_view text) {
  const size_t end = text.find(')');
  if (end == std::string_view::npos || text.substr(end + 1) != overlapped) return {};
  std::vector<PipelineAction> actions;
  for (const std::string_view one : split(text.substr(1, end - 1), ";", false)) {
    const auto action = action_of(one);
    if (!action) return {};
    actions.push_back(*action);
  }
  return actions;
}

/// "Forward 5".
std::optional<PipelineAction> of_one_stage(std::string_view range) {
  constexpr std::string_view forward_word = "Forward ", backward_word = "Backward ";
  const bool goes_back = range.starts_with(backward_word);
  if (!goes_back && !range.starts_with(forward_word)) return std::nullopt;
  range.remove_prefix(goes_back ? backward_word.size() : forward_word.size());
  const auto micro_batch = number_of<int32_t>(range);
  if (!micro_batch || *micro_batch < 0 || *micro_batch > most) return std::nullopt;
  return PipelineAction{goes_back ? backward : forward, -1, *micro_batch};
}

}  // namespace

std::vector<PipelineAction> pipeline_actions(std::string_view range) {
  std::optional<PipelineAction> action = of_one_stage(range);
  if (range.starts_with(prefix)) {
    range.remove_prefix(prefix.size());
    if (range.starts_with('(')) return overlapped_actions(range);
    action = action_of(range);
  }
  return action ? std::vector{*action} : std::vector<PipelineAction>();
}

}  // namespace pipewright::interop
