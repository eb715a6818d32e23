#include "calibrate/measure/cluster.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"

namespace pipewright::calibration {
namespace {

using Json = nlohmann::json;

constexpr SamplerOptions long_enough{.most_s = 2};

Json json_of(const DeviceRow& row, const std::vector<PairTimes>& to) {
  Json pairs = Json::array();
  for (const PairTimes& p : to) pairs.push_back({p.latency_s, p.bytes_per_s});
  Json j = {{"host", row.host},         {"name", row.name},     {"flops", row.flops_per_s},
            {"bytes", row.bytes_per_s}, {"spread", row.spread}, {"pairs", std::move(pairs)}};
  if (const auto& h = row.health)
    j["health"] = {h->uuid,          h->clock_mhz, h->most_clock_mhz,
                   h->temperature_c, h->throttled, h->ecc_errors};
  return j;
}

DeviceRow row_of(const Json& j) {
  DeviceRow row{.host = j.at("host"),
                .name = j.at("name"),
                .flops_per_s = j.at("flops"),
                .bytes_per_s = j.at("bytes"),
                .spread = j.at("spread")};
  if (j.contains("health")) {
    const Json& h = j.at("health");
    row.health = Health{.uuid = h.at(0),
                        .clock_mhz = h.at(1),
                        .most_clock_mhz = h.at(2),
                        .temperature_c = h.at(3),
                        .throttled = h.at(4),
                        .ecc_errors = h.at(5)};
  }
  return row;
}

/// Numbers a second for a product, bytes a second for a copy, which are read and written.
double amount_of(const Point& point) {
  double work = 2;
  for (const int64_t size : point.sizes) work *= static_cast<double>(size);
  return point.kernel == "copy" ? 4 * work : work;
}

}  // namespace

DeviceRow measure_device(Bench& bench) {
  const int64_t side = bench.is_gpu() ? 8192 : 512, elements = bench.is_gpu() ? 1 << 28 : 1 << 24;
  const Point product{.kernel = "gemm",
                      .dtype = bench.is_gpu() ? DType::bf16 : DType::fp32,
                      .sizes = {side, side, side}};
  const Point copy{.kernel = "copy", .sizes = {elements}};
  DeviceRow row{.name = bench.device_name()};
  const Measured fast = sample(bench.prepare(product), long_enough);
  row.health = bench.is_gpu() ? gpu_health() : std::nullopt;
  row.flops_per_s = amount_of(product) / fast.median_s;
  row.spread = fast.spread();
  row.bytes_per_s = amount_of(copy) / sample(bench.prepare(copy), long_enough).median_s;
  return row;
}

MeasuredCluster gather(transport::Session& session, const DeviceRow& own,
                       const std::vector<PairTimes>& to) {
  const std::string text = dump_json(json_of(own, to));
  MeasuredCluster cluster;
  for (const auto& bytes : session.exchange(transport::bytes_of(text.data(), text.size()))) {
    const Json j =
        parse_json(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    cluster.devices.push_back(row_of(j));
    for (const Json& pair : j.at("pairs")) cluster.pairs.push_back({pair.at(0), pair.at(1)});
  }
  ensure(cluster.pairs.size() == cluster.devices.size() * cluster.devices.size(),
         "each rank has met all others");
  return cluster;
}

}  // namespace pipewright::calibration
