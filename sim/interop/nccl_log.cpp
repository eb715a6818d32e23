// Reads a log of nccl-tests: comment lines, which start with '#', and a line of numbers for each
// size. The last comment that names the columns says what the numbers are; times are in
// microseconds, first out of place, then in place. Lines of NCCL's debug output between them are
// passed over, but for the ranks and nodes that they say; what launchers put in front of a line is
// taken off. A file may hold several runs, each with its own header.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "interop/launched_line.hpp"
#include "interop/nccl_run.hpp"
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
  std::vector<std::string> names;
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

class Reader {
 public:
  Reader(std::string file, const NcclGiven& said) : file_(std::move(file)), said_(said) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::string line = written_line(take_line(text));
      ++line_;
      const std::vector<std::string_view> words = words_of(line);
      if (words.empty()) continue;
      if (is_header(words)) begin_run();
      note_program(line);
      note_version(words);
      note_transport(words);
      note_communicator(words);
      if (words[0].front() == '#' || is_title(words))
        comment(words);
      else if (!number_of<int64_t>(words[0]))
        continue;
      else if (!columns_.names.empty())
        row(words);
      else if (is_titleless(words))
        titleless_ = line_;
    }
  }

  std::vector<NcclPoint> points() && {
    if (!run_.rows.empty()) end_run();
    if (points_.empty() && titleless_ > 0)
      throw InputError({file_, titleless_, 1},
                       "no header says the columns of this row: the line that begins '#       size "
                       "        count      type' must stand above it");
    if (points_.empty())
      throw InputError({file_}, "no measurements: expected the table that nccl-tests prints");
    return std::move(points_);
  }

 private:
  /// "# nThread 1 nGpus 8 ...", of which documents lose the "#".
  static bool is_header(const std::vector<std::string_view>& words) {
    return words[0] == "nThread" || words[0] == "#nThread" ||
           (words.size() > 1 && words[0] == "#" && words[1] == "nThread");
  }
  static bool is_title(const std::vector<std::string_view>& words) {
    if (words[0] == "Rank") return std::find(words.begin(), words.end(), "device") != words.end();
    return words[0] == "size" && words.size() > 4 && words[1] == "count";
  }

  /// Tells whether a line looks like a row: a size, a count, a type, and times behind them.
  static bool is_titleless(const std::vector<std::string_view>& words) {
    return words.size() > 5 && number_of<int64_t>(words[1]) && element_bytes(words[2]);
  }

  /// A header begins another run. The program's name may stand before it.
  void begin_run() {
    if (run_.rows.empty()) return;
    end_run();
    run_ = {.device = run_.device, .library = run_.library, .transport = run_.transport};
    columns_ = {};
  }

  void end_run() {
    run_.has_redop = columns_.find("redop").has_value();
    run_.has_root = columns_.find("root").has_value();
    const std::vector<NcclPoint> points = points_of(run_, file_, said_);
    points_.insert(points_.end(), points.begin(), points.end());
    run_.operation.clear();
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, line_, 1}, message);
  }

  /// "# Collective test starting: all_reduce_perf" stands above a run, "concluded" below it.
  void note_program(std::string_view line) {
    if (line.find("_perf") == std::string_view::npos) return;
    const bool is_below = line.find("test concluded") != std::string_view::npos;
    for (const Program& program : programs) {
      if (line.find(program.name) == std::string_view::npos) continue;
      if (is_below && !run_.operation.empty()) return;
      if (!is_below && !run_.rows.empty() && run_.operation != program.operation) begin_run();
      run_.operation = program.operation;
      return;
    }
  }

  /// nccl-tests says "nccl-library=22807", NCCL itself "NCCL version 2.28.7+cuda12.9".
  void note_version(const std::vector<std::string_view>& words) {
    constexpr std::string_view key = "nccl-library=";
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].starts_with(key)) {
        const std::optional<int> code = number_of<int>(words[i].substr(key.size()));
        if (code && *code > 0) run_.library = "NCCL " + version_of(*code);
      } else if (i >= 2 && words[i - 2] == "NCCL" && words[i - 1] == "version") {
        run_.library = fmt::format("NCCL {}", words[i].substr(0, words[i].find('+')));
      }
    }
  }

  /// "HOST:71:71 [0] NCCL INFO Using network AWS Libfabric".
  void note_transport(const std::vector<std::string_view>& words) {
    if (std::find(words.begin(), words.end(), "INFO") == words.end()) return;
    for (size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i - 1] == "Using" && words[i] == "network")
        run_.transport =
            join(std::vector(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()), " ");
  }

  /// "HOST:71:71 [0] NCCL INFO comm 0x55 rank 0 nRanks 16 nNodes 2 ... - Init COMPLETE". Lines of
  /// ranks know it better.
  void note_communicator(const std::vector<std::string_view>& words) {
    if (words.size() < 4 || std::find(words.begin(), words.end(), "INFO") == words.end()) return;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string name = lower_case(words[i - 1]);
      const std::optional<int> count = number_of<int>(words[i]);
      if (!count || *count < 1 || *count > most_ranks) continue;
      if (name == "nranks" && run_.hosts.empty()) run_.ranks = std::max(run_.ranks, *count);
      if (name == "nnodes") run_.nodes = std::max(run_.nodes, *count);
    }
  }

  void comment(const std::vector<std::string_view>& words) {
    std::vector<std::string_view> names = words;
    if (names[0] == "#") names.erase(names.begin());
    if (!names.empty() && names[0] == "Rank" && names.size() > 1) return rank(names);
    Columns columns{{names.begin(), names.end()}};
    if (!columns.names.empty() && columns.names[0] == "size" && columns.find("time"))
      columns_ = std::move(columns);
  }

  /// "Rank  0 Group  0 Pid 123 on HOST device  0 [0x07] NAME"
  void rank(const std::vector<std::string_view>& words) {
    const std::optional<int> number = number_of<int>(words[1]);
    if (!number || *number < 0 || *number >= most_ranks) fail("a rank has no number");
    if (run_.hosts.empty()) run_.ranks = 0;
    run_.ranks = std::max(run_.ranks, *number + 1);
    const auto on = std::find(words.begin(), words.end(), "on");
    note_host(on != words.end() && on + 1 != words.end() ? *(on + 1) : "", *number);
    const auto bus = std::find_if(words.begin(), words.end(), [](std::string_view word) {
      return word.front() == '[' && word.back() == ']';
    });
    if (bus != words.end()) run_.device = join(std::vector(bus + 1, words.end()), " ");
  }

  void note_host(std::string_view name, int rank) {
    const auto [at, is_new] = run_.hosts.try_emplace(std::string(name), NcclHost{rank, rank, 0});
    NcclHost& host = at->second;
    host.first = std::min(host.first, rank);
    host.last = std::max(host.last, rank);
    ++host.count;
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

  /// Old versions print blanks for the redop of what does not reduce: these get an empty word.
  void add_redop(std::vector<std::string_view>& words) const {
    const std::optional<size_t> redop = columns_.find("redop");
    if (redop && words.size() + 1 == columns_.names.size() && number_of<double>(words[*redop]))
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(*redop), "");
  }

  void row(std::vector<std::string_view> words) {
    add_redop(words);
    // Variants of nccl-tests leave out what is in place.
    const bool is_half = words.size() == columns_.find("time", 2);
    if (words.size() < columns_.names.size() && !is_half)
      fail(fmt::format("{} of the row's {} columns: the log was cut here", words.size(),
                       columns_.names.size()));
    NcclRow row{.line = line_};
    const std::optional<int64_t> bytes = number_of<int64_t>(words[0]);
    if (!bytes || *bytes < 0) fail(fmt::format("'{}' is no size from zero on", words[0]));
    row.bytes = {*bytes};
    row.type = cell(words, "type");
    row.redop = cell(words, "redop");
    row.root = number_of<int>(cell(words, "root")).value_or(-1);
    row.count = number_of<int64_t>(cell(words, "count")).value_or(0);
    row.time_us = positive(words, "time");
    row.algbw = positive(words, "algbw");
    row.busbw = positive(words, "busbw");
    if (!row.type.empty() && !element_bytes(row.type))
      fail(fmt::format("unknown type '{}'", row.type));
    row.in_place_us = number_of<double>(cell(words, "time", 2));
    if (row.in_place_us && *row.in_place_us <= 0) row.in_place_us.reset();
    refuse_wrong(words);
    row.checks_in_place = is_checked(words, 2);
    row.checks_in_place_only_not = is_checked(words, 1) && !row.checks_in_place;
    run_.rows.push_back(std::move(row));
  }

  /// Refuses times of wrong results. "error" of old versions counts no wrong ones.
  void refuse_wrong(const std::vector<std::string_view>& words) const {
    for (const int occurrence : {1, 2})
      for (const std::string_view name : {"#wrong", "wrong"})
        if (const std::string_view word = cell(words, name, occurrence);
            number_of<double>(word).value_or(0) != 0)
          fail(fmt::format("{} results of this row are wrong (#wrong), and its times say nothing",
                           word));
  }

  /// Whether the results of the first or the second time were checked.
  bool is_checked(const std::vector<std::string_view>& words, int occurrence) const {
    for (const std::string_view name : {"#wrong", "wrong", "error"})
      if (const std::string_view word = cell(words, name, occurrence); !word.empty())
        return word != "N/A";
    return false;
  }

  std::string file_;
  int line_ = 0;
  int titleless_ = 0;  ///< the last row that no header stands above; 0: there is none
  NcclGiven said_;
  Columns columns_;
  NcclRun run_;
  std::vector<NcclPoint> points_;
};

}  // namespace

std::vector<NcclPoint> read_nccl_log(std::string_view text, const std::string& file,
                                     const NcclGiven& said) {
  Reader reader(file, said);
  reader.read(text);
  return std::move(reader).points();
}

}  // namespace pipewright::interop
