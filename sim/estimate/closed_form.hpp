// The iteration of a plain pipeline in closed form: its time, a time that no simulation is below,
// and memory that none is below either.
//   time   m max_r sum_{k of r} (F_k + B_k) + (p - 1) max_k (F_k + B_k) + hops + end
//   hops   T + (m v / w - 1) min(T, max(0, T + (s - w) max_k (F_k + B_k))), T = 2 (s - 1) h
//   end    max_r (what follows the last pass of r, see update_time.hpp, - sum_{j<r} B_j)
//   least  max_r (m sum_{k of r} (F_k + B_k) + sum_{j<r} F_j + sum_{j<r} I_j)
//   held   max_r (state of r + sum over what is in flight on r of its activations)
// for p ranks r, the v stages k of s that r holds, and m micro-batches. F, B, I: forward, backward
// and the gradient of the input of a stage on one micro-batch, with its collectives and what it
// waits for its host (engine/host_load.hpp); in `least` they end with their last kernel and wait
// for no host, the first micro-batch has to come through the stages before r, and the last gradient
// to go back through them where ranks end with a backward. A micro-batch passes s - 1 times h on
// its way there, and back; the w that rank 0 sends before the first is back hide what they take
// longer than it. What is in flight, and w, the schedule says (schedule/plain_pipeline.hpp). Left
// out of `time`: shared links and devices, and all of `end` where memory does not do. Where the
// devices of a rank differ, a stage takes what it takes on the slowest of them; what comes before
// and after in `least` takes what it takes on the quickest of theirs, for the slow device's replica
// may have those. Up to a tenth short for weights cut over replicas (ZeRO 3). Wrong for: overlapped
// tensor collectives.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "estimate/pipeline_cuts.hpp"
#include "plan/data_parallel.hpp"

namespace pipewright {

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
  /// What a cut takes and holds on so many replicas.
  struct Replicated {
    std::map<int, Bytes> state;  ///< by rank; of those that were asked for
    std::optional<Time> hop;     ///< the mean message between two ranks
    std::optional<Time> end;
  };
  // Cut, replicas, ZeRO stage, micro-batches, devices in the order of ranks.
  using Key = std::tuple<const PipelineCut*, int, int, int64_t, std::vector<int32_t>>;

  void add_times(const PipelineCut& cut, const PipelineShape& shape, ClosedForm& form) const;
  Time hops(const PipelineCut& cut, const PipelineShape& shape, Replicated& known) const;
  Time mean_hop(const PipelineCut& cut, const PipelineShape& shape) const;
  void add_memory(const PipelineCut& cut, const PipelineShape& shape, Replicated& known,
                  ClosedForm& form) const;
  Bytes state_of(const PipelineCut& cut, const PipelineShape& shape, int rank) const;
  /// Returns what a stage takes longer for weights or gradients that are cut over replicas.
  Time sharding(const DataParallel& replicas, const Mesh& mesh, const PipelineCut& cut, int stage,
                int64_t micro_batches) const;
  /// Returns what exchanges of replicas and the optimizer's step add to an iteration.
  Time end(const PipelineCut& cut, const PipelineShape& shape);

  LayerTable table_;
  std::mutex mutex_;  // of all that follows, and of the table's experiment
  PipelineCuts cuts_;
  std::map<Key, Replicated> replicated_;
};

}  // namespace pipewright
