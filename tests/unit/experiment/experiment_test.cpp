#include "experiment/experiment.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/derived.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Experiment read(const std::string& yaml) { return read_experiment(experiment(yaml)); }

TEST(ReadExperiment, defaults_are_the_contracts) {
  const Experiment e = read("cluster: x\nschedule: 1f1b\n");
  EXPECT_EQ(e.precision, DType::bf16);
  EXPECT_EQ(e.gradients, DType::fp32);
  EXPECT_EQ(e.parallel.tensor, 1);
  EXPECT_EQ(e.parallel.zero, 0);
  EXPECT_EQ(e.overlap.p2p.mode, SendMode::async);
  EXPECT_TRUE(e.overlap.data);
  EXPECT_EQ(e.iterations, 1);
}

TEST(ReadExperiment, fp16_accumulates_in_fp16_as_megatron_did) {
  EXPECT_EQ(read("precision: fp16\n").gradients, DType::fp16);
  EXPECT_EQ(read("precision: fp16\ngradients: fp32\n").gradients, DType::fp32);
}

TEST(ReadExperiment, an_optimizer_is_read_by_name) {
  EXPECT_EQ(read("optimizer: lamb\n").optimizer, Optimizer::lamb);
  EXPECT_EQ(
      error_of([] { read("optimizer: adan\n"); }),
      "x.yaml:1:12: error: 'adan' must be one of adam, adamw, sgd, momentum, lamb, adafactor, "
      "rmsprop, muon, shampoo, soap; did you mean 'adam'?");
}

// Scripts that start nanotron on several nodes ask for it; nobody else does.
TEST(ReadExperiment, collectives_are_compared_by_pipelines_of_nanotron_on_several_nodes) {
  const auto checks = [](const std::string& framework, int pipeline, int nodes,
                         const std::string& more = "") {
    return collective_checks(read_experiment(
        small_gpt(fmt::format("framework: {}\nparallel: {{pipeline: {}}}\nschedule: 1f1b\n{}",
                              framework, pipeline, more),
                  nodes)));
  };
  EXPECT_EQ(checks("nanotron", 2, 2), CollectiveChecks::detail);
  EXPECT_EQ(checks("nanotron", 2, 1), CollectiveChecks::none);
  EXPECT_EQ(checks("nanotron", 1, 2), CollectiveChecks::none);
  EXPECT_EQ(checks("megatron", 2, 2), CollectiveChecks::none);
  EXPECT_EQ(checks("nanotron", 2, 2, "checks: none\n"), CollectiveChecks::none);
  EXPECT_EQ(checks("megatron", 1, 1, "checks: detail\n"), CollectiveChecks::detail);
}

TEST(ReadExperiment, buffered_sends_have_a_size) {
  const Experiment e = read("overlap: {p2p: {buffered: 4 MiB}}\n");
  EXPECT_EQ(e.overlap.p2p.mode, SendMode::buffered);
  EXPECT_EQ(e.overlap.p2p.buffer, 4 * MiB);
}

TEST(ReadExperiment, tensor_overlap_may_say_how_many_pieces) {
  EXPECT_EQ(read("overlap: {tensor: domino}\n").overlap.tensor.kind, TensorOverlap::domino);
  const Experiment e = read("overlap: {tensor: {chunked: 8}}\n");
  EXPECT_EQ(e.overlap.tensor.kind, TensorOverlap::chunked);
  EXPECT_EQ(e.overlap.tensor.pieces, 8);
  for (const char* line : {"overlap: {tensor: {}}\n", "overlap: {tensor: {domino: 1}}\n",
                           "overlap: {tensor: {domino: 2, chunked: 2}}\n"})
    EXPECT_NE(error_of([&] { read(line); }), "no error") << line;
}

TEST(ReadExperiment, domino_may_cut_columns) {
  const TensorOverlapOptions columns =
      read("overlap: {tensor: {domino: 1, columns: 4}}\n").overlap.tensor;
  EXPECT_EQ(columns.pieces, 1);
  EXPECT_EQ(columns.columns, 4);
  EXPECT_TRUE(columns.by_layer);
  const TensorOverlapOptions rows =
      read("overlap: {tensor: {domino: 2, intra_layer: true}}\n").overlap.tensor;
  EXPECT_EQ(rows.columns, 1);
  EXPECT_TRUE(rows.by_layer);
  EXPECT_FALSE(read("overlap: {tensor: {domino: 2}}\n").overlap.tensor.by_layer);
  const auto error = [](const std::string& tensor) {
    return error_of([&] { read("overlap: {tensor: {" + tensor + "}}\n"); });
  };
  EXPECT_EQ(error("chunked: 2, columns: 2"),
            "x.yaml:1:41: error: overlap.tensor: either 'chunked' or 'columns'");
  EXPECT_EQ(error("domino: 2, columns: 2, intra_layer: false"),
            "x.yaml:1:56: error: overlap.tensor: with columns there is no overlap but within a "
            "layer");
  for (const char* tensor : {"domino: 1, columns: 1", "domino: 2, columns: 0", "columns: 2",
                             "domino: 2, columns: 1025", "intra_layer: true"})
    EXPECT_NE(error(tensor), "no error") << tensor;
}

TEST(ReadExperiment, nothing_is_ignored_that_cannot_be_done) {
  for (const char* line : {"failures: {device_mtbf: 1 h}\n", "offload: disk\n",
                           "parallel: {shard: 8}\n", "parallel: {zero: 2, reshard: true}\n"}) {
    EXPECT_NE(error_of([&] { read(line); }), "no error") << line;
  }
}

// Neither times without layers nor peers copy to a host or know documents.
TEST(ReadExperiment, offload_and_lengths_need_a_model_under_a_schedule) {
  const std::string synthetic =
      "model: {synthetic: {devices: 2, microbatches: 1, forward: 1 ms, backward: 2 ms}}\n";
  EXPECT_EQ(error_of([&] { read(synthetic + "offload: optimizer\n"); }),
            "x.yaml:2:10: error: a synthetic model has nothing to keep on the host");
  EXPECT_EQ(error_of([&] { read(synthetic + "batch: {lengths: {mean: 9}}\n"); }),
            "x.yaml:2:18: error: batch.lengths: a synthetic model has no tokens to make documents "
            "of");
  EXPECT_EQ(error_of([] { read("peers: atom\noffload: weights\n"); }),
            "x.yaml:2:10: error: offload: peers keep all on their devices");
  EXPECT_EQ(error_of([] { read("peers: atom\nbatch: {lengths: {mean: 9}}\n"); }),
            "x.yaml:2:18: error: batch.lengths: micro-batches of peers are alike: whole sequences");
  EXPECT_EQ(error_of([&] { read(synthetic + "offload: none\n"); }), "no error");
}

TEST(ReadExperiment, a_synthetic_model_says_how_many_ranks_there_are) {
  const std::string synthetic =
      "model: {synthetic: {devices: 4, microbatches: 1, forward: 1 ms, backward: 2 ms}}\n";
  EXPECT_EQ(error_of([&] { read(synthetic + "parallel: {pipeline: 2}\n"); }),
            "x.yaml:2:22: error: parallel.pipeline: the synthetic model has synthetic.devices: 4");
  EXPECT_EQ(error_of([&] { read(synthetic + "parallel: {pipeline: 4, data: 2}\n"); }), "no error");
}

TEST(ReadExperiment, a_packet_network_has_options) {
  const std::string traffic = "cluster: c\ntraffic: [{from: 0, to: 1, bytes: 1}]\nnetwork: ";
  EXPECT_EQ(read(traffic + "packet\n").network.packet.mtu, Bytes{9000});
  const Experiment e =
      read(traffic +
           "{packet: {mtu: 1500, queue: 64 KiB, transport: bounded-loss, loss: 2%, priorities: 4,"
           " spray: true, rto: 200 us, window: 12}}\n");
  EXPECT_EQ(e.network.kind, NetworkKind::packet);
  EXPECT_EQ(e.network.packet.mtu, Bytes{1500});
  EXPECT_EQ(e.network.packet.queue, 64 * KiB);
  EXPECT_EQ(e.network.packet.transport, Transport::bounded_loss);
  EXPECT_EQ(e.network.packet.loss, 0.02);
  EXPECT_EQ(e.network.packet.priorities, 4);
  EXPECT_TRUE(e.network.packet.spray);
  EXPECT_EQ(e.network.packet.rto, microseconds(200));
  EXPECT_EQ(e.network.packet.window, 12u);
}

TEST(ReadExperiment, what_a_packet_network_cannot_be_is_told_where_it_stands) {
  const auto error = [](const std::string& options) {
    return error_of([&] {
      read("network: {packet: {" + options + "}}\ntraffic: [{from: 0, to: 1, bytes: 1}]\n");
    });
  };
  EXPECT_TRUE(error("mtu: 0").starts_with("x.yaml:1:25: error:"));
  EXPECT_TRUE(error("queue: 8 kB").starts_with("x.yaml:1:27: error: a queue of 8000 B"));
  EXPECT_TRUE(error("loss: 1%").starts_with("x.yaml:1:26: error:"));
  EXPECT_TRUE(error("rto: 0 s").starts_with("x.yaml:1:25: error:"));
  EXPECT_TRUE(error("priorities: 33").starts_with("x.yaml:1:32: error:"));
  EXPECT_TRUE(error("sprai: true").starts_with("x.yaml:1:20: error: unknown key 'sprai'"));
  EXPECT_NE(error("queue: 60 kB, pause: 55 kB").find("no room for what still comes"),
            std::string::npos);
  EXPECT_NE(error("queue: 60 kB, pause: 55 kB").find("at least one packet more, 64000 B"),
            std::string::npos);
  EXPECT_NE(error("control: dctcp, mark: 90 MB").find("'mark' must be less than 'queue'"),
            std::string::npos);
  EXPECT_NE(error("mark: 9 kB").find("aimd slows down by losses, not by marks"), std::string::npos);
  EXPECT_NE(error("control: dcqcn").find("dcqcn needs 'mark'"), std::string::npos);
  EXPECT_NE(error("seeds: 3").find("'routing: ecmp', 'spray: true' or 'small'"), std::string::npos);
}

TEST(ReadExperiment, packets_that_are_drawn_have_seeds) {
  const std::string traffic = "cluster: c\ntraffic: [{from: 0, to: 1, bytes: 1}]\nnetwork: ";
  const Experiment e = read(traffic +
                            "{packet: {spray: true, seeds: 7, queue: 90 kB, pause: 60 kB, "
                            "control: dcqcn, mark: 5 kB}}\n");
  EXPECT_EQ(e.network.flow.seeds, 7);
  EXPECT_EQ(e.network.packet.pause, Bytes{60'000});
  EXPECT_EQ(e.network.packet.control, RateControl::dcqcn);
}

TEST(ReadExperiment, an_unknown_key_is_reported_where_it_stands) {
  EXPECT_EQ(error_of([] { read("model: x\nshedule: 1f1b\n"); }),
            "x.yaml:2:1: error: unknown key 'shedule'; did you mean 'schedule'?");
}

// A list is taken as it stands, one value a stage; a scalar is shared by chunks and slices.
TEST(SyntheticTimes, scalars_are_shared_and_lists_are_not) {
  const SyntheticModel model = read_synthetic(experiment(
      "{devices: 2, microbatches: 1, forward: 12 ms, backward: [1 ms, 2 ms, 3 ms, 4 ms]}"));
  EXPECT_EQ(model.forward.of(3, 0, 2, 3), milliseconds(2));
  EXPECT_EQ(model.backward.of(3, 0, 2, 1), milliseconds(4));
}

TEST(SyntheticTimes, a_list_must_have_a_value_for_every_stage) {
  const std::string message = error_of([] {
    run(
        experiment("model: {synthetic: {devices: 2, microbatches: 1, forward: [1 ms],"
                   " backward: 2 ms}}\ncluster: {devices: 2, link: {latency: 0 s}}\n"
                   "schedule: 1f1b\n"));
  });
  EXPECT_NE(message.find("has 1 times, but the schedule has 2 stages"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace pipewright::test
