#include "interop/sqlite_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "error_of.hpp"
#include "nsys_trace.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

TEST(SqliteFile, tables_and_columns_are_known) {
  const TemporaryFolder folder;
  const interop::SqliteFile file(NsysTrace().range("step 1", 0, 1).write(folder.path() + "/x"));
  EXPECT_TRUE(file.has_table("NVTX_EVENTS"));
  EXPECT_FALSE(file.has_table("NVTX"));
  EXPECT_EQ(file.first_column("NVTX_EVENTS", {"label", "text"}), "text");
  EXPECT_EQ(file.first_column("NVTX_EVENTS", {"label"}), "");
  auto rows = file.rows("SELECT text, end, textId FROM NVTX_EVENTS");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "step 1");
  EXPECT_EQ(rows.number(1), 1000);
  EXPECT_EQ(rows.text(2), std::nullopt);
  EXPECT_FALSE(rows.next());
}

TEST(SqliteFile, what_cannot_be_read_is_an_error) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([] { interop::SqliteFile("/nowhere/x"); }).find("cannot be opened"),
            std::string::npos);
  const interop::SqliteFile text(folder.write("t", std::string(200, 'x')));
  EXPECT_NE(error_of([&] { text.has_table("a"); }).find("this database cannot be read"),
            std::string::npos);
}

TEST(SqliteFile, a_file_that_is_cut_off_is_an_error) {
  const TemporaryFolder folder;
  NsysTrace trace;
  for (int i = 0; i < 2000; ++i) trace.kernel("k", i, 1, i);
  const std::string path = trace.write(folder.path() + "/x");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const interop::SqliteFile file(path);
  EXPECT_NE(error_of([&] {
              auto rows = file.rows("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL");
              while (rows.next()) {
              }
            }).find("this database cannot be read"),
            std::string::npos);
}

TEST(SqliteFile, views_are_not_followed) {
  const TemporaryFolder folder;
  const std::string path = NsysTrace().write(folder.path() + "/x");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "CREATE VIEW V AS SELECT 1 AS a", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const interop::SqliteFile file(path);
  EXPECT_FALSE(file.has_table("V"));
  EXPECT_NE(error_of([&] { file.rows("SELECT a FROM V").next(); }), "no error");
}

}  // namespace
}  // namespace pipewright::test
