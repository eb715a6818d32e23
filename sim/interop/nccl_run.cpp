// nccl-tests prints two bandwidths: algbw, bytes by time, and busbw, algbw times a factor of the
// operation and of n ranks (doc/PERFORMANCE.md of nccl-tests): 2 (n - 1) / n where all reduce,
// (n - 1) / n where each keeps or sends a part, else 1. So they tell the one where the other is
// known. The count is of such a part (src/common.cu), and results of all_to_all are not checked in
// place, those of all_gather are (src/alltoall.cu).
#include "interop/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace pipewright::interop {
namespace {

/// Bandwidths are printed with two digits behind the point.
constexpr double rounding = 0.005;
constexpr int64_t most_parts = 1'000'000;

struct Interval {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

class RunReader {
 public:
  RunReader(const NcclRun& run, const std::string& file, const NcclGiven& said)
      : run_(run), file_(file), said_(said), ratio_(ratio()) {}

  std::vector<NcclPoint> points() {
    check_rows();
    operation_ = run_.operation.empty() ? told_by_columns() : run_.operation;
    ranks_ = run_.ranks > 0 ? run_.ranks : said_.ranks;
    if (operation_.empty()) operation_ = said_.operation;
    if (operation_.empty()) operation_ = told_by_ranks();
    if (ranks_ == 0) ranks_ = told_by_counts();
    if (ranks_ == 0) ranks_ = told_by_bandwidths();
    nodes_ = told_nodes();
    if (ranks_ % nodes_ != 0)
      throw InputError({file_, run_.rows.front().line, 1},
                       fmt::format("{} ranks do not divide by {} hosts", ranks_, nodes_));
    std::vector<NcclPoint> points;
    for (const NcclRow& row : run_.rows)
      if (row.bytes.count > 0) points.push_back(point_of(row));
    return points;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_}, message); }

  /// Refuses rows that cannot be of one run. The first size may take in what starts up.
  void check_rows() const {
    const NcclRow* before = nullptr;
    for (const NcclRow& row : run_.rows) {
      const Where at{file_, row.line, 1};
      if (row.bytes.count > 0 && row.time_us <= 0)
        throw InputError(at, fmt::format("{} bytes in no time", row.bytes.count));
      if (row.redop.empty() != run_.rows.front().redop.empty() ||
          (row.redop == "none") != (run_.rows.front().redop == "none"))
        throw InputError(at, "rows of several operations are mixed");
      if (before && before != &run_.rows.front() && row.bytes > before->bytes &&
          row.time_us * least_growth < before->time_us)
        throw InputError(
            at, fmt::format("{} bytes take {} us, {} bytes took {} us: no noise is so "
                            "large",
                            row.bytes.count, row.time_us, before->bytes.count, before->time_us));
      before = &row;
    }
  }

  /// busbw / algbw, as far as their digits say it.
  Interval ratio() const {
    Interval all;
    for (const NcclRow& row : run_.rows) {
      if (row.algbw < 1) continue;
      all.least = std::max(all.least, (row.busbw - rounding) / (row.algbw + rounding));
      all.most = std::min(all.most, (row.busbw + rounding) / (row.algbw - rounding));
    }
    return all;
  }

  bool reduces() const {
    const std::string& redop = run_.rows.front().redop;
    return !redop.empty() && redop != "none";
  }

  /// Returns the operation that columns and bandwidths tell whatever the ranks are. Until 2.12
  /// all_gather had neither of the columns, and all_to_all a redop of blanks.
  std::string told_by_columns() const {
    const NcclRow& row = run_.rows.front();
    const bool is_known = std::isfinite(ratio_.most) && ratio_.least <= ratio_.most;
    if (!is_known) return {};
    if (reduces() && ratio_.least > 1) return "all_reduce";
    if (reduces() && ratio_.most < 0.99) return "reduce_scatter";
    const bool is_one = ratio_.least <= 1 && ratio_.most >= 1;
    if (row.root >= 0 && is_one) return reduces() ? "reduce" : "broadcast";
    if (reduces() || is_one) return {};
    if (!run_.has_redop && !run_.has_root) return "all_gather";
    if (run_.has_redop && !run_.has_root && row.redop.empty()) return "all_to_all";
    if (row.root >= 0) return {};
    const auto any = [&](bool NcclRow::*what) {
      return std::any_of(run_.rows.begin(), run_.rows.end(),
                         [&](const NcclRow& one) { return one.*what; });
    };
    if (any(&NcclRow::checks_in_place_only_not)) return "all_to_all";
    return any(&NcclRow::checks_in_place) ? "all_gather" : "";
  }

  std::string told_by_ranks() const {
    const double part = ranks_ > 0 ? (ranks_ - 1.0) / ranks_ : 0;
    const auto is = [&](double factor) {
      return ratio_.least - 0.05 < factor && factor < ratio_.most + 0.05;
    };
    const bool is_known = std::isfinite(ratio_.most);
    if (is_known && reduces() && ranks_ > 2 && is(2 * part)) return "all_reduce";
    if (is_known && reduces() && ranks_ > 0 && is(part)) return "reduce_scatter";
    fail(
        "the log does not say which operation it measured: keep the line that names the program, "
        "such as '# Collective test starting: all_gather_perf', or add it");
  }

  bool has_parts() const {
    return operation_ == "all_gather" || operation_ == "reduce_scatter" ||
           operation_ == "all_to_all";
  }

  /// Returns how many parts the bytes have; 0 where no count tells it, or they tell several.
  int told_by_counts() const {
    int64_t parts = 0;
    for (const NcclRow& row : run_.rows) {
      const int64_t part = row.count * element_bytes(row.type).value_or(0);
      if (part <= 0 || !has_parts()) continue;
      const int64_t all = row.bytes.count / part;
      if (all * part != row.bytes.count || (parts > 0 && all != parts)) return 0;
      parts = all;
    }
    return parts > 1 && parts < most_parts ? static_cast<int>(parts) : 0;
  }

  /// Returns the only number of ranks that the bandwidths allow.
  int told_by_bandwidths() const {
    const bool all = operation_ == "all_reduce";
    const bool part = has_parts();
    const double times = all ? 2 : 1;
    const auto ranks_at = [&](double ratio) {
      return ratio < times ? times / (times - ratio) : std::numeric_limits<double>::infinity();
    };
    const double least = std::ceil(ranks_at(ratio_.least)),
                 most = std::floor(ranks_at(ratio_.most));
    if ((all || part) && least == most && least > 1 && least < 1e6) return static_cast<int>(least);
    const bool several = (all || part) && least > 1 && least < most;
    fail(
        fmt::format("the log does not say how many ranks took part: its lines '#  Rank ... on "
                    "HOST device ...' are missing{} (--ranks N)",
                    several ? fmt::format(", and bandwidths fit {} or more", least) : ""));
  }

  /// Tells whether every rank has its line, or hosts have ranks in a row that leave none out.
  bool has_all_hosts() const {
    int64_t count = 0, spanned = 0;
    for (const auto& [name, host] : run_.hosts) {
      count += host.count;
      spanned += host.last - host.first + 1;
    }
    return !run_.hosts.empty() && (count >= ranks_ || spanned == ranks_);
  }

  /// Returns the hosts that the log has; 0 where it does not say.
  int logged_nodes() const {
    if (run_.nodes > 0) return run_.nodes;
    return has_all_hosts() ? static_cast<int>(run_.hosts.size()) : 0;
  }

  int told_nodes() const {
    const int logged = logged_nodes();
    if (said_.nodes > 0 && logged > 0 && said_.nodes != logged)
      fail(fmt::format("the log has {} ranks on {} hosts, but --nodes says {}: leave --nodes out",
                       ranks_, logged, said_.nodes));
    if (said_.nodes > 0) return said_.nodes;
    if (logged > 0) return logged;
    if (run_.hosts.empty() && said_.ranks > 0) return 1;
    fail(fmt::format("the log does not say on how many hosts its {} ranks are: {} (--nodes N)",
                     ranks_,
                     run_.hosts.empty() ? "its lines '#  Rank ... on HOST device ...' are missing"
                                        : "some of its lines '#  Rank ...' are missing"));
  }

  NcclPoint point_of(const NcclRow& row) const {
    NcclPoint point{.operation = operation_, .type = row.type, .ranks = ranks_};
    point.element_bytes = element_bytes(row.type).value_or(4);
    point.nodes = nodes_;
    point.bytes = row.bytes;
    point.device = run_.device;
    point.library = run_.library;
    point.transport = run_.transport;
    point.time_s = row.time_us * 1e-6;
    if (row.in_place_us) point.in_place_s = *row.in_place_us * 1e-6;
    return point;
  }

  const NcclRun& run_;
  const std::string& file_;
  const NcclGiven& said_;
  Interval ratio_;
  std::string operation_;
  int ranks_ = 0, nodes_ = 1;
};

}  // namespace

std::vector<NcclPoint> points_of(const NcclRun& run, const std::string& file,
                                 const NcclGiven& said) {
  return RunReader(run, file, said).points();
}

}  // namespace pipewright::interop
