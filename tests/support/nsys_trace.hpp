// SQLite exports as Nsight Systems writes them, row by row. Times are in us.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>

namespace pipewright::test {

/// Where something ran: a thread of a process, a stream of a device.
struct NsysPlaces {
  int device = 0, process = 1, thread = 1, stream = 7;
};

class NsysTrace {
 public:
  /// A kernel of `length` that starts at `start` and was launched at `launched`.
  NsysTrace& kernel(const std::string& name, double start, double length, double launched,
                    NsysPlaces at = {}) {
    ++correlation_;
    launch(launched, at);
    return row("CUPTI_ACTIVITY_KIND_KERNEL", "{}, {}, {}, {}, {}, {}, {}", ns(start),
               ns(start + length), at.device, at.stream, correlation_, pid(at), id_of(name));
  }
  NsysTrace& copy(double start, double length, double launched, NsysPlaces at = {}) {
    ++correlation_;
    launch(launched, at);
    return row("CUPTI_ACTIVITY_KIND_MEMCPY", "{}, {}, {}, {}, {}, {}", ns(start),
               ns(start + length), at.device, at.stream, correlation_, pid(at));
  }
  NsysTrace& range(const std::string& text, double start, double length, NsysPlaces at = {}) {
    return row(ranges, "{}, {}, {}, '{}', NULL", ns(start), ns(start + length), pid(at) + at.thread,
               text);
  }
  /// A range whose text is registered.
  NsysTrace& registered(const std::string& text, double start, double length, NsysPlaces at = {}) {
    return row(ranges, "{}, {}, {}, NULL, {}", ns(start), ns(start + length), pid(at) + at.thread,
               id_of(text));
  }
  /// A call of NCCL with what it says of itself, a JSON object.
  NsysTrace& call(const std::string& name, const std::string& payload, double start, double length,
                  NsysPlaces at = {}) {
    return row("NVTX_EVENTS (start, end, globalTid, textId, jsonText)", "{}, {}, {}, {}, '{}'",
               ns(start), ns(start + length), pid(at) + at.thread, id_of(name), payload);
  }
  /// A communicator of `size` ranks is made, of which the process is number `place`.
  NsysTrace& communicator(int64_t id, int size, int place, NsysPlaces at = {}) {
    return call("ncclCommInitRankConfig",
                fmt::format(R"({{"NCCL communicator ID": {}, "No. of ranks": {}, "Rank": {}}})", id,
                            size, place),
                0, 1, at);
  }
  /// A call that moves `bytes`.
  NsysTrace& collective(const std::string& name, int64_t id, int64_t bytes, double start,
                        double length, NsysPlaces at = {}) {
    return call(
        name,
        fmt::format(R"({{"NCCL communicator ID": {}, "Message size [bytes]": {}}})", id, bytes),
        start, length, at);
  }
  NsysTrace& rank(int rank, NsysPlaces at) { return row("MPI_RANKS", "{}, {}", pid(at), rank); }
  /// Any statements.
  NsysTrace& with(const std::string& statements) {
    rows_ += statements;
    return *this;
  }
  NsysTrace& without(const std::string& table) {
    dropped_ += fmt::format("DROP TABLE {};", table);
    return *this;
  }

  /// Writes the database; returns the path.
  std::string write(const std::string& path) const {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    const std::string all = "BEGIN;" + std::string(tables) + rows_ + "COMMIT;" + dropped_;
    EXPECT_EQ(sqlite3_exec(db, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
    return path;
  }

 private:
  static constexpr const char* tables =
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, globalPid INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
      "correlationId INTEGER);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, text TEXT, textId "
      "INTEGER, jsonText TEXT);"
      "CREATE TABLE MPI_RANKS (globalPid INTEGER, rank INTEGER);";

  static constexpr const char* ranges = "NVTX_EVENTS (start, end, globalTid, text, textId)";

  static int64_t ns(double us) { return static_cast<int64_t>(us * 1000 + 0.5); }
  static int64_t pid(const NsysPlaces& at) { return int64_t{at.process} << 24; }

  template <class... Values>
  NsysTrace& row(const char* table, const char* values, const Values&... all) {
    rows_ += fmt::format("INSERT INTO {} VALUES ({});", table,
                         fmt::format(fmt::runtime(values), all...));
    return *this;
  }
  void launch(double at, const NsysPlaces& places) {
    row("CUPTI_ACTIVITY_KIND_RUNTIME", "{}, {}, {}, {}", ns(at), ns(at + 1),
        pid(places) + places.thread, correlation_);
  }
  int64_t id_of(const std::string& text) {
    const auto [found, fresh] = ids_.emplace(text, 100 + static_cast<int64_t>(ids_.size()));
    if (fresh) row("StringIds", "{}, '{}'", found->second, text);
    return found->second;
  }

  int64_t correlation_ = 0;
  std::map<std::string, int64_t> ids_;
  std::string rows_, dropped_;
};

}  // namespace pipewright::test
