// An SQLite file: statements on it, and its errors as those of a store.
#pragma once

#include <cstdint>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace pipewright {

/// A connection, for one thread at a time. What SQLite calls damaged is an InputError, what cannot
/// be done a Failure.
class Database {
 public:
  enum class Access : uint8_t { read, write };

  /// Opens the file at `path`; in memory where it is empty. With `write` it is made where there is
  /// none; with `read` neither the file nor its folder needs to be writable.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  /// The first column of the first row; 0 where there is none.
  int64_t number(const std::string& sql);
  const std::string& path() const { return path_; }

  /// A prepared statement: bind, step, read columns.
  class Statement {
   public:
    Statement(const Database& database, const std::string& sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int index, int64_t number);
    // What is bound must live until the statement was stepped or bound anew.
    void bind(int index, const std::string& text);
    void bind_blob(int index, const std::string& bytes);
    bool next();
    void again();
    int64_t integer(int column);
    std::string text(int column);

   private:
    const Database& database_;
    sqlite3_stmt* handle_ = nullptr;
  };

 private:
  void check(int status) const;

  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace pipewright
