#include "study/sweep_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/deflate.hpp"
#include "base/error.hpp"
#include "result/objectives.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

constexpr int application_id = 0x50495057;  // "PIPW"
constexpr int tables_version = 4;           // 1 kept results as they are, 2 and 3 fewer objectives
constexpr int64_t most_json_bytes = int64_t{1} << 30;
constexpr int patience_ms = 10'000;  // while another process writes

constexpr const char* tables =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS owner (study TEXT NOT NULL, version TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS runs (point INTEGER PRIMARY KEY, settings TEXT NOT NULL,"
    " schedule TEXT NOT NULL, reason TEXT NOT NULL, objectives TEXT NOT NULL,"
    " feasible INTEGER NOT NULL, csv TEXT NOT NULL, json_bytes INTEGER NOT NULL,"
    " json_deflated BLOB NOT NULL);"
    "COMMIT;";

/// Lists of numbers and texts as they are kept; null where there is nothing.
std::string packed(const std::vector<std::optional<double>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json(nullptr));
  return list.dump();
}

/// Nothing where `text` is no list of numbers.
std::optional<std::vector<std::optional<double>>> unpacked(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return {};
  std::vector<std::optional<double>> values;
  for (const Json& value : list) {
    if (!value.is_null() && !value.is_number()) return {};
    values.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  return values;
}

bool is_list_of_texts(const Json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const Json& text) { return text.is_string(); });
}

}  // namespace

class SweepStore::Database {
 public:
  Database(const std::string& path, int flags) : path_(path) {
    const int status =
        sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &handle_, flags, nullptr);
    if (status != SQLITE_OK) {
      const std::string why = sqlite3_errmsg(handle_);
      sqlite3_close(handle_);
      throw InputError(fmt::format("cannot open store '{}': {}", path, why));
    }
    sqlite3_busy_timeout(handle_, patience_ms);
  }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql) {
    check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
  }

  int64_t number(const std::string& sql) {
    Statement statement(*this, sql);
    return statement.next() ? statement.integer(0) : 0;
  }

  void check(int status) const {
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
    const std::string why = sqlite3_errmsg(handle_);
    if (status == SQLITE_NOTADB || status == SQLITE_CORRUPT || status == SQLITE_ERROR)
      throw InputError(fmt::format("'{}' is no store of a sweep: {}", path_, why));
    throw Failure(fmt::format("store '{}': {}", path_, why));
  }

  /// A prepared statement: bind, step, read columns.
  class Statement {
   public:
    Statement(const Database& database, const std::string& sql) : database_(database) {
      database.check(sqlite3_prepare_v2(database.handle_, sql.c_str(), -1, &handle_, nullptr));
    }
    ~Statement() { sqlite3_finalize(handle_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int index, const std::string& text) {
      database_.check(sqlite3_bind_text(handle_, index, text.data(), static_cast<int>(text.size()),
                                        SQLITE_TRANSIENT));
    }
    void bind(int index, int64_t number) {
      database_.check(sqlite3_bind_int64(handle_, index, number));
    }
    void bind_blob(int index, const std::string& bytes) {
      database_.check(sqlite3_bind_blob(handle_, index, bytes.data(),
                                        static_cast<int>(bytes.size()), SQLITE_TRANSIENT));
    }
    bool next() {
      const int status = sqlite3_step(handle_);
      database_.check(status);
      return status == SQLITE_ROW;
    }
    void again() { sqlite3_reset(handle_); }
    int64_t integer(int column) { return sqlite3_column_int64(handle_, column); }
    std::string text(int column) {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
      return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(handle_, column)))
                   : std::string{};
    }

   private:
    const Database& database_;
    sqlite3_stmt* handle_ = nullptr;
  };

  void insert(std::span<const SweepRun> runs) {
    Statement insert(*this, "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const SweepRun& run : runs) {
      insert.bind(1, run.point);
      insert.bind(2, Json(run.settings).dump());
      insert.bind(3, run.schedule);
      insert.bind(4, run.reason);
      insert.bind(5, packed(run.objectives));
      insert.bind(6, int64_t{run.feasible});
      insert.bind(7, run.csv);
      insert.bind(8, static_cast<int64_t>(run.json.size()));
      insert.bind_blob(9, deflated(run.json, Effort::quick));
      insert.next();
      insert.again();
    }
  }

  /// Nothing where it is damaged.
  static std::optional<SweepRun> run_at(Statement& row) {
    const Json settings = Json::parse(row.text(1), nullptr, false);
    const auto objectives = unpacked(row.text(4));
    const int64_t json_bytes = row.integer(7);
    if (!is_list_of_texts(settings) || !objectives || json_bytes < 0 ||
        json_bytes > most_json_bytes)
      return {};
    auto json = inflated(row.text(8), static_cast<size_t>(json_bytes));
    if (!json) return {};
    SweepRun run{.point = row.integer(0),
                 .settings = settings.get<std::vector<std::string>>(),
                 .schedule = row.text(2),
                 .reason = row.text(3),
                 .objectives = *objectives,
                 .feasible = row.integer(5) != 0,
                 .csv = row.text(6),
                 .json = std::move(*json)};
    const bool is_whole = !run.ran() || run.objectives.size() == objective_names().size();
    return is_whole ? std::optional(std::move(run)) : std::nullopt;
  }

  void check_tables() {
    if (number("PRAGMA user_version") != tables_version)
      throw InputError(
          fmt::format("store '{}' was made by another version of this program", path_));
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

SweepStore::SweepStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
SweepStore::SweepStore(SweepStore&&) noexcept = default;
SweepStore::~SweepStore() = default;

SweepStore::SweepStore(const std::string& path, const StoreOwner& owner)
    : database_(std::make_unique<Database>(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {
  const int64_t id = database_->number("PRAGMA application_id");
  const bool fresh = database_->number("SELECT count(*) FROM sqlite_master") == 0;
  if (id != application_id && !fresh)
    throw InputError(fmt::format("'{}' is a database, but no store of a sweep", path));
  if (fresh) {
    database_->execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                   application_id, tables_version));
  }
  database_->check_tables();
  database_->execute(tables);
  if (database_->number("SELECT count(*) FROM owner") == 0) {
    Database::Statement insert(*database_, "INSERT INTO owner VALUES (?, ?)");
    insert.bind(1, owner.study);
    insert.bind(2, owner.version);
    insert.next();
  }
  const StoreOwner found = this->owner();
  if (found.study != owner.study) {
    throw InputError(fmt::format("store '{}' belongs to another study, or to other options", path));
  }
  if (found.version != owner.version) {
    throw InputError(fmt::format("store '{}' was made by version {} of this program; this is {}",
                                 path, found.version, owner.version));
  }
}

SweepStore SweepStore::open(const std::string& path) {
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READWRITE);
  if (database->number("PRAGMA application_id") != application_id)
    throw InputError(fmt::format("'{}' is no store of a sweep", path));
  database->check_tables();
  return SweepStore(std::move(database));
}

StoreOwner SweepStore::owner() const {
  Database::Statement select(*database_, "SELECT study, version FROM owner");
  if (!select.next())
    throw InputError(fmt::format("'{}' is no store of a sweep", database_->path()));
  return {select.text(0), select.text(1)};
}

void SweepStore::add(const SweepRun& run) { database_->insert(std::span(&run, 1)); }

void SweepStore::add(std::span<const SweepRun> runs) {
  database_->execute("BEGIN IMMEDIATE");
  database_->insert(runs);
  database_->execute("COMMIT");
}

std::vector<int64_t> SweepStore::points() const {
  std::vector<int64_t> points;
  Database::Statement select(*database_, "SELECT point FROM runs ORDER BY point");
  while (select.next()) points.push_back(select.integer(0));
  return points;
}

void SweepStore::for_each(const std::function<void(const SweepRun&)>& visit) const {
  Database::Statement select(*database_, "SELECT * FROM runs ORDER BY point");
  while (select.next()) {
    const int64_t point = select.integer(0);
    const std::optional<SweepRun> run = database_->run_at(select);
    if (!run) throw InputError(fmt::format("'{}': run {} is damaged", database_->path(), point));
    visit(*run);
  }
}

}  // namespace pipewright
