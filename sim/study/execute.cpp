// Where links are shared, a program is first run as if they were not: as long as no link has more
// to carry than it can, nobody would have held up anybody, and that is the run. From there on, if
// it comes to that, the event engine runs it with flows.
#include "study/execute.hpp"

#include <chrono>

#include "base/error.hpp"
#include "engine/contention.hpp"
#include "engine/engine.hpp"

namespace pipewright {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Execution {
 public:
  explicit Execution(Prepared& prepared) : prepared_(prepared) {}

  Executed run() {
    run_alone();
    if (prepared_.shares_links) share_links();
    return std::move(run_);
  }

 private:
  void run_alone() {
    run_.program = lower(prepared_.lowering());
    durations_ = price(run_.program, prepared_.prices);
    adapt_to_hardware(prepared_.schedule, run_.program, durations_);
    if (prepared_.lengths) apply_lengths(prepared_, run_.program, durations_);
    if (prepared_.jitter) shake();
    const auto begin = std::chrono::steady_clock::now();
    run_.timeline = simulate(run_.program, durations_);
    run_.wall_s += seconds_since(begin);
  }

  void shake() {
    for (OpId op = 0; op < durations_.size(); ++op) {
      const OpKind kind = run_.program.type(op).kind;
      if (kind == OpKind::compute || kind == OpKind::step)
        durations_[op] = seconds(in_seconds(durations_[op]) * prepared_.jitter(op));
    }
  }

  bool streamed() const { return prepared_.schedule.sends == schedule::Sends::streamed; }

  void share_links() {
    std::optional<Contention> contention = find();
    Time alone_until = contention ? excess(*contention) : Time{};
    if (alone_until < longest_time && !(contention && contention->alike)) {
      unfold();
      contention = find();
      alone_until = excess(*contention);
    }
    if (alone_until < longest_time) run_from(alone_until, *contention);
    // What of a streamed message its producer hides does not count.
    if (!streamed()) run_.cut = contention->cut;
  }

  std::optional<Contention> find() {
    const auto begin = std::chrono::steady_clock::now();
    const Topology& topology = *prepared_.topology;
    std::optional<Contention> contention;
    if (auto laid = lay_ways(run_.program, topology, prepared_.prices, mirror_of(prepared_))) {
      contention = find_contention(run_.program, topology, prepared_.prices, durations_, *laid);
      prepared_.bytes_by_link = bytes_by_link(*laid, topology);
    }
    run_.wall_s += seconds_since(begin);
    return contention;
  }

  Time excess(const Contention& contention) {
    const auto begin = std::chrono::steady_clock::now();
    const Time first = first_excess(contention, durations_, run_.timeline);
    run_.wall_s += seconds_since(begin);
    return first;
  }

  void run_from(Time alone_until, const Contention& contention) {
    const auto begin = std::chrono::steady_clock::now();
    std::optional<KnownStart> known;
    if (all_in_order(run_.program)) known = {run_.timeline.spans, alone_until};
    run_.timeline = run_events(run_.program, durations_, nullptr, &contention, known);
    run_.wall_s += seconds_since(begin);
  }

  void unfold() {
    if (prepared_.fold_tensor || !prepared_.replicas.empty())
      prepared_.notes.push_back("ranks that compute alike load links unequally: each is simulated");
    prepared_.fold_tensor = false;
    prepared_.replicas.clear();
    run_alone();
  }

  Prepared& prepared_;
  Executed run_;
  std::vector<Time> durations_;
};

}  // namespace

Executed execute(Prepared& prepared) { return Execution(prepared).run(); }

}  // namespace pipewright
