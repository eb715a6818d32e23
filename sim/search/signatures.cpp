// Cost (Chen et al., AutoDDL, arXiv 2301.06813): every side of the grid cuts an operator on its
// own.
//   compute   seconds / product of the sides that are not `replicate`
//   gradients all-reduce of weights / (their cut on other sides) where a side is `batch`
//   boxing    from what an operator makes to what the next one takes, and the same backward for
//             gradients (workload/signatures.cpp)
// A collective takes a start and a time by byte, both drawn from two sizes of the given price.
// Nothing hides behind anything.
#include "search/signatures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <span>

#include "base/required.hpp"

namespace pipewright::search {
namespace {

constexpr size_t spread_codes = 64;  // 4 ways to lie on each of 3 sides

size_t code_of(const Spreads& spreads) {
  size_t code = 0;
  for (size_t side = grid_sides; side-- > 0;) code = 4 * code + static_cast<size_t>(spreads[side]);
  return code;
}

Spreads spreads_of(size_t code) {
  Spreads spreads{};
  for (Spread& spread : spreads) spread = static_cast<Spread>(code % 4), code /= 4;
  return spreads;
}

struct Linear {
  double start = 0, by_byte = 0;
  double of(double bytes) const { return start + by_byte * bytes; }
};

/// The costs of boxing between any two spreads.
class BoxingCosts {
 public:
  explicit BoxingCosts(const SignatureProblem& problem) : all_(spread_codes * spread_codes) {
    constexpr double whole = 1 << 30;
    std::map<std::pair<CollectiveKind, Axis>, Linear> prices;
    for (size_t from = 0; from < spread_codes; ++from) {
      for (size_t to = 0; to < spread_codes; ++to) {
        const Spreads end = spreads_of(to);
        if (std::ranges::find(end, Spread::partial) != end.end()) continue;
        Linear& cost = all_[from * spread_codes + to];
        for (const Segment& step : boxing(problem.grid, spreads_of(from), end, whole)) {
          const CollectiveWork& work = required(step.collective, "boxing is by collectives");
          const auto [known, is_new] = prices.try_emplace({work.kind, work.axis});
          if (is_new) known->second = price(problem, work);
          cost.start += known->second.start;
          cost.by_byte += known->second.by_byte * static_cast<double>(work.bytes.count) / whole;
        }
      }
    }
  }

  double of(size_t from, size_t to, double bytes) const {
    return all_[from * spread_codes + to].of(bytes);
  }

 private:
  static Linear price(const SignatureProblem& problem, CollectiveWork work) {
    constexpr Bytes few{8}, many = 64 * MiB;
    work.bytes = few;
    const double least = problem.price(work);
    work.bytes = many;
    const double by_byte = (problem.price(work) - least) / static_cast<double>((many - few).count);
    return {least - by_byte * static_cast<double>(few.count), by_byte};
  }

  std::vector<Linear> all_;
};

class Evaluator {
 public:
  explicit Evaluator(const SignatureProblem& problem) : p_(problem), boxing_(problem) {}

  double total(const Choice& all) const {
    double sum = 0;
    for (size_t i = 0; i < p_.operators.size(); ++i) sum += alone(all, i) + after(all, i);
    return sum;
  }

  /// Returns what depends on the signatures of operators i and i + 1.
  double around(const Choice& all, size_t i) const {
    if (p_.residual) return total(all);  // all that touch the stream depend on each other
    const size_t n = p_.operators.size(), next = (i + 1) % n, before = (i + n - 1) % n;
    double sum = alone(all, i) + after(all, i) + (before == i ? 0 : after(all, before));
    if (next != i) sum += alone(all, next) + (next == before ? 0 : after(all, next));
    return sum;
  }

  /// Tells whether an operator may lie so on one side; a side of one device has one signature.
  bool allows(size_t i, size_t side, Signature s) const {
    const Operator& one = p_.operators[i];
    if (p_.grid.sides[side] == 1) return s == Signature::batch;
    if (s == Signature::row) return one.cuttable && !one.whole_input;
    return s != Signature::column || one.cuttable;
  }
  /// The sides together divide what they cut.
  bool divides(size_t i, const Signatures& signatures) const {
    std::array<int64_t, signature_count> cut{1, 1, 1, 1};
    for (size_t side = 0; side < grid_sides; ++side)
      cut[static_cast<size_t>(signatures[side])] *= p_.grid.sides[side];
    const auto [batch, column, row, replicate] = cut;
    return p_.batch % batch == 0 && p_.operators[i].out % column == 0 &&
           p_.operators[i].in % row == 0;
  }

 private:
  double alone(const Choice& all, size_t i) const {
    const Operator& one = p_.operators[i];
    double parts = 1;
    Spreads weights{}, summed{};
    for (size_t side = 0; side < grid_sides; ++side) {
      const Signature s = all[i][side];
      if (s != Signature::replicate) parts *= p_.grid.sides[side];
      const bool cut = s == Signature::column || s == Signature::row;
      weights[side] = s == Signature::batch ? Spread::partial
                      : cut                 ? Spread::features
                                            : Spread::whole;
      summed[side] = cut ? Spread::features : Spread::whole;
    }
    return p_.times *
           (one.seconds / parts + boxing_.of(code_of(weights), code_of(summed), one.weights));
  }

  /// Sums lie by batch where what takes them does.
  Spreads stream(const Choice& all) const {
    Spreads spreads;
    spreads.fill(Spread::whole);
    for (size_t i = 0; i < p_.operators.size(); ++i)
      for (size_t side = 0; side < grid_sides; ++side)
        if (p_.operators[i].whole_input && all[i][side] == Signature::batch)
          spreads[side] = Spread::batch;
    return spreads;
  }

  /// Boxing between operator i and the next, there and back.
  double after(const Choice& all, size_t i) const {
    const size_t n = p_.operators.size(), next = (i + 1) % n;
    if (next == 0 && p_.times == 1) return 0;
    const int often = next == 0 ? p_.times - 1 : p_.times;
    const double bytes = p_.operators[i].output;
    const auto code = [](const Signatures& signatures, Spread (*spread)(Signature)) {
      return code_of(on_sides(signatures, spread));
    };
    const size_t made = code(all[i], output_of), taken = code(all[next], input_of);
    const size_t back = code(all[next], input_gradient_of);
    const size_t wanted = code(all[i], output_gradient_of);
    if (!p_.residual || !p_.operators[next].whole_input)
      return often * (boxing_.of(made, taken, bytes) + boxing_.of(back, wanted, bytes));
    const size_t between = code_of(stream(all));
    return often * (boxing_.of(made, between, bytes) + boxing_.of(between, taken, bytes) +
                    boxing_.of(back, between, bytes) + boxing_.of(between, wanted, bytes));
  }

  const SignatureProblem& p_;
  BoxingCosts boxing_;
};

/// Visits every way to cut `operators`; `visit` sees each in `all`, which it leaves as the last.
template <class Visit>
void each_choice(const Evaluator& cost, Choice& all, const std::vector<size_t>& operators,
                 size_t place, Visit&& visit) {
  if (place > 0 && place % grid_sides == 0) {
    const size_t done = operators[place / grid_sides - 1];
    if (!cost.divides(done, all[done])) return;
  }
  if (place == operators.size() * grid_sides) {
    visit();
    return;
  }
  const size_t i = operators[place / grid_sides], side = place % grid_sides;
  for (int s = 0; s < signature_count; ++s) {
    if (!cost.allows(i, side, static_cast<Signature>(s))) continue;
    all[i][side] = static_cast<Signature>(s);
    each_choice(cost, all, operators, place + 1, visit);
  }
}

std::vector<Signatures> choices_of(const Evaluator& cost, size_t i) {
  std::vector<Signatures> choices;
  Choice all(i + 1);
  each_choice(cost, all, {i}, 0, [&] { choices.push_back(all[i]); });
  return choices;
}

class Descent {
 public:
  explicit Descent(const SignatureProblem& problem) : p_(problem), cost_(problem) {
    for (size_t i = 0; i < p_.operators.size(); ++i) choices_.push_back(choices_of(cost_, i));
  }

  SignaturePlan from(Choice all) const {
    for (bool better = true; better;) {
      better = false;
      for (size_t i = 0; i < p_.operators.size(); ++i) better |= improve(all, i);
    }
    return {cost_.total(all), std::move(all)};
  }

  /// Gives each operator the first choice there is: by batch, where that divides.
  Choice first() const {
    Choice all;
    for (const std::vector<Signatures>& choices : choices_) all.push_back(choices.front());
    return all;
  }
  Choice random(std::mt19937_64& random) const {
    Choice all;
    for (const std::vector<Signatures>& choices : choices_)
      all.push_back(choices[random() % choices.size()]);
    return all;
  }

 private:
  bool improve(Choice& all, size_t i) const {
    const size_t next = (i + 1) % p_.operators.size();
    const double before = cost_.around(all, i);
    double least = before;
    Choice trial = all, best = all;
    for (const Signatures& one : choices_[i]) {
      trial[i] = one;
      for (const Signatures& other : next == i ? std::span(&one, 1) : std::span(choices_[next])) {
        trial[next] = other;
        const double now = cost_.around(trial, i);
        if (now < least) least = now, best = trial;
      }
    }
    if (!(least < before * (1 - 1e-12))) return false;
    all = std::move(best);
    return true;
  }

  const SignatureProblem& p_;
  Evaluator cost_;
  std::vector<std::vector<Signatures>> choices_;  ///< by operator
};

}  // namespace

double seconds_of(const SignatureProblem& problem, const Choice& choice) {
  return Evaluator(problem).total(choice);
}

SignaturePlan descend(const SignatureProblem& problem, int restarts, uint64_t seed) {
  const Descent descent(problem);
  std::mt19937_64 random(seed);
  SignaturePlan best = descent.from(descent.first());
  for (int i = 0; i < restarts; ++i) {
    SignaturePlan plan = descent.from(descent.random(random));
    if (plan.seconds < best.seconds) best = std::move(plan);
  }
  return best;
}

double signature_choices(const SignatureProblem& problem) {
  const Evaluator cost(problem);
  double choices = 1;
  for (size_t i = 0; i < problem.operators.size(); ++i)
    choices *= static_cast<double>(choices_of(cost, i).size());
  return choices;
}

SignaturePlan try_all(const SignatureProblem& problem) {
  const Evaluator cost(problem);
  Choice all(problem.operators.size());
  std::vector<size_t> operators;
  for (size_t i = 0; i < problem.operators.size(); ++i) operators.push_back(i);
  SignaturePlan best{std::numeric_limits<double>::infinity(), {}};
  each_choice(cost, all, operators, 0, [&] {
    const double seconds = cost.total(all);
    if (seconds < best.seconds) best = {seconds, all};
  });
  return best;
}

}  // namespace pipewright::search
