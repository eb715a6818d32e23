// The correction is taken for a random field of zero mean whose values at two places go together as
//   C(a, b) = sum over parts of  share exp(-sum over coordinates of  fading |a - b|)
// Parts stand for causes: what a region of shapes shares, what the library's choice of a kernel for
// these rows and columns shares over all depths, what one width and depth share over all rows. Each
// measurement carries noise of its own, of variance g. From neighbours with corrections y:
//   value = c (C + g I)^-1 y,   unknown = 1 - c (C + g I)^-1 c,   c: covariances with the place.
// Times are full of single outliers (a kernel badly chosen, a clock that dropped), so g grows for a
// measurement that its neighbours miss by more than the knee: to g |e| / knee, where
//   e = [(C + g I)^-1 y] / diagonal of (C + g I)^-1    is what it is missed by when left out.
//
// Source: C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning (2006), eq.
// 2.25, 2.26 and 5.12; the growing noise is Huber's weight (P. J. Huber, Robust Statistics, 1981).
#include "cost/kriging.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace pipewright {
namespace {

constexpr int reweighed = 2;  // times; what a third changes is not seen in errors

constexpr auto coordinates = static_cast<Eigen::Index>(std::tuple_size_v<Place>);

/// Covariances between every two of `places`, all at once: this is what a lookup spends its time
/// on.
Eigen::MatrixXd covariances(const Likeness& likeness, std::span<const Place> places) {
  const auto n = static_cast<Eigen::Index>(places.size());
  const auto parts = static_cast<Eigen::Index>(likeness.parts.size());
  const Eigen::Map<const Eigen::Array<double, coordinates, Eigen::Dynamic>> table(
      places.data()->data(), coordinates, n);
  Eigen::Array<double, coordinates, Eigen::Dynamic> apart(coordinates, n * (n - 1) / 2);
  for (Eigen::Index i = 0, at = 0; i < n; at += n - ++i)
    apart.middleCols(at, n - i - 1) = (table.rightCols(n - i - 1).colwise() - table.col(i)).abs();
  Eigen::MatrixXd fading(coordinates, parts);
  Eigen::VectorXd share(parts);
  for (Eigen::Index part = 0; part < parts; ++part) {
    const Likeness::Part& from = likeness.parts[static_cast<size_t>(part)];
    fading.col(part) = Eigen::Map<const Eigen::VectorXd>(from.fading.data(), coordinates);
    share[part] = from.share;
  }
  const Eigen::MatrixXd far = apart.matrix().transpose() * fading;
  const Eigen::VectorXd alike = (-far.array()).exp().matrix() * share;
  Eigen::MatrixXd between(n, n);
  between.diagonal().setConstant(share.sum());
  for (Eigen::Index i = 0, at = 0; i < n; at += n - ++i) {
    between.col(i).tail(n - i - 1) = alike.segment(at, n - i - 1);
    between.row(i).tail(n - i - 1) = alike.segment(at, n - i - 1).transpose();
  }
  return between;
}

/// The diagonal of the inverse of L L^T: the squared columns of L's inverse.
Eigen::VectorXd inverse_diagonal(const Eigen::MatrixXd& lower) {
  const Eigen::Index n = lower.rows();
  Eigen::VectorXd squares(n), column(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    column.tail(n - j).setZero();
    column[j] = 1;
    for (Eigen::Index i = j; i < n; ++i) {
      column[i] /= lower(i, i);
      column.tail(n - i - 1) -= column[i] * lower.col(i).tail(n - i - 1);
    }
    squares[j] = column.tail(n - j).squaredNorm();
  }
  return squares;
}

/// The noise of each measurement, larger where its neighbours miss it.
Eigen::VectorXd noise(const Likeness& likeness, const Eigen::MatrixXd& between,
                      const Eigen::VectorXd& known) {
  Eigen::VectorXd noise = Eigen::VectorXd::Constant(known.size(), likeness.noise);
  for (int i = 0; i < reweighed; ++i) {
    Eigen::MatrixXd noisy = between;
    noisy.diagonal() += noise;
    const Eigen::LLT<Eigen::MatrixXd> factors(noisy);
    const Eigen::VectorXd missed =
        factors.solve(known).cwiseQuotient(inverse_diagonal(factors.matrixLLT()));
    noise = likeness.noise * (missed.cwiseAbs() / likeness.knee).cwiseMax(1);
  }
  return noise;
}

}  // namespace

double distance(const Place& scale, const Place& a, const Place& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += scale[i] * std::abs(a[i] - b[i]);
  return sum;
}

double covariance(const Likeness& likeness, const Place& a, const Place& b) {
  double sum = 0;
  for (const Likeness::Part& part : likeness.parts)
    sum += part.share * std::exp(-distance(part.fading, a, b));
  return sum;
}

Carried carry(const Likeness& likeness, const Place& at, std::span<const Place> places,
              std::span<const double> known) {
  if (places.empty()) return {};
  const auto n = static_cast<Eigen::Index>(places.size());
  const Eigen::Map<const Eigen::VectorXd> values(known.data(), n);
  std::vector<Place> all(places.begin(), places.end());
  all.push_back(at);
  const Eigen::MatrixXd each = covariances(likeness, all);
  const Eigen::VectorXd with = each.col(n).head(n);
  Eigen::MatrixXd between = each.topLeftCorner(n, n);
  between.diagonal() += noise(likeness, between, values);
  const Eigen::VectorXd weights = between.llt().solve(with);
  return {weights.dot(values), std::max(0.0, 1 - weights.dot(with))};
}

}  // namespace pipewright
