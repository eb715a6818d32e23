#include "study/sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/deflate.hpp"
#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "experiment/experiment.hpp"
#include "report/csv/sweep.hpp"
#include "report/json/sweep.hpp"
#include "result/objectives.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

const char* const small_study =
    "experiment:\n"
    "  model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
    "  cluster: {devices: 4, link: {latency: 0 s}}\n"
    "  schedule: 1f1b\n"
    "vary:\n"
    "  schedule: [gpipe, 1f1b, {name: interleaved-1f1b, virtual: 2}, chimera]\n"
    "  model.synthetic.microbatches: [4, 6, 8]\n"
    "cases: [{overlap.p2p: sender}]\n"
    "objective: [iteration_time_s, bubble_fraction]\n";

Study swept_study(const std::string& yaml) {
  return read_study(config::parse(yaml, "study.yaml"), config::Catalogue{});
}

SweepStore run(const Study& study, SweepOptions options = {}, const std::string& file = "") {
  SweepStore store(file, {study.text, "1"});
  sweep(study, config::Catalogue{}, options, store);
  return store;
}

std::string csv(const Study& study, const SweepStore& store) {
  std::ostringstream out;
  write_sweep_csv({study.paths, study.objective, [&](const auto& f) { store.for_each(f); }}, out);
  return out.str();
}

TEST(Study, points_are_the_product_with_its_last_key_fastest_then_the_cases) {
  const Study s = swept_study(small_study);
  ASSERT_EQ(s.points.size(), 13u);
  EXPECT_EQ(s.paths,
            (std::vector<std::string>{"schedule", "model.synthetic.microbatches", "overlap.p2p"}));
  EXPECT_EQ(one_line(s.points[7].settings[0]->value), "{name: interleaved-1f1b, virtual: 2}");
  EXPECT_EQ(one_line(s.points[7].settings[1]->value), "6");
  EXPECT_EQ(s.points[12].settings[0]->path, "overlap.p2p");
}

TEST(Study, mistakes_stand_at_their_place) {
  EXPECT_EQ(error_of([] { swept_study("{experiment: example, vary: {schedule: 1f1b}}"); }),
            "study.yaml:1:40: error: vary: schedule needs a list of values");
  EXPECT_TRUE(error_of([] {
                swept_study("{experiment: example, objective: [mfuu]}");
              }).starts_with("study.yaml:1:35: error: 'mfuu' is no result to judge by; one of "));
  EXPECT_EQ(error_of([] { swept_study("{vary: {schedule: [1f1b]}}"); }),
            "study.yaml:1:1: error: a study needs the key 'experiment'");
}

TEST(Study, a_key_that_only_a_point_sets_stands_in_the_study) {
  const Study s = swept_study(
      "experiment: {model: a}\n"
      "vary: {parallel.tensor: [1, 2], shedule: [1f1b]}\n"
      "cases: [{batch.mcro: 4}]\n");
  EXPECT_EQ(error_of([&] { read_experiment(experiment_of(s, s.points.at(0))); }),
            "study.yaml:2:33: error: unknown key 'shedule'; did you mean 'schedule'?");
  EXPECT_EQ(error_of([&] { read_experiment(experiment_of(s, s.points.at(2))); }),
            "study.yaml:3:10: error: unknown key 'mcro'; did you mean 'micro'?");
}

// (m + p - 1)(tF + tB) for gpipe and 1f1b; chimera and interleaving want multiples of 4.
TEST(Sweep, every_point_runs_or_says_why_not) {
  const Study s = swept_study(small_study);
  const SweepStore store = run(s);
  int refused = 0;
  store.for_each([&](const SweepRun& r) {
    if (!r.ran()) ++refused;
    if (r.schedule != "1f1b" || r.settings[1] != "6") return;
    EXPECT_DOUBLE_EQ(*r.objectives[0], 0.027);
  });
  EXPECT_EQ(store.points().size(), 13u);
  EXPECT_GE(refused, 1);
}

TEST(Sweep, the_same_bytes_with_any_number_of_jobs) {
  const Study s = swept_study(small_study);
  EXPECT_EQ(csv(s, run(s, {.jobs = 1})), csv(s, run(s, {.jobs = 4})));
}

TEST(Sweep, a_stopped_sweep_goes_on_and_ends_with_the_same_table) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/runs.db";
  const Study s = swept_study(small_study);
  std::atomic<bool> stop = false;
  {
    SweepOptions options{.jobs = 1, .stop = &stop};
    options.progress = [&](const SweepProgress& progress) { stop = progress.done == 5; };
    EXPECT_EQ(run(s, options, file).points().size(), 5u);
  }
  SweepOptions options;
  int64_t found = -1;
  options.progress = [&](const SweepProgress& progress) { found = progress.found; };
  const SweepStore whole = run(s, options, file);
  EXPECT_EQ(found, 5);
  EXPECT_EQ(csv(s, whole), csv(s, run(s)));
}

// Runs of more than 100,000 ops use two cores. The small run fails while they do.
TEST(Sweep, a_point_that_fails_lets_a_large_run_beside_it_end) {
  const Study s = swept_study(
      "experiment:\n"
      "  model: {synthetic: {devices: 8, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
      "  cluster: {devices: 8, link: {latency: 0 s}}\n"
      "  schedule: 1f1b\n"
      "vary: {model.synthetic.microbatches: [8000, 8]}\n");
  SweepOptions options{.jobs = 2};
  options.progress = [](const SweepProgress&) { throw Failure("the disk is full"); };
  EXPECT_THROW(run(s, options), Failure);
}

TEST(Sweep, a_mistake_in_a_point_stands_at_its_place) {
  const Study wrong = swept_study(
      "{experiment: {model: {synthetic: {devices: 4, microbatches: 4, forward: 1 ms,\n"
      " backward: 2 ms}}, cluster: {devices: 4}, schedule: 1f1b},\n"
      " vary: {cluster: [none.yaml]}}");
  EXPECT_EQ(error_of([&] { run(wrong); }), "study.yaml:3:19: error: cannot read file 'none.yaml'");
}

TEST(Sweep, what_fails_in_keeping_a_run_ends_the_sweep_once) {
  const Study s = swept_study(small_study);
  std::atomic<int> kept = 0;
  SweepOptions options{.jobs = 1};
  options.progress = [&](const SweepProgress&) {
    if (++kept == 3) throw Failure("the disk is full");
  };
  EXPECT_THROW(run(s, options), Failure);
  EXPECT_EQ(kept, 3);
}

TEST(Sweep, shards_make_the_whole_between_them) {
  const Study s = swept_study(small_study);
  SweepStore together("", {s.text, "1"});
  for (int shard = 1; shard <= 3; ++shard) {
    const SweepStore part = run(s, {.shard = shard, .shards = 3});
    part.for_each([&](const SweepRun& r) { together.add(r); });
  }
  EXPECT_EQ(csv(s, together), csv(s, run(s)));
}

TEST(Sweep, screening_simulates_the_best_by_closed_form) {
  const Study s = swept_study(std::string(small_study) + "screen: 2\n");
  std::vector<double> times;
  run(s).for_each([&](const SweepRun& r) {
    if (r.ran()) times.push_back(*r.objectives[0]);
  });
  // Four micro-batches under any of the flushing schedules: at most 7 x 3 ms.
  ASSERT_EQ(times.size(), 2u);
  for (const double time : times) EXPECT_LE(time, 0.021);
}

TEST(Sweep, a_store_of_something_else_is_refused) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/runs.db";
  const Study s = swept_study(small_study);
  run(s, {}, file);
  EXPECT_EQ(error_of([&] {
              SweepStore(file, {"other", "1"});
            }),
            "error: store '" + file + "' belongs to another study, or to other options");
  EXPECT_EQ(error_of([&] {
              SweepStore(file, {s.text, "2"});
            }),
            "error: store '" + file + "' was made by version 1 of this program; this is 2");
  folder.write("text.db", "no database, whatever its name says, but long enough to be one");
  EXPECT_NE(error_of([&] { SweepStore(folder.path() + "/text.db", {"", ""}); }), "");
}

TEST(Sweep, a_run_of_a_real_model_is_kept_in_four_kilobytes) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/runs.db";
  run(swept_study(
          "experiment: llama-3-70b-dgx-h100\n"
          "vary: {batch.sequence: [1024, 1056, 1088, 1120, 1152, 1184, 1216, 1248, 1280, 1312, "
          "1344, "
          "1376, 1408, 1440, 1472, 1504, 1536, 1568, 1600, 1632, 1664, 1696, 1728, 1760, 1792, "
          "1824, "
          "1856, 1888, 1920, 1952, 1984, 2016]}\n"),
      {}, file);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "VACUUM", nullptr, nullptr, nullptr);
  sqlite3_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  constexpr uintmax_t the_rest = 6 * 16384;  // the tables, the study and the sample
  EXPECT_LT(std::filesystem::file_size(file), the_rest + 32 * 4096);
}

TEST(Sweep, a_store_that_is_damaged_or_of_other_tables_is_refused) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/runs.db";
  run(swept_study(small_study), {}, file);
  const auto change = [&](const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  };
  const auto read = [&] { SweepStore::open(file).for_each([](const SweepRun&) {}); };
  const auto damaged = [&](int point) {
    return fmt::format("error: '{}': run {} is damaged; without the store it runs again", file,
                       point);
  };
  EXPECT_EQ(error_of(read), "no error");
  change("UPDATE sample SET json = json || ' '");
  EXPECT_EQ(error_of(read), "error: '" + file +
                                "': the sample that its runs are kept by is damaged; without the "
                                "store they run again");
  change("UPDATE sample SET json = substr(json, 1, length(json) - 1)");
  EXPECT_EQ(error_of(read), "no error");
  change("UPDATE runs SET json_bytes = json_bytes + 1 WHERE point = 3");
  EXPECT_EQ(error_of(read), damaged(3));
  EXPECT_EQ(error_of([&] { SweepStore::open(file).points(); }), damaged(3));
  change("UPDATE runs SET objectives = '[1, 2]' WHERE point = 1");
  EXPECT_EQ(error_of(read), damaged(1));
  change("UPDATE runs SET settings = '[]' WHERE point = 0");
  EXPECT_EQ(error_of(read), damaged(0));
  change("PRAGMA user_version = 4");
  EXPECT_EQ(error_of(read), "error: store '" + file +
                                "' was made by another version of this program; begin a new one");
}

// Of all bits that a reader could take for something else, none changes a table in silence.
TEST(Sweep, a_flipped_bit_of_a_store_is_seen) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/runs.db", other = folder.path() + "/flipped.db";
  const Study s = swept_study(small_study);
  run(s, {}, file);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string whole = csv(s, SweepStore::open(file));
  const StoreOwner owner = SweepStore::open(file).owner();
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    std::string flipped = bytes;
    const size_t bit = random() % (8 * bytes.size());
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream(other, std::ios::binary) << flipped;
    try {
      const SweepStore store = SweepStore::open(other);
      const bool is_whole = store.points().size() == s.points.size() && store.owner() == owner;
      EXPECT_EQ(is_whole ? csv(s, store) : whole, whole) << bit;
    } catch (const InputError&) {
    } catch (const Failure&) {
    }
  }
}

TEST(Sweep, a_result_that_unfolds_to_a_thousand_million_bytes_is_refused) {
  EXPECT_FALSE(inflated(deflated(std::string(1000, 'x')), size_t{1} << 40));
  SweepStore store("", {"study", "1"});
  EXPECT_THROW(store.add({.json = std::string(65 << 20, ' ')}), Failure);
}

TEST(Sweep, a_store_is_read_where_nothing_can_be_written) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/a?b#c.db";
  const Study s = swept_study(small_study);
  run(s, {}, file);
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
  };
  EXPECT_EQ(SweepStore::open(file).points().size(), 13u);
  EXPECT_EQ(files(), 1);
  EXPECT_THROW(SweepStore::open(file).add(SweepRun{.point = 99}), Failure);
}

}  // namespace
}  // namespace pipewright::test
