// Reads a log of nccl-tests: comment lines, which start with '#', and a line of numbers for each
// size. The last comment that names the columns says what the numbers are; times are in
// microseconds, first out of place, then in place. Lines of NCCL's debug output between them are
// passed over; what mpirun and srun put in front of a line is taken off. A file may hold several
// runs, each with its own header.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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
/// Steps of real curves are up to 7 times down, where a protocol changes.
constexpr double least_growth = 20;

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

/// The line without "[1,0]<stdout>:" or "[1,0]<stdout> " of mpirun, or "0: " of srun.
std::string_view without_launcher(std::string_view line) {
  const size_t tag = line.starts_with('[') ? line.find(">:") : std::string_view::npos;
  if (tag != std::string_view::npos && line.find("]<std") < tag) return line.substr(tag + 2);
  const size_t digits = line.find_first_not_of(" 0123456789");
  const bool is_label =
      digits != std::string_view::npos && digits > 0 && line[digits] == ':' &&
      line.substr(0, digits).find_first_of("0123456789") != std::string_view::npos;
  return is_label ? line.substr(digits + 1) : line;
}

class Reader {
 public:
  Reader(std::string file, int ranks) : file_(std::move(file)), otherwise_(ranks) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = without_launcher(take_line(text));
      ++line_;
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) continue;
      if (line.find("# nThread") != std::string_view::npos) begin_run();
      note_program(line);
      note_version(words);
      if (words[0].front() == '#')
        comment(words);
      else if (number_of<int64_t>(words[0]) && !columns_.names.empty())
        row(words);
    }
  }

  std::vector<NcclPoint> points() && {
    if (!rows_.empty()) end_run();
    if (points_.empty())
      throw InputError({file_}, "no measurements: expected the table that nccl-tests prints");
    return std::move(points_);
  }

 private:
  /// A header begins another run. The program's name may stand before it.
  void begin_run() {
    if (rows_.empty()) return;
    end_run();
    rows_.clear();
    hosts_.clear();
    columns_ = {};
    ranks_ = 0;
  }

  void end_run() {
    check_rows();
    if (ranks() == 0)
      throw InputError({file_},
                       "the log does not say how many ranks took part: its lines "
                       "'#  Rank ... on HOST device ...' are missing");
    const std::string operation = operation_.empty() ? guessed_operation() : operation_;
    const int nodes = std::max<int>(1, static_cast<int>(hosts_.size()));
    if (ranks() % nodes != 0)
      throw InputError({file_, rows_.front().line, 1},
                       fmt::format("{} ranks do not divide by {} hosts", ranks(), nodes));
    for (const Row& row : rows_) {
      if (row.bytes.count == 0) continue;
      NcclPoint point{.operation = operation, .type = row.type, .ranks = ranks()};
      point.element_bytes = element_bytes(row.type).value_or(4);
      point.nodes = nodes;
      point.bytes = row.bytes;
      point.device = device_;
      point.library = library_;
      point.time_s = row.time_us * 1e-6;
      if (row.in_place_us) point.in_place_s = *row.in_place_us * 1e-6;
      points_.push_back(std::move(point));
    }
    operation_.clear();
  }

  /// Refuses rows that cannot be of one run.
  void check_rows() const {
    const Row* before = nullptr;
    for (const Row& row : rows_) {
      const Where at{file_, row.line, 1};
      if (row.bytes.count > 0 && row.time_us <= 0)
        throw InputError(at, fmt::format("{} bytes in no time", row.bytes.count));
      if (row.redop.empty() != rows_.front().redop.empty() ||
          (row.redop == "none") != (rows_.front().redop == "none"))
        throw InputError(at, "rows of several operations are mixed");
      if (before && row.bytes > before->bytes && row.time_us * least_growth < before->time_us)
        throw InputError(
            at, fmt::format("{} bytes take {} us, {} bytes took {} us: no noise is so "
                            "large",
                            row.bytes.count, row.time_us, before->bytes.count, before->time_us));
      before = &row;
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, line_, 1}, message);
  }

  int ranks() const { return ranks_ > 0 ? ranks_ : otherwise_; }

  void note_program(std::string_view line) {
    if (line.find("_perf") == std::string_view::npos) return;
    for (const Program& program : programs) {
      if (line.find(program.name) == std::string_view::npos) continue;
      if (!rows_.empty() && operation_ != program.operation) begin_run();
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
    if (!bytes || *bytes < 0) fail(fmt::format("'{}' is no size from zero on", words[0]));
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
  std::vector<NcclPoint> points_;
};

}  // namespace

std::vector<NcclPoint> read_nccl_log(std::string_view text, const std::string& file, int ranks) {
  Reader reader(file, ranks);
  reader.read(text);
  return std::move(reader).points();
}

}  // namespace pipewright::interop
