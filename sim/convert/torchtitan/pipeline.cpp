// After torchtitan/distributed/pipeline_parallel.py: the ends of the model count as layers, by
// default as one each; stages have as many layers, of which the first ones take what is left.
// Schedules of several stages have two a rank unless the layers of a stage are said. Where a CSV
// has the order of passes, the schedule's name says how stages lie on ranks. Until April 2025 the
// number of micro-batches was said, by default that of pipeline ranks.
#include "convert/torchtitan/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/torchtitan/modules.hpp"
#include "interop/words.hpp"
#include "schedule/torch_csv.hpp"

namespace pipewright::torchtitan {
namespace {

constexpr ScheduleName schedules[] = {{"1F1B", "1f1b", false},
                                      {"GPipe", "gpipe", false},
                                      {"Interleaved1F1B", "interleaved-1f1b", true},
                                      {"interleaved_1f1b", "interleaved-1f1b", true},
                                      {"LoopedBFS", "looped-bfs", true},
                                      {"InterleavedZeroBubble", "interleaved-zb", true},
                                      {"ZBVZeroBubble", "zb-v", true},
                                      {"DualPipeV", "dualpipe-v", true},
                                      {looped_stages, "", true},
                                      {single_stages, "", false}};

/// Returns `path` as it is seen from here, where the job file that `value` is from names it.
std::string path_beside(const config::Value& value) {
  const std::string file = value.mark.where().file;
  const size_t slash = value.text.starts_with('/') ? file.npos : file.find_last_of('/');
  return slash == file.npos ? value.text : file.substr(0, slash + 1) + value.text;
}

class PipelineReader {
 public:
  PipelineReader(job::Settings& settings, int64_t layers, int64_t batch)
      : settings_(settings), layers_(layers), batch_(batch) {}

  Pipeline run() {
    out_.ranks = settings_.integer(
        {"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree",
         "training.pipeline_parallel_degree"},
        1);
    if (out_.ranks > 65536)
      throw InputError(settings_.where("parallelism"), "more than 65536 pipeline ranks");
    const ScheduleName& schedule = schedule_of();
    if (out_.ranks == 1) {
      out_.micro = batch_;
      ignore();
      return out_;
    }
    out_.schedule = order_of(schedule);
    stages(schedule);
    micro_batch();
    return out_;
  }

 private:
  /// Without a pipeline its keys mean nothing.
  void ignore() {
    for (const std::string_view key : keys_of_a_pipeline) settings_.find(key);
  }

  static constexpr std::string_view keys_of_a_pipeline[] = {
      "parallelism.pipeline_parallel_layers_per_stage",
      "parallelism.pipeline_parallel_first_stage_less_layers",
      "parallelism.pipeline_parallel_last_stage_less_layers",
      "parallelism.pipeline_parallel_microbatch_size",
      "parallelism.pipeline_parallel_expert_parallel_overlap",
      "parallelism.module_fqns_per_model_part",
      "parallelism.pipeline_parallel_split_points",
      "parallelism.pipeline_parallel_schedule_csv",
      "experimental.pipeline_parallel_microbatches",
      "experimental.pipeline_parallel_split_points"};

  const ScheduleName& schedule_of() {
    const config::Value* value = settings_.find(
        {"parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"});
    const std::string name = interop::lower_case(value ? value->text : "1F1B");
    const auto found = std::find_if(
        std::begin(schedules), std::end(schedules),
        [&](const ScheduleName& one) { return interop::lower_case(one.theirs) == name; });
    if (found != std::end(schedules)) return *found;
    settings_.refuse("parallelism.pipeline_parallel_schedule",
                     fmt::format("{} cannot be said", value->text));
    return schedules[0];
  }

  /// Returns our name of the schedule, or the file that has its order.
  std::string order_of(const ScheduleName& schedule) {
    const config::Value* file = settings_.find({"parallelism.pipeline_parallel_schedule_csv",
                                                "experimental.pipeline_parallel_schedule_csv"});
    if (file && !file->text.empty())
      return std::string(schedule::torch_csv_prefix) + path_beside(*file);
    if (schedule.ours.empty())
      throw InputError(settings_.where("parallelism.pipeline_parallel_schedule"),
                       fmt::format("{} needs a pipeline_parallel_schedule_csv", schedule.theirs));
    return std::string(schedule.ours);
  }

  int64_t less_layers(const char* name) {
    return settings_.integer(
        {fmt::format("parallelism.pipeline_parallel_{}_stage_less_layers", name)}, 1, 0);
  }

  void stages(const ScheduleName& schedule) {
    const config::Value* modules = settings_.find("parallelism.module_fqns_per_model_part");
    if (modules && !modules->items.empty())
      out_.partition = read_modules(*modules, layers_);
    else
      cut(schedule);
    const auto stages = static_cast<int64_t>(out_.partition.size());
    if (stages % out_.ranks != 0)
      throw InputError(settings_.where("parallelism.module_fqns_per_model_part"),
                       fmt::format("{} stages are not for {} pipeline ranks", stages, out_.ranks));
    out_.stages_of_a_rank = stages / out_.ranks;
    if ((out_.stages_of_a_rank > 1) != schedule.has_several_stages)
      settings_.refuse(
          "parallelism.pipeline_parallel_layers_per_stage",
          fmt::format("{} stages of a rank are not for this schedule", out_.stages_of_a_rank));
  }

  /// Cuts the layers as torchtitan does where nobody names the modules of a stage.
  void cut(const ScheduleName& schedule) {
    const int64_t first = less_layers("first"), last = less_layers("last");
    const int64_t counted = layers_ + first + last;
    const int64_t each =
        settings_.integer({"parallelism.pipeline_parallel_layers_per_stage"}, 0, 0);
    int64_t stages = out_.ranks * (schedule.has_several_stages ? 2 : 1);
    if (each > 0) stages = (counted + each - 1) / each;
    if (stages % out_.ranks != 0 || stages > counted)
      throw InputError(settings_.where("parallelism.pipeline_parallel_layers_per_stage"),
                       fmt::format("{} layers in {} stages are not for {} pipeline ranks", layers_,
                                   stages, out_.ranks));
    out_.partition = even_cut(layers_, stages, first, last);
    if (out_.partition.front() < 0 || out_.partition.back() < 0)
      throw InputError(settings_.where("parallelism"),
                       "the ends of the pipeline have fewer layers than none");
    settings_.import().assumed.push_back("stages are cut as torchtitan does since July 2025");
  }

  void micro_batch() {
    const int64_t count = settings_.integer({"experimental.pipeline_parallel_microbatches"}, 0);
    const bool is_old = settings_.has("experimental.pipeline_parallel_degree") ||
                        settings_.has("training.pipeline_parallel_degree");
    if (is_old || count > 0) {
      const int64_t batches = count > 0 ? count : out_.ranks;
      if (batch_ % batches != 0)
        throw InputError(settings_.where("training.batch_size"),
                         fmt::format("{} sequences are not {} micro-batches", batch_, batches));
      out_.micro = batch_ / batches;
      return;
    }
    out_.micro = settings_.integer({"parallelism.pipeline_parallel_microbatch_size"}, 1);
    if (batch_ % out_.micro != 0)
      throw InputError(
          settings_.where("parallelism.pipeline_parallel_microbatch_size"),
          fmt::format("micro-batches of {} do not divide {} sequences", out_.micro, batch_));
  }

  job::Settings& settings_;
  int64_t layers_, batch_;
  Pipeline out_;
};

}  // namespace

std::optional<ScheduleName> schedule_named(std::string_view ours) {
  const auto found = std::find_if(std::begin(schedules), std::end(schedules),
                                  [&](const ScheduleName& one) { return one.ours == ours; });
  return found == std::end(schedules) ? std::nullopt : std::optional(*found);
}

std::vector<int> even_cut(int64_t layers, int64_t stages, int64_t first, int64_t last) {
  const int64_t counted = layers + first + last;
  std::vector<int> counts;
  for (int64_t i = 0; i < stages; ++i)
    counts.push_back(static_cast<int>(counted / stages + (i < counted % stages)));
  counts.front() -= static_cast<int>(first);
  counts.back() -= static_cast<int>(last);
  return counts;
}

Pipeline read_pipeline(job::Settings& settings, int64_t layers, int64_t batch) {
  return PipelineReader(settings, layers, batch).run();
}

}  // namespace pipewright::torchtitan
