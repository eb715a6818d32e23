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

using Places = Eigen::Array<double, Eigen::Dynamic, std::tuple_size_v<Place>>;

Places table_of(std::span<const Place> places) {
  Places table(static_cast<Eigen::Index>(places.size()), std::tuple_size_v<Place>);
  for (Eigen::Index i = 0; i < table.rows(); ++i)
    table.row(i) = Eigen::Map<const Eigen::Array<double, 1, std::tuple_size_v<Place>>>(
        places[static_cast<size_t>(i)].data());
  return table;
}

/// With the last `count` of `places`, all at once: this is what a lookup spends its time on.
Eigen::VectorXd covariances(const Likeness& likeness, const Places& places, Eigen::Index count,
                            const Place& at) {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(count);
  for (const Likeness::Part& part : likeness.parts) {
    Eigen::ArrayXd apart = Eigen::ArrayXd::Zero(count);
    for (size_t c = 0; c < at.size(); ++c)
      if (part.fading[c] != 0)
        apart +=
            part.fading[c] * (places.col(static_cast<Eigen::Index>(c)).tail(count) - at[c]).abs();
    sum += part.share * (-apart).exp();
  }
  return sum;
}

Eigen::MatrixXd covariances(const Likeness& likeness, const Places& places,
                            std::span<const Place> each) {
  const Eigen::Index n = places.rows();
  Eigen::MatrixXd between(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    between.col(i).tail(n - i) = covariances(likeness, places, n - i, each[static_cast<size_t>(i)]);
    between.row(i).tail(n - i) = between.col(i).tail(n - i).transpose();
  }
  return between;
}

/// The noise of each measurement, larger where its neighbours miss it.
Eigen::VectorXd noise(const Likeness& likeness, const Eigen::MatrixXd& between,
                      const Eigen::VectorXd& known) {
  const Eigen::Index n = known.size();
  Eigen::VectorXd noise = Eigen::VectorXd::Constant(n, likeness.noise);
  for (int i = 0; i < reweighed; ++i) {
    Eigen::MatrixXd noisy = between;
    noisy.diagonal() += noise;
    const Eigen::MatrixXd inverse = noisy.llt().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd missed = (inverse * known).cwiseQuotient(inverse.diagonal());
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
  const Places table = table_of(places);
  const Eigen::VectorXd with = covariances(likeness, table, n, at);
  Eigen::MatrixXd between = covariances(likeness, table, places);
  between.diagonal() += noise(likeness, between, values);
  const Eigen::VectorXd weights = between.llt().solve(with);
  return {weights.dot(values), std::max(0.0, 1 - weights.dot(with))};
}

}  // namespace pipewright
