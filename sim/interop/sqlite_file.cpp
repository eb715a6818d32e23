#include "interop/sqlite_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"

namespace pipewright::interop {
namespace {

[[noreturn]] void fail(sqlite3* db, const std::string& file) {
  throw InputError({file, 0, 0},
                   fmt::format("this database cannot be read: {}", sqlite3_errmsg(db)));
}

}  // namespace

SqliteRows::SqliteRows(sqlite3* db, const std::string& query, std::string file)
    : db_(db), file_(std::move(file)) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db, query.c_str(), -1, &prepared, nullptr) != SQLITE_OK) fail(db_, file_);
  rows_.reset(prepared);
}

bool SqliteRows::next() {
  const int result = sqlite3_step(rows_.get());
  if (result != SQLITE_ROW && result != SQLITE_DONE) fail(db_, file_);
  return result == SQLITE_ROW;
}

std::optional<std::string> SqliteRows::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(rows_.get(), column));
  return text ? std::optional<std::string>(text) : std::nullopt;
}

std::string SqliteRows::bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(rows_.get(), column));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(rows_.get(), column));
  return bytes ? std::string(bytes, size) : std::string();
}

SqliteFile::SqliteFile(const std::string& file) : file_(file) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  db_.reset(opened);
  if (result != SQLITE_OK) throw InputError({file, 0, 0}, "cannot be opened");
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

bool SqliteFile::has_table(std::string_view table) const {
  return rows(
             fmt::format("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{}'", table))
      .next();
}

std::string SqliteFile::first_column(std::string_view table,
                                     std::initializer_list<std::string_view> columns) const {
  for (const std::string_view column : columns)
    if (rows(fmt::format("SELECT 1 FROM pragma_table_info('{}') WHERE name = '{}'", table, column))
            .next())
      return std::string(column);
  return {};
}

}  // namespace pipewright::interop
