// A program whose links are shared is first run as if they were not: as long as no link has more to
// carry than it can, nobody would have held up anybody, and that is the run. From the first excess
// on, if there is one, the event engine runs it with flows.
#include "run/execute.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/required.hpp"
#include "base/stop.hpp"
#include "engine/contention.hpp"
#include "engine/engine.hpp"
#include "result/accounts/participants.hpp"
#include "run/do_both.hpp"
#include "run/packet_contention.hpp"
#include "run/prepared.hpp"
#include "run/refine_replicas.hpp"
#include "run/repeated_run.hpp"
#include "run/schedule_hardware.hpp"
#include "run/shared_links.hpp"
#include "run/unequal_batches.hpp"

namespace pipewright {
namespace {

class Execution {
 public:
  Execution(const Prepared& prepared, const schedule::Schedule& order,
            const RepeatedMicroBatches& repeated, const FreeCosts& free)
      : prepared_(prepared),
        order_(order),
        repeated_(repeated),
        free_(free),
        prices_(prepared.prices) {
    if (free.host) prices_.host = {};
    run_.folding = prepared.folding;
  }

  Executed run() {
    run_alone();
    if (prepared_.links.shared) share_links();
    return std::move(run_);
  }

 private:
  /// The run as if nothing were shared, and what might be.
  void run_alone() {
    begin_step("lowering");
    run_.program = lower(prepared_.lowering(run_.folding, order_));
    stop_here();
    run_.program.repeated = repeated_;
    durations_ = price(run_.program, prices_);
    stop_here();
    leave_out_free_traffic();
    adapt_to_hardware(order_, run_.program, durations_);
    if (prepared_.lengths) apply_lengths(prepared_, run_.program, durations_);
    if (prepared_.jitter) apply_jitter(run_.program, *prepared_.jitter, durations_);
    stop_here();
    const auto begin = now();
    do_both(
        run_.program.ops.size(), [&] { run_.timeline = simulate(run_.program, durations_); },
        [&] {
          if (prepared_.links.shared) find_shared_links();
        });
    run_.wall_s += seconds_since(begin);
  }

  void leave_out_free_traffic() {
    const auto is_free = [&](const OpType& type) {
      const bool moves = type.kind == OpKind::transfer || type.kind == OpKind::collective ||
                         type.kind == OpKind::copy;
      return moves && free_.traffic[static_cast<size_t>(type.traffic)];
    };
    for (OpType& type : run_.program.types)
      if (is_free(type)) type.bytes = {};
    const bool hosts_are_free = free_.traffic[static_cast<size_t>(Traffic::host)];
    for (OpId op = 0; op < durations_.size(); ++op)
      if (is_free(run_.program.type(op)) || (hosts_are_free && runs_on_host(run_.program, op)))
        durations_[op] = {};
  }

  bool streamed() const { return order_.sends == schedule::Sends::streamed; }

  void share_links() {
    stop_here();
    if (contention_ && contention_->packets) return run_with_packets();
    Time alone_until = contention_ ? excess() : Time{};
    if (alone_until < longest_time && !is_alike() && tell_replicas_apart()) alone_until = excess();
    if (alone_until < longest_time && !is_alike()) {
      unfold();
      alone_until = excess();
    }
    if (alone_until < longest_time) run_with_flows(alone_until);
    // What of a streamed message its producer hides does not count.
    if (!streamed()) run_.cut = contention().cut;
    run_.shared_links = alone_until < longest_time;
    if (!repeated_.first.empty()) run_.contention = std::move(contention_);
  }

  const Contention& contention() const {
    return required(contention_, "links are shared once nothing is folded");
  }
  bool is_alike() const { return contention_ && contention_->alike; }

  std::optional<OpRoutes> find_routes() const {
    return routes_over(*laid_links(prepared_, run_.folding));
  }

  std::optional<OpRoutes> routes_over(LaidLinks& laid) const {
    return find_op_routes(run_.program, prices_, mirror_of(prepared_.grid, run_.folding), laid);
  }

  /// Counts what `op_routes` lays on links, or what packets that are sprayed over all routes do.
  std::optional<LinkBytes> counted_bytes(const OpRoutes& op_routes) const {
    if (!prepared_.links.packets || !prepared_.links.packets->options.spray)
      return bytes_by_link(op_routes);
    const auto sprayed = routes_over(*counted_links(prepared_, run_.folding));
    return sprayed ? std::optional(bytes_by_link(*sprayed)) : std::nullopt;
  }

  void find_shared_links() {
    contention_.reset();
    if (auto op_routes = find_routes()) {
      run_.bytes = counted_bytes(*op_routes);
      contention_ =
          prepared_.links.packets
              ? packet_contention(prepared_, run_, prices_, durations_, std::move(*op_routes))
              : find_contention(run_.program, prices_, durations_, std::move(*op_routes));
    }
  }

  /// Simulates more replicas, each for those that cross links like its own. False where that does
  /// not do.
  bool tell_replicas_apart() {
    const std::optional<OpRoutes> routes = contention_ ? find_routes() : std::nullopt;
    if (!routes) return false;
    const auto classes = refine_replicas(prepared_, run_.folding, run_.program, *routes);
    if (!classes || classes->size() == run_.folding.replicas.front().size()) return false;
    run_.folding.replicas.assign(prepared_.grid.meshes.size(), *classes);
    run_alone();
    if (!is_alike()) return false;
    run_.notes.push_back(
        fmt::format("replicas that compute alike load links unequally: {} of {} are simulated",
                    classes->size(), prepared_.grid.meshes.front().replicas()));
    return true;
  }

  Time excess() {
    const auto begin = now();
    const Time first = first_excess(contention(), durations_, run_.timeline);
    run_.wall_s += seconds_since(begin);
    return first;
  }

  /// Runs the program with flows inside nodes and packets between them.
  void run_with_packets() {
    const auto begin = now();
    run_.timeline =
        run_events(run_.program, durations_, nullptr, &contention(), &run_.packets.emplace());
    run_.wall_s += seconds_since(begin);
    if (!streamed()) run_.cut = contention().cut;
    run_.notes.push_back(what_became_of(*run_.packets));
  }

  void run_with_flows(Time alone_until) {
    const auto begin = now();
    run_.timeline =
        run_shared(alone_until, std::move(run_.timeline), run_.program, durations_, contention());
    run_.wall_s += seconds_since(begin);
  }

  void unfold() {
    refuse_too_many_ops();
    if (run_.folding.tensor || !run_.folding.replicas.empty())
      run_.notes.push_back("ranks that compute alike load links unequally: each is simulated");
    run_.folding.tensor = false;
    run_.folding.replicas.clear();
    run_alone();
  }

  void refuse_too_many_ops() const {
    const Mesh& mesh = prepared_.grid.meshes.front();
    const std::vector<std::vector<ReplicaClass>>& replicas = run_.folding.replicas;
    double ops = as_double(run_.program.ops.size());
    if (run_.folding.tensor) ops *= mesh.tensor;
    if (!replicas.empty()) ops *= as_double(mesh.replicas()) / as_double(replicas.front().size());
    if (ops > static_cast<double>(prepared_.most_unfolded_ops))
      throw Failure(fmt::format("some {:.1e} ops would have to be simulated", ops));
  }

  const Prepared& prepared_;
  const schedule::Schedule& order_;
  const RepeatedMicroBatches& repeated_;
  FreeCosts free_;
  Prices prices_;
  Executed run_;
  std::vector<Time> durations_;
  std::optional<Contention> contention_;
};

}  // namespace

Executed execute_order(const Prepared& prepared, const schedule::Schedule& order,
                       const RepeatedMicroBatches& repeated, const FreeCosts& free) {
  return Execution(prepared, order, repeated, free).run();
}

Executed execute(const Prepared& prepared, const FreeCosts& free, PeriodSearch search) {
  if (auto once = execute_repeated(prepared, free, search)) return std::move(*once);
  return execute_order(prepared, prepared.schedule, {}, free);
}

}  // namespace pipewright
