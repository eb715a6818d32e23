#include "diagnose/rebuilt_job.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "diagnose/lockstep.hpp"
#include "diagnose/usual_messages.hpp"

namespace pipewright::diagnose {
namespace {

/// A rank is slow beyond what its passes vary anyway.
constexpr double notable_slowdown = 1.01;

/// A link is slow beyond what messages of one kind vary; beside such a link, one that shares its
/// port is.
constexpr double slow_link = 1.5, beside_slow_link = 1.1;

struct Times {
  std::vector<double> all;

  bool known() const { return !all.empty(); }
  double mean() const {
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
  }
  /// Single late passes do not make a rank slow.
  double median() const { return median_of(all); }
};

/// By data rank.
using Row = std::vector<Times>;

class Rebuilding {
 public:
  explicit Rebuilding(const Evidence& evidence) : job_(evidence.job) {
    const auto stages = static_cast<size_t>(job_.model_stages());
    const Row row(static_cast<size_t>(job_.data));
    forward_.assign(stages, row);
    backward_.assign(stages, row);
    weight_gradient_.assign(stages, row);
    slow_.assign(stages, std::vector<bool>(row.size()));
    update_.assign(static_cast<size_t>(job_.stages), std::vector<double>(row.size()));
    traced_.assign(static_cast<size_t>(job_.ranks()), false);
    const Lockstep lockstep(evidence);
    evidence.for_each([&](const TracedOperation& one, OpId body) {
      add(one, in_seconds(own_pace(evidence, lockstep, one, body)));
    });
    find_slow();
  }

  RebuiltJob run() {
    RebuiltJob rebuilt{.ranks = job_.stages,
                       .data = job_.data,
                       .micro_batches = micro_batches(job_) / job_.slices};
    rebuilt.slices = job_.slices;
    rebuilt.by_symmetry = std::ranges::any_of(traced_, std::logical_not{});
    const std::vector<double> forward = all_of(forward_), backward = all_of(backward_),
                              apart = all_of(weight_gradient_);
    for (size_t stage = 0; stage < forward.size(); ++stage) {
      rebuilt.forward.push_back(seconds(forward[stage]));
      rebuilt.backward.push_back(seconds(backward[stage] + apart[stage]));
      if (halves_) rebuilt.weight_gradient.push_back(seconds(apart[stage]));
    }
    // The first chunk is the last whose gradients are complete.
    rebuilt.update.resize(forward_.size());
    const std::vector<double> update = updates();
    for (size_t rank = 0; rank < update.size(); ++rank)
      rebuilt.update[rank] = seconds(update[rank]);
    // What a message takes is told by its receive, or by its send where there are no receives.
    const std::vector<double>& messages = received_.empty() ? sent_ : received_;
    if (!messages.empty()) rebuilt.message = seconds(median_of(messages));
    rebuilt.links = slow_links(in_seconds(rebuilt.message));
    if (!bytes_.empty()) rebuilt.message_bytes = std::llround(median_of(bytes_));
    add_slow(rebuilt);
    return rebuilt;
  }

 private:
  /// What an operation takes where no slower rank holds it up: a fast rank waits in a pass that
  /// data ranks go through together.
  static Time own_pace(const Evidence& evidence, const Lockstep& lockstep,
                       const TracedOperation& one, OpId body) {
    if (one.together == 0 || one.own <= Time{} || !lockstep.has(body))
      return evidence.lengths[body];
    Time pace = one.own + lockstep.measured().bytes[body];
    for (const Time exchange : one.exchanges) pace += exchange;
    return pace;
  }

  void add(const TracedOperation& one, double length) {
    const auto data = static_cast<size_t>(one.dp_rank);
    if (computes(one.kind)) {
      const auto stage = static_cast<size_t>(job_.model_stage(one));
      if (stage >= forward_.size()) return;  // a chunk that the schedule does not have
      traced_[static_cast<size_t>(job_.rank_of(one))] = true;
      passes_of(one.kind)[stage][data].all.push_back(length);
      halves_ |= one.kind == OperationKind::weight_gradient;
    } else if (is_transfer(one.kind)) {
      (sends(one.kind) ? sent_ : received_).push_back(length);
      (sends(one.kind) ? sent_over_ : received_over_)[link_of(one)].push_back(length);
      if (one.bytes > 0) bytes_.push_back(static_cast<double>(one.bytes));
    } else if (one.kind != OperationKind::gc) {
      update_[static_cast<size_t>(one.stage)][data] += length;
    }
  }

  static bool sends(OperationKind kind) {
    return kind == OperationKind::forward_send || kind == OperationKind::backward_send;
  }

  /// From, to, data rank.
  using Link = std::tuple<int, int, int>;

  Link link_of(const TracedOperation& one) const {
    const auto [low, high] = ends_of(job_, one);
    const bool back =
        one.kind == OperationKind::backward_send || one.kind == OperationKind::backward_recv;
    return back ? Link{high, low, one.dp_rank} : Link{low, high, one.dp_rank};
  }

  std::vector<RebuiltJob::Link> slow_links(double usual) const {
    std::vector<RebuiltJob::Link> links;
    double most = 0;
    for (const auto& [link, times] : received_.empty() ? sent_over_ : received_over_) {
      const double own = median_of(times);
      most = std::max(most, own);
      const auto [from, to, data] = link;
      if (own > beside_slow_link * usual) links.push_back({from, to, data, seconds(own)});
    }
    return most > slow_link * usual ? links : std::vector<RebuiltJob::Link>{};
  }

  std::vector<Row>& passes_of(OperationKind kind) {
    if (kind == OperationKind::forward) return forward_;
    return kind == OperationKind::backward ? backward_ : weight_gradient_;
  }

  static bool is_known(const Row& row) { return std::ranges::any_of(row, &Times::known); }

  /// The median over data ranks that `counts` takes of what `time` says of them; 0: of none.
  template <class TimeOf, class Counts>
  static double usual(const Row& row, TimeOf time, Counts counts) {
    std::vector<double> times;
    for (size_t data = 0; data < row.size(); ++data)
      if (row[data].known() && counts(data)) times.push_back(time(row[data]));
    return times.empty() ? 0 : median_of(std::move(times));
  }

  /// What a pass takes on the data ranks that are not slow.
  double healthy_mean(const std::vector<Row>& passes, size_t stage) const {
    return usual(
        passes[stage], [](const Times& one) { return one.mean(); },
        [&](size_t data) { return !slow_[stage][data]; });
  }

  /// By stage. Those of which the trace has no forward take the mean of the others.
  std::vector<double> all_of(const std::vector<Row>& passes) const {
    Times known;
    for (size_t stage = 0; stage < passes.size(); ++stage)
      if (is_known(forward_[stage])) known.all.push_back(healthy_mean(passes, stage));
    std::vector<double> times;
    for (size_t stage = 0; stage < passes.size(); ++stage)
      times.push_back(is_known(forward_[stage]) ? healthy_mean(passes, stage) : known.mean());
    return times;
  }

  /// By rank of the pipeline. Ranks without passes take the mean of the others. A straggler of an
  /// experiment computes its update as slowly, that of a trace perhaps not: the least that a data
  /// rank takes, divided so, is right for the slow one in both cases.
  std::vector<double> updates() const {
    std::vector<double> times;
    Times known;
    for (int rank = 0; rank < job_.stages; ++rank) {
      std::vector<double> of_data;
      for (int data = 0; data < job_.data; ++data)
        if (is_traced(data, rank))
          of_data.push_back(update_[static_cast<size_t>(rank)][static_cast<size_t>(data)] /
                            static_cast<double>(job_.iterations()) / slowdown_as_told(data, rank));
      times.push_back(of_data.empty() ? -1 : *std::ranges::min_element(of_data));
      if (times.back() >= 0) known.all.push_back(times.back());
    }
    for (double& time : times)
      if (time < 0) time = known.mean();
    return times;
  }

  bool is_traced(int data, int rank) const {
    return traced_[static_cast<size_t>(data * job_.stages + rank)];
  }

  /// Calls visit(stage) for every stage of the model that a rank of the pipeline holds.
  template <class Visit>
  void for_each_stage(int rank, Visit visit) const {
    for (int chunk = 0; chunk < job_.chunks; ++chunk)
      if (const auto stage = static_cast<size_t>(job_.model_stage(rank, chunk));
          stage < forward_.size())
        visit(stage);
  }

  /// What a rank computes for one micro-batch, over what data ranks do that `counts` takes of a
  /// stage.
  template <class Counts>
  double slowdown(int data, int rank, const std::vector<const std::vector<Row>*>& kinds,
                  Counts counts) const {
    double own = 0, all = 0;
    for_each_stage(rank, [&](size_t stage) {
      for (const std::vector<Row>* passes : kinds) {
        const Row& row = (*passes)[stage];
        const Times& mine = row[static_cast<size_t>(data)];
        const double usual_time = usual(
            row, [](const Times& one) { return one.median(); },
            [&](size_t other) { return counts(stage, other); });
        if (!mine.known() || usual_time == 0) continue;
        own += mine.median();
        all += usual_time;
      }
    });
    return all > 0 ? own / all : 1;
  }

  /// A slow device is slow in both directions. What is slow in one alone waits for communication.
  /// Each data rank is held against the others: of two the faster one is not slow.
  bool is_slow(int data, int rank) const {
    const auto others = [&](size_t, size_t other) { return other != static_cast<size_t>(data); };
    size_t known = 0, slow = 0;
    for (const std::vector<Row>* passes : {&forward_, &backward_}) {
      bool has = false;
      for_each_stage(
          rank, [&](size_t stage) { has |= (*passes)[stage][static_cast<size_t>(data)].known(); });
      known += has ? 1 : 0;
      slow += has && slowdown(data, rank, {passes}, others) > notable_slowdown ? 1 : 0;
    }
    return slow > 0 && slow == known;
  }

  void find_slow() {
    std::vector<std::pair<int, int>> found;
    for (int rank = 0; rank < job_.stages; ++rank)
      for (int data = 0; data < job_.data; ++data)
        if (is_slow(data, rank)) found.emplace_back(data, rank);
    for (const auto& [data, rank] : found)
      for_each_stage(rank, [&](size_t stage) { slow_[stage][static_cast<size_t>(data)] = true; });
  }

  /// Over the data ranks that are not slow.
  double slowdown_as_told(int data, int rank) const {
    bool slow = false;
    for_each_stage(rank, [&](size_t stage) { slow |= slow_[stage][static_cast<size_t>(data)]; });
    if (!slow) return 1;
    return slowdown(data, rank, {&forward_, &backward_, &weight_gradient_},
                    [&](size_t stage, size_t other) { return !slow_[stage][other]; });
  }

  void add_slow(RebuiltJob& rebuilt) const {
    for (int rank = 0; rank < job_.stages; ++rank)
      for (int data = 0; data < job_.data; ++data)
        if (const double factor = slowdown_as_told(data, rank); factor > 1)
          rebuilt.slow.push_back({data, rank, factor});
  }

  const MeasuredJob& job_;
  std::vector<Row> forward_, backward_, weight_gradient_;  ///< by stage
  std::vector<std::vector<bool>> slow_;                    ///< by stage and data rank
  bool halves_ = false;                                    ///< whether weight gradients stand apart
  std::vector<std::vector<double>> update_;                ///< by rank and data rank, in seconds
  std::vector<double> sent_, received_, bytes_;
  std::map<Link, std::vector<double>> sent_over_, received_over_;
  std::vector<bool> traced_;  ///< by rank, whether it has a pass
};

}  // namespace

RebuiltJob rebuilt_job(const Evidence& evidence, const std::string& schedule) {
  RebuiltJob rebuilt = Rebuilding(evidence).run();
  rebuilt.schedule = schedule;
  return rebuilt;
}

}  // namespace pipewright::diagnose
