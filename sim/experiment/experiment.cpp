#include "experiment/experiment.hpp"

#include <fmt/format.h>

#include "experiment/flow_options.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

const std::vector<std::string_view> known_keys = {
    "description", "source",     "model",      "cluster",   "parallel",  "batch",      "data",
    "schedule",    "precision",  "gradients",  "optimizer", "recompute", "offload",    "attention",
    "network",     "profile",    "overlap",    "placement", "training",  "iterations", "partition",
    "strategy",    "resharding", "stragglers", "variation", "failures",  "traffic",    "trace",
    "peers",       "loss",       "boundary",   "framework", "launches",  "kernels",    "dispatch"};

int degree(const Fields& fields, std::string_view key, int otherwise) {
  return static_cast<int>(fields.integer(key, otherwise, 1, 1 << 20));
}

/// A degree, or a map with how keys and values are exchanged.
void read_context(const Value& value, Parallel& parallel) {
  if (!value.is_map()) {
    parallel.context = static_cast<int>(config::as_int(value, 1, 1 << 20));
    return;
  }
  const Fields fields(value, "parallel.context", {"degree", "exchange", "order"});
  fields.at("degree");
  parallel.context = degree(fields, "degree", 1);
  ContextOptions& options = parallel.context_options;
  if (const Value* exchange = fields.find("exchange"))
    options.exchange = static_cast<ContextExchange>(
        config::as_choice(*exchange, {"ring", "ulysses", "all-gather"}));
  if (const Value* order = fields.find("order"))
    options.zigzag = config::as_choice(*order, {"zigzag", "contiguous"}) == 0;
}

/// Devices that have strips of the same images stand where those of a sequence do.
void read_spatial(const Value& value, const Fields& fields, Parallel& parallel) {
  parallel.spatial = degree(fields, "spatial", 1);
  if (parallel.spatial == 1) return;
  if (parallel.context > 1) value.fail("parallel: either 'context' or 'spatial'");
  parallel.context = parallel.spatial;
}

Parallel read_parallel(const Value& value) {
  const Fields fields(value, "parallel",
                      {"tensor", "pipeline", "data", "virtual", "sequence", "context", "expert",
                       "spatial", "zero", "shard", "reshard", "prefetch", "tensor_kind", "sbp"});
  Parallel parallel;
  parallel.tensor = degree(fields, "tensor", 1);
  parallel.pipeline = degree(fields, "pipeline", 1);
  parallel.data = fields.find("data") ? degree(fields, "data", 1) : 0;
  parallel.virtual_stages = degree(fields, "virtual", 1);
  parallel.gives_virtual = fields.find("virtual") != nullptr;
  if (const Value* context = fields.find("context")) read_context(*context, parallel);
  if (const Value* spatial = fields.find("spatial")) read_spatial(*spatial, fields, parallel);
  parallel.expert = degree(fields, "expert", 1);
  parallel.zero = static_cast<int>(fields.integer("zero", 0, 0, 3));
  for (const char* key : {"shard", "reshard", "prefetch"})
    if (const Value* value = fields.find(key); value && parallel.zero != 3)
      value->fail(fmt::format("parallel.{} is about weights cut over replicas: zero: 3", key));
  parallel.shard = static_cast<int>(fields.integer("shard", 0, 2, 1 << 20));
  if (const Value* reshard = fields.find("reshard")) parallel.reshard = config::as_bool(*reshard);
  parallel.prefetch = static_cast<int>(fields.integer("prefetch", 1, 0, 1000));
  if (const Value* sequence = fields.find("sequence"))
    parallel.sequence = config::as_bool(*sequence);
  if (const Value* kind = fields.find("tensor_kind"))
    parallel.tensor_grid = read_tensor_kind(*kind, parallel.tensor);
  if (const Value* sbp = fields.find("sbp")) {
    if (const Value* kind = fields.find("tensor_kind"))
      kind->fail("parallel: either 'tensor_kind' or 'sbp', which says how its grid cuts");
    const bool given = fields.find("tensor") != nullptr;
    const int tensor = parallel.tensor;
    read_signatures(*sbp, parallel);
    if (given && tensor != parallel.tensor)
      fields.at("tensor").fail(fmt::format("the grid of sbp has {} devices", parallel.tensor));
  }
  return parallel;
}

Batch read_batch(const Value& value) {
  const Fields fields(value, "batch", {"global", "micro", "sequence", "lengths"});
  Batch batch;
  batch.global = fields.integer("global", 0, 1, int64_t{1} << 40);
  batch.micro = static_cast<int>(fields.integer("micro", 1, 1, 1 << 20));
  batch.sequence = static_cast<int>(fields.integer("sequence", 0, 1, 1 << 30));
  if (const Value* lengths = fields.find("lengths")) batch.lengths = read_lengths(*lengths);
  return batch;
}

void read_p2p(const Value& value, Overlap& overlap) {
  if (!value.is_map()) {
    constexpr SendMode modes[] = {SendMode::async, SendMode::sender, SendMode::rendezvous};
    overlap.p2p = modes[config::as_choice(value, {"async", "sender", "rendezvous"})];
    return;
  }
  const Fields fields(value, "overlap.p2p", {"buffered"});
  overlap.p2p = SendMode::buffered;
  overlap.buffer = config::as_bytes(fields.at("buffered"));
}

void read_domino(const Fields& fields, Overlap& overlap) {
  overlap.tensor_columns = static_cast<int>(fields.integer("columns", 1, 1, 1024));
  const bool columns = overlap.tensor_columns > 1;
  overlap.tensor_by_layer = fields.boolean("intra_layer", columns);
  if (columns && !overlap.tensor_by_layer)
    fields.at("intra_layer")
        .fail("overlap.tensor: with columns there is no overlap but within a layer");
  fields.at("domino");
  overlap.tensor_pieces = static_cast<int>(fields.integer("domino", 0, columns ? 1 : 2, 1024));
}

void read_chunked(const Fields& fields, Overlap& overlap) {
  for (const char* key : {"domino", "columns", "intra_layer"})
    if (const Value* given = fields.find(key))
      given->fail(fmt::format("overlap.tensor: either 'chunked' or '{}'", key));
  overlap.tensor_pieces = static_cast<int>(fields.integer("chunked", 0, 2, 1024));
}

void read_tensor_overlap(const Value& value, Overlap& overlap) {
  if (!value.is_map()) {
    overlap.tensor =
        static_cast<TensorOverlap>(config::as_choice(value, {"none", "chunked", "domino"}));
    return;
  }
  const Fields fields(value, "overlap.tensor", {"chunked", "domino", "columns", "intra_layer"});
  const bool chunked = fields.find("chunked") != nullptr;
  overlap.tensor = chunked ? TensorOverlap::chunked : TensorOverlap::domino;
  (chunked ? read_chunked : read_domino)(fields, overlap);
}

Overlap read_overlap(const Value& value) {
  const Fields fields(value, "overlap", {"p2p", "data", "tensor", "optimizer"});
  Overlap overlap;
  if (const Value* p2p = fields.find("p2p")) read_p2p(*p2p, overlap);
  overlap.data = fields.boolean("data", true);
  overlap.optimizer = fields.boolean("optimizer", true);
  if (const Value* tensor = fields.find("tensor")) read_tensor_overlap(*tensor, overlap);
  return overlap;
}

void read_data(const Value& value, Overlap& overlap) {
  const Fields fields(value, "data", {"bucket"});
  overlap.bucket = config::as_bytes(fields.at("bucket"));
  if (*overlap.bucket == Bytes{}) fields.at("bucket").fail("a bucket needs a size above 0 B");
}

DType read_dtype(const Value& value) {
  return static_cast<DType>(
      config::as_choice(value, {"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4"}));
}

/// A type, or fp8 with how it is scaled.
void read_precision(const Value& value, Experiment& e) {
  if (!value.is_map()) {
    e.precision = read_dtype(value);
    return;
  }
  const Fields fields(value, "precision", {"fp8", "amax"});
  e.precision = DType::fp8;
  e.scaling = static_cast<Scaling>(
      config::as_choice(fields.at("fp8"), {"delayed", "tensorwise", "blockwise", "mxfp8"}));
  const Value* amax = fields.find("amax");
  if (!amax) return;
  if (e.scaling != Scaling::delayed)
    amax->fail("amax: only under 'fp8: delayed' do ranks agree after a pass");
  e.amax_over =
      config::as_choice(*amax, {"stage", "tensor"}) == 0 ? Axis::stage : Axis::tensor_context;
}

void read_network(const Value& value, Experiment& e) {
  if (value.is_map()) {
    const Fields fields(value, "a network", {"packet", "flow"});
    if (fields.find("packet") && fields.find("flow"))
      value.fail("a network: either 'packet' or 'flow'");
    if (fields.find("flow")) {
      read_flow_options(&value);
      return;
    }
    e.packet = read_packet_options(fields.at("packet"));
    e.network = "packet";
    return;
  }
  constexpr const char* names[] = {"alpha-beta", "flow", "packet"};
  e.network = names[config::as_choice(value, {names[0], names[1], names[2]})];
}

/// Where `batch.lengths` stands.
const Value& lengths_of(const Experiment& e) { return *e.at("batch").find("lengths"); }

void add_offload(const Value& value, Offload& offload) {
  switch (config::as_choice(value, {"none", "optimizer", "activations", "weights"})) {
    case 1:
      offload.optimizer = true;
      break;
    case 2:
      offload.activations = true;
      break;
    case 3:
      offload.weights = offload.optimizer = true;
      break;
    default:
      break;
  }
}

/// One of them, or a list.
Offload read_offload(const Value& value) {
  Offload offload;
  if (!value.is_list()) add_offload(value, offload);
  for (const Value& item : value.items) add_offload(item, offload);
  return offload;
}

/// A synthetic model says itself how many ranks there are.
void refuse_other_ranks(const Experiment& e) {
  const Value* parallel = e.document.find("parallel");
  const Value* pipeline = parallel ? parallel->find("pipeline") : nullptr;
  if (pipeline && e.parallel.pipeline != e.synthetic->devices)
    pipeline->fail(fmt::format("parallel.pipeline: the synthetic model has synthetic.devices: {}",
                               e.synthetic->devices));
}

/// Of such a model only times are known.
void refuse_in_synthetic(const Experiment& e) {
  if (!e.meshes.stages.empty())
    e.at("strategy").fail("a synthetic model has no layers to place by 'strategy'");
  if (e.offload.any()) e.at("offload").fail("a synthetic model has nothing to keep on the host");
  if (e.batch.lengths)
    lengths_of(e).fail("batch.lengths: a synthetic model has no tokens to make documents of");
  refuse_other_ranks(e);
}

void refuse_beside_peers(const Experiment& e) {
  if (e.offload.any()) e.at("offload").fail("offload: peers keep all on their devices");
  if (e.batch.lengths)
    lengths_of(e).fail("batch.lengths: micro-batches of peers are alike: whole sequences");
}

TrainingRun read_training(const Value& value) {
  const Fields fields(value, "training", {"tokens", "deadline"});
  TrainingRun run{.tokens = config::as_count(fields.at("tokens"))};
  if (!(run.tokens > 0)) fields.at("tokens").fail("training needs a number of tokens above 0");
  if (const Value* deadline = fields.find("deadline"))
    run.deadline_s = config::as_seconds(*deadline);
  return run;
}

}  // namespace

const Value& Experiment::at(std::string_view key) const {
  if (const Value* value = document.find(key)) return *value;
  document.lacks(fmt::format("an experiment needs the key '{}'", key));
}

Experiment read_experiment(const Value& document) {
  const Fields fields(document, "an experiment", known_keys);
  Experiment e;
  e.document = document;
  if (const Value* v = fields.find("parallel")) e.parallel = read_parallel(*v);
  if (const Value* v = fields.find("batch")) e.batch = read_batch(*v);
  if (const Value* v = fields.find("precision")) read_precision(*v, e);
  e.gradients = e.precision == DType::fp16 ? DType::fp16 : DType::fp32;
  if (const Value* v = fields.find("gradients")) {
    constexpr DType choices[] = {DType::fp32, DType::fp16, DType::bf16};
    e.gradients = choices[config::as_choice(*v, {"fp32", "fp16", "bf16"})];
  }
  if (const Value* v = fields.find("framework")) e.framework = read_framework(*v);
  if (const Value* v = fields.find("launches"))
    e.blocking_launches = config::as_choice(*v, {"ahead", "blocking"}) == 1;
  if (const Value* v = fields.find("offload")) e.offload = read_offload(*v);
  if (const Value* v = fields.find("overlap")) e.overlap = read_overlap(*v);
  if (const Value* v = fields.find("data")) read_data(*v, e.overlap);
  if (const Value* v = fields.find("stragglers")) e.stragglers = read_stragglers(*v);
  if (const Value* v = fields.find("variation")) e.variation = read_variation(*v);
  if (const Value* v = fields.find("failures")) e.failures = read_failures(*v);
  if (const Value* v = fields.find("network")) read_network(*v, e);
  if (const Value* v = fields.find("training")) e.training = read_training(*v);
  e.iterations = static_cast<int>(fields.integer("iterations", 1, 1, 100000));
  if (const Value* model = fields.find("model"); model && model->is_map()) {
    if (const Value* synthetic = model->find("synthetic")) {
      Fields(*model, "a synthetic model", {"synthetic"});
      e.synthetic = read_synthetic(*synthetic);
    }
  }
  e.meshes = read_stage_meshes(e);
  if (e.synthetic) refuse_in_synthetic(e);
  if (!e.meshes.stages.empty()) e.parallel.pipeline = static_cast<int>(e.meshes.stages.size());
  if (const Value* peers = fields.find("peers")) {
    for (const char* key : {"schedule", "variation", "placement", "strategy"})
      if (const Value* value = fields.find(key))
        value->fail(fmt::format("'{}' means nothing beside 'peers'", key));
    refuse_beside_peers(e);
    e.peers = *peers;
  }
  read_replacement(e);
  return e;
}

void refuse_simulated_only(const Experiment& e, std::string_view done) {
  refuse_joints(e, done);
  for (const char* key : {"traffic", "peers"})
    if (const Value* value = e.document.find(key))
      value->fail(fmt::format("{}: it has no schedule and cannot be {}", key, done));
  if (e.offload.any())
    e.at("offload").fail(
        fmt::format("offload: copies to and from the host cannot be {} by this version", done));
  if (e.batch.lengths)
    lengths_of(e).fail(fmt::format(
        "batch.lengths: documents of unequal length cannot be {} by this version", done));
}

}  // namespace pipewright
