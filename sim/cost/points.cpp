#include "cost/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

/// One line as words that know their column.
class Words {
 public:
  Words(std::string_view line, const std::string& file, int number)
      : line_(line), file_(file), number_(number) {}

  bool done() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\r')) ++at_;
    return at_ == line_.size();
  }
  std::string_view next(const char* wanted) {
    if (done()) fail(fmt::format("the line ends where {} is expected", wanted));
    start_ = at_;
    while (at_ < line_.size() && line_[at_] != ' ' && line_[at_] != '\r') ++at_;
    return line_.substr(start_, at_ - start_);
  }
  void expect(std::string_view word) {
    const std::string wanted = fmt::format("'{}'", word);
    const std::string_view found = next(wanted.c_str());
    if (found != word) fail(fmt::format("'{}' must be {}", found, wanted));
  }
  int64_t size(const char* wanted) {
    const std::string_view word = next(wanted);
    int64_t n = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (error != std::errc{} || end != word.data() + word.size() || n < 1 || n > most_size)
      fail(fmt::format("'{}' must be {}, a whole number from 1 to {}", word, wanted, most_size));
    return n;
  }
  float seconds() {
    const std::string_view word = next("a time in microseconds or -");
    if (word == "-") return nothing;
    double us = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), us);
    if (error != std::errc{} || end != word.data() + word.size() || !(us >= 1e-6) || us > 1e9)
      fail(fmt::format("'{}' must be a time in microseconds or -", word));
    return static_cast<float>(us * 1e-6);
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, number_, static_cast<int>(start_) + 1}, message);
  }

 private:
  static constexpr int64_t most_size = int64_t{1} << 40;
  std::string_view line_;
  const std::string& file_;
  int number_;
  size_t at_ = 0, start_ = 0;
};

DType read_type(Words& words) {
  const std::string_view word = words.next("a type such as bf16");
  const std::optional<DType> known = dtype_named(word);
  if (!known) words.fail(fmt::format("'{}' must be a type such as bf16", word));
  return *known;
}

PointTable read_head(Words& words, std::string_view kernel) {
  PointTable table;
  for (const PointKeys* keys : {&gemm_keys, &attention_keys})
    if (keys->kernel == kernel) table.keys = keys;
  if (!table.keys)
    words.fail(fmt::format("'{}' must be a size, or a kernel: gemm or attention", kernel));
  table.dtype = read_type(words);
  for (const std::string_view key : table.keys->row()) words.expect(key);
  words.expect("|");
  words.expect(table.keys->column);
  while (!words.done()) {
    const int64_t size = words.size("a size");
    if (!table.columns.empty() && size <= table.columns.back())
      words.fail("sizes must grow along the line");
    table.columns.push_back(size);
  }
  return table;
}

PointTable::Row read_row(Words& words, const PointTable& table, int64_t first) {
  PointTable::Row row;
  row.sizes[0] = first;
  for (size_t i = 1; i < table.keys->count; ++i) row.sizes[i] = words.size("a size");
  words.expect("|");
  row.seconds.reserve(table.columns.size());
  for (size_t i = 0; i < table.columns.size(); ++i) row.seconds.push_back(words.seconds());
  if (!words.done()) {
    words.next("nothing");
    words.fail(fmt::format("more times than the table's {} columns", table.columns.size()));
  }
  return row;
}

bool starts_a_table(std::string_view line) {
  const size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && (line[first] < '0' || line[first] > '9');
}

}  // namespace

int64_t PointTable::count() const {
  int64_t count = 0;
  for (const Row& row : rows)
    count += std::count_if(row.seconds.begin(), row.seconds.end(),
                           [](float s) { return !std::isnan(s); });
  return count;
}

std::vector<PointTable> parse_points(std::string_view text, const std::string& file) {
  std::vector<PointTable> tables;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Words words(line, file, number);
    if (words.done() || line.starts_with('#')) continue;
    if (starts_a_table(line)) {
      const std::string_view kernel = words.next("a kernel");
      tables.push_back(read_head(words, kernel));
    } else {
      const int64_t first = words.size("a size");
      if (tables.empty()) words.fail("a table starts with its kernel: gemm or attention");
      tables.back().rows.push_back(read_row(words, tables.back(), first));
    }
  }
  return tables;
}

std::string to_text(const std::vector<PointTable>& tables) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  for (const PointTable& table : tables) {
    fmt::format_to(to, "{} {} {} | {} {}\n", table.keys->kernel, name_of(table.dtype),
                   join(table.keys->row(), " "), table.keys->column, fmt::join(table.columns, " "));
    for (const PointTable::Row& row : table.rows) {
      const auto end = row.sizes.begin() + static_cast<long>(table.keys->count);
      fmt::format_to(to, "{} |", fmt::join(row.sizes.begin(), end, " "));
      for (const float s : row.seconds) {
        if (std::isnan(s)) {
          fmt::format_to(to, " -");
        } else {
          fmt::format_to(to, " {:.4g}", static_cast<double>(s) * 1e6);
        }
      }
      fmt::format_to(to, "\n");
    }
  }
  return fmt::to_string(out);
}

std::vector<Sample> samples_of(const PointTable& table) {
  std::vector<Sample> samples;
  for (const PointTable::Row& row : table.rows) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (std::isnan(row.seconds[i])) continue;
      Sample sample{.seconds = static_cast<double>(row.seconds[i])};
      std::copy(row.sizes.begin(), row.sizes.end(), sample.sizes.begin());
      sample.sizes[table.keys->count] = table.columns[i];
      samples.push_back(sample);
    }
  }
  return samples;
}

PointTable table_of(const PointKeys& keys, DType dtype, const std::vector<Sample>& samples) {
  PointTable table{.keys = &keys, .dtype = dtype};
  for (const Sample& sample : samples) table.columns.push_back(sample.sizes[keys.count]);
  std::sort(table.columns.begin(), table.columns.end());
  table.columns.erase(std::unique(table.columns.begin(), table.columns.end()), table.columns.end());
  std::map<std::array<int64_t, 4>, std::vector<float>> rows;
  for (const Sample& sample : samples) {
    std::array<int64_t, 4> sizes{};
    std::copy_n(sample.sizes.begin(), keys.count, sizes.begin());
    std::vector<float>& row = rows[sizes];
    row.resize(table.columns.size(), nothing);
    const auto column =
        std::lower_bound(table.columns.begin(), table.columns.end(), sample.sizes[keys.count]);
    row[static_cast<size_t>(column - table.columns.begin())] = static_cast<float>(sample.seconds);
  }
  for (auto& [sizes, seconds] : rows) table.rows.push_back({sizes, std::move(seconds)});
  return table;
}

}  // namespace pipewright
