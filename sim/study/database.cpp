#include "study/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "base/error.hpp"

namespace pipewright {
namespace {

constexpr int patience_ms = 10'000;        // while another process writes
constexpr int most_cell_bytes = 64 << 20;  // of a text or of packed bytes

/// Returns a URI of a file. In one that nobody writes, SQLite needs no lock and no file beside it.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%')
      uri += fmt::format("%{:02x}", c);
    else
      uri += c;
  }
  std::error_code ignored;
  const bool is_written = std::filesystem::exists(path + "-wal", ignored);
  return uri + (is_written ? "" : "?immutable=1");
}

}  // namespace

Database::Database(const std::string& path, Access access) : path_(path) {
  const bool reads = access == Access::read;
  const std::string name = path.empty() ? ":memory:" : reads ? uri_of(path) : path;
  const int flags = SQLITE_OPEN_NOMUTEX | (reads ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                                 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const int status = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (status != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(handle_);
    sqlite3_close(handle_);
    throw InputError(fmt::format("cannot open store '{}': {}", path, why));
  }
  sqlite3_busy_timeout(handle_, patience_ms);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, most_cell_bytes);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const std::string& sql) {
  check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
}

int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.next() ? statement.integer(0) : 0;
}

void Database::check(int status) const {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  const std::string why = sqlite3_errmsg(handle_);
  if (status == SQLITE_NOTADB || status == SQLITE_CORRUPT || status == SQLITE_ERROR)
    throw InputError(fmt::format("'{}' is no store of a sweep: {}", path_, why));
  throw Failure(fmt::format("store '{}': {}", path_, why));
}

Database::Statement::Statement(const Database& database, const std::string& sql)
    : database_(database) {
  database.check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr));
}

Database::Statement::~Statement() { sqlite3_finalize(handle_); }

void Database::Statement::bind(int index, const std::string& text) {
  database_.check(
      sqlite3_bind_text(handle_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
}

void Database::Statement::bind(int index, int64_t number) {
  database_.check(sqlite3_bind_int64(handle_, index, number));
}

void Database::Statement::bind_blob(int index, const std::string& bytes) {
  database_.check(sqlite3_bind_blob(handle_, index, bytes.data(), static_cast<int>(bytes.size()),
                                    SQLITE_STATIC));
}

bool Database::Statement::next() {
  const int status = sqlite3_step(handle_);
  database_.check(status);
  return status == SQLITE_ROW;
}

void Database::Statement::again() { sqlite3_reset(handle_); }

int64_t Database::Statement::integer(int column) { return sqlite3_column_int64(handle_, column); }

std::string Database::Statement::text(int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(handle_, column)))
               : std::string{};
}

}  // namespace pipewright
