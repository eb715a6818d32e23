#include "cost/measured_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

struct Cell {
  std::string_view text;
  int column;
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  size_t begin = 0;
  while (begin <= line.size()) {
    const size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    begin = end + 1;
  }
  return cells;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void read_line(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) return;
    const std::vector<Cell> cells = cells_of(line);
    if (!keys_) return read_header(cells);
    if (cells.size() < header_)
      fail(cells.back(), fmt::format("{} cells, but the header has {}", cells.size(), header_));
    add(cells);
  }

  std::vector<PointTable> tables() const {
    if (!keys_) throw InputError({file_}, "the file is empty: it should start with a header");
    std::vector<PointTable> tables;
    for (const auto& [dtype, samples] : samples_)
      tables.push_back(table_of(*keys_, dtype, samples));
    return tables;
  }

 private:
  void read_header(const std::vector<Cell>& cells) {
    const auto place = [&](std::string_view name) -> std::optional<size_t> {
      for (size_t i = 0; i < cells.size(); ++i)
        if (cells[i].text == name) return i;
      return std::nullopt;
    };
    for (const PointKeys* keys : {&gemm_keys, &attention_keys}) {
      std::vector<size_t> sizes;
      for (const std::string_view name : keys->row())
        if (const auto at = place(name)) sizes.push_back(*at);
      if (const auto at = place(keys->column)) sizes.push_back(*at);
      const auto time = place("time_s");
      if (sizes.size() != keys->count + 1 || !time) continue;
      keys_ = keys, sizes_ = sizes, time_ = *time, dtype_ = place("dtype");
    }
    if (!keys_) {
      fail(
          cells.front(),
          "the header must be dtype,m,n,k,time_s or batch,sequence,heads,kv_heads,head_dim,time_s");
    }
    header_ = cells.size();
  }

  void add(const std::vector<Cell>& cells) {
    Sample sample{.seconds = number(cells[time_], 1e-12, 1e4, "a time in seconds")};
    for (size_t i = 0; i < sizes_.size(); ++i)
      sample.sizes[i] = static_cast<int64_t>(number(cells[sizes_[i]], 1, 1e12, "a size"));
    DType dtype = DType::bf16;
    if (dtype_) {
      const std::optional<DType> named = dtype_named(cells[*dtype_].text);
      if (!named)
        fail(cells[*dtype_], fmt::format("'{}' must be a type such as bf16", cells[*dtype_].text));
      dtype = *named;
    }
    samples_[dtype].push_back(sample);
  }

  double number(const Cell& cell, double least, double most, const char* what) const {
    double n = 0;
    const char* end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, n);
    if (error != std::errc{} || stop != end || !(n >= least) || n > most)
      fail(cell, fmt::format("'{}' must be {}", cell.text, what));
    return n;
  }

  [[noreturn]] void fail(const Cell& cell, const std::string& message) const {
    throw InputError({file_, number_, cell.column}, message);
  }

  const std::string& file_;
  int number_ = 0;
  const PointKeys* keys_ = nullptr;
  std::vector<size_t> sizes_;
  size_t time_ = 0, header_ = 0;
  std::optional<size_t> dtype_;
  std::map<DType, std::vector<Sample>> samples_;
};

}  // namespace

std::vector<PointTable> read_measured_csv(std::string_view text, const std::string& file) {
  Reader reader(file);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.read_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.tables();
}

}  // namespace pipewright
