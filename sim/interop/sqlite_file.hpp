// A database of SQLite that is only read, table by table.
#pragma once

#include <sqlite3.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pipewright::interop {

struct CloseSqlite {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// The rows that a query gives, one after another. A column that holds something else than what is
/// asked for is read as SQLite converts it.
class SqliteRows {
 public:
  SqliteRows(sqlite3* db, const std::string& query, std::string file);

  /// Goes to the next row; false: there is none. Throws InputError where the file is damaged.
  bool next();
  int64_t number(int column) const { return sqlite3_column_int64(rows_.get(), column); }
  std::optional<std::string> text(int column) const;
  /// The bytes of a column; empty where it is NULL.
  std::string bytes(int column) const;

 private:
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, CloseSqlite> rows_;
  std::string file_;
};

class SqliteFile {
 public:
  /// Throws InputError for what is no database. Views are not followed: a query reads what the file
  /// holds and nothing that it computes.
  explicit SqliteFile(const std::string& file);

  bool has_table(std::string_view table) const;
  /// The first of `columns` that the table has; empty: none.
  std::string first_column(std::string_view table,
                           std::initializer_list<std::string_view> columns) const;
  SqliteRows rows(const std::string& query) const { return {db_.get(), query, file_}; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::unique_ptr<sqlite3, CloseSqlite> db_;
};

}  // namespace pipewright::interop
