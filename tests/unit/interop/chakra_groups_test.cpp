#include "interop/chakra_groups.hpp"

#include <gtest/gtest.h>

#include "interop/chakra.hpp"
#include "support/chakra_bytes.hpp"
#include "support/error_of.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::chakra {
namespace {

using namespace pipewright::test;
using goal::Goal;

/// Three ranks, of which two meet in a group that only a file beside theirs may describe.
class GroupsFile : public testing::Test {
 protected:
  GroupsFile() {
    for (const uint32_t rank : {0U, 1U, 2U})
      folder_.write(file_name("t", rank),
                    et(rank == 1 ? "" : coll(1, 0, 8, attribute("pg_name", std::string("3")))));
  }
  Goal read_all() { return read(folder_.path() + "/t"); }
  std::string error_with(const std::string& text) {
    folder_.write("t.json", text);
    return error_of([&] { read_all(); });
  }

  TemporaryFolder folder_;
};

TEST_F(GroupsFile, describes_groups_as_astra_sim_has_them) {
  folder_.write("t.json", R"({"3": [2, 0], "4": [1]})");
  const Goal goal = read_all();
  ASSERT_EQ(goal.collectives.size(), 1u);
  EXPECT_EQ(goal.collectives[0].members, (std::vector<uint32_t>{2, 0}));
}

TEST_F(GroupsFile, is_named_where_it_is_missing_or_wrong) {
  EXPECT_NE(error_of([&] { read_all(); }).find("t.json' describes"), std::string::npos);
  EXPECT_NE(error_with("[1]").find("t.json: error: must be a map in JSON"), std::string::npos);
  EXPECT_NE(error_with(R"({"3": 1})").find("'3' must be a list of ranks"), std::string::npos);
  EXPECT_NE(error_with(R"({"3": [0, 3]})").find("has 3 in process group '3'"), std::string::npos);
  EXPECT_NE(error_with(R"({"3": [0, 0]})").find("a rank twice"), std::string::npos);
  EXPECT_NE(error_with(R"({"3": [1, 2]})").find("which rank 0 is not in"), std::string::npos);
}

// A file of another kind may lie beside a trace that describes its groups itself.
TEST_F(GroupsFile, is_not_looked_at_where_nodes_say_all) {
  folder_.write(file_name("s", 0), et(coll(1, 0, 8)));
  folder_.write("s.json", "no JSON at all");
  EXPECT_EQ(read(folder_.path() + "/s").collectives.size(), 1u);
}

TEST(Groups, without_a_name_are_all_ranks) {
  const Groups groups(3);
  EXPECT_EQ(*groups.members(""), (Members{0, 1, 2}));
  EXPECT_EQ(groups.members("0"), nullptr);
}

}  // namespace
}  // namespace pipewright::chakra
