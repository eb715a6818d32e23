#include "study/stored_run.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

SweepRun refused_run() {
  return {
      .point = 7, .settings = {"8", ""}, .schedule = "1f1b", .reason = "too deep", .csv = "1f1b,,"};
}

SweepRun finished_run(const std::string& json) {
  SweepRun run = refused_run();
  run.reason.clear();
  run.objectives.assign(objective_names().size(), 1.5);
  run.objectives.back() = std::nullopt;
  run.feasible = true;
  run.json = json;
  return run;
}

TEST(StoredRun, comes_back_as_it_was) {
  const std::string json(10'000, 'x');
  for (const std::string& sample : {std::string(), json + "y"}) {
    RunPacker packer(sample);
    for (const SweepRun& run : {refused_run(), finished_run(json), refused_run()})
      EXPECT_EQ(packer.unpacked(packer.packed(run)), run);
  }
}

TEST(StoredRun, belongs_to_its_owner) {
  const StoredRun row = RunPacker("").packed(refused_run());
  const int64_t whole = row.checksum(checksum({"study", "1"}));
  EXPECT_EQ(whole, row.checksum(checksum({"study", "1"})));
  EXPECT_NE(whole, row.checksum(checksum({"studz", "1"})));
  EXPECT_NE(whole, row.checksum(checksum({"study", "2"})));
  EXPECT_NE(whole, row.checksum(checksum({"stud", "y1"})));
}

TEST(StoredRun, changes_its_checksum_with_every_column) {
  const int64_t owner = checksum({"study", "1"});
  const StoredRun row = RunPacker("").packed(finished_run("{}"));
  for (std::string StoredRun::*column :
       {&StoredRun::settings, &StoredRun::schedule, &StoredRun::reason, &StoredRun::objectives,
        &StoredRun::csv, &StoredRun::json_deflated}) {
    StoredRun other = row;
    (other.*column) += '1';
    EXPECT_NE(other.checksum(owner), row.checksum(owner));
  }
  for (int64_t StoredRun::*column :
       {&StoredRun::point, &StoredRun::feasible, &StoredRun::json_bytes}) {
    StoredRun other = row;
    other.*column ^= 1;
    EXPECT_NE(other.checksum(owner), row.checksum(owner));
  }
}

TEST(StoredRun, that_is_damaged_is_none) {
  RunPacker packer("");
  const StoredRun row = packer.packed(finished_run("{\"a\": 1}"));
  const auto with = [&](auto StoredRun::*column, auto value) {
    StoredRun other = row;
    other.*column = value;
    return packer.unpacked(other);
  };
  EXPECT_TRUE(packer.unpacked(row));
  EXPECT_FALSE(with(&StoredRun::settings, std::string("{}")));
  EXPECT_FALSE(with(&StoredRun::objectives, std::string("[1]")));
  EXPECT_FALSE(with(&StoredRun::objectives, std::string("[\"1\"]")));
  EXPECT_FALSE(with(&StoredRun::json_bytes, int64_t{-1}));
  EXPECT_FALSE(with(&StoredRun::json_bytes, int64_t{9}));
  EXPECT_FALSE(with(&StoredRun::json_bytes, int64_t{1} << 40));
  EXPECT_FALSE(with(&StoredRun::json_deflated, std::string("x")));
}

TEST(StoredRun, of_a_result_beyond_all_measure_is_refused) {
  RunPacker packer("");
  EXPECT_THROW(packer.packed(finished_run(std::string((size_t{64} << 20) + 1, 'x'))), Failure);
}

}  // namespace
}  // namespace pipewright
