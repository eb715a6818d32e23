// LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995) in pieces: a library changes its protocol
// and its algorithm with the size, so that every range of sizes has its own line
//
//   t = base + doubling log2(n) + rank (n - 1) + w S byte + n w S shared_byte
//
// S bytes over n ranks; w S is what each rank must send: w = 2 (n - 1) / n of an all-reduce,
// (n - 1) / n where a buffer is gathered, scattered or exchanged, else 1. All five are at least 0.
// Relative errors are squared, beyond 10 % counted linearly (Huber). Ranges are chosen among all
// by what their lines miss; one more must take away a tenth of it. Wrong between ranks that share
// cores: what waits for a turn is not in it.
#include "calibrate/fit/alpha_beta.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "network/nccl/predicted.hpp"

namespace pipewright::fit {
namespace {

using interop::NcclPoint;

constexpr int terms = 5, most_segments = 4, folds = 5, rounds = 6;
constexpr size_t least_sizes = 3;  // of a segment: with fewer every line fits
constexpr double knee = 0.1, worth_a_segment = 0.9;
using Terms = Eigen::Matrix<double, terms, 1>;

double share_sent(const std::string& operation, double ranks) {
  if (operation == "all_reduce") return 2 * (ranks - 1) / ranks;
  if (operation == "broadcast" || operation == "send_recv") return 1;
  return (ranks - 1) / ranks;
}

Terms terms_of(const std::string& operation, double ranks, double bytes) {
  const double sent = share_sent(operation, ranks) * bytes;
  Terms t;
  t << 1, std::log2(ranks), ranks - 1, sent, ranks * sent;
  return t;
}

Terms values_of(const AlphaBeta& s) {
  Terms v;
  v << s.base_s, s.doubling_s, s.rank_s, s.byte_s, s.shared_byte_s;
  return v;
}

/// The rows [terms / t] x = 1 of points, which say relative errors.
Eigen::MatrixXd rows_of(const std::vector<NcclPoint>& points) {
  Eigen::MatrixXd rows(std::ssize(points), terms);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const NcclPoint& p = points[static_cast<size_t>(i)];
    rows.row(i) =
        terms_of(p.operation, p.ranks, static_cast<double>(p.bytes.count)).transpose() / p.time_s;
  }
  return rows;
}

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, terms, terms>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, terms, 1>;

/// The normal equations of |w (A x - 1)|, of columns of length 1: terms differ by powers of ten.
struct Normal {
  Eigen::Matrix<double, terms, terms> products;
  Terms right, lengths;
  double all = 0;  ///< |w|^2

  Normal(const Eigen::MatrixXd& a, const Eigen::VectorXd& weights) {
    const Eigen::Matrix<double, Eigen::Dynamic, terms> rows = weights.asDiagonal() * a;
    lengths = rows.colwise().norm().cwiseMax(1e-300);
    const Terms shrink = lengths.cwiseInverse();
    products = shrink.asDiagonal() * (rows.transpose() * rows) * shrink.asDiagonal();
    right = shrink.asDiagonal() * (rows.transpose() * weights);
    all = weights.squaredNorm();
  }
};

/// x >= 0 with the least squares: by trying which of five terms are not 0. Of terms that points do
/// not tell apart only the first is taken.
Terms nonnegative(const Normal& normal) {
  constexpr double told_apart = 1e-9, better = 1e-13;
  Terms best = Terms::Zero();
  double least = std::numeric_limits<double>::infinity();
  for (unsigned chosen = 1; chosen < 1U << terms; ++chosen) {
    std::array<int, terms> columns{};
    int count = 0;
    for (int t = 0; t < terms; ++t)
      if (chosen >> t & 1U) columns[static_cast<size_t>(count++)] = t;
    Square products(count, count);
    Column right(count);
    for (int i = 0; i < count; ++i) {
      right[i] = normal.right[columns[static_cast<size_t>(i)]];
      for (int k = 0; k < count; ++k)
        products(i, k) =
            normal.products(columns[static_cast<size_t>(i)], columns[static_cast<size_t>(k)]);
    }
    const Eigen::LDLT<Square> solver(products);
    if (!(solver.vectorD().minCoeff() > told_apart)) continue;
    const Column x = solver.solve(right);
    const double misses = normal.all - 2 * right.dot(x) + x.dot(products * x);
    if (x.minCoeff() < 0 || misses >= least - better * normal.all) continue;
    least = misses;
    best.setZero();
    for (int i = 0; i < count; ++i) best[columns[static_cast<size_t>(i)]] = x[i];
  }
  return best.cwiseQuotient(normal.lengths);
}

struct Line {
  Terms values = Terms::Zero();
  double loss = 0;  ///< Huber's, over all points
};

Line line_through(const std::vector<NcclPoint>& points) {
  const Eigen::MatrixXd rows = rows_of(points);
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(rows.rows());
  Line line;
  for (int round = 0; round < rounds; ++round) {  // Huber's loss by weights
    line.values = nonnegative(Normal(rows, weights));
    const Eigen::ArrayXd misses = (rows * line.values).array() - 1;
    weights = (knee / misses.abs().max(knee)).sqrt();
    line.loss = 0;
    for (const double miss : misses)
      line.loss += std::abs(miss) <= knee ? miss * miss : knee * (2 * std::abs(miss) - knee);
  }
  return line;
}

/// Lines over all ranges of sizes, and the best way to cut all sizes into so many.
class Segments {
 public:
  explicit Segments(const std::vector<NcclPoint>& points) {
    // Buffers are cut to a multiple of the ranks: 120 bytes of three are 128 of two.
    std::map<int64_t, std::vector<NcclPoint>> by_size;
    for (const NcclPoint& point : points)
      by_size[std::lround(std::log2(static_cast<double>(point.bytes.count)))].push_back(point);
    std::vector<std::vector<NcclPoint>> steps;
    for (auto& [size, own] : by_size) {
      int64_t most = 0;
      for (const NcclPoint& point : own) most = std::max(most, point.bytes.count);
      sizes_.push_back(most);
      steps.push_back(std::move(own));
    }
    const size_t count = sizes_.size();
    lines_.assign(count, std::vector<Line>(count));
    for (size_t first = 0; first < count; ++first) {
      std::vector<NcclPoint> some;
      for (size_t last = first; last < count; ++last) {
        some.insert(some.end(), steps[last].begin(), steps[last].end());
        lines_[first][last] = line_through(some);
      }
    }
  }

  std::vector<AlphaBeta> best() const {
    std::vector<AlphaBeta> found;
    double loss = std::numeric_limits<double>::infinity();
    for (int count = 1; count <= most_segments; ++count) {
      std::vector<AlphaBeta> cut;
      const double misses = cover(0, count, cut);
      if (misses > worth_a_segment * loss || misses + 1e-12 >= loss) continue;
      loss = misses;
      found = std::move(cut);
    }
    if (found.empty()) found = {segment(0, sizes_.size() - 1)};
    return found;
  }

 private:
  AlphaBeta segment(size_t first, size_t last) const {
    const Terms& v = lines_[first][last].values;
    return {static_cast<double>(sizes_[last]), v[0], v[1], v[2], v[3], v[4]};
  }

  /// The least loss of `count` segments from `first` on; infinite where there are too few sizes.
  double cover(size_t first, int count, std::vector<AlphaBeta>& cut) const {
    const size_t end = sizes_.size();
    if (first + least_sizes > end) return std::numeric_limits<double>::infinity();
    if (count == 1) {
      cut = {segment(first, end - 1)};
      return lines_[first][end - 1].loss;
    }
    double least = std::numeric_limits<double>::infinity();
    for (size_t last = first + least_sizes - 1; last + 1 < end; ++last) {
      std::vector<AlphaBeta> rest;
      const double loss = lines_[first][last].loss + cover(last + 1, count - 1, rest);
      if (loss >= least) continue;
      least = loss;
      rest.insert(rest.begin(), segment(first, last));
      cut = std::move(rest);
    }
    return least;
  }

  std::vector<int64_t> sizes_;
  std::vector<std::vector<Line>> lines_;
};

/// A fold for each point, the same whatever their order.
std::vector<int> folds_of(const std::vector<NcclPoint>& points) {
  std::map<std::pair<int, int64_t>, int> fold;
  for (const NcclPoint& point : points) fold[{point.ranks, point.bytes.count}] = 0;
  int next = 0;
  for (auto& [shape, number] : fold) number = next++ * 3 % folds;  // neighbours in other folds
  std::vector<int> all;
  for (const NcclPoint& point : points) all.push_back(fold[{point.ranks, point.bytes.count}]);
  return all;
}

std::vector<double> held_out_errors(const std::vector<NcclPoint>& points) {
  const std::vector<int> fold = folds_of(points);
  std::vector<double> errors;
  for (int left_out = 0; left_out < folds; ++left_out) {
    std::vector<NcclPoint> known, unseen;
    for (size_t i = 0; i < points.size(); ++i)
      (fold[i] == left_out ? unseen : known).push_back(points[i]);
    if (known.empty() || unseen.empty()) continue;
    const CollectiveFit fit{points.front().operation, "", Segments(known).best(), {}};
    for (const NcclPoint& p : unseen)
      errors.push_back(predicted_s(fit, p.ranks, static_cast<double>(p.bytes.count)) / p.time_s -
                       1);
  }
  return errors;
}

const char* place_of(const NcclPoint& point) {
  if (point.nodes <= 1) return "host";
  return point.ranks == point.nodes ? "rail" : "hosts";
}

}  // namespace

double predicted_s(const CollectiveFit& fit, int ranks, double bytes) {
  auto segment = std::find_if(fit.segments.begin(), fit.segments.end(),
                              [bytes](const AlphaBeta& s) { return bytes <= s.most_bytes; });
  if (segment == fit.segments.end()) --segment;
  return terms_of(fit.operation, ranks, bytes).dot(values_of(*segment));
}

std::vector<CollectiveFit> fit_alpha_beta(const std::vector<NcclPoint>& points) {
  std::map<std::pair<std::string, std::string>, std::vector<NcclPoint>> by_kind;
  for (const NcclPoint& point : points)
    by_kind[{place_of(point), point.operation}].push_back(point);
  std::vector<CollectiveFit> fits;
  for (const auto& [kind, own] : by_kind)
    fits.push_back(
        {kind.second, kind.first, Segments(own).best(), summary_of(held_out_errors(own))});
  return fits;
}

config::Value to_value(const std::vector<CollectiveFit>& fits) {
  using config::scalar;
  const auto us = [](double seconds) { return scalar(fmt::format("{:.4g} us", seconds * 1e6)); };
  const auto ns = [](double seconds) { return scalar(fmt::format("{:.4g} ns", seconds * 1e9)); };
  config::Value list{.kind = config::Value::Kind::list};
  for (const CollectiveFit& fit : fits) {
    config::Value segments{.kind = config::Value::Kind::list};
    for (const AlphaBeta& s : fit.segments) {
      config::Value& item = segments.items.emplace_back();
      item.set("to", scalar(fmt::format("{:.0f} B", s.most_bytes)));
      item.set("base", us(s.base_s));
      item.set("each_doubling", us(s.doubling_s));
      item.set("each_rank", us(s.rank_s));
      item.set("each_byte", ns(s.byte_s));
      item.set("each_shared_byte", ns(s.shared_byte_s));
    }
    config::Value held, item;
    held.set("points", config::number(fit.held_out.points));
    held.set("median", scalar(fmt::format("{:.4f}", fit.held_out.median_abs_error)));
    held.set("p95", scalar(fmt::format("{:.4f}", fit.held_out.p95_abs_error)));
    item.set("operation", scalar(fit.operation));
    item.set("place", scalar(fit.place));
    item.set("segments", std::move(segments));
    item.set("held_out", std::move(held));
    list.items.push_back(std::move(item));
  }
  return list;
}

}  // namespace pipewright::fit
