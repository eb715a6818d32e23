#include "study/sweep.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "study/estimate.hpp"
#include "study/machine_cache.hpp"
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
      tbb::parallel_for_each(points.begin(), points.end(), [&](const StudyPoint* point) {
        if (!options_.stop || !*options_.stop) body(*point);
      });
    });
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

  struct Candidate {
    Time estimate;
    const StudyPoint* point;
  };

  /// The most promising of all points of the study, whatever shard they belong to and whether they
  /// are stored or not: so every shard and every resumed sweep picks the same.
  std::vector<Candidate> ranked() {
    std::vector<Candidate> candidates;
    Points all;
    for (const StudyPoint& point : study_.points) all.push_back(&point);
    each(all, [&](const StudyPoint& point) {
      try {
        const Experiment experiment =
            read_experiment(resolve(experiment_of(study_, point), catalogue_));
        RunOptions run = options_.run;
        run.fold = false;  // which ranks are alike does not matter to a closed form
        const Time time = estimate_iteration(prepare(experiment, catalogue_, run));
        const std::lock_guard lock(mutex_);
        candidates.push_back({time, &point});
      } catch (const Misfit&) {
        // Its simulation will say why.
      }
    });
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.estimate, a.point->index) < std::pair(b.estimate, b.point->index);
    });
    return candidates;
  }

  /// Those of `open` that are to be simulated; the others are kept with what closed form says.
  Points screened(const Points& open) {
    const std::vector<Candidate> candidates = ranked();
    if (options_.stop && *options_.stop) return {};
    std::unordered_map<const StudyPoint*, size_t> place;
    for (size_t i = 0; i < candidates.size(); ++i) place[candidates[i].point] = i + 1;
    Points chosen;
    for (const StudyPoint* point : open) {
      const auto found = place.find(point);
      if (found == place.end() || found->second <= static_cast<size_t>(study_.screen)) {
        chosen.push_back(point);
        continue;
      }
      keep(refused(described(study_, *point, experiment_of(study_, *point)),
                   fmt::format("screened out: number {} of {} by closed form", found->second,
                               candidates.size())));
    }
    return chosen;
  }

  const Study& study_;
  const config::Catalogue& catalogue_;
  SweepOptions options_;
  SweepStore& store_;
  int threads_;
  tbb::global_control limit_;
  tbb::task_arena arena_;
  std::mutex mutex_;
  SweepProgress progress_;
};

}  // namespace

void sweep(const Study& study, const config::Catalogue& catalogue, const SweepOptions& options,
           SweepStore& store) {
  Sweep(study, catalogue, options, store).run();
}

}  // namespace pipewright
