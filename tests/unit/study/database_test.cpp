#include "study/database.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

using Access = Database::Access;

TEST(Database, what_is_opened_for_reading_cannot_be_written) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/a?b#c%20.db";
  Database(file, Access::write).execute("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (7)");
  Database database(file, Access::read);
  EXPECT_EQ(database.number("SELECT n FROM t"), 7);
  EXPECT_THROW(database.execute("INSERT INTO t VALUES (8)"), Failure);
}

TEST(Database, a_file_that_is_not_there_is_not_made_for_reading) {
  const TemporaryFolder folder;
  EXPECT_THROW(Database(folder.path() + "/none.db", Access::read), InputError);
}

TEST(Database, a_cell_has_64_MiB_at_most) {
  Database database("", Access::write);
  EXPECT_THROW(database.number("SELECT length(zeroblob(100000000))"), Failure);
}

}  // namespace
}  // namespace pipewright::test
