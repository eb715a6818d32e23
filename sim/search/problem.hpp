// The problem that a planner is asked: an experiment whose degrees, micro-batch, recomputation and
// schedule are open, on a cluster and with a global batch that are not.
#pragma once

#include <functional>
#include <memory>

#include "base/progress.hpp"
#include "config/catalogue.hpp"
#include "machine/run_options.hpp"
#include "result/proposal.hpp"
#include "simulate/run.hpp"

namespace pipewright::search {

class KnownRuns;

enum class Goal : uint8_t { time, nodes, cost };

/// "time_to_train<=30d": a result and the most that it may be, in base units.
struct Limit {
  std::string quantity;
  double most = 0;
};
/// Throws InputError for what cannot be limited.
Limit read_limit(const std::string& text);
/// Returns that `amount` is beyond the limit: "time_to_train is 35 d, more than 30 d".
std::string beyond(const Limit& limit, double amount);

struct Problem {
  config::Value experiment;  ///< a map, without base
  const config::Catalogue& catalogue;
  RunOptions run;
  Goal goal = Goal::time;
  std::vector<Limit> limits;
  std::vector<config::Value> schedules;  ///< to choose from; empty: those of the planner
  int simulations = 100;                 ///< so many of a planner's candidates at most
  int jobs = 0;
  int keep = 1;                     ///< proposals of a planner, the best first
  std::vector<std::string> pinned;  ///< keys that stay as the experiment has them
  /// "parallel.zero=3": what the experiment has because a plan for a framework has it. It stays
  /// too.
  std::vector<std::string> habits = {};
  /// Returns why an experiment is no plan, as what it is wanted for cannot say it; nothing where it
  /// is one. Null: each is one. Several threads call it at once.
  std::function<std::optional<std::string>(const config::Value& experiment)> refusal = {};
  /// The devices that a plan may use, in the order of ranks; empty: all as they come.
  std::vector<int32_t> pool;
  std::vector<int> node_of;  ///< by device; empty: all stand in one
  /// The seconds of an iteration that was found on another pool: what takes longer is no use.
  std::optional<double> reached;
  std::shared_ptr<KnownRuns> known_runs = {};  ///< of all planners; null: every run is simulated
  Progress* progress = nullptr;                ///< is told of every plan that was simulated
};

/// Returns what the experiment says of a key such as "parallel.tensor" that is pinned, alone or
/// with the map around it; nullptr where it is not pinned.
const config::Value* pinned(const Problem& problem, std::string_view path);

/// The data that stay the same whatever the plan is.
struct Given {
  /// Of those that a plan may use. As many of each node are in a group as divide those of all.
  int nodes = 1, devices = 1, devices_per_node = 1;
  int64_t global = 0;    ///< sequences
  int64_t sequence = 0;  ///< tokens; 0 where the model has none
  int context = 1;
  bool transformer = true;  ///< has blocks, heads, and what can be recomputed
  int blocks = 0;           ///< that partitions count
  int64_t heads = 1;
  int64_t experts = 0;  ///< of a layer
  /// Those of the model that take little to run again, by Megatron-Core's names.
  std::vector<std::string> cheap_modules;
  bool fpga = false;
  bool alike = true;            ///< all devices
  bool by_layers = true;        ///< a layer takes its time on any device, whatever is beside it
  bool whole_sequences = true;  ///< every document fills one
};
/// Throws InputError, also where the global batch is not given.
Given given_by(const Problem& problem);

/// A stage on devices of its own.
struct StageChoice {
  int layers = 0, first_device = 0, tensor = 1, data = 1;
};

/// How layers are split into stages; `pinned` as the experiment lists it.
enum class Split : uint8_t { even, balanced, pinned };

/// Returns `usual`, or what the experiment says where it pins its partition.
Split split_of(const Problem& problem, Split usual);

/// One way of running it.
struct Candidate {
  int tensor = 1, pipeline = 1, data = 1;
  int micro = 1;
  int zero = 0;
  std::string recompute;  ///< as YAML; empty: as the experiment says
  config::Value schedule;
  Split split = Split::even;
  std::vector<int> layers = {};         ///< of every stage; empty: as `split` says
  std::vector<int32_t> placement = {};  ///< devices in the order of ranks; empty: as they come
  /// Stages that are not alike; empty: as above. `data` is then the most of any stage.
  std::vector<StageChoice> stages = {};
  std::optional<config::Value> sbp = {};  ///< signatures of products, in place of other degrees
  int recomputed = 0;                     ///< above 0: in so many layers of every stage, in full
  int context = 0, expert = 0;            ///< 0: as the experiment says
  /// Further keys and their values: "overlap.tensor=domino".
  std::vector<std::string> settings = {};
  std::string label() const;
};
/// Returns the keys that stay as they are: those that `asked` and the experiment's own `pinned`
/// name, and what `assignments` set ("parallel.pipeline=16") of what a plan decides. Throws
/// InputError for a key that no plan decides, and for one that the experiment does not give.
std::vector<std::string> pinned_keys(const config::Value& experiment,
                                     const std::vector<std::string>& asked,
                                     const std::vector<std::string>& assignments);
/// Tells whether a plan decides what is at a path.
bool is_decided(std::string_view path);
/// Tells whether `candidate` keeps what is pinned.
bool keeps_pinned(const Problem& problem, const Candidate& candidate);
config::Value experiment_of(const Problem& problem, const Candidate& candidate);

/// A candidate that can be, with what closed forms say of it.
struct Estimated {
  Candidate candidate;
  Time estimate;
  Bytes held;        ///< on the fullest device, before any activation
  Time least;        ///< no simulation takes less; zero where nothing is known
  bool fits = true;  ///< `held` does
};

/// Returns the estimate of each candidate, in the given order; empty for what cannot be, or whose
/// weights alone do not fit.
std::vector<std::optional<Estimated>> estimates(const Problem& problem,
                                                const std::vector<Candidate>& candidates);

/// Returns those of `candidates` that can be and whose weights alone fit, in the given order.
std::vector<Estimated> estimated(const Problem& problem, const std::vector<Candidate>& candidates);

/// Returns the `most` of `candidates` that hold least, whether or not they fit: what comes nearest
/// where none does.
std::vector<Estimated> leanest(const Problem& problem, const std::vector<Candidate>& candidates,
                               size_t most);

/// Simulated. `planner` and the estimate are the caller's.
Proposal simulated(const Problem& problem, const Candidate& candidate);

/// Tells whether `a` is better than `b` for the goal; what does not satisfy is worse than what
/// does.
bool better(const Problem& problem, const Proposal& a, const Proposal& b);

/// The best of the first `most` of `ordered` that can be (of the next as many, where none of them
/// fits in memory, as there is or as limits say), as simulated. One whose bound is not below the
/// best so far is passed over; the others are simulated without shared links first, which says
/// whether it fits and how little time it may take; then, from the quickest on, as the experiment
/// says, until none that is left can be better.
Proposal best_of(const Problem& problem, const std::vector<Estimated>& ordered, size_t most);

/// A proposal and the candidate that it is of.
struct Judged {
  Proposal proposal;
  Candidate candidate;
};
/// best_of() with its candidate.
Judged best_candidate_of(const Problem& problem, const std::vector<Estimated>& ordered,
                         size_t most);

}  // namespace pipewright::search
