// Cost (Chen et al., AutoDDL, arXiv 2301.06813): every dimension of n devices cuts on its own.
//   compute   seconds / product of n over dimensions that are not `replicate`
//   gradients all-reduce of weights / (their cut in other dimensions) where a dimension is `batch`
//   boxing    from what an operator makes to what the next one takes, V bytes after the cuts of the
//             other dimensions: S->B all-gather V (n-1)/n, P->B all-reduce 2 V (n-1)/n, P->S
//             reduce-scatter V (n-1)/n, S(i)->S(j) all-to-all V (n-1)/n^2, B->S and alike nothing
//   and the same backward for gradients, of which B becomes P where weights were cut by columns and
//   P becomes B. A collective starts after (n - 1) latencies, twice that for an all-reduce.
#include "search/signatures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace pipewright::search {
namespace {

enum class Layout : uint8_t { batch, features, whole, partial };

Layout input(Signature s) {
  constexpr Layout layouts[] = {Layout::batch, Layout::whole, Layout::features, Layout::whole};
  return layouts[static_cast<size_t>(s)];
}
Layout output(Signature s) {
  constexpr Layout layouts[] = {Layout::batch, Layout::features, Layout::partial, Layout::whole};
  return layouts[static_cast<size_t>(s)];
}
/// Of the gradient that comes out of the backward pass, and of the one that it needs.
Layout input_gradient(Signature s) { return s == Signature::column ? Layout::partial : input(s); }
Layout output_gradient(Signature s) { return s == Signature::row ? Layout::whole : output(s); }

bool cuts(Layout layout) { return layout == Layout::batch || layout == Layout::features; }

double boxing_s(Layout from, Layout to, double bytes, const GridDimension& d) {
  const double n = d.size;
  const double part = bytes * (n - 1) / n / d.bandwidth, start = (n - 1) * d.latency_s;
  if (from == to || d.size == 1 || from == Layout::whole) return 0;
  if (from == Layout::partial) return to == Layout::whole ? 2 * (part + start) : part + start;
  return to == Layout::whole ? part + start : part / n + start;
}

class Evaluator {
 public:
  explicit Evaluator(const SignatureProblem& problem) : p_(problem) {}

  double total(const Signatures& all) const {
    double sum = 0;
    for (size_t i = 0; i < p_.operators.size(); ++i) sum += alone(all, i) + after(all, i);
    return sum;
  }

  /// What depends on the signatures of operators i and i + 1.
  double around(const Signatures& all, size_t i) const {
    const size_t n = p_.operators.size(), next = (i + 1) % n, before = (i + n - 1) % n;
    double sum = alone(all, i) + after(all, i) + (before == i ? 0 : after(all, before));
    if (next != i) sum += alone(all, next) + (next == before ? 0 : after(all, next));
    return sum;
  }

  bool allows(size_t i, Signature s) const {
    const Operator& one = p_.operators[i];
    if (s == Signature::row) return one.cuttable && !one.whole_input;
    return s != Signature::column || one.cuttable;
  }

 private:
  const Signature* of(const Signatures& all, size_t i) const { return &all[i * p_.grid.size()]; }

  double alone(const Signatures& all, size_t i) const {
    const Operator& one = p_.operators[i];
    double parts = 1, weight_parts = 1, sum = 0;
    for (size_t d = 0; d < p_.grid.size(); ++d) {
      const Signature s = of(all, i)[d];
      if (s != Signature::replicate) parts *= p_.grid[d].size;
      if (s == Signature::column || s == Signature::row) weight_parts *= p_.grid[d].size;
    }
    for (size_t d = 0; d < p_.grid.size(); ++d) {
      if (of(all, i)[d] == Signature::batch)
        sum += boxing_s(Layout::partial, Layout::whole, one.weights / weight_parts, p_.grid[d]);
    }
    return one.seconds / parts * p_.times + sum * p_.times;
  }

  /// Boxing between operator i and the next, there and back.
  double after(const Signatures& all, size_t i) const {
    const size_t n = p_.operators.size(), next = (i + 1) % n;
    if (next == 0 && p_.times == 1) return 0;
    const int often = next == 0 ? p_.times - 1 : p_.times;
    double sum = 0;
    for (size_t d = 0; d < p_.grid.size(); ++d) {
      double bytes = p_.operators[i].output;
      for (size_t e = 0; e < p_.grid.size(); ++e) {
        if (e == d) continue;
        if (cuts(output(of(all, i)[e])) && cuts(input(of(all, next)[e]))) bytes /= p_.grid[e].size;
      }
      const Signature from = of(all, i)[d], to = of(all, next)[d];
      sum += boxing_s(output(from), input(to), bytes, p_.grid[d]) +
             boxing_s(input_gradient(to), output_gradient(from), bytes, p_.grid[d]);
    }
    return sum * often;
  }

  const SignatureProblem& p_;
};

/// Every way to cut operators `first` and, unless it is the same, `second`; `visit` sees each in
/// `all`, which it leaves as the last.
template <class Visit>
void each_way(const Evaluator& cost, Signatures& all, size_t dimensions,
              const std::vector<size_t>& operators, size_t place, Visit&& visit) {
  if (place == operators.size() * dimensions) {
    visit();
    return;
  }
  const size_t i = operators[place / dimensions];
  for (int s = 0; s < signature_count; ++s) {
    if (!cost.allows(i, static_cast<Signature>(s))) continue;
    all[i * dimensions + place % dimensions] = static_cast<Signature>(s);
    each_way(cost, all, dimensions, operators, place + 1, visit);
  }
}

class Descent {
 public:
  explicit Descent(const SignatureProblem& problem) : p_(problem), cost_(problem) {}

  SignaturePlan from(Signatures all) const {
    for (bool better = true; better;) {
      better = false;
      for (size_t i = 0; i < p_.operators.size(); ++i) better |= improve(all, i);
    }
    return {cost_.total(all), std::move(all)};
  }

  Signatures random(std::mt19937_64& random) const {
    Signatures all(p_.operators.size() * p_.grid.size());
    for (size_t i = 0; i < all.size(); ++i) {
      do all[i] = static_cast<Signature>(random() % signature_count);
      while (!cost_.allows(i / p_.grid.size(), all[i]));
    }
    return all;
  }

 private:
  bool improve(Signatures& all, size_t i) const {
    const size_t next = (i + 1) % p_.operators.size();
    std::vector<size_t> window{i};
    if (next != i) window.push_back(next);
    const double before = cost_.around(all, i);
    double least = before;
    Signatures trial = all, best = all;
    each_way(cost_, trial, p_.grid.size(), window, 0, [&] {
      const double now = cost_.around(trial, i);
      if (now < least) least = now, best = trial;
    });
    if (!(least < before * (1 - 1e-12))) return false;
    all = std::move(best);
    return true;
  }

  const SignatureProblem& p_;
  Evaluator cost_;
};

}  // namespace

double seconds_of(const SignatureProblem& problem, const Signatures& signatures) {
  return Evaluator(problem).total(signatures);
}

SignaturePlan descend(const SignatureProblem& problem, int restarts, uint64_t seed) {
  const Descent descent(problem);
  std::mt19937_64 random(seed);
  SignaturePlan best =
      descent.from(Signatures(problem.operators.size() * problem.grid.size(), Signature::batch));
  for (int i = 0; i < restarts; ++i) {
    SignaturePlan plan = descent.from(descent.random(random));
    if (plan.seconds < best.seconds) best = std::move(plan);
  }
  return best;
}

double signature_choices(const SignatureProblem& problem) {
  const Evaluator cost(problem);
  double choices = 1;
  for (size_t i = 0; i < problem.operators.size(); ++i) {
    int allowed = 0;
    for (int s = 0; s < signature_count; ++s) allowed += cost.allows(i, static_cast<Signature>(s));
    choices *= std::pow(allowed, static_cast<double>(problem.grid.size()));
  }
  return choices;
}

SignaturePlan try_all(const SignatureProblem& problem) {
  const Evaluator cost(problem);
  Signatures all(problem.operators.size() * problem.grid.size());
  std::vector<size_t> operators;
  for (size_t i = 0; i < problem.operators.size(); ++i) operators.push_back(i);
  SignaturePlan best{std::numeric_limits<double>::infinity(), {}};
  each_way(cost, all, problem.grid.size(), operators, 0, [&] {
    const double seconds = cost.total(all);
    if (seconds < best.seconds) best = {seconds, all};
  });
  return best;
}

}  // namespace pipewright::search
