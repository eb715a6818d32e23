// The iteration of a plain pipeline in closed form: its time, a time that no simulation is below,
// and memory that none is below either.
//   time   m max_r sum_{k of r} (F_k + B_k) + (p - 1) max_k (F_k + B_k) + hops + end
//   hops   T + (m v / w - 1) min(T, max(0, T + (s - w) max_k (F_k + B_k))), T = 2 (s - 1) h
//   end    max_r (what follows the last pass of r, see update_time.hpp, - sum_{j<r} B_j)
//   least  max_r (m sum_{k of r} (F_k + B_k) + sum_{j<r} F_j + sum_{j<r} I_j)
//   held   max_r (state of r + sum over what is in flight on r of its activations)
// for p ranks r, the v stages k of s that r holds, and m micro-batches. F, B, I: forward, backward
// and the gradient of the input of a stage on one micro-batch, with tensor collectives; in `least`
// they end with their last kernel, the first micro-batch has to come through the stages before r,
// and the last gradient to go back through them where ranks end with a backward. A micro-batch
// passes s - 1 times h on its way there, and back; the w that rank 0 sends before the first is back
// hide what they take longer than it. What is in flight, and w, the schedule says
// (schedule/plain_pipeline.hpp). Left out of `time`: shared links and devices, and all of `end`
// where memory does not do. Where the devices of a rank differ, a stage takes what it takes on the
// slowest of them; what comes before and after in `least` takes what it takes on the quickest of
// theirs, for the slow device's replica may have those. Wrong for: overlapped tensor collectives,
// weights cut over replicas (ZeRO 3).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "plan/layer_table.hpp"
#include "plan/partition.hpp"
#include "schedule/plain_pipeline.hpp"

namespace pipewright {

/// A schedule that closed forms know: its Kind says what they need to.
struct Pipeline {
  const schedule::PlainPipeline* plain = nullptr;
  int chunks = 1;  ///< of a rank

  /// Returns the pipeline of an experiment's `schedule` and `parallel.virtual`; empty for others,
  /// and for options that closed forms do not know.
  static std::optional<Pipeline> of(const config::Value& schedule,
                                    std::optional<int> virtual_stages = {});
};

/// The numbers of a pipeline: all that the layers of a LayerTable do not depend on.
struct PipelineShape {
  Pipeline pipeline;
  int ranks = 1, data = 1, zero = 0;
  int64_t micro_batches = 1;
  bool balanced = false;                  ///< cut by cost, else into as many blocks each
  std::span<const int32_t> devices = {};  ///< in the order of ranks; empty: as they come

  schedule::PipelineSizes sizes() const;
  /// Returns why the order does not serve the shape; empty where it does.
  std::string misfit() const;
};

/// The hops of the head of this file that no pass hides. `slots`: m v; `ahead`: w.
Time exposed_hops(int stages, int64_t slots, int64_t ahead, Time largest, Time hop);

struct ClosedForm {
  Time time, least;
  /// On the rank with the least head room: of the first, the last and a middle one, of all where
  /// devices differ.
  Bytes held;
  std::optional<Bytes> capacity;  ///< of the devices of that rank, where known
  bool fits() const { return !capacity || held <= *capacity; }
};

/// Closed forms over one table. What does not depend on the number of micro-batches and replicas is
/// found once. May be shared by threads.
class PipelineForms {
 public:
  explicit PipelineForms(LayerTable table);

  const LayerTable& table() const { return table_; }
  /// Throws Misfit for a partition that cannot be. The order must serve the shape.
  ClosedForm of(const PipelineShape& shape);

 private:
  /// Times of one micro-batch on one stage. `certain` ends with the last kernel.
  /// Those of before and after are on the quickest device of the rank, others on the slowest.
  struct Stage {
    Time both, certain, certain_forward, certain_input;
    Time backward, weight;  ///< the latter: of the former, the gradients of weights
    Bytes stash;
  };
  struct Cut {
    Partition partition;
    std::vector<Stage> stages;
    Time largest;
  };
  using Kinds = std::set<int32_t>;       // of the devices of a rank
  using RankKinds = std::vector<Kinds>;  // by rank; empty where all devices are alike
  using CutKey = std::tuple<int, int, bool, RankKinds>;  // ranks, chunks, balanced

  const Cut& cut(const PipelineShape& shape);
  Cut cut_anew(const PipelineShape& shape, const RankKinds& kinds) const;
  RankKinds rank_kinds(const PipelineShape& shape) const;
  Partition partition(const PipelineShape& shape, const RankKinds& kinds) const;
  /// Returns the devices of a rank.
  std::vector<int32_t> devices(const PipelineShape& shape, int rank) const;
  Stage between(int first, int end, int32_t kind) const;
  Stage between(int first, int end, const Kinds& kinds) const;
  Time gather_before(int layer, int32_t device) const;
  void add_times(const Cut& cut, const PipelineShape& shape, ClosedForm& form) const;
  Time hops(const Cut& cut, const PipelineShape& shape) const;
  void add_memory(const Cut& cut, const PipelineShape& shape, ClosedForm& form) const;
  /// Returns the time that reductions and the optimizer's step add at the end of an iteration.
  /// `experiment` of the table must be as the shape has it.
  Time end(const Cut& cut, const PipelineShape& shape) const;

  LayerTable table_;
  std::vector<std::vector<LayerTimes>> before_;  // by kind: sums of the layers before each
  std::mutex mutex_;                             // of cuts_
  std::map<CutKey, std::unique_ptr<const Cut>> cuts_;
};

}  // namespace pipewright
