#include "study/sweep_store.hpp"

#include <fmt/format.h>

#include "base/deflate.hpp"
#include "base/error.hpp"
#include "study/database.hpp"
#include "study/stored_run.hpp"

namespace pipewright {
namespace {

constexpr int application_id = 0x50495057;  // "PIPW"
// 1 kept results as they are, 2, 3 and 5 fewer objectives, 4 no checksums, 6 no sample, 7 settings
// as JSON and lines without a result.
constexpr int tables_version = 9;

constexpr const char* tables =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS owner (study TEXT NOT NULL, version TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS sample (id INTEGER PRIMARY KEY, json TEXT NOT NULL,"
    " checksum INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS runs (point INTEGER PRIMARY KEY, settings TEXT NOT NULL,"
    " schedule TEXT NOT NULL, reason TEXT NOT NULL, objectives TEXT NOT NULL,"
    " feasible INTEGER NOT NULL, csv TEXT NOT NULL, json_bytes INTEGER NOT NULL,"
    " json_deflated BLOB NOT NULL, checksum INTEGER NOT NULL);"
    "COMMIT;";

using Statement = Database::Statement;

void insert(Statement& statement, const StoredRun& row, int64_t owner) {
  statement.bind(1, row.point);
  statement.bind(2, row.settings);
  statement.bind(3, row.schedule);
  statement.bind(4, row.reason);
  statement.bind(5, row.objectives);
  statement.bind(6, row.feasible);
  statement.bind(7, row.csv);
  statement.bind(8, row.json_bytes);
  statement.bind_blob(9, row.json_deflated);
  statement.bind(10, row.checksum(owner));
  statement.next();
  statement.again();
}

StoredRun stored_at(Statement& statement) {
  return {.settings = statement.text(1),
          .schedule = statement.text(2),
          .reason = statement.text(3),
          .objectives = statement.text(4),
          .csv = statement.text(6),
          .json_deflated = statement.text(8),
          .point = statement.integer(0),
          .feasible = statement.integer(5),
          .json_bytes = statement.integer(7)};
}

[[noreturn]] void fail_damaged(const Database& database, int64_t point) {
  throw InputError(fmt::format("'{}': run {} is damaged; without the store it runs again",
                               database.path(), point));
}

/// Returns the sample, which is empty where there is none yet. Throws InputError where it is
/// damaged.
std::string sample_of(const Database& database) {
  Statement select(database, "SELECT json, checksum FROM sample");
  if (!select.next()) return {};
  std::string json = select.text(0);
  if (crc(json) != select.integer(1))
    throw InputError(
        fmt::format("'{}': the sample that its runs are kept by is damaged; without the "
                    "store they run again",
                    database.path()));
  return json;
}

/// Makes the result of a run the sample, unless there is one.
void offer_sample(Database& database, const SweepRun& run) {
  Statement insert(database, "INSERT OR IGNORE INTO sample VALUES (1, ?, ?)");
  insert.bind(1, run.json);
  insert.bind(2, crc(run.json));
  insert.next();
}

/// Visits the runs in the order of the points. Throws InputError at the first that is damaged.
void for_each_stored(const Database& database, const StoreOwner& owner,
                     const std::function<void(StoredRun)>& visit) {
  const int64_t whose = checksum(owner);
  Statement select(database, "SELECT * FROM runs ORDER BY point");
  while (select.next()) {
    StoredRun row = stored_at(select);
    if (row.checksum(whose) != select.integer(9)) fail_damaged(database, row.point);
    visit(std::move(row));
  }
}

void check_tables(Database& database) {
  if (database.number("PRAGMA user_version") != tables_version)
    throw InputError(
        fmt::format("store '{}' was made by another version of this program; begin a new one",
                    database.path()));
}

}  // namespace

SweepStore::SweepStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
SweepStore::SweepStore(SweepStore&&) noexcept = default;
SweepStore::~SweepStore() = default;

SweepStore::SweepStore(const std::string& path, const StoreOwner& owner)
    : database_(std::make_unique<Database>(path, Database::Access::write)) {
  const int64_t id = database_->number("PRAGMA application_id");
  const bool fresh = database_->number("SELECT count(*) FROM sqlite_master") == 0;
  if (id != application_id && !fresh)
    throw InputError(fmt::format("'{}' is a database, but no store of a sweep", path));
  if (fresh) {
    // A run has about 3 KB, which leaves a quarter of SQLite's usual pages empty.
    database_->execute(
        fmt::format("PRAGMA page_size = 16384; PRAGMA application_id = {}; "
                    "PRAGMA user_version = {}",
                    application_id, tables_version));
  }
  check_tables(*database_);
  database_->execute(tables);
  if (database_->number("SELECT count(*) FROM owner") == 0) {
    Statement insert(*database_, "INSERT INTO owner VALUES (?, ?)");
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
  auto database = std::make_unique<Database>(path, Database::Access::read);
  if (database->number("PRAGMA application_id") != application_id)
    throw InputError(fmt::format("'{}' is no store of a sweep", path));
  check_tables(*database);
  return SweepStore(std::move(database));
}

StoreOwner SweepStore::owner() const {
  Statement select(*database_, "SELECT study, version FROM owner");
  if (!select.next())
    throw InputError(fmt::format("'{}' is no store of a sweep", database_->path()));
  return {select.text(0), select.text(1)};
}

void SweepStore::add(const SweepRun& run) { insert_all(std::span(&run, 1)); }

void SweepStore::add(std::span<const SweepRun> runs) {
  database_->execute("BEGIN IMMEDIATE");
  insert_all(runs);
  database_->execute("COMMIT");
}

void SweepStore::insert_all(std::span<const SweepRun> runs) {
  Statement statement(*database_,
                      "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const int64_t whose = checksum(owner());
  RunPacker packer(sample_of(*database_));
  for (const SweepRun& run : runs) {
    if (packer.sample().empty() && !run.json.empty()) {
      offer_sample(*database_, run);
      packer = RunPacker(sample_of(*database_));
    }
    insert(statement, packer.packed(run), whose);
  }
}

std::vector<int64_t> SweepStore::points() const {
  std::vector<int64_t> points;
  for_each_stored(*database_, owner(), [&](const StoredRun& row) { points.push_back(row.point); });
  return points;
}

void SweepStore::for_each(const std::function<void(const SweepRun&)>& visit) const {
  const RunPacker packer(sample_of(*database_));
  for_each_stored(*database_, owner(), [&](StoredRun row) {
    const int64_t point = row.point;
    const std::optional<SweepRun> run = packer.unpacked(std::move(row));
    if (!run) fail_damaged(*database_, point);
    visit(*run);
  });
}

}  // namespace pipewright
