#include "network/nccl/collective_table.hpp"

#include "network/nccl/operations.hpp"

namespace pipewright {
std::optional<double> CollectiveRow::error() const {
  if (!measured_s || is_known) return std::nullopt;
  return time_s / *measured_s - 1;
}

double algorithm_bandwidth(const CollectiveRow& row) {
  return row.time_s > 0 ? static_cast<double>(row.bytes.count) / row.time_s : 0;
}

double bus_bandwidth(const CollectiveTable& table, const CollectiveRow& row) {
  const NcclOperation* operation = find_operation(table.operation);
  const double others = (table.ranks - 1.0) / table.ranks;
  const bool around = operation && operation->kind && !operation->chain;
  return (around ? operation->rounds * others : 1) * algorithm_bandwidth(row);
}

int64_t elements(const CollectiveTable& table, const CollectiveRow& row) {
  const int64_t all = row.bytes.count / table.element_bytes;
  const NcclOperation* operation = find_operation(table.operation);
  return operation && operation->in_parts ? all / table.ranks : all;
}

}  // namespace pipewright
