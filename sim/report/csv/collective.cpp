#include "report/csv/collective.hpp"

#include <fmt/format.h>

#include "base/required.hpp"
#include "report/csv/field.hpp"

namespace pipewright {

std::string csv_text(const CollectiveTable& table) {
  std::string text =
      "operation,ranks,nodes,bytes,time_s,algbw_bytes_per_s,busbw_bytes_per_s,algorithm,protocol,"
      "channels,extrapolated,measured_s,error,p50_s,p95_s\n";
  for (const CollectiveRow& row : table.rows) {
    text += fmt::format("{},{},{},{},{},{},{},", table.operation, table.ranks, table.nodes,
                        row.bytes.count, row.time_s, algorithm_bandwidth(row),
                        bus_bandwidth(table, row));
    if (row.choice)
      text += fmt::format("{},{},{},", name(row.choice->algorithm), name(row.choice->protocol),
                          row.choice->channels);
    else
      text += ",,,";
    text += row.extrapolated ? "true," : "false,";
    text += fmt::format("{},{}", csv_field(row.measured_s), csv_field(row.error()));
    text += row.p50_s ? fmt::format(",{},{}", *row.p50_s, required(row.p95_s, "it stands with p50"))
                      : ",,";
    text += '\n';
  }
  return text;
}

}  // namespace pipewright
