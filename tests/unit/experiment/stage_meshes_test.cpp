#include "experiment/stage_meshes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// A GPT of 8 blocks.
config::Value on(const std::string& cluster, const std::string& rest, const std::string& batch,
                 const std::string& tied = "false") {
  return experiment(
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 8192,\n"
      "  tied_embeddings: " +
      tied + "}}\ncluster: " + cluster + "\nprecision: fp16\nbatch: " + batch + "\n" + rest);
}

/// On hosts of four GPUs, 1.25 GB/s between them.
config::Value on_hosts(const std::string& rest, const std::string& batch) {
  return on("{node: p3.8xlarge, nodes: 2, fabric: {kind: star, link: eth-10}}", rest, batch);
}

/// On eight GPUs, any two as near each other as any other two.
config::Value on_switch(const std::string& rest, const std::string& batch) {
  return on("{node: dgx-a100-80g, nodes: 1}", rest, batch);
}

std::string sized(int global, int micro) {
  return fmt::format("{{global: {}, micro: {}, sequence: 1024}}", global, micro);
}

double meshed_iteration_s(const config::Value& experiment, bool fold = true) {
  return in_seconds(run(experiment, fold).result.metrics.iteration);
}

TEST(StageMeshes, a_strategy_that_spells_out_alike_stages_is_what_parallel_says) {
  for (const char* schedule : {"gpipe", "1f1b", "eager-1f1b", "zb-h1", "pipedream"}) {
    for (const char* network : {"flow", "alpha-beta"}) {
      for (const char* p2p : {"async", "sender", "rendezvous"}) {
        const std::string rest = fmt::format("schedule: {}\nnetwork: {}\noverlap: {{p2p: {}}}\n",
                                             schedule, network, p2p);
        SCOPED_TRACE(rest);
        const auto alike =
            run(on_hosts(rest + "parallel: {tensor: 2, pipeline: 2, data: 2}\n", sized(16, 1)));
        const auto spelled = run(on_hosts(
            rest + "strategy: [{layers: 0-3, devices: 0-3, mesh: [2, 2], tensor: 2, data: 2},\n"
                   "           {layers: 4-7, devices: 4-7, mesh: [2, 2], tensor: 2, data: 2}]\n",
            sized(16, 1)));
        EXPECT_EQ(spelled.result.metrics.iteration, alike.result.metrics.iteration);
        EXPECT_EQ(spelled.result.metrics.ranks[1].memory.total(),
                  alike.result.metrics.ranks[1].memory.total());
        EXPECT_EQ(spelled.result.metrics.ranks[1].devices, alike.result.metrics.ranks[1].devices);
      }
    }
  }
}

/// Two meshes of four, each with `first` and `second` of the layers.
std::string two_meshes(const char* first, const char* second) {
  return fmt::format(
      "strategy: [{{layers: {}, devices: 0-3, mesh: [2, 2], tensor: 2, data: 2}},\n"
      "           {{layers: {}, devices: 4-7, mesh: [2, 2], tensor: 2, data: 2}}]\n",
      first, second);
}

TEST(StageMeshes, several_stages_a_mesh_are_what_virtual_stages_are) {
  struct Placed {
    const char *schedule, *first, *second;
  };
  const char *whole[] = {"0-3", "4-7"}, *round[] = {"[0-1, 4-5]", "[2-3, 6-7]"},
             *back[] = {"[0-1, 6-7]", "[2-3, 4-5]"};
  for (const Placed& placed :
       {Placed{"{name: interleaved-1f1b, virtual: 2}", round[0], round[1]},
        Placed{"{name: looped-bfs, virtual: 2}", round[0], round[1]},
        Placed{"zb-v", back[0], back[1]}, Placed{"v-half", back[0], back[1]},
        Placed{"hanayo", back[0], back[1]}, Placed{"chimera", whole[0], whole[1]},
        Placed{"bpipe", whole[0], whole[1]}}) {
    const std::string schedule = fmt::format("schedule: {}\n", placed.schedule);
    SCOPED_TRACE(schedule);
    const auto alike =
        run(on_hosts(schedule + "parallel: {tensor: 2, pipeline: 2, data: 2}\n", sized(16, 1)));
    const auto spelled =
        run(on_hosts(schedule + two_meshes(placed.first, placed.second), sized(16, 1)));
    EXPECT_EQ(spelled.result.metrics.iteration, alike.result.metrics.iteration);
    EXPECT_EQ(spelled.result.metrics.ranks[1].memory.total(),
              alike.result.metrics.ranks[1].memory.total());
  }
}

TEST(StageMeshes, documents_of_unequal_length_and_scattered_boundaries_need_alike_ones) {
  for (const char* rest : {"batch.lengths", "boundary"}) {
    const bool is_batch = rest[1] == 'a';
    const std::string more = is_batch ? "" : "boundary: scatter-gather\n";
    const std::string batch =
        is_batch ? "{global: 16, micro: 1, sequence: 1024, lengths: {mean: 512}}" : sized(16, 1);
    const std::string schedule = "schedule: 1f1b\n" + more;
    const auto alike =
        run(on_hosts(schedule + "parallel: {tensor: 2, pipeline: 2, data: 2}\n", batch));
    const auto spelled = run(on_hosts(schedule + two_meshes("0-3", "4-7"), batch));
    EXPECT_EQ(spelled.result.metrics.iteration, alike.result.metrics.iteration) << rest;
  }
}

TEST(StageMeshes, a_schedule_has_as_many_virtual_stages_as_its_meshes) {
  const std::string strategy = two_meshes("[0-0, 2-3, 6-6]", "[1-1, 4-5, 7-7]");
  const auto said =
      run(on_hosts("schedule: {name: interleaved-1f1b, virtual: 3}\n" + strategy, sized(16, 1)));
  const auto left_out = run(on_hosts("schedule: interleaved-1f1b\n" + strategy, sized(16, 1)));
  EXPECT_EQ(left_out.result.metrics.iteration, said.result.metrics.iteration);
  const auto listed =
      run(on_hosts("schedule: {name: interleaved-1f1b, virtual: 3}\npartition: [1, 1, 2, 2, 1, 1]\n"
                   "parallel: {tensor: 2, pipeline: 2, data: 2}\n",
                   sized(16, 1)));
  EXPECT_EQ(said.result.metrics.iteration, listed.result.metrics.iteration);
  const auto again = run(left_out.result.experiment);
  EXPECT_EQ(again.result.metrics.iteration, said.result.metrics.iteration);
}

/// Four data ranks and two tensor ranks take turns, four stages each of two layers.
std::string unlike_turns(const std::string& schedule, const std::string& rest = "") {
  return "schedule: " + schedule + "\n" + rest +
         "strategy: [{layers: [0-1, 4-5], devices: 0-3, data: 4},\n"
         "           {layers: [2-3, 6-7], devices: 4-5, tensor: 2, data: 1}]\n";
}

// Three edges of four sequences x 1024 tokens x 1024 x 2 B = 8 MiB, each way, for 4 micro-batches.
TEST(StageMeshes, every_edge_between_virtual_stages_is_resharded) {
  const auto resharded = run(on_switch(unlike_turns("interleaved-1f1b"), sized(16, 1)));
  const double bytes =
      resharded.result.metrics.communication[static_cast<size_t>(Traffic::pipeline)].bytes;
  EXPECT_EQ(bytes, 3 * 2 * 4 * 8.0 * (1 << 20));
}

// Without collectives beside passes, which take processors from kernels.
TEST(StageMeshes, virtual_stages_compute_as_alike_ones_of_their_degrees) {
  const auto unlike = run(on_switch(
      unlike_turns("interleaved-1f1b", "launches: graph\noverlap: {data: false}\n"), sized(16, 1)));
  const auto alike = [](const char* degrees, int micro) {
    return run(on_switch(
        fmt::format("launches: graph\noverlap: {{data: false}}\nparallel: {{pipeline: 2, {}}}\n"
                    "schedule: {{name: interleaved-1f1b, virtual: 2}}\n",
                    degrees),
        sized(16, micro)));
  };
  EXPECT_EQ(unlike.result.metrics.ranks[0].compute,
            alike("data: 4", 1).result.metrics.ranks[0].compute);
  EXPECT_EQ(unlike.result.metrics.ranks[1].compute,
            alike("data: 1, tensor: 2", 4).result.metrics.ranks[1].compute);
}

TEST(StageMeshes, ranks_of_virtual_stages_simulated_once_are_as_all_of_them) {
  for (const char* schedule : {"interleaved-1f1b", "looped-bfs"}) {
    const config::Value unlike =
        on_switch(unlike_turns(schedule, "network: alpha-beta\n"), sized(16, 1));
    const auto folded = run(unlike, true), unfolded = run(unlike, false);
    EXPECT_EQ(folded.program.ranks.size(), 2u);
    EXPECT_EQ(unfolded.program.ranks.size(), 6u);
    EXPECT_NEAR(
        in_seconds(folded.result.metrics.iteration) / in_seconds(unfolded.result.metrics.iteration),
        1, 1e-6)
        << schedule;
  }
}

// 8 MiB of 4 sequences go from one host to one host, or, cut over two context ranks, from two hosts
// to two: each sends a half and takes a half.
TEST(StageMeshes, context_ranks_are_resharded_each_by_itself) {
  const auto time_of = [](int context) {
    const auto result =
        run(on("{node: p3.8xlarge, nodes: 4, fabric: {kind: star, link: eth-10}}",
               fmt::format("schedule: gpipe\nnetwork: alpha-beta\nparallel: {{context: {0}}}\n"
                           "strategy: [{{layers: 0-3, devices: 0-{1}, tensor: 4, data: 1}},\n"
                           "           {{layers: 4-7, devices: 8-{2}, tensor: 2, data: 2}}]\n",
                           context, 4 * context - 1, 4 * context + 7),
               sized(4, 2)));
    const Communication& pipeline =
        result.result.metrics.communication[static_cast<size_t>(Traffic::pipeline)];
    EXPECT_EQ(pipeline.bytes, 2 * 8.0 * (1 << 20));
    return in_seconds(pipeline.time) * 8 * context;  // a mean over so many devices
  };
  EXPECT_NEAR(time_of(2) / time_of(1), 0.5, 0.02);
}

TEST(StageMeshes, what_both_context_and_a_grid_cut_is_refused) {
  const auto grid = [] {
    run(on("{node: p3.8xlarge, nodes: 4, fabric: {kind: star, link: eth-10}}",
           "schedule: 1f1b\nparallel: {context: 2}\n"
           "strategy: [{layers: 0-3, devices: 0-3, tensor: 2, data: 1},\n"
           "           {layers: 4-7, devices: 4-11, tensor: 4, tensor_kind: 2d, data: 1}]\n",
           sized(4, 2)));
  };
  EXPECT_NE(error_of(grid).find("context"), std::string::npos);
}

// Stages 1 and 2 of a V are on one mesh, which hands nothing to itself: two edges in place of
// three.
TEST(StageMeshes, a_mesh_hands_on_to_itself_what_it_has) {
  const auto v =
      run(on_switch("schedule: zb-v\nstrategy: [{layers: [0-1, 6-7], devices: 0-3, data: 4},\n"
                    "           {layers: [2-3, 4-5], devices: 4-5, tensor: 2, data: 1}]\n",
                    sized(16, 1)));
  EXPECT_EQ(v.result.metrics.communication[static_cast<size_t>(Traffic::pipeline)].bytes,
            2 * 2 * 4 * 8.0 * (1 << 20));
}

// Stage 0 has four data ranks, stage 1 two: micro-batches of 4 sequences are 1 and 2 on a device.
TEST(StageMeshes, a_stage_computes_and_holds_what_it_does_where_all_stages_have_its_degrees) {
  const auto unlike = run(on_hosts(
      "schedule: 1f1b\n"
      "strategy: [{layers: 0-3, devices: 0-3, data: 4}, {layers: 4-7, devices: 4-5, data: 2}]\n",
      sized(16, 1)));
  const auto four =
      run(on_hosts("schedule: 1f1b\nparallel: {pipeline: 2, data: 4}\n", sized(16, 1)));
  const auto two =
      run(on_hosts("schedule: 1f1b\nparallel: {pipeline: 2, data: 2}\n", sized(16, 2)));
  const auto rank = [](const auto& run, size_t r) { return run.result.metrics.ranks[r]; };
  EXPECT_EQ(rank(unlike, 0).compute, rank(four, 0).compute);
  EXPECT_EQ(rank(unlike, 1).compute, rank(two, 1).compute);
  EXPECT_EQ(rank(unlike, 0).memory.total(), rank(four, 0).memory.total());
  EXPECT_EQ(rank(unlike, 1).memory.total(), rank(two, 1).memory.total());
  EXPECT_EQ(rank(unlike, 1).devices, (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(*unlike.result.rates.samples_per_s, 16 / in_seconds(unlike.result.metrics.iteration));
}

TEST(StageMeshes, pipedream_says_that_replicas_divide_micro_batches_where_stages_have_unlike_ones) {
  const auto says = [](const std::string& schedule, int data) {
    const auto result = run(
        on_hosts(fmt::format("schedule: {}\nstrategy: [{{layers: 0-3, devices: 0-3, data: 4}},\n"
                             "           {{layers: 4-7, devices: 4-{}, data: {}}}]\n",
                             schedule, 3 + data, data),
                 sized(16, 1)));
    const std::string expected = schedule +
                                 ": the replicas of a stage divide every micro-batch; PipeDream's "
                                 "take them in turn, with other warm-ups and weight versions";
    const auto& notes = result.result.notes;
    return std::count(notes.begin(), notes.end(), expected) == 1;
  };
  EXPECT_TRUE(says("pipedream", 2));
  EXPECT_FALSE(says("pipedream", 4)) << "alike: each replica has micro-batches of its own";
  EXPECT_FALSE(says("1f1b", 2));
}

// Without a host that may hold kernels up, as one stage's waiting lets it run ahead.
TEST(StageMeshes, stages_of_unlike_tensor_degrees_compute_as_alike_ones_of_those_degrees) {
  const auto unlike =
      run(on_hosts("launches: graph\nschedule: zb-h1\n"
                   "strategy: [{layers: 0-3, devices: 0-3, tensor: 4}, {layers: 4-7, devices: 4-5, "
                   "tensor: 2}]\n",
                   sized(8, 1)));
  const auto four = run(
      on_hosts("launches: graph\nschedule: zb-h1\nparallel: {tensor: 4, pipeline: 2, data: 1}\n",
               sized(8, 1)));
  const auto two = run(
      on_hosts("launches: graph\nschedule: zb-h1\nparallel: {tensor: 2, pipeline: 2, data: 1}\n",
               sized(8, 1)));
  EXPECT_EQ(unlike.result.metrics.ranks[0].compute, four.result.metrics.ranks[0].compute);
  EXPECT_EQ(unlike.result.metrics.ranks[1].compute, two.result.metrics.ranks[1].compute);
}

config::Value replicated_to_cut(const std::string& strategy, const std::string& network) {
  return on_hosts("schedule: gpipe\nnetwork: " + network + "\nresharding: " + strategy +
                      "\nstrategy: [{layers: 0-3, devices: 0-3, data: 4},\n"
                      "           {layers: 4-7, devices: 4-7, tensor: 4}]\n",
                  sized(4, 1));
}

// Four sequences of 1024 tokens x 1024 x 2 B are 8 MiB: t = 6.71 ms between hosts. There each
// quarter goes to four devices: t by broadcast, 4 t by sending to each. Back each quarter goes to
// one device, t either way. What broadcast adds for its chain inside the host is below 5 % of t.
TEST(StageMeshes, sending_to_each_of_four_devices_takes_three_times_longer_than_broadcast_more) {
  const double t = 8.0 * (1 << 20) / 1.25e9;
  for (const char* network : {"alpha-beta", "flow"}) {
    const double sent = meshed_iteration_s(replicated_to_cut("send-recv", network));
    const double broadcast = meshed_iteration_s(replicated_to_cut("broadcast", network));
    EXPECT_NEAR((sent - broadcast) / t, 3, 0.05) << network;
  }
}

// One device to one: whatever the strategy, the tensor crosses once.
TEST(StageMeshes, between_single_devices_every_strategy_is_a_message) {
  const std::string two =
      "{devices: 2, device: {flops: {fp16: 100 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 TB/s},"
      " link: {latency: 5 us, bandwidth: 2 GB/s}}";
  const double plain = meshed_iteration_s(
      on(two, "schedule: 1f1b\nparallel: {pipeline: 2, data: 1}\n", sized(4, 1)));
  for (const char* strategy : {"send-recv", "local-all-gather", "global-all-gather", "broadcast"}) {
    const double resharded = meshed_iteration_s(
        on(two,
           fmt::format("schedule: 1f1b\nresharding: {}\n"
                       "strategy: [{{layers: 0-3, devices: 0, sharding: {{activations: R}}}},\n"
                       "           {{layers: 4-7, devices: 1, sharding: {{activations: R}}}}]\n",
                       strategy),
           sized(4, 1)));
    EXPECT_NEAR(resharded / plain, 1, 1e-9) << strategy;
  }
}

TEST(StageMeshes, ranks_simulated_once_are_as_all_of_them) {
  for (const char* schedule : {"1f1b", "eager-1f1b", "zb-h1"}) {
    for (const char* p2p : {"async", "rendezvous"}) {
      const config::Value unlike =
          on_switch(fmt::format("schedule: {}\nnetwork: alpha-beta\noverlap: {{p2p: {}}}\n"
                                "strategy: [{{layers: 0-1, devices: 0-3, tensor: 2, data: 2}},\n"
                                "           {{layers: 2-6, devices: 4-5, tensor: 2}},\n"
                                "           {{layers: 7-7, devices: 6-7, data: 2}}]\n",
                                schedule, p2p),
                    sized(16, 1));
      const auto folded = run(unlike, true), unfolded = run(unlike, false);
      EXPECT_EQ(folded.program.ranks.size(), 3u);
      EXPECT_EQ(unfolded.program.ranks.size(), 8u);
      EXPECT_NEAR(in_seconds(folded.result.metrics.iteration) /
                      in_seconds(unfolded.result.metrics.iteration),
                  1, 1e-6)
          << schedule << ' ' << p2p;
    }
  }
}

TEST(StageMeshes, the_resolved_experiment_runs_to_the_same_number) {
  const auto first =
      run(on_hosts("schedule: 1f1b\nparallel: {tensor: 2}\nresharding: local-all-gather\n"
                   "strategy: [{layers: 0-3, devices: 0-3}, {layers: 4-7, devices: 4-5}]\n",
                   sized(16, 1)));
  const auto again = run(first.result.experiment);
  EXPECT_EQ(again.result.metrics.iteration, first.result.metrics.iteration);
}

// A slow device in a stage: its mesh cannot stand for others.
TEST(StageMeshes, a_straggler_unfolds_and_slows_its_stage) {
  const std::string unlike =
      "schedule: 1f1b\n"
      "strategy: [{layers: 0-3, devices: 0-3, data: 4}, {layers: 4-7, devices: 4-7, tensor: 4}]\n";
  const double before = meshed_iteration_s(on_switch(unlike, sized(16, 1)));
  const auto slow =
      run(on_switch(unlike + "stragglers: [{device: 2, slowdown: 2}]\n", sized(16, 1)));
  EXPECT_GT(in_seconds(slow.result.metrics.iteration), before);
  EXPECT_EQ(slow.program.ranks.size(), 8u);
}

TEST(StageMeshes, tied_embeddings_of_unlike_stages_are_reduced_over_both) {
  const auto with = [](const char* tied) {
    return in_seconds(run(on("{node: dgx-a100-80g, nodes: 1}",
                             "schedule: 1f1b\n"
                             "strategy: [{layers: 0-3, devices: 0-3, data: 4},\n"
                             "           {layers: 4-7, devices: 4-7, tensor: 4}]\n",
                             "{global: 4, sequence: 128}", tied))
                          .result.metrics.communication[static_cast<size_t>(Traffic::data)]
                          .time);
  };
  EXPECT_GT(with("true"), with("false"));
}

std::string wrong(const std::string& rest) {
  return error_of([&] { run(on_hosts(rest, sized(16, 1))); });
}

TEST(StageMeshes, wrong_entries_are_told_where_they_stand) {
  const auto strategy = [](const std::string& entries) {
    return wrong("schedule: 1f1b\nstrategy: " + entries + "\n");
  };
  const std::string first = "[{layers: 0-3, devices: 0-3, tensor: 4}, ";
  EXPECT_EQ(strategy("none"),
            "x.yaml:7:11: error: strategy is a list of stages such as {layers: 0-11, devices: 0-7, "
            "tensor: 4}");
  EXPECT_EQ(strategy(first + "{layers: 5-7, devices: 4-7, tensor: 4}]"),
            "x.yaml:7:61: error: layer 4 is in no stage: this stage should begin with it");
  EXPECT_EQ(strategy(first + "{layers: 3-7, devices: 4-7, tensor: 4}]"),
            "x.yaml:7:61: error: layer 3 is in two stages: this stage should begin with layer 4");
  EXPECT_EQ(strategy(first + "{layers: 4-6, devices: 4-7, tensor: 4}]"),
            "x.yaml:7:61: error: the last stage ends with layer 6, but the model has layers 0-7");
  EXPECT_EQ(strategy(first + "{layers: 4-7, devices: 3-6, tensor: 4}]"),
            "x.yaml:7:75: error: device 3 is in stage 0 too");
  EXPECT_EQ(strategy(first + "{layers: 4-7, devices: 5-8, tensor: 4}]"),
            "x.yaml:7:75: error: device 8 is not there: the cluster has 8");
  EXPECT_EQ(strategy(first + "{layers: 4-7, devices: 4-7, mesh: [2, 3], tensor: 4}]"),
            "x.yaml:7:86: error: a mesh of 2 x 3 has 6 devices, but the stage has 4");
  EXPECT_EQ(strategy(first + "{layers: 4-7, devices: 4-7, tensor: 2, data: 1}]"),
            "x.yaml:7:52: error: tensor 2 x data 1 is 2, but the stage has 4 devices");
  EXPECT_EQ(strategy(first + "{layers: 7-4, devices: 4-7}]"),
            "x.yaml:7:61: error: '7-4' is no range: layers are written as 0-11");
  EXPECT_NE(strategy(first + "{layer: 4-7}]").find("unknown key 'layer'"), std::string::npos);
}

TEST(StageMeshes, wrong_lists_of_stages_are_told_where_they_stand) {
  const auto strategy = [](const std::string& first, const std::string& second) {
    return wrong("schedule: zb-v\nstrategy: [{layers: " + first +
                 ", devices: 0-3}, {layers: " + second + ", devices: 4-7}]\n");
  };
  EXPECT_EQ(strategy("[]", "0-7"), "x.yaml:7:21: error: a mesh has at least one stage");
  EXPECT_EQ(strategy("[4-5, 0-1]", "[2-3, 6-7]"),
            "x.yaml:7:27: error: layer 0 stands behind layer 5: a mesh has its stages in model "
            "order");
  EXPECT_EQ(strategy("[0-1, 5-7]", "[2-3, 4-4]").find("error: strategy places stage 3"),
            std::string::npos);
  EXPECT_EQ(strategy("[0-1, 6-7]", "[2-3, 5-5]"),
            "x.yaml:7:63: error: layer 4 is in no stage: this stage should begin with it");
  EXPECT_EQ(strategy("[0-1, 4-5]", "[2-3, 6-7]"),
            "x.yaml:6:11: error: strategy places stage 2 on mesh 0, but the schedule on rank 1");
}

TEST(StageMeshes, wrong_shardings_are_told_where_they_stand) {
  const auto sharding = [](const std::string& map) {
    return wrong(
        "schedule: 1f1b\nstrategy: [{layers: 0-7, devices: 0-5, mesh: [2, 3], tensor: 2, "
        "sharding: {" +
        map + "}}]\n");
  };
  EXPECT_NE(sharding("activations: S2R").find("'S2R' is no sharding"), std::string::npos);
  EXPECT_NE(sharding("activations: S0S01").find("cuts one dimension at most"), std::string::npos);
  EXPECT_NE(sharding("activations: RRRR").find("has 4 dimensions"), std::string::npos);
  EXPECT_NE(sharding("ffn_in: S0").find("with tensor 2 it is S1"), std::string::npos);
  EXPECT_EQ(error_of([] {
              run(on_hosts(
                  "schedule: 1f1b\n"
                  "strategy: [{layers: 0-3, devices: 0-2, mesh: [1, 3], data: 3,\n"
                  "  sharding: {activations: RS1}}, {layers: 4-7, devices: 4-6, data: 3}]\n",
                  sized(15, 1)));
            }),
            "x.yaml:8:27: error: 1024 tokens do not divide over 3 devices");
}

TEST(StageMeshes, what_cannot_be_beside_unlike_stages_is_said) {
  const std::string two =
      "strategy: [{layers: 0-3, devices: 0-3, data: 4}, {layers: 4-7, devices: 4-7, tensor: 4}]\n";
  EXPECT_NE(wrong(two + "schedule: 1f1b\nplacement: tp-cp-ep-dp-pp\n").find("'placement'"),
            std::string::npos);
  EXPECT_NE(wrong(two + "schedule: 1f1b\npartition: even\n").find("'partition'"),
            std::string::npos);
  EXPECT_NE(wrong(two + "schedule: 1f1b\nparallel: {pipeline: 4}\n").find("pipeline says 4"),
            std::string::npos);
  EXPECT_NE(wrong(two + "schedule: {name: interleaved-1f1b, virtual: 2}\n")
                .find("strategy has 2 stages, but the schedule 4"),
            std::string::npos);
  EXPECT_NE(wrong(two + "schedule: chimera\n").find("stage 0 on several ranks, whose meshes"),
            std::string::npos);
  EXPECT_NE(
      wrong("schedule: bpipe\nstrategy: [{layers: 0-1, devices: 0-1, data: 2},\n"
            "  {layers: 2-3, devices: 2}, {layers: 4-5, devices: 3}, {layers: 6-7, devices: 4}]\n")
          .find("moves activations to other ranks"),
      std::string::npos);
  EXPECT_NE(wrong(two + "schedule: 1f1b\noverlap: {p2p: {buffered: 1 MiB}}\n").find("buffer"),
            std::string::npos);
  EXPECT_NE(wrong(two + "schedule: 1f1b\nresharding: carrier-pigeon\n").find("broadcast"),
            std::string::npos);
}

TEST(StageMeshes, a_micro_batch_splits_over_every_stage_s_data_ranks) {
  EXPECT_NE(wrong("schedule: 1f1b\n"
                  "strategy: [{layers: 0-3, devices: 0-3, data: 4}, {layers: 4-7, devices: 4-6, "
                  "data: 3}]\n")
                .find("does not split over 3"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
