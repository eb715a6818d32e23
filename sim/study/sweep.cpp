#include "study/sweep.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <unordered_set>

#include "base/required.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "estimate/estimate.hpp"
#include "machine/machine_cache.hpp"
#include "machine/run_options.hpp"
#include "run/prepare.hpp"
#include "study/screening.hpp"
#include "study/sweep_point.hpp"

namespace pipewright {
namespace {

using Points = std::vector<const StudyPoint*>;

class Sweep {
 public:
  Sweep(const Study& study, const config::Catalogue& catalogue, const SweepOptions& options,
        SweepStore& store)
      : study_(study),
        catalogue_(catalogue),
        options_(options),
        store_(store),
        threads_(options.jobs > 0 ? options.jobs : tbb::this_task_arena::max_concurrency()),
        limit_(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads_)),
        arena_(threads_) {
    if (!options_.run.machines) options_.run.machines = std::make_shared<MachineCache>();
  }

  void run() {
    const std::vector<int64_t> stored = store_.points();
    const std::unordered_set<int64_t> there(stored.begin(), stored.end());
    Points mine, open;
    for (const StudyPoint& point : study_.points) {
      if (point.index % options_.shards != options_.shard - 1) continue;
      mine.push_back(&point);
      if (!there.contains(point.index)) open.push_back(&point);
    }
    progress_.total = static_cast<int64_t>(mine.size());
    progress_.found = progress_.done = static_cast<int64_t>(mine.size() - open.size());
    if (study_.screen > 0) open = screened(open);
    simulate(open);
  }

 private:
  template <class F>
  void each(const Points& points, F&& body) {
    arena_.execute([&] {
      tbb::parallel_for_each(points.begin(), points.end(),
                             [&](const StudyPoint* point) { guarded([&] { body(*point); }); });
    });
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Calls `work` unless the sweep is to end. Its first error ends the sweep, while points that are
  /// under way are finished; where the caller ends it, they are left. No error leaves a task, for
  /// TBB would cancel what runs beside it.
  template <class F>
  void guarded(F&& work) {
    if (stopped()) return;
    const StopScope scope(options_.stop);
    try {
      work();
    } catch (const Stopped&) {
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
  }

  void simulate(const Points& points) {
    const SweepOptions::Simulate simulate = [&](const StudyPoint& point) {
      return simulated(study_, point, catalogue_, options_.run);
    };
    if (options_.spread)
      return options_.spread(points, simulate, [&](const SweepRun& run) { keep(run); });
    each(points, [&](const StudyPoint& point) { keep(simulate(point)); });
  }

  void keep(const SweepRun& run) {
    const std::lock_guard lock(mutex_);
    store_.add(run);
    ++progress_.done;
    options_.progress(progress_);
  }

  /// The data that screening keeps of a point: little, for there may be millions.
  struct Candidate {
    Time time, least;
    const StudyPoint* point;
  };
  enum class Verdict : uint8_t { unknown, cannot_be, does_not_fit, ranked };

  /// Estimates a point by a prepared run, for what closed forms do not know.
  std::optional<Candidate> prepared(const StudyPoint& point) {
    try {
      const Experiment experiment =
          read_experiment(resolve(experiment_of(study_, point), catalogue_));
      RunOptions run = options_.run;
      run.fold = false;  // which ranks are alike does not matter to a closed form
      return Candidate{estimate_iteration(prepare(experiment, catalogue_, run)), {}, &point};
    } catch (const Misfit&) {
      return std::nullopt;  // its simulation will say why
    }
  }

  Verdict judge(Screening& screening, const StudyPoint& point, std::vector<Candidate>& mine) {
    const std::optional<Screened> screened = screening.of(point);
    if (screened && !screened->misfit.empty()) return Verdict::cannot_be;
    if (screened && !screened->form.fits()) return Verdict::does_not_fit;
    std::optional<Candidate> candidate =
        screened ? Candidate{screened->form.time, screened->form.least, &point} : prepared(point);
    if (!candidate) return Verdict::unknown;
    mine.push_back(*candidate);
    return Verdict::ranked;
  }

  /// The most promising of all points of the study, whatever shard they belong to and whether they
  /// are stored or not: so every shard and every resumed sweep picks the same.
  std::vector<Candidate> ranked(Screening& screening) {
    constexpr size_t at_once = 1024;
    verdicts_.assign(study_.points.size(), Verdict::unknown);
    std::vector<Candidate> candidates;
    arena_.execute([&] {
      const tbb::blocked_range<size_t> all(0, study_.points.size(), at_once);
      tbb::parallel_for(all, [&](const auto& some) {
        std::vector<Candidate> mine;
        for (size_t i = some.begin(); i < some.end(); ++i)
          guarded([&] { verdicts_[i] = judge(screening, study_.points[i], mine); });
        const std::lock_guard lock(mutex_);
        candidates.insert(candidates.end(), mine.begin(), mine.end());
      });
    });
    if (failure_) std::rethrow_exception(failure_);
    std::ranges::sort(candidates, {},
                      [](const Candidate& c) { return std::pair(c.time, c.point->index); });
    return candidates;
  }

  /// Returns the points of `open` that are to be simulated; the others are kept with what closed
  /// form says.
  Points screened(const Points& open) {
    Screening screening(study_, catalogue_, options_.run);
    const std::vector<Candidate> candidates = ranked(screening);
    if (stopped()) return {};
    std::vector<uint32_t> place(study_.points.size());
    for (size_t i = 0; i < candidates.size(); ++i)
      place[static_cast<size_t>(candidates[i].point->index)] = static_cast<uint32_t>(i + 1);
    Points chosen;
    std::vector<SweepRun> others;
    for (const StudyPoint* point : open) {
      if (stopped()) break;
      const auto i = static_cast<size_t>(point->index);
      const bool among = verdicts_[i] == Verdict::ranked && place[i] <= screen();
      if (verdicts_[i] == Verdict::unknown || among) {
        chosen.push_back(point);
        continue;
      }
      const Candidate* candidate = place[i] > 0 ? &candidates[place[i] - 1] : nullptr;
      others.push_back(refused(described(study_, *point),
                               candidate
                                   ? outranked(*candidate, place[i], candidates.size())
                                   : excluded(required(screening.of(*point), "it was screened"))));
      if (others.size() == rows_at_once) keep_all(others);
    }
    keep_all(others);
    return chosen;
  }

  size_t screen() const { return static_cast<size_t>(study_.screen); }

  static std::string outranked(const Candidate& c, size_t place, size_t all) {
    return fmt::format(
        "screened out: number {} of {} by closed form, {}{}", place, all,
        human_time(in_seconds(c.time)),
        c.least > Time{} ? fmt::format(", at least {}", human_time(in_seconds(c.least))) : "");
  }

  static std::string excluded(const Screened& s) {
    if (!s.misfit.empty()) return s.misfit;
    return fmt::format(
        "screened out: needs {} of memory at least, a device has {}",
        human_bytes(static_cast<double>(s.form.held.count)),
        human_bytes(static_cast<double>(required(s.form.capacity, "it does not fit").count)));
  }

  void keep_all(std::vector<SweepRun>& runs) {
    store_.add(runs);
    progress_.done += static_cast<int64_t>(runs.size());
    if (!runs.empty()) options_.progress(progress_);
    runs.clear();
  }

  bool stopped() const { return failed_ || (options_.stop && *options_.stop); }

  static constexpr size_t rows_at_once = 4096;
  const Study& study_;
  const config::Catalogue& catalogue_;
  SweepOptions options_;
  SweepStore& store_;
  int threads_;
  tbb::global_control limit_;
  tbb::task_arena arena_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  SweepProgress progress_;
  std::vector<Verdict> verdicts_;  // of screening, by point
};

}  // namespace

void sweep(const Study& study, const config::Catalogue& catalogue, const SweepOptions& options,
           SweepStore& store) {
  Sweep(study, catalogue, options, store).run();
}

}  // namespace pipewright
