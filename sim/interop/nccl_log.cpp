// Reads a log of nccl-tests: comment lines, which start with '#', and a line of numbers for each
// size. The last comment that names the columns says what the numbers are; times are in
// microseconds, first out of place, then in place. Lines of a launcher or of NCCL's debug output
// between them are passed over.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "interop/nccl_points.hpp"
#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

struct Program {
  std::string_view name, operation;
};
constexpr Program programs[] = {{"all_reduce", "all_reduce"},
                                {"all_gather", "all_gather"},
                                {"reduce_scatter", "reduce_scatter"},
                                {"alltoall", "all_to_all"},
                                {"all_to_all", "all_to_all"},
                                {"broadcast", "broadcast"},
                                {"sendrecv", "send_recv"},
                                {"hypercube", "hypercube"},
                                // Their names end those of others, which stand above.
                                {"gather_perf", "gather"},
                                {"scatter_perf", "scatter"},
                                {"reduce_perf", "reduce"}};

constexpr int most_ranks = 1'000'000;

/// Columns by number; the two times are the first and second that are called so.
struct Columns {
  std::vector<std::string_view> names;
  std::optional<size_t> find(std::string_view name, int occurrence = 1) const {
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == name && --occurrence == 0) return i;
    return std::nullopt;
  }
};

/// "2.28.7" for the number that nccl.h has for it; before 2.9 the parts had a digit less.
std::string version_of(int code) {
  const int major = code < 10'000 ? 1000 : 10'000;
  return fmt::format("{}.{}.{}", code / major, code % major / 100, code % 100);
}

struct Row {
  int line = 0;
  Bytes bytes;
  std::string type, redop;
  double time_us = 0, algbw = 0, busbw = 0;
  std::optional<double> in_place_us;
};

class Reader {
 public:
  Reader(std::string file, int ranks) : file_(std::move(file)), otherwise_(ranks) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++line_;
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) continue;
      note_program(line);
      note_version(words);
      if (words[0].front() == '#')
        comment(words);
      else if (number_of<int64_t>(words[0]) && !columns_.names.empty())
        row(words);
    }
  }

  std::vector<NcclPoint> points() const {
    if (rows_.empty())
      throw InputError({file_}, "no measurements: expected the table that nccl-tests prints");
    if (ranks() == 0)
      throw InputError({file_},
                       "the log does not say how many ranks took part: its lines "
                       "'#  Rank ... on HOST device ...' are missing");
    const std::string operation = operation_.empty() ? guessed_operation() : operation_;
    std::vector<NcclPoint> points;
    for (const Row& row : rows_) {
      if (row.bytes.count == 0 || row.time_us <= 0) continue;
      NcclPoint point{.operation = operation, .type = row.type, .ranks = ranks()};
      point.element_bytes = element_bytes(row.type).value_or(4);
      point.nodes = std::max<int>(1, static_cast<int>(hosts_.size()));
      point.bytes = row.bytes;
      point.device = device_;
      point.library = library_;
      point.time_s = row.time_us * 1e-6;
      if (row.in_place_us) point.in_place_s = *row.in_place_us * 1e-6;
      points.push_back(std::move(point));
    }
    return points;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, line_, 1}, message);
  }

  int ranks() const { return ranks_ > 0 ? ranks_ : otherwise_; }

  void note_program(std::string_view line) {
    if (line.find("_perf") == std::string_view::npos) return;
    for (const Program& program : programs) {
      if (line.find(program.name) == std::string_view::npos) continue;
      operation_ = program.operation;
      return;
    }
  }

  /// nccl-tests says "nccl-library=22807", NCCL itself "NCCL version 2.28.7+cuda12.9".
  void note_version(const std::vector<std::string_view>& words) {
    constexpr std::string_view key = "nccl-library=";
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].starts_with(key)) {
        const std::optional<int> code = number_of<int>(words[i].substr(key.size()));
        if (code && *code > 0) library_ = "NCCL " + version_of(*code);
      } else if (i >= 2 && words[i - 2] == "NCCL" && words[i - 1] == "version") {
        library_ = fmt::format("NCCL {}", words[i].substr(0, words[i].find('+')));
      }
    }
  }

  void comment(const std::vector<std::string_view>& words) {
    std::vector<std::string_view> names = words;
    if (names[0] == "#") names.erase(names.begin());
    if (!names.empty() && names[0] == "Rank" && names.size() > 1) return rank(names);
    Columns columns{std::move(names)};
    if (!columns.names.empty() && columns.names[0] == "size" && columns.find("time"))
      columns_ = std::move(columns);
  }

  /// "Rank  0 Group  0 Pid 123 on HOST device  0 [0x07] NAME"
  void rank(const std::vector<std::string_view>& words) {
    const std::optional<int> number = number_of<int>(words[1]);
    if (!number || *number < 0 || *number >= most_ranks) fail("a rank has no number");
    ranks_ = std::max(ranks_, *number + 1);
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on != words.end() && on + 1 != words.end()) hosts_.insert(std::string(*(on + 1)));
    const auto bus = std::find_if(words.begin(), words.end(), [](std::string_view word) {
      return word.front() == '[' && word.back() == ']';
    });
    if (bus != words.end()) device_ = join(std::vector(bus + 1, words.end()), " ");
  }

  std::string_view cell(const std::vector<std::string_view>& words, std::string_view name,
                        int occurrence = 1) const {
    const std::optional<size_t> column = columns_.find(name, occurrence);
    return column && *column < words.size() ? words[*column] : std::string_view{};
  }

  double positive(const std::vector<std::string_view>& words, std::string_view name) const {
    const std::string_view word = cell(words, name);
    const std::optional<double> value = number_of<double>(word);
    if (!value || *value < 0) fail(fmt::format("'{}' is no {}", word, name));
    return *value;
  }

  void row(const std::vector<std::string_view>& words) {
    if (words.size() < columns_.names.size())
      fail(fmt::format("{} of the row's {} columns: the log was cut here", words.size(),
                       columns_.names.size()));
    Row row{.line = line_};
    const std::optional<int64_t> bytes = number_of<int64_t>(words[0]);
    if (*bytes < 0) fail("a size below zero");
    row.bytes = {*bytes};
    row.type = cell(words, "type");
    row.redop = cell(words, "redop");
    row.time_us = positive(words, "time");
    row.algbw = positive(words, "algbw");
    row.busbw = positive(words, "busbw");
    if (!row.type.empty() && !element_bytes(row.type))
      fail(fmt::format("unknown type '{}'", row.type));
    row.in_place_us = number_of<double>(cell(words, "time", 2));
    if (row.in_place_us && *row.in_place_us <= 0) row.in_place_us.reset();
    rows_.push_back(std::move(row));
  }

  /// Guesses the operation from busbw / algbw of the largest size: 2 (n - 1) / n where all reduce,
  /// (n - 1) / n where each keeps or sends a part; then the reduction, or its absence, tells two
  /// apart.
  std::string guessed_operation() const {
    const Row& largest = *std::max_element(
        rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.algbw < b.algbw; });
    const double ratio = largest.algbw > 0 ? largest.busbw / largest.algbw : 0;
    const double part = (ranks() - 1.0) / ranks();
    const bool reduces = !largest.redop.empty() && largest.redop != "none";
    if (reduces && ranks() > 2 && std::abs(ratio - 2 * part) < 0.05) return "all_reduce";
    if (reduces && std::abs(ratio - part) < 0.05) return "reduce_scatter";
    throw InputError({file_},
                     "the log does not say which operation it measured: keep the line that "
                     "names the program, such as '# Collective test starting: "
                     "all_gather_perf', or add it");
  }

  std::string file_, operation_, device_, library_;
  int line_ = 0, ranks_ = 0;
  int otherwise_;  ///< ranks, where the log does not say them
  std::set<std::string> hosts_;
  Columns columns_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<NcclPoint> read_nccl_log(std::string_view text, const std::string& file, int ranks) {
  Reader reader(file, ranks);
  reader.read(text);
  return reader.points();
}

}  // namespace pipewright::interop
