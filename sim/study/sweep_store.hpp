// Finished runs of a sweep in an SQLite file, or in memory: what is in there survives whatever ends
// the program, and a later sweep goes on from it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "result/sweep_run.hpp"

namespace pipewright {

class Database;

/// The owner of a store. A store of another study or program cannot be gone on with.
struct StoreOwner {
  std::string study;  ///< its text and the options that change results
  std::string version;
  bool operator==(const StoreOwner&) const = default;
};

class SweepStore {
 public:
  /// Opens or makes the file at `path`; in memory where it is empty. Throws InputError for a file
  /// that is no store or belongs to something else.
  SweepStore(const std::string& path, const StoreOwner& owner);
  /// An existing store, whatever it belongs to, for reading.
  static SweepStore open(const std::string& path);
  SweepStore(SweepStore&&) noexcept;
  ~SweepStore();

  /// Adds a run; called from one thread at a time. A run that is there already stays as it is.
  void add(const SweepRun& run);
  /// All of them or, where something ends the program, none.
  void add(std::span<const SweepRun> runs);
  /// The points whose runs are there. Throws InputError where one is damaged.
  std::vector<int64_t> points() const;
  /// Visits the runs in the order of the points. Throws InputError at the first that is damaged.
  void for_each(const std::function<void(const SweepRun&)>& visit) const;
  StoreOwner owner() const;

 private:
  explicit SweepStore(std::unique_ptr<Database> database);
  void insert_all(std::span<const SweepRun> runs);

  std::unique_ptr<Database> database_;
};

}  // namespace pipewright
