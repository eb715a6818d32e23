#include "traffic/exchange.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "config/catalogue.hpp"
#include "plan/segments_time.hpp"
#include "workload/model/model_layers.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int64_t most_flows = 10'000'000;

struct LayerTraffic {
  Time forward, backward;
  Bytes gradient;  ///< as it is sent
  int priority = 0;
};

struct Exchange {
  bool ring = false, overlap = true;
  int workers = 1;
  int servers = 0;  ///< devices beside the workers; 0: every worker is one
  std::vector<LayerTraffic> layers;
};

/// Puts the flows in an order in which each comes after those that it waits for.
class ExchangeFlows {
 public:
  ExchangeFlows(const Exchange& exchange, const config::Mark& mark)
      : exchange_(exchange), mark_(mark) {}

  std::vector<GivenFlow> run() {
    backward();
    const size_t layers = exchange_.layers.size();
    updated_.resize(layers);
    for (size_t layer = layers; layer-- > 0;) {
      if (exchange_.ring)
        around_ring(layer);
      else
        over_servers(layer);
    }
    forward();
    return std::move(flows_);
  }

 private:
  using Numbers = std::vector<uint32_t>;

  uint32_t add(int from, int to, Bytes bytes, Numbers after, Time delay = {}, int priority = 0) {
    flows_.push_back({.from = from,
                      .to = to,
                      .bytes = bytes,
                      .priority = priority,
                      .after = std::move(after),
                      .delay = delay,
                      .mark = mark_});
    return static_cast<uint32_t>(flows_.size() - 1);
  }
  /// Something on a device itself.
  uint32_t local(int device, Numbers after, Time length = {}) {
    return add(device, device, {}, std::move(after), length);
  }

  void backward() {
    const size_t layers = exchange_.layers.size();
    ready_.assign(layers, {});
    for (int worker = 0; worker < exchange_.workers; ++worker) {
      uint32_t last = local(worker, {});
      for (size_t layer = layers; layer-- > 0;) {
        last = local(worker, {last}, exchange_.layers[layer].backward);
        ready_[layer].push_back(last);
      }
      if (!exchange_.overlap)
        for (Numbers& ready : ready_) ready[static_cast<size_t>(worker)] = last;
    }
  }

  void forward() {
    for (int worker = 0; worker < exchange_.workers; ++worker) {
      std::optional<uint32_t> last;
      for (size_t layer = 0; layer < exchange_.layers.size(); ++layer) {
        Numbers after = updated_[layer][static_cast<size_t>(worker)];
        if (last) after.push_back(*last);
        last = local(worker, std::move(after), exchange_.layers[layer].forward);
      }
    }
  }

  /// Part `k` of `count` of a gradient.
  static Bytes part(Bytes whole, int k, int count) {
    return {whole.count / count + (k < whole.count % count ? 1 : 0)};
  }

  void over_servers(size_t layer) {
    const auto& [forward, backward, gradient, priority] = exchange_.layers[layer];
    const bool aside = exchange_.servers > 0;
    const int servers = aside ? exchange_.servers : exchange_.workers;
    updated_[layer].resize(static_cast<size_t>(exchange_.workers));
    if (gradient == Bytes{}) return ready_at_once(layer);
    for (int k = 0; k < servers; ++k) {
      const int server = aside ? exchange_.workers + k : k;
      const Bytes bytes = part(gradient, k, servers);
      if (bytes == Bytes{}) continue;
      Numbers pushed;
      for (int worker = 0; worker < exchange_.workers; ++worker)
        pushed.push_back(
            add(worker, server, bytes, {ready_[layer][static_cast<size_t>(worker)]}, {}, priority));
      const uint32_t summed = local(server, std::move(pushed));
      for (int worker = 0; worker < exchange_.workers; ++worker)
        updated_[layer][static_cast<size_t>(worker)].push_back(
            add(server, worker, bytes, {summed}, {}, priority));
    }
  }

  void around_ring(size_t layer) {
    const auto& [forward, backward, gradient, priority] = exchange_.layers[layer];
    const int n = exchange_.workers;
    updated_[layer].resize(static_cast<size_t>(n));
    if (gradient == Bytes{} || n == 1) return ready_at_once(layer);
    Numbers came = ready_[layer];  // by worker: what its next message waits for
    for (int step = 0; step < 2 * (n - 1); ++step) {
      Numbers next(static_cast<size_t>(n));
      for (int worker = 0; worker < n; ++worker) {
        const int chunk = ((worker - step) % n + n) % n;
        const int to = (worker + 1) % n;
        Numbers after = {came[static_cast<size_t>(worker)]};
        // What came is added to one's own gradient before it goes on.
        if (step > 0 && step < n) after.push_back(ready_[layer][static_cast<size_t>(worker)]);
        next[static_cast<size_t>(to)] =
            add(worker, to, part(gradient, chunk, n), std::move(after), {}, priority);
      }
      came = std::move(next);
      for (int worker = 0; worker < n; ++worker)
        if (step >= n - 2)
          updated_[layer][static_cast<size_t>(worker)].push_back(came[static_cast<size_t>(worker)]);
    }
  }

  void ready_at_once(size_t layer) {
    for (int worker = 0; worker < exchange_.workers; ++worker)
      updated_[layer][static_cast<size_t>(worker)] = {ready_[layer][static_cast<size_t>(worker)]};
  }

  const Exchange& exchange_;
  config::Mark mark_;
  std::vector<GivenFlow> flows_;
  std::vector<Numbers> ready_;                 ///< by layer and worker: its gradient
  std::vector<std::vector<Numbers>> updated_;  ///< by layer and worker: its new weights
};

WorkloadOptions workload_options(const Fields& fields, const Model& model) {
  WorkloadOptions options;
  options.micro_batch = fields.integer("batch", 1, 1, 1 << 20);
  options.sequence = fields.integer("sequence", model.sequence.value_or(0), 1, 1 << 30);
  if (!model.has_tokens()) options.sequence = 0;
  if (options.sequence == 0 && model.has_tokens())
    fields.value().fail("'sequence' is needed: the model does not say its sequence length");
  if (const Value* precision = fields.find("precision"))
    options.precision = static_cast<DType>(
        config::as_choice(*precision, {"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4"}));
  options.gradients = options.precision == DType::fp16 ? DType::fp16 : DType::fp32;
  if (const Value* gradients = fields.find("gradients")) {
    constexpr DType choices[] = {DType::fp32, DType::fp16, DType::bf16};
    options.gradients = choices[config::as_choice(*gradients, {"fp32", "fp16", "bf16"})];
  }
  return options;
}

/// Front layers get the higher ones of `priorities`.
void set_priorities(std::vector<LayerTraffic>& layers, int priorities) {
  const auto count = static_cast<int64_t>(layers.size());
  for (int64_t k = 0; k < count; ++k) {
    const int64_t group = count <= priorities ? k : k * priorities / count;
    layers[static_cast<size_t>(k)].priority = static_cast<int>(priorities - 1 - group);
  }
}

std::vector<LayerTraffic> layer_traffic(const Experiment& experiment, const Fields& fields,
                                        const Machine& machine,
                                        const config::Catalogue& catalogue) {
  const Value& named = fields.at("model");
  const Model model = read_model(catalogue.resolve("models", named));
  const WorkloadOptions options = workload_options(fields, model);
  const Prices prices = machine.prices(experiment);
  const Mesh alone{.devices = {0}};
  double share = 1;
  if (const Value* send = fields.find("send")) share = config::as_fraction(*send, 0, 1);
  const auto length = [&](const Segments& segments) {
    return segments_time(segments, prices, alone);
  };
  std::vector<LayerTraffic> layers;
  for (const Layer& layer : model_layers(model, options, named)) {
    const double bytes = layer.device_parameters * element_bytes(options.gradients) * share;
    layers.push_back({.forward = length(layer.forward),
                      .backward = length(layer.input_gradient) + length(layer.weight_gradient),
                      .gradient = {std::llround(bytes)}});
  }
  return layers;
}

void check_size(const Exchange& exchange, const Value& value) {
  const int64_t workers = exchange.workers;
  const int64_t servers = exchange.servers > 0 ? exchange.servers : workers;
  const int64_t each = exchange.ring ? 2 * workers * workers : 2 * workers * servers;
  if (each > most_flows / static_cast<int64_t>(exchange.layers.size()))
    value.fail(fmt::format("more than {} flows in this exchange", most_flows));
}

}  // namespace

std::vector<GivenFlow> exchange_flows(const Experiment& experiment, const Value& value,
                                      const Machine& machine, const config::Catalogue& catalogue) {
  const Fields fields(value, "an exchange",
                      {"exchange", "model", "servers", "batch", "sequence", "precision",
                       "gradients", "priority", "overlap", "send"});
  if (!machine.device())
    experiment.at("cluster").lacks(
        "an exchange computes as well: the cluster must name its device");
  Exchange exchange;
  exchange.ring = config::as_choice(fields.at("exchange"), {"parameter-server", "ring"}) == 1;
  exchange.overlap = fields.boolean("overlap", true);
  const int devices = machine.device_count();
  exchange.servers = static_cast<int>(fields.integer("servers", 0, 0, 1 << 20));
  if (exchange.ring && exchange.servers > 0) fields.at("servers").fail("a ring has no servers");
  if (exchange.servers >= devices)
    fields.at("servers").fail(fmt::format(
        "servers: {} leaves none of the cluster's {} devices to work", exchange.servers, devices));
  exchange.workers = devices - exchange.servers;
  exchange.layers = layer_traffic(experiment, fields, machine, catalogue);
  if (const Value* priority = fields.find("priority");
      priority && config::as_choice(*priority, {"none", "layer"}) == 1)
    set_priorities(exchange.layers, experiment.network.kind == NetworkKind::packet
                                        ? experiment.network.packet.priorities
                                        : most_priority);
  check_size(exchange, value);
  return ExchangeFlows(exchange, value.mark).run();
}

}  // namespace pipewright
