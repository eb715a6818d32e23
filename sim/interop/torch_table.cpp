// Reads what benchmarks over torch.distributed print, such as all_reduce_bench.py of
// stas00/ml-engineering: a line that names operation and ranks, and a table of bandwidths by size,
// as "| 32KB | 0.92GBps | 0.53GBps |". KB, MB and GB of sizes are 2^10, 2^20 and 2^30; GBps is
// 10^9 bytes a second.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "interop/nccl_points.hpp"
#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

constexpr std::string_view title = "average bandwidth of ";

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit units[] = {{"GBps", 1e9},    {"MBps", 1e6},   {"KBps", 1e3},    {"GB", 1 << 30},
                          {"MB", 1 << 20},  {"KB", 1 << 10}, {"GiB", 1 << 30}, {"MiB", 1 << 20},
                          {"KiB", 1 << 10}, {"B", 1}};

std::string_view trimmed(std::string_view text);

std::optional<double> quantity_of(std::string_view cell) {
  for (const Unit& unit : units) {
    if (!cell.ends_with(unit.name)) continue;
    const std::optional<double> number =
        number_of<double>(trimmed(cell.substr(0, cell.size() - unit.name.size())));
    return number ? std::optional(*number * unit.factor) : std::nullopt;
  }
  return number_of<double>(cell);
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

class TorchReader {
 public:
  explicit TorchReader(std::string file) : file_(std::move(file)) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      std::string_view line = trimmed(take_line(text));
      ++line_;
      if (line.find(title) != std::string_view::npos)
        name(words_of(line));
      else if (line.starts_with('|') && line.find("---") == std::string_view::npos)
        row(split(line.substr(1), "|", true));
    }
  }
  std::vector<NcclPoint> points() && {
    if (points_.empty()) throw InputError({file_}, "the table has no rows");
    return std::move(points_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, line_, 1}, message);
  }

  /// "The average bandwidth of all_reduce over 16 ranks (5 warmups / 20 trials):"
  void name(const std::vector<std::string_view>& words) {
    const auto over = std::find(words.begin(), words.end(), "over");
    if (over == words.begin() || over == words.end() || over + 1 == words.end()) return;
    operation_ = std::string(*(over - 1));
    ranks_ = number_of<int>(*(over + 1)).value_or(0);
    if (ranks_ < 2) fail(fmt::format("'{}' is no number of ranks", *(over + 1)));
  }

  void row(const std::vector<std::string_view>& cells) {
    if (cells.size() >= 3 && trimmed(cells[0]) == "payload") {
      algbw_ = std::find_if(cells.begin(), cells.end(),
                            [](std::string_view cell) { return trimmed(cell) == "algbw"; }) -
               cells.begin();
      return;
    }
    if (algbw_ <= 0) return;
    if (ranks_ == 0) fail("the table does not say over how many ranks it is");
    if (static_cast<size_t>(algbw_) >= cells.size())
      fail("too few columns: the table was cut here");
    const std::optional<double> bytes = quantity_of(trimmed(cells[0]));
    const std::optional<double> rate = quantity_of(trimmed(cells[static_cast<size_t>(algbw_)]));
    if (!bytes || *bytes <= 0) fail(fmt::format("'{}' is no size", trimmed(cells[0])));
    if (!rate || *rate <= 0)
      fail(fmt::format("'{}' is no bandwidth", trimmed(cells[static_cast<size_t>(algbw_)])));
    NcclPoint point{.operation = operation_, .ranks = ranks_};
    point.bytes = {static_cast<int64_t>(*bytes)};
    point.time_s = *bytes / *rate;
    points_.push_back(std::move(point));
  }

  std::string file_, operation_ = "all_reduce";
  int line_ = 0, ranks_ = 0;
  std::ptrdiff_t algbw_ = 0;
  std::vector<NcclPoint> points_;
};

}  // namespace

bool is_torch_table(std::string_view text) {
  return text.find("| payload |") != std::string_view::npos ||
         text.find("|payload|") != std::string_view::npos;
}

std::vector<NcclPoint> read_torch_table(std::string_view text, const std::string& file) {
  TorchReader reader(file);
  reader.read(text);
  return std::move(reader).points();
}

}  // namespace pipewright::interop
