#include "calibrate/live/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "calibrate/live/executor/alone.hpp"
#include "report/json/result.hpp"
#include "report/text/table.hpp"

namespace pipewright::live {
namespace {

/// A result with the times of another timeline of its program; what the experiment says stays.
RunResult measured_result(const Run& predicted, const Program& program, const Timeline& timeline) {
  RunResult result = predicted.result;
  std::vector<RankResult> before = std::move(result.metrics.ranks);
  result.metrics = measure(program, timeline, predicted.schedule, {});
  for (size_t rank = 0; rank < before.size(); ++rank) {
    RankResult& now = result.metrics.ranks[rank];
    now.memory = before[rank].memory;
    now.devices = before[rank].devices;
    now.layers = before[rank].layers;
  }
  const double ratio =
      in_seconds(predicted.result.metrics.iteration) / in_seconds(result.metrics.iteration);
  for (std::optional<double>* rate :
       {&result.rates.samples_per_s, &result.rates.tokens_per_s,
        &result.rates.model_flops_per_s_per_device, &result.rates.mfu, &result.rates.hfu})
    if (*rate) **rate *= ratio;
  return result;
}

std::string describe_spread(const Replay& replay) {
  if (replay.iterations_s.size() < 2) return "";
  const double spread = replay.spread();
  return fmt::format("median of {} runs, spread (p90 - p10) {:.1f} %{}\n",
                     replay.iterations_s.size(), 100 * spread,
                     spread > 0.1 ? ": a noisy machine" : "");
}

std::string describe_numerics(const Replay& replay) {
  if (!replay.numerics) return "";
  const std::vector<double>& loss = replay.numerics->loss;
  std::string text =
      fmt::format("weights against {}: relative difference {:.1e}\n", replay.numerics->reference,
                  replay.numerics->max_relative_difference);
  if (loss.size() > 1)
    text += fmt::format("loss {:.4f} at the first step, {:.4f} at the last of {}\n", loss.front(),
                        loss.back(), loss.size());
  return text;
}

}  // namespace

double Replay::iteration_error() const {
  return relative_error(in_seconds(predicted.result.metrics.iteration),
                        in_seconds(measured.result.metrics.iteration));
}

double Replay::spread() const {
  std::vector<double> sorted = iterations_s;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
  };
  return (at(0.9) - at(0.1)) / at(0.5);
}

Replay replay_on(const LiveDevice& device, const std::string& compute) {
  Replay replay;
  replay.compute = compute;
  replay.backend = device.backend();
  replay.where = device.description();
  replay.gpu = device.gpu();
  replay.ranks_share_gpu = device.ranks_share_gpu();
  return replay;
}

Run measured_run(const Run& predicted, Timeline timeline) {
  Run measured = predicted;
  measured.result = measured_result(predicted, predicted.program, timeline);
  measured.timeline = std::move(timeline);
  return measured;
}

Run predicted_as(Run run, Timeline timeline) {
  run.result = measured_result(run, run.program, timeline);
  run.timeline = std::move(timeline);
  return run;
}

void measure_live(Replay& replay, Run& predicted, DeviceWork& work, LiveDevice& device,
                  int repetitions) {
  struct Live {
    Timeline timeline;
    Time iteration;
  };
  std::vector<Live> runs;
  for (int i = 0; i <= repetitions; ++i) {
    Live live{device.run(predicted.program, work, predicted.timeline), {}};
    live.iteration = iteration_time(predicted.program, live.timeline, predicted.schedule);
    if (i > 0) runs.push_back(std::move(live));
  }
  std::sort(runs.begin(), runs.end(),
            [](const Live& a, const Live& b) { return a.iteration < b.iteration; });
  for (const Live& live : runs) replay.iterations_s.push_back(in_seconds(live.iteration));
  replay.measured = measured_run(predicted, std::move(runs[runs.size() / 2].timeline));
  replay.kinds = accuracy(predicted.program, predicted.timeline, replay.measured.timeline);
  replay.predicted = std::move(predicted);
}

Replay replay_timed(Run predicted, LiveDevice& device, int repetitions) {
  const auto work = device.waiting(durations_of(predicted.timeline));
  Replay replay = replay_on(device, "timed");
  replay.timing = device.timing();
  measure_live(replay, predicted, *work, device, repetitions);
  return replay;
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const kernels::CudaDevice& gpu, bool is_shared) {
  return {{"device", gpu.name},
          {"shared_by_all_ranks", is_shared},
          {"processors", gpu.processors},
          {"processors_per_partition", gpu.processors_per_partition},
          {"software", gpu.software}};
}

Json json_of(const Replay& replay) {
  Json error;
  error["iteration_time"] = replay.iteration_error();
  for (const KindAccuracy& kind : replay.kinds) error[kind.kind] = kind.error();
  Json document;
  document["schema"] = "pipewright.replay/1";
  document["backend"] = replay.backend;
  if (replay.gpu) document["gpu"] = json_of(*replay.gpu, replay.ranks_share_gpu);
  document["compute"] = replay.compute;
  document["iterations_s"] = replay.iterations_s;
  document["predicted"] = parse_ordered_json(pipewright::json_text(replay.predicted.result));
  document["measured"] = parse_ordered_json(pipewright::json_text(replay.measured.result));
  document["error"] = std::move(error);
  if (replay.numerics) {
    document["numerics"] = {{"reference", replay.numerics->reference},
                            {"max_relative_difference", replay.numerics->max_relative_difference},
                            {"loss", replay.numerics->loss}};
  }
  return document;
}

}  // namespace

std::string json_text(const std::vector<Replay>& replays) {
  if (replays.size() == 1) return dump_json(json_of(replays.front()), 2) + "\n";
  Json document;
  document["schema"] = "pipewright.replays/1";
  for (const Replay& replay : replays) document["replays"].push_back(json_of(replay));
  return dump_json(document, 2) + "\n";
}

std::string summary(const Replay& replay) {
  const auto signed_percent = [](double fraction) {
    return fmt::format("{:+.2f} %", 100 * fraction);
  };
  std::vector<std::vector<std::string>> rows = {
      {"op", "count", "predicted", "measured", "error", "waited"}};
  for (const KindAccuracy& kind : replay.kinds) {
    rows.push_back({kind.kind, std::to_string(kind.count), human_time(kind.predicted_s),
                    human_time(kind.measured_s), signed_percent(kind.error()),
                    human_time(kind.waiting_s)});
  }
  const double predicted = in_seconds(replay.predicted.result.metrics.iteration);
  const double measured = in_seconds(replay.measured.result.metrics.iteration);
  rows.push_back({"iteration", "1", human_time(predicted), human_time(measured),
                  signed_percent(replay.iteration_error())});
  return fmt::format("{} live on {}, {}\n{}{}{}", replay.predicted.result.schedule, replay.where,
                     replay.timing, aligned(rows, 2), describe_spread(replay),
                     describe_numerics(replay));
}

}  // namespace pipewright::live
