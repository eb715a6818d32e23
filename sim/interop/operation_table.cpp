#include "interop/operation_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/packed_input.hpp"
#include "base/text.hpp"
#include "interop/words.hpp"

namespace pipewright {
namespace {

constexpr std::array<std::string_view, operation_kinds> names = {"forward-compute",
                                                                 "backward-compute",
                                                                 "forward-send",
                                                                 "forward-recv",
                                                                 "backward-send",
                                                                 "backward-recv",
                                                                 "params-all-gather",
                                                                 "grads-reduce-scatter",
                                                                 "layernorm-grads-all-reduce",
                                                                 "embedding-grads-all-reduce",
                                                                 "separate-grads-all-reduce",
                                                                 "optimizer-clip-main-grad",
                                                                 "optimizer",
                                                                 "gc",
                                                                 "weight-gradient-compute"};

enum Column { dp_rank, stage, step, op, chunk, micro_batch, sequence, start, duration };
constexpr std::array<std::string_view, 9> columns = {"dp_rank",  "stage",       "step",
                                                     "op",       "model_chunk", "microbatch",
                                                     "sequence", "start_s",     "duration_s"};

// Counts above these are mistakes: the numbers size arrays.
constexpr int32_t most_ranks = 1 << 20, most_count = 1 << 30;
constexpr size_t most_operations = size_t{100} << 20;
constexpr double longest_seconds = 2e6;  // sums of a few still fit in a Time

/// One line of the table, with its place.
class Row {
 public:
  Row(const PackedLines& lines, const std::array<size_t, columns.size()>& place)
      : lines_(lines), place_(place), words_(interop::split(lines.line(), ",", true)) {
    if (words_.size() != columns.size())
      throw InputError(
          {lines.path(), lines.number(), 1},
          fmt::format("a line has {} columns, this one has {}", columns.size(), words_.size()));
  }

  int32_t count(Column column, int32_t least, int32_t most) const {
    const auto value = interop::number_of<int32_t>(word(column));
    if (!value || *value < least || *value > most)
      fail(column, fmt::format("must be a whole number from {} to {}", least, most));
    return *value;
  }

  Time time(Column column, double least) const {
    const auto value = interop::number_of<double>(word(column));
    if (!value || *value < least || *value > longest_seconds)
      fail(column, fmt::format("must be a time in seconds from {} to {}", least, longest_seconds));
    return seconds(*value);
  }

  OperationKind kind() const {
    const auto* found = std::ranges::find(names, word(op));
    if (found == names.end()) {
      std::string hint = did_you_mean(word(op), names);
      if (hint.empty()) hint = "; there are " + join(names);
      throw InputError(where(op), fmt::format("unknown op '{}'{}", printable(word(op)), hint));
    }
    return static_cast<OperationKind>(found - names.begin());
  }

 private:
  std::string_view word(Column column) const { return words_[place_[column]]; }
  Where where(Column column) const {
    const auto at = word(column).data() - lines_.line().data();
    return {lines_.path(), lines_.number(), static_cast<int>(at) + 1};
  }
  [[noreturn]] void fail(Column column, const std::string& rule) const {
    throw InputError(where(column),
                     fmt::format("{} '{}' {}", columns[column], printable(word(column)), rule));
  }

  const PackedLines& lines_;
  const std::array<size_t, columns.size()>& place_;
  std::vector<std::string_view> words_;
};

/// What is no table at all was meant to be something else.
[[noreturn]] void fail_head(const PackedLines& lines, const std::vector<std::string_view>& words) {
  const bool is_table = std::ranges::any_of(
      columns, [&](std::string_view column) { return std::ranges::count(words, column) > 0; });
  throw InputError({lines.path(), 1, 1},
                   (is_table ? "a table of operations has the columns "
                             : "this is no trace: neither one of PyTorch's profiler or of "
                               "'simulate --trace' (JSON), nor an export of Nsight Systems "
                               "(SQLite), nor a table of operations (CSV) with the columns ") +
                       join(columns));
}

/// Returns where each column stands: files may have them in any order.
std::array<size_t, columns.size()> read_head(PackedLines& lines) {
  if (!lines.next()) throw InputError({lines.path(), 1, 1}, "this file is empty");
  std::string_view head = lines.line();
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::vector<std::string_view> words = interop::split(head, ",", true);
  std::array<size_t, columns.size()> place{};
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto found = std::find(words.begin(), words.end(), columns[i]);
    if (found == words.end() || words.size() != columns.size()) fail_head(lines, words);
    place[i] = static_cast<size_t>(found - words.begin());
  }
  return place;
}

TracedOperation operation_of(const Row& row) {
  return {.dp_rank = row.count(dp_rank, 0, most_ranks),
          .stage = row.count(stage, 0, most_ranks),
          .step = row.count(step, 0, most_count),
          .kind = row.kind(),
          .chunk = row.count(chunk, -1, most_ranks),
          .micro_batch = row.count(micro_batch, -1, most_count),
          .sequence = row.count(sequence, -1, most_count),
          .start = row.time(start, -longest_seconds),
          .duration = row.time(duration, 0)};
}

}  // namespace

std::string_view name_of(OperationKind kind) { return names[static_cast<size_t>(kind)]; }

std::vector<TracedOperation> read_operation_table(const std::string& file) {
  PackedLines lines(file);
  const auto place = read_head(lines);
  std::vector<TracedOperation> operations;
  while (lines.next()) {
    if (lines.line().empty()) continue;
    if (operations.size() == most_operations)
      throw InputError({file, lines.number(), 1}, "this table has more than 100 Mi operations");
    operations.push_back(operation_of(Row(lines, place)));
  }
  if (operations.empty())
    throw InputError({file, lines.number(), 1}, "this table has no operation");
  return operations;
}

}  // namespace pipewright
