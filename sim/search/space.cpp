#include "search/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "experiment/schedule_name.hpp"

namespace pipewright::search {
namespace {

bool divides(int64_t part, int64_t whole) { return part > 0 && whole % part == 0; }

/// Returns the number that is pinned at `path`, else `usual`.
std::vector<int> choices(const Problem& problem, std::string_view path, std::vector<int> usual) {
  const config::Value* value = pinned(problem, path);
  if (value && value->is_map()) value = value->find("degree");
  if (!value || value->text == "auto") return usual;
  return {static_cast<int>(config::as_int(*value, 0, 1 << 20))};
}

std::vector<config::Value> usual_schedules(const Problem& problem) {
  if (!problem.schedules.empty()) return problem.schedules;
  if (const config::Value* schedule = pinned(problem, "schedule")) return {*schedule};
  return {schedule_named("1f1b"), schedule_named("zb-h1"),
          schedule_named("{name: interleaved-1f1b, virtual: 2}"),
          schedule_named("{name: interleaved-1f1b, virtual: 4}")};
}

bool interleaves(const config::Value& schedule) {
  return schedule_name(schedule).starts_with("interleaved-1f1b");
}

/// Returns nothing, the attention core, all that takes little to run again, and whole blocks.
std::vector<std::string> all_recomputations(const Given& given) {
  std::vector<std::string> all = {"none", "selective", "full"};
  if (given.cheap_modules.size() > 1)
    all.insert(all.end() - 1,
               fmt::format("{{modules: [{}]}}", fmt::join(given.cheap_modules, ", ")));
  return all;
}

/// Returns the ways to recompute; that of the experiment where it is pinned.
std::vector<std::string> recomputations(const Problem& problem, const Given& given,
                                        const std::vector<std::string>& usual) {
  const bool open = given.transformer && !pinned(problem, "recompute");
  return open ? usual : std::vector<std::string>{""};
}

/// Returns the schedules to try. One rank leaves nothing to order and nothing to interleave: it has
/// the first that needs no chunks.
std::span<const config::Value> schedules_of(const Candidate& c,
                                            std::span<const config::Value> schedules) {
  if (c.pipeline > 1) return schedules;
  const auto plain = std::ranges::find_if_not(schedules, interleaves);
  return {plain == schedules.end() ? schedules.begin() : plain, 1};
}

/// Adds `c`, whose degrees are settled, in every way to recompute under every schedule.
void add_ways(const Problem& problem, const Given& given, Candidate c,
              const std::vector<config::Value>& schedules,
              const std::vector<std::string>& recompute, std::vector<Candidate>& all) {
  const bool even = given.blocks > 0 && given.blocks % c.pipeline == 0 && given.alike;
  c.split = split_of(problem, even ? Split::even : Split::balanced);
  for (const std::string& redo : recompute) {
    c.recompute = redo;
    for (const config::Value& schedule : schedules_of(c, schedules)) {
      c.schedule = schedule;
      all.push_back(c);
    }
  }
}

int context_of(const Given& given, const Candidate& c) {
  return c.context > 0 ? c.context : given.context;
}

/// Adds `c` with the replicas that fill all devices; nothing where they or the batch do not divide.
void add_full(const Problem& problem, const Given& given, Candidate c,
              const std::vector<config::Value>& schedules,
              const std::vector<std::string>& recompute, std::vector<Candidate>& all) {
  const int each = c.tensor * c.pipeline * context_of(given, c);
  if (!divides(each, given.devices)) return;
  c.data = given.devices / each;
  if (!divides(int64_t{c.data} * c.micro, given.global)) return;
  c.zero = choices(problem, "parallel.zero", {c.data > 1 ? 1 : 0}).front();
  add_ways(problem, given, c, schedules, recompute, all);
}

/// Returns the degrees that fit into a node side by side; in a single node, which may have devices
/// to spare, also powers of two.
std::vector<int> tensor_degrees(const Given& given) {
  std::vector<int> all = divisors(given.devices_per_node);
  for (int tensor = 1; given.nodes == 1 && tensor <= given.devices_per_node; tensor *= 2)
    if (std::ranges::find(all, tensor) == all.end()) all.push_back(tensor);
  return all;
}

/// Calls `visit` with every tensor degree of Megatron-LM's rules.
template <class Visit>
void each_tensor(const Problem& problem, const Given& given, Visit visit) {
  for (const int tensor : choices(problem, "parallel.tensor", tensor_degrees(given)))
    if (tensor == 1 || (given.transformer && divides(tensor, given.heads))) visit(tensor);
}

/// Returns the replicas that a plan may have of what takes `each` devices. Those that leave more
/// than half of the devices idle stay inside a node: more of them would do better on the same
/// links.
std::vector<int> replicas(const Problem& problem, const Given& given, int each, int micro) {
  std::vector<int> all;
  for (int data = 1; int64_t{data} * each <= given.devices && data <= given.global; ++data) {
    const bool most = int64_t{2} * data * each > given.devices;
    if ((most || data * each <= given.devices_per_node) &&
        divides(int64_t{data} * micro, given.global))
      all.push_back(data);
  }
  return choices(problem, "parallel.data", std::move(all));
}

/// Tells whether pipelines of so many devices fill all nodes; where nodes are to be few, at least
/// half of them: a plan on some nodes is then one on more.
bool fills_nodes(const Problem& problem, const Given& given, int64_t each) {
  const int spared = problem.goal == Goal::nodes ? given.nodes / 2 : 0;
  for (int spare = 0; spare <= spared; ++spare)
    if (divides(each, given.devices - int64_t{spare} * given.devices_per_node)) return true;
  return false;
}

/// Returns the context degrees that leave a device enough tokens of a sequence for full kernels.
std::vector<int> contexts(const Problem& problem, const Given& given) {
  constexpr int64_t least_tokens = 4096;
  std::vector<int> all{given.context};
  for (int context = 2 * given.context;
       given.transformer && context <= given.devices_per_node &&
       given.sequence / context >= least_tokens && given.sequence % (2 * context) == 0;
       context *= 2)
    all.push_back(context);
  return choices(problem, "parallel.context", all);
}

/// Returns the expert degrees for `sharers` devices of a stage.
std::vector<int> expert_degrees(const Problem& problem, const Given& given, int sharers) {
  if (given.experts == 0) return {0};
  std::vector<int> all;
  for (int expert = 1; expert <= sharers && expert <= given.experts; expert *= 2)
    if (divides(expert, given.experts) && divides(expert, sharers)) all.push_back(expert);
  return choices(problem, "parallel.expert", all);
}

/// Returns what replicas may share out. Gradients and weights only where no pipeline accumulates
/// gradients of a micro-batch at a time.
std::vector<int> sharing(const Problem& problem, const Candidate& c) {
  std::vector<int> all{c.data > 1 ? 1 : 0};
  if (c.data > 1 && c.pipeline == 1) all.insert(all.end(), {2, 3});
  return choices(problem, "parallel.zero", all);
}

}  // namespace

std::vector<int> divisors(int n) {
  std::vector<int> all;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

config::Value schedule_named(const std::string& yaml) { return config::parse(yaml, "a planner"); }

std::vector<Candidate> megatron_space(const Problem& problem) {
  const Given given = given_by(problem);
  const std::vector<config::Value> schedules = usual_schedules(problem);
  const std::vector<std::string> recompute =
      recomputations(problem, given, {"none", "selective", "full"});
  std::vector<Candidate> all;
  each_tensor(problem, given, [&](int tensor) {
    for (const int pipeline : divisors(given.devices / tensor)) {
      if (given.blocks > 0 && pipeline > given.blocks) break;
      for (const int micro : choices(problem, "batch.micro", {1, 2, 4, 8}))
        add_full(problem, given, {.tensor = tensor, .pipeline = pipeline, .micro = micro},
                 schedules, recompute, all);
    }
  });
  return all;
}

namespace {

/// Adds everything that a pipeline of a depth may be beside it.
void add_depth(const Problem& problem, const Given& given, const Candidate& depth,
               const std::vector<config::Value>& schedules,
               const std::vector<std::string>& recompute, std::vector<Candidate>& all) {
  for (const int context : contexts(problem, given)) {
    const int each = depth.tensor * depth.pipeline * context;
    for (const int data : replicas(problem, given, each, depth.micro)) {
      for (const int expert : expert_degrees(problem, given, depth.tensor * context * data)) {
        Candidate c = depth;
        c.data = data;
        c.context = context == given.context ? 0 : context;
        c.expert = expert;
        for (const int zero : sharing(problem, c)) {
          c.zero = zero;
          add_ways(problem, given, c, schedules, recompute, all);
        }
      }
    }
  }
}

}  // namespace

std::vector<Candidate> whole_space(const Problem& problem) {
  const Given given = given_by(problem);
  const std::vector<config::Value> schedules = usual_schedules(problem);
  const std::vector<std::string> recompute =
      recomputations(problem, given, all_recomputations(given));
  std::vector<Candidate> all;
  each_tensor(problem, given, [&](int tensor) {
    std::vector<int> depths(static_cast<size_t>(given.devices / tensor));
    std::iota(depths.begin(), depths.end(), 1);
    std::erase_if(depths, [&](int depth) {
      const bool even = given.blocks > 0 && divides(depth, given.blocks);
      return !even && !fills_nodes(problem, given, int64_t{depth} * tensor);
    });
    for (const int pipeline : choices(problem, "parallel.pipeline", depths)) {
      if (given.blocks > 0 && pipeline > given.blocks) break;
      for (const int micro : choices(problem, "batch.micro", {1, 2, 4, 8}))
        add_depth(problem, given, {.tensor = tensor, .pipeline = pipeline, .micro = micro},
                  schedules, recompute, all);
    }
  });
  return all;
}

std::vector<Candidate> pipelines(const Problem& problem,
                                 const std::vector<config::Value>& schedules,
                                 const std::vector<std::string>& recompute) {
  const Given given = given_by(problem);
  const std::vector<std::string> redo = recomputations(problem, given, recompute);
  std::vector<Candidate> all;
  std::vector<int> micro_batches;
  for (int micro = 1; micro <= given.global && micro <= 64; micro *= 2)
    micro_batches.push_back(micro);
  for (const int pipeline : divisors(given.devices)) {
    if (given.blocks > 0 && pipeline > given.blocks) break;
    for (const int micro : choices(problem, "batch.micro", micro_batches))
      add_full(problem, given, {.pipeline = pipeline, .micro = micro}, schedules, redo, all);
  }
  return all;
}

}  // namespace pipewright::search
