// Holds measured times of one kernel by shape, and the compact text they are kept in beside a
// profile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/work.hpp"

namespace pipewright {

/// The sizes that make a shape: those of a row, then the one that varies along it.
struct PointKeys {
  std::string_view kernel;
  std::array<std::string_view, 4> names;
  size_t count;  ///< of `names`
  std::string_view column;

  constexpr std::span<const std::string_view> row() const { return {names.data(), count}; }
};
inline constexpr PointKeys gemm_keys{"gemm", {"n", "k"}, 2, "m"};
inline constexpr PointKeys attention_keys{
    "attention", {"batch", "heads", "kv_heads", "head_dim"}, 4, "sequence"};

/// Times on a lattice with holes: shapes of one row differ in their last size only.
struct PointTable {
  struct Row {
    std::array<int64_t, 4> sizes{};  ///< by PointKeys::row
    std::vector<float> seconds;      ///< by column; NaN where nothing was measured
  };
  const PointKeys* keys = nullptr;
  DType dtype = DType::bf16;
  std::vector<int64_t> columns;  ///< ascending
  std::vector<Row> rows;

  int64_t count() const;
};

/// Reads what to_text() writes. Throws InputError with file, line and column.
std::vector<PointTable> parse_points(std::string_view text, const std::string& file);

/// A table is a line `KERNEL DTYPE: ROW KEYS | COLUMN KEY: columns`, then for each row its sizes,
/// `|` and a time in microseconds for each column, `-` where nothing was measured.
std::string to_text(const std::vector<PointTable>& tables);

/// One measurement on its own.
struct Sample {
  std::array<int64_t, 5> sizes{};  ///< by PointKeys::row, the column last
  double seconds = 0;
};
std::vector<Sample> samples_of(const PointTable& table);
PointTable table_of(const PointKeys& keys, DType dtype, const std::vector<Sample>& samples);

}  // namespace pipewright
