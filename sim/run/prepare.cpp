
#include "run/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/required.hpp"
#include "experiment/hardware.hpp"
#include "experiment/readers.hpp"
#include "experiment/schedule_name.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "machine/spread_times.hpp"
#include "plan/stage_placement.hpp"
#include "plan/symmetry.hpp"
#include "run/goodput_events.hpp"

namespace pipewright {

LoweringInput Prepared::lowering(const Folding& ranks, const schedule::Schedule& order) const {
  return {.schedule = order,
          .stages = work.stages,
          .updates = work.updates,
          .tied_embedding = work.tied_embedding,
          .send_mode = overlap.p2p.mode,
          .send_buffer = overlap.p2p.buffer,
          .overlap_data = overlap.data,
          .sharded = work.sharded,
          .offloaded = work.offloaded,
          .validate_first = !overlap.optimizer,
          .pairs_beside = work.pairs_beside,
          .grid = grid,
          .fold_tensor = ranks.tensor,
          .replicas = ranks.replicas,
          .resharding_edges = resharding_edges};
}

namespace {

/// Schedules that want output to leave while it is being computed, or two passes beside each other
/// on parts of the device, are made for FPGAs.
void check_devices(Prepared& prepared) {
  const schedule::Schedule& s = prepared.schedule;
  const bool streams = s.sends == schedule::Sends::streamed || s.parallel_passes;
  const auto is_gpu = [&](int32_t number) {
    const Device* device = prepared.devices.device(number);
    return device && device->kind == DeviceKind::gpu;
  };
  if (!streams || std::ranges::none_of(prepared.devices.numbers, is_gpu)) return;
  prepared.devices.suit_schedule = false;
  prepared.record.notes.push_back(fmt::format(
      "{} is made for devices that send while they compute, as FPGAs do; these are GPUs",
      prepared.schedule_name));
}

/// Predictions for a format that a device lacks are of one like it that has the format.
void check_formats(const Experiment& experiment, Prepared& prepared) {
  if (experiment.precision != DType::fp8 || experiment.scaling != Scaling::mxfp8) return;
  for (const int32_t number : prepared.devices.numbers) {
    const Device* device = prepared.devices.device(number);
    if (!device || has_mxfp8(*device)) continue;
    prepared.record.notes.push_back(
        fmt::format("{} has no MXFP8: frameworks stop there", device->name));
    return;
  }
}

/// Unties the two ends of an asynchronous schedule. The first stage makes a step a trip through the
/// pipeline after the last stage has made the same. Copies of a tied embedding that waited for each
/// other's gradients would empty the pipeline before every step, which is what such schedules do
/// without. Each is trained by itself: PipeDream's stages share no weights, and PipeDream-2BW's
/// code leaves Megatron-LM's sum of the two out.
void untie_ends(Prepared& prepared) {
  if (prepared.work.tied_embedding.gradient == Bytes{} || prepared.schedule.synchronous) return;
  prepared.work.tied_embedding = {};
  prepared.record.notes.push_back(
      fmt::format("{} is asynchronous: the first and the last stage's copy of the tied embedding "
                  "are trained by "
                  "themselves",
                  prepared.schedule_name));
}

/// Degrees may leave devices over, and so may replicas that fill the cluster.
void say_who_is_idle(const Experiment& experiment, Prepared& prepared) {
  const int there = required(prepared.devices.machine, "a job has a machine").device_count();
  const int idle = there - prepared.devices.count();
  if (idle <= 0) return;
  const bool fills = experiment.parallel.data == fill_cluster;
  prepared.record.notes.push_back(
      fmt::format("{} of the cluster's {} devices stay idle: {}", idle, there,
                  fills ? "no whole replica fits on them"
                        : fmt::format("the job's degrees ask for {}", prepared.devices.count())));
}

/// PipeDream's stages may have unlike numbers of replicas because these take whole micro-batches.
void say_how_replicas_share(Prepared& prepared) {
  const auto unlike = [](const Mesh& a, const Mesh& b) { return a.data != b.data; };
  const std::vector<Mesh>& meshes = prepared.grid.meshes;
  const bool alike = std::adjacent_find(meshes.begin(), meshes.end(), unlike) == meshes.end();
  if (alike || !schedule::steps_apart(prepared.schedule)) return;
  prepared.record.notes.push_back(fmt::format(
      "{}: the replicas of a stage divide every micro-batch; PipeDream's take them in turn, with "
      "other warm-ups and weight versions",
      prepared.schedule_name));
}

/// One rank for all of a mesh, where the same is true of every mesh.
void fold_meshes(Prepared& prepared) {
  std::set<RankPair> pairs = pairs_that_send(prepared.schedule);
  const StagePlacement placement(prepared.schedule);
  for (int stage = 0; stage + 1 < prepared.schedule.stages; ++stage) {
    if (prepared.resharding_edges[static_cast<size_t>(stage)].forward == none) continue;
    const int from = placement.rank_of(stage), to = placement.rank_of(stage + 1);
    pairs.erase({from, to});
    pairs.erase({to, from});
  }
  prepared.folding.tensor = meshes_alike(prepared.grid, prepared.prices, pairs);
  if (!prepared.folding.tensor) {
    prepared.record.notes.push_back("the ranks of a stage see different times: each is simulated");
    return;
  }
  for (const Mesh& mesh : prepared.grid.meshes) {
    ReplicaClass all{0, mesh.replicas(), {}};
    for (int replica = 0; replica < mesh.replicas(); ++replica) all.members.push_back(replica);
    prepared.folding.replicas.push_back({std::move(all)});
  }
}

/// One rank for all that see the same times.
void fold(Prepared& prepared) {
  if (!prepared.resharding_edges.empty()) return fold_meshes(prepared);
  const auto [tensor, classes] =
      symmetry_of(prepared.grid, prepared.prices, pairs_that_send(prepared.schedule));
  prepared.folding.tensor = tensor;
  prepared.folding.replicas.assign(prepared.grid.meshes.size(), classes);
  if (!prepared.folding.tensor)
    prepared.record.notes.push_back("tensor ranks see different times: each is simulated");
  if (classes.size() > 1) {
    prepared.record.notes.push_back(
        fmt::format("the {} replicas see different times: {} of them are simulated",
                    prepared.grid.meshes.front().replicas(), classes.size()));
  }
}

/// Tells which routes messages between nodes take.
void spread_over_routes(const Experiment& experiment, uint64_t seed, Prepared& prepared) {
  Spreading& spreading = prepared.links.spreading;
  spreading = spreading_of(experiment.network);
  if (spreading.how == Spreading::How::first && !experiment.network.draws()) return;
  if (!prepared.resharding_edges.empty())
    experiment.misfit("network",
                      "'routing' is for messages between two devices and for collectives; what is "
                      "resharded between stages that are not alike takes the first route");
  spreading.seed = seed;
  draw_routes(seed, prepared.prices);
  if (!experiment.network.draws()) return;
  prepared.record.notes.push_back(
      fmt::format("{} between nodes are drawn: these are those of seed {}, and 'variation' has "
                  "the quantiles",
                  spreading.draws() ? "routes" : "packets' routes or sizes", seed));
}

/// Tells what nodes send each other as packets. Those of one rank meet others' in queues, so no
/// rank stands for another; in a job on one node there are none.
void send_packets(const Experiment& experiment, uint64_t seed, Prepared& prepared) {
  const Topology& topology = required(prepared.links.topology, "packets need links");
  const std::vector<int32_t>& devices = prepared.devices.numbers;
  const auto leaves = [&](int32_t device) {
    return topology.node(device) != topology.node(devices.front());
  };
  if (std::ranges::none_of(devices, leaves)) {
    prepared.record.notes.push_back(
        "nothing leaves a node, so there are no packets: links are shared as flows");
    return;
  }
  if (!prepared.resharding_edges.empty())
    experiment.misfit("network",
                      "'packet' carries messages between two devices and collectives; what is "
                      "resharded between stages that are not alike needs 'flow' or 'alpha-beta'");
  PacketLinks& links = prepared.links.packets.emplace();
  links.options = experiment.network.packet;
  links.options.priorities = 1;
  links.options.seed = seed;
  const int varied = experiment.variation ? experiment.variation->seeds : 0;
  const int drawn = experiment.network.draws() ? experiment.network.flow.seeds : 0;
  links.runs = 1 + (varied > 0 ? varied : drawn);
  links.where = experiment.where("network");
  prepared.record.notes.push_back(
      "what leaves a node is packets, and what stays inside shares links as flows; every rank is "
      "simulated");
}

}  // namespace

Prepared prepare(const Experiment& experiment, const config::Catalogue& catalogue,
                 const RunOptions& options) {
  if (!experiment.has_schedule()) {
    const char* key = experiment.trace ? "trace" : experiment.traffic ? "traffic" : "peers";
    experiment.at(key).fail(fmt::format(
        "an experiment with '{}' has no schedule: 'pipewright simulate' runs it, and nothing "
        "else does",
        key));
  }
  const Machine machine = machine_of(experiment, catalogue, options);
  Prepared prepared = experiment.synthetic ? prepare_synthetic(experiment, machine, options)
                                           : prepare_model(experiment, machine, options);
  prepared.schedule_name = schedule_name(experiment.at("schedule"));
  prepared.overlap = experiment.overlap;
  if (prepared.schedule.sends == schedule::Sends::blocking)
    prepared.overlap.p2p.mode = SendMode::sender;
  if (prepared.schedule.sends == schedule::Sends::streamed)
    prepared.overlap.p2p.mode = SendMode::async;
  prepared.devices.numbers = prepared.grid.devices();
  prepared.devices.machine = machine;
  prepared.devices.precision = experiment.precision;
  say_who_is_idle(experiment, prepared);
  if (!prepared.overlap.optimizer && !prepared.schedule.synchronous)
    experiment.misfit(
        "overlap",
        "overlap.optimizer: an asynchronous schedule cannot wait for the gradients of all ranks");
  if (!prepared.resharding_edges.empty() && prepared.overlap.p2p.mode == SendMode::buffered)
    experiment.misfit(
        "overlap",
        "overlap.p2p: a buffer holds messages between two devices; what is resharded between "
        "stages that are not alike needs async, sender or rendezvous");
  prepared.long_run.training = experiment.training;
  prepared.long_run.failures = experiment.failures;
  prepared.long_run.outer = experiment.outer;
  if (prepared.long_run.training && prepared.work.tokens <= 0)
    experiment.fail("training", "training counts tokens, and this model has none");
  prepared.links.topology = machine.links();
  prepared.links.laid = machine.laid_links();
  prepared.record.provenance = machine.provenance();
  prepared.links.shared = experiment.network.kind != NetworkKind::alpha_beta;
  spread_over_routes(experiment, options.seed, prepared);
  if (experiment.network.kind == NetworkKind::packet)
    send_packets(experiment, options.seed, prepared);
  require_drawable(experiment, prepared);
  check_devices(prepared);
  check_formats(experiment, prepared);
  untie_ends(prepared);
  say_how_replicas_share(prepared);
  const bool may_fold = !prepared.links.packets;
  if (options.fold && may_fold) fold(prepared);
  prepared.folding.micro_batches = options.fold_micro_batches && may_fold;
  prepared.most_unfolded_ops = options.most_unfolded_ops;
  if (prepared.lengths) {
    prepared.folding.replicas.clear();
    prepared.record.notes.push_back("replicas have documents of their own: each is simulated");
  }
  return prepared;
}

}  // namespace pipewright
