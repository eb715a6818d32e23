#include "study/screening.hpp"

#include <algorithm>
#include <array>

#include "base/required.hpp"
#include "experiment/readers.hpp"
#include "machine/machine_cache.hpp"
#include "plan/degrees.hpp"
#include "plan/workload_of.hpp"

namespace pipewright {
namespace {

using config::Value;

/// The keys that no layer depends on.
constexpr std::array<std::string_view, 7> outer = {
    "parallel.pipeline", "parallel.data", "parallel.zero", "parallel.virtual",
    "batch.global",      "schedule",      "partition"};

/// The most micro-batches of a point, well below what a simulation refuses.
constexpr int64_t most_micro_batches = 1 << 19;

bool is_outer(std::string_view path) { return std::ranges::find(outer, path) != outer.end(); }

/// "parallel" and "schedule.virtual": more or less than one of those.
bool crosses(std::string_view path) {
  return std::ranges::any_of(outer, [&](std::string_view one) {
    const auto begins = [](std::string_view a, std::string_view b) {
      return a.size() > b.size() && a.starts_with(b) && a[b.size()] == '.';
    };
    return begins(one, path) || begins(path, one);
  });
}

/// Tells whether closed forms are true of it, whatever its degrees are.
bool is_plain(const Experiment& e) {
  if (!e.has_schedule() || e.synthetic || e.iterations != 1) return false;
  if (e.overlap.tensor.kind != TensorOverlap::none || e.batch.lengths) return false;
  if (e.overlap.expert == ExpertOverlap::pairs) return false;
  if (e.gives("placement") || e.gives("strategy") || e.offload.any()) return false;
  if (!e.stragglers.slow.empty() || !e.stragglers.narrow.empty()) return false;
  return !e.boundary.is_map && e.recompute.blocks < 0;
}

int degree(const Value& value) { return static_cast<int>(config::as_int(value, 1, 1 << 20)); }

/// Everything outside the layers: as the experiment says, then as the point's settings do.
struct Outer {
  Parallel parallel;
  Batch batch;
  const Value* schedule = nullptr;
  const Value* partition = nullptr;

  explicit Outer(const Experiment& e)
      : parallel(e.parallel),
        batch(e.batch),
        schedule(e.document.find("schedule")),
        partition(e.document.find("partition")) {}

  void set(const Setting& setting) {
    const std::string_view path = setting.path;
    const Value& value = setting.value;
    if (path == "parallel.pipeline") parallel.pipeline = degree(value);
    if (path == "parallel.data") read_data_degree(value, parallel);
    if (path == "parallel.zero") parallel.zero = static_cast<int>(config::as_int(value, 0, 3));
    if (path == "parallel.virtual") {
      parallel.virtual_stages = degree(value);
      parallel.gives_virtual = true;
    }
    if (path == "batch.global") batch.global = config::as_int(value, 1, int64_t{1} << 40);
    if (path == "schedule") schedule = &value;
    if (path == "partition") partition = &value;
  }

  std::optional<Pipeline> pipeline() const {
    return Pipeline::of(
        *schedule, parallel.gives_virtual ? std::optional(parallel.virtual_stages) : std::nullopt);
  }
  bool known() const {
    const bool cut_alike =
        !partition ||
        (partition->is_scalar() && (partition->text == "even" || partition->text == "balanced"));
    return cut_alike && parallel.zero < 3 && pipeline();
  }
};

/// Returns the fewest replicas that hold all experts: exchanges of tokens are between them.
int replicas_of_experts(const Parallel& parallel) {
  const int devices = parallel.tensor * parallel.context;
  return std::max(1, (parallel.expert * parallel.expert_tensor + devices - 1) / devices);
}

}  // namespace

struct Screening::Table {
  std::optional<Experiment> experiment;  ///< empty where closed forms do not know its kind
  int devices = 0;                       ///< of the cluster
  std::string misfit;                    ///< why no point with these layers can be
  std::unique_ptr<PipelineForms> forms;

  /// Returns what is refused, in the order in which a simulation refuses it; empty where nothing
  /// is.
  std::string shape(Outer& outer, PipelineShape& shape) const {
    if (Refusal refusal = settle_degrees(outer.parallel, devices)) return refusal.message;
    int64_t count = 0;
    if (Refusal refusal = settle_batch(outer.batch, outer.parallel, count)) return refusal.message;
    if (!forms) return misfit;
    shape = {.pipeline = required(outer.pipeline(), "points are screened whose pipeline is known"),
             .ranks = outer.parallel.pipeline,
             .data = outer.parallel.data,
             .zero = outer.parallel.zero,
             .micro_batches = count,
             .balanced = outer.partition && outer.partition->text == "balanced"};
    return shape.misfit();
  }
};

Screening::Screening(const Study& study, const config::Catalogue& catalogue,
                     const RunOptions& options)
    : study_(study), catalogue_(catalogue), options_(options) {
  separable_ = std::ranges::none_of(study.paths, crosses);
}

Screening::~Screening() = default;

std::unique_ptr<Screening::Table> Screening::make_table(const StudyPoint& point) const {
  Value document = study_.experiment;
  for (const auto& setting : point.settings)
    if (!is_outer(setting->path)) apply(*setting, document);
  auto table = std::make_unique<Table>();
  try {
    Experiment experiment = read_experiment(resolve(document, catalogue_));
    if (!is_plain(experiment)) return table;
    table->experiment = experiment;
    experiment.parallel.pipeline = 1;
    experiment.parallel.data = replicas_of_experts(experiment.parallel);
    experiment.parallel.zero = 0;  // 3 has kernels of its own
    table->devices = machine_of(experiment, catalogue_, options_).device_count();
    LayerTable layers = layer_table(experiment, catalogue_, options_);
    const std::array<int32_t, 1> first{0};  // of devices that are alike
    const bool keeps_weights = layers.machine.on_chip(first) > Bytes{};
    if (!layers.prices.slowdown.empty() || keeps_weights) table->experiment.reset();
    table->forms = std::make_unique<PipelineForms>(std::move(layers));
  } catch (const Misfit& misfit) {
    table->misfit = misfit.message();
  }
  return table;
}

Screening::Table& Screening::table(const StudyPoint& point) {
  Key key;
  for (const auto& setting : point.settings)
    if (!is_outer(setting->path)) key.push_back(setting.get());
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Table>& table = tables_[std::move(key)];
  if (!table) table = make_table(point);
  return *table;
}

std::optional<Screened> Screening::of(const StudyPoint& point) {
  if (!separable_) return std::nullopt;
  Table& table = this->table(point);
  if (!table.experiment) return std::nullopt;
  Outer outer(*table.experiment);
  for (const auto& setting : point.settings) outer.set(*setting);
  if (!outer.known()) return std::nullopt;
  PipelineShape shape;
  Screened screened{.misfit = table.shape(outer, shape)};
  if (!screened.misfit.empty()) return screened;
  if (shape.micro_batches > most_micro_batches) return std::nullopt;
  try {
    screened.form = table.forms->of(shape);
    // Chips that are drawn may be quicker than the bound knows.
    if (table.experiment->variation) screened.form.least = {};
  } catch (const Misfit& misfit) {
    screened.misfit = misfit.message();
  }
  return screened;
}

}  // namespace pipewright
