#include "search/closed_forms.hpp"

#include <algorithm>
#include <array>

#include "plan/partition.hpp"
#include "study/prepare.hpp"

namespace pipewright::search {
namespace {

constexpr std::array<std::string_view, 4> known = {"gpipe", "1f1b", "zb-h1", "interleaved-1f1b"};

struct Pipeline {
  std::string_view schedule;
  int chunks = 1;
};

/// Chunks are 0 where the schedule has options that closed forms do not know.
Pipeline pipeline_of(const config::Value& schedule) {
  if (schedule.is_scalar()) return {schedule.text, 1};
  Pipeline pipeline;
  for (const config::Entry& entry : schedule.entries) {
    if (entry.key == "name")
      pipeline.schedule = entry.value.text;
    else if (entry.key == "virtual")
      pipeline.chunks = static_cast<int>(config::as_int(entry.value, 1, 1 << 20));
    else
      return {pipeline.schedule, 0};
  }
  return pipeline;
}

/// Of one micro-batch on one stage. `certain` ends with the last kernel.
struct Stage {
  Time both, certain, certain_forward, certain_input;
};

}  // namespace

/// The layers of a model run in one way, and sums over those before each.
struct ClosedForms::Prefix {
  std::optional<LayerTable> table;  ///< empty where the model does not allow the degrees
  std::vector<LayerTimes> before;

  Stage between(int first, int end) const {
    const LayerTimes &a = before[static_cast<size_t>(first)], &b = before[static_cast<size_t>(end)];
    if (first == end) return {};
    const Time forward_tail = table->times[static_cast<size_t>(end) - 1].forward_tail;
    const Time backward_tail = table->times[static_cast<size_t>(first)].backward_tail;
    const Time both = b.both() - a.both();
    return {both, both - forward_tail - backward_tail, b.forward - a.forward - forward_tail,
            std::max(b.input_gradient - a.input_gradient - backward_tail, Time{})};
  }

  void add_up() {
    before.emplace_back();
    for (const LayerTimes& times : table->times) {
      LayerTimes sum = before.back();
      sum.forward += times.forward;
      sum.backward += times.backward;
      sum.input_gradient += times.input_gradient;
      before.push_back(sum);
    }
  }
};

ClosedForms::ClosedForms(const Problem& problem) : problem_(problem), given_(given_by(problem)) {
  const config::Value* overlap = problem.experiment.find("overlap");
  overlaps_ = overlap && overlap->find("tensor") && overlap->find("tensor")->text != "none";
}

bool ClosedForms::knows(const Candidate& c) const {
  if (overlaps_ || !c.layers.empty() || !c.placement.empty() || c.recomputed > 0) return false;
  if (!given_.alike) return false;
  for (const char* key : {"stragglers", "iterations", "offload", "placement"})
    if (problem_.experiment.find(key)) return false;
  const Pipeline pipeline = pipeline_of(c.schedule);
  return pipeline.chunks > 0 && std::ranges::find(known, pipeline.schedule) != known.end();
}

const ClosedForms::Prefix& ClosedForms::prefix(const Candidate& c) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Prefix>& kept = prefixes_[{c.tensor, c.micro, c.recompute}];
  if (kept) return *kept;
  auto made = std::make_shared<Prefix>();
  try {
    made->table = layer_table(problem_, c);
    made->add_up();
  } catch (const Misfit&) {
    // The model does not allow these degrees: no candidate with them can be.
  }
  kept = std::move(made);
  return *kept;
}

namespace {

class Closed {
 public:
  Closed(const LayerTable& table, const Given& given, const Candidate& c, const Pipeline& pipeline)
      : table_(table), c_(c), p_(c.pipeline), pipeline_(pipeline) {
    m_ = given.global / (int64_t{c.data} * c.micro);
    interleaved_ = pipeline.schedule == "interleaved-1f1b";
    chunks_ = interleaved_ ? pipeline.chunks : 1;
  }

  bool possible() const {
    // Megatron-LM's rule for groups of p micro-batches.
    return !interleaved_ || (m_ >= p_ && m_ % p_ == 0);
  }

  Partition partition() const {
    const config::Value nowhere;
    if (!c_.balanced) return even_partition(table_.layers, p_ * chunks_, nowhere);
    std::vector<Time> costs;
    for (const LayerTimes& times : table_.times) costs.push_back(times.both());
    return balanced_partition(costs, p_ * chunks_, nowhere);
  }

  template <class Between>
  void time(const Partition& partition, const Between& between, Estimated& result) const {
    std::vector<Stage> stages;
    Time largest;
    for (int k = 0; k < partition.stages(); ++k) {
      stages.push_back(between(partition.starts[k], partition.starts[k + 1]));
      largest = std::max(largest, stages.back().both);
    }
    const bool ends_with_backward = pipeline_.schedule != "zb-h1";
    Time busiest, through, back;
    for (int r = 0; r < p_; ++r) {
      Time both, certain;
      for (int k = r; k < partition.stages(); k += p_)
        both += stages[k].both, certain += stages[k].certain;
      busiest = std::max(busiest, both);
      const Time all = m_ * certain + through + (ends_with_backward ? back : Time{});
      result.least = std::max(result.least, all);
      through += stages[r].certain_forward;
      back += stages[r].certain_input;
    }
    result.estimate = m_ * busiest + (p_ - 1) * largest;
  }

  /// The longest optimizer step and the fullest rank, of first, last and one between.
  void add_state(const Partition& partition, Estimated& result) const {
    StateOptions state = table_.state;
    state.zero = c_.zero ? 1 : 0;
    state.shards = int64_t{c_.data} * table_.context;
    state.expert_shards = std::max<int64_t>(1, state.shards * c_.tensor / table_.expert);
    Time longest;
    for (const int rank : {0, p_ / 2, p_ - 1}) {
      std::vector<Layer> held;
      for (int k = rank; k < partition.stages(); k += p_) {
        const auto stage = partition.stage(table_.layers, k);
        held.insert(held.end(), stage.begin(), stage.end());
        Time step;
        for (const Work& work : optimizer_step(stage, state))
          step += table_.prices.compute(work, 0);
        longest = std::max(longest, step);
      }
      result.held = std::max(result.held, static_memory(held, state).total());
    }
    result.estimate += longest;
  }

 private:
  const LayerTable& table_;
  const Candidate& c_;
  int p_;
  Pipeline pipeline_;
  int64_t m_ = 1;
  bool interleaved_ = false;
  int chunks_ = 1;
};

}  // namespace

std::optional<Estimated> ClosedForms::of(const Candidate& c) {
  const Prefix& prefix = this->prefix(c);
  if (!prefix.table) return std::nullopt;
  const Closed closed(*prefix.table, given_, c, pipeline_of(c.schedule));
  if (!closed.possible()) return std::nullopt;
  Estimated result{c, {}, {}};
  try {
    const Partition partition = closed.partition();
    closed.time(
        partition, [&](int first, int end) { return prefix.between(first, end); }, result);
    const std::lock_guard lock(mutex_);  // prices remember, for one thread at a time
    closed.add_state(partition, result);
  } catch (const Misfit&) {
    return std::nullopt;
  }
  const std::optional<Bytes> memory = prefix.table->machine.device_memory();
  if (memory && result.held > *memory) return std::nullopt;
  return result;
}

}  // namespace pipewright::search
