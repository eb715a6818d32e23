// Where links are shared, most programs are first run as if they were not: if then no link has more
// to carry at any time than it can, nobody would have held up anybody, and that is the run. Else
// the event engine runs it with flows.
#include "study/execute.hpp"

#include <chrono>

#include "base/error.hpp"
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
    bool free = contention && is_free(*contention);
    if (!free && !(contention && contention->alike)) {
      unfold();
      contention = find();
      free = is_free(*contention);
    }
    if (!free) {
      const auto begin = std::chrono::steady_clock::now();
      run_.timeline = run_events(run_.program, durations_, nullptr, &*contention);
      run_.wall_s += seconds_since(begin);
    }
    // What of a streamed message its producer hides does not count.
    if (!streamed()) run_.cut = contention->cut;
  }

  std::optional<Contention> find() {
    const auto begin = std::chrono::steady_clock::now();
    auto contention = find_contention(run_.program, *prepared_.topology, prepared_.prices,
                                      durations_, mirror_of(prepared_));
    run_.wall_s += seconds_since(begin);
    return contention;
  }

  bool is_free(const Contention& contention) {
    const auto begin = std::chrono::steady_clock::now();
    const bool free = is_free_of_contention(contention, durations_, run_.timeline);
    run_.wall_s += seconds_since(begin);
    return free;
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
