#include "report/json/collective.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/required.hpp"
#include "report/json/layout.hpp"

namespace pipewright {
namespace {

nlohmann::ordered_json object(const CollectiveTable& table, const CollectiveRow& row) {
  nlohmann::ordered_json object;
  object["bytes"] = row.bytes.count;
  object["elements"] = elements(table, row);
  object["time_s"] = row.time_s;
  object["algbw_bytes_per_s"] = algorithm_bandwidth(row);
  object["busbw_bytes_per_s"] = bus_bandwidth(table, row);
  object["algorithm"] = object["protocol"] = object["channels"] = nullptr;
  if (row.choice) {
    object["algorithm"] = name(row.choice->algorithm);
    object["protocol"] = name(row.choice->protocol);
    object["channels"] = row.choice->channels;
  }
  if (row.p50_s)
    object["p50_s"] = *row.p50_s, object["p95_s"] = required(row.p95_s, "it stands with p50");
  object["extrapolated"] = row.extrapolated;
  object["measured_s"] = number_or_null(row.measured_s);
  object["error"] = number_or_null(row.error());
  return object;
}

}  // namespace

std::string json_text(const CollectiveTable& table) {
  nlohmann::ordered_json document;
  document["schema"] = "pipewright.collective/1";
  document["cluster"] = table.cluster;
  document["operation"] = table.operation;
  document["ranks"] = table.ranks;
  document["nodes"] = table.nodes;
  document["type"] = table.type;
  document["profile"] = table.by;
  if (table.beyond)
    document["beyond_measured"] = {{"nodes", table.beyond->nodes},
                                   {"deviation", table.beyond->deviation}};
  document["rows"] = nlohmann::ordered_json::array();
  for (const CollectiveRow& row : table.rows) document["rows"].push_back(object(table, row));
  return dump_json(document, 2) + "\n";
}

}  // namespace pipewright
