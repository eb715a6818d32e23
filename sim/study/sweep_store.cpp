#include "study/sweep_store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/deflate.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "result/objectives.hpp"
#include "study/database.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

constexpr int application_id = 0x50495057;  // "PIPW"
// 1 kept results as they are, 2, 3 and 5 fewer objectives, 4 no checksums, 6 no sample.
constexpr int tables_version = 7;
constexpr int64_t most_json_bytes = int64_t{64} << 20;

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

/// Lists of numbers and texts as they are kept; null where there is nothing.
std::string packed(const std::vector<std::optional<double>>& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(value ? Json(*value) : Json(nullptr));
  return dump_json(list);
}

/// Nothing where `text` is no list of numbers.
std::optional<std::vector<std::optional<double>>> unpacked(const std::string& text) {
  const Json list = parse_json(text);
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

/// The columns of a run but for its checksum, as they are kept.
struct StoredRun {
  std::string settings, schedule, reason, objectives, csv, json_deflated;
  int64_t point = 0, feasible = 0, json_bytes = 0;

  /// Damage anywhere in a run, or in whom it belongs to, changes this.
  int64_t checksum(const StoreOwner& owner) const {
    std::string all;
    const auto add = [&](const std::string& text) {
      all += fmt::format("{}:{}", text.size(), text);
    };
    for (const std::string* text : {&owner.study, &owner.version, &settings, &schedule, &reason,
                                    &objectives, &csv, &json_deflated})
      add(*text);
    for (const int64_t number : {point, feasible, json_bytes}) add(std::to_string(number));
    return crc(all);
  }
};

/// `sample`: a result of the study, which others are much like.
StoredRun packed(const SweepRun& run, const std::string& sample) {
  if (run.json.size() > most_json_bytes)
    throw Failure("the result of a run is too large for a store");
  return {.settings = dump_json(Json(run.settings)),
          .schedule = run.schedule,
          .reason = run.reason,
          .objectives = packed(run.objectives),
          .csv = run.csv,
          .json_deflated = deflated(run.json, sample),
          .point = run.point,
          .feasible = int64_t{run.feasible},
          .json_bytes = static_cast<int64_t>(run.json.size())};
}

/// Nothing where it is damaged.
std::optional<SweepRun> unpacked(StoredRun row, const std::string& sample) {
  const Json settings = parse_json(row.settings);
  const auto objectives = unpacked(row.objectives);
  if (!is_list_of_texts(settings) || !objectives || row.json_bytes < 0 ||
      row.json_bytes > most_json_bytes)
    return {};
  auto json = inflated(row.json_deflated, static_cast<size_t>(row.json_bytes), sample);
  if (!json) return {};
  SweepRun run{.point = row.point,
               .settings = settings.get<std::vector<std::string>>(),
               .schedule = std::move(row.schedule),
               .reason = std::move(row.reason),
               .objectives = *objectives,
               .feasible = row.feasible != 0,
               .csv = std::move(row.csv),
               .json = std::move(*json)};
  const bool is_whole = !run.ran() || run.objectives.size() == objective_names().size();
  return is_whole ? std::optional(std::move(run)) : std::nullopt;
}

using Statement = Database::Statement;

void insert(Statement& statement, const StoredRun& row, const StoreOwner& owner) {
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
  Statement select(database, "SELECT * FROM runs ORDER BY point");
  while (select.next()) {
    StoredRun row = stored_at(select);
    if (row.checksum(owner) != select.integer(9)) fail_damaged(database, row.point);
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
  const StoreOwner owner = this->owner();
  sample_ = sample_of(*database_);  // not what an insertion that was rolled back had offered
  for (const SweepRun& run : runs) {
    if (sample_.empty() && !run.json.empty()) {
      offer_sample(*database_, run);
      sample_ = sample_of(*database_);
    }
    insert(statement, packed(run, sample_), owner);
  }
}

std::vector<int64_t> SweepStore::points() const {
  std::vector<int64_t> points;
  for_each_stored(*database_, owner(), [&](const StoredRun& row) { points.push_back(row.point); });
  return points;
}

void SweepStore::for_each(const std::function<void(const SweepRun&)>& visit) const {
  const std::string sample = sample_of(*database_);
  for_each_stored(*database_, owner(), [&](StoredRun row) {
    const int64_t point = row.point;
    const std::optional<SweepRun> run = unpacked(std::move(row), sample);
    if (!run) fail_damaged(*database_, point);
    visit(*run);
  });
}

}  // namespace pipewright
