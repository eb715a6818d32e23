#include "network/nccl/collective_table.hpp"

namespace pipewright {
namespace {

bool in_parts(const std::string& operation) {
  return operation == "all_gather" || operation == "reduce_scatter" || operation == "all_to_all";
}

}  // namespace

std::optional<double> CollectiveRow::error() const {
  if (!measured_s) return std::nullopt;
  return time_s / *measured_s - 1;
}

double algorithm_bandwidth(const CollectiveRow& row) {
  return row.time_s > 0 ? static_cast<double>(row.bytes.count) / row.time_s : 0;
}

double bus_bandwidth(const CollectiveTable& table, const CollectiveRow& row) {
  const double others = (table.ranks - 1.0) / table.ranks;
  const double factor = table.operation == "all_reduce" ? 2 * others
                        : in_parts(table.operation)     ? others
                                                        : 1;
  return factor * algorithm_bandwidth(row);
}

int64_t elements(const CollectiveTable& table, const CollectiveRow& row) {
  const int64_t all = row.bytes.count / table.element_bytes;
  return in_parts(table.operation) ? all / table.ranks : all;
}

}  // namespace pipewright
