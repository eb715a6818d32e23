#include "run/pass_kernels.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "run/kernel_shape.hpp"
#include "run/priced_shares.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// The first op of each type that computes; `none` of the others.
std::vector<OpId> first_ops(const Program& program) {
  std::vector<OpId> first(program.types.size(), none);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpKind kind = program.type(op).kind;
    if (kind != OpKind::compute && kind != OpKind::step) continue;
    OpId& of_type = first[program.ops[op].type];
    if (of_type == none) of_type = op;
  }
  return first;
}

/// Names, each kept once.
class Names {
 public:
  int32_t place_of(const std::string& name) {
    const auto [at, is_new] = places_.try_emplace(name, static_cast<int32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }
  std::vector<std::string> take() && { return std::move(names_); }

 private:
  std::unordered_map<std::string, int32_t> places_;
  std::vector<std::string> names_;
};

std::string kernel_name(const Work& work) {
  const std::string name(name_of(work.kernel));
  return work.kernel == Kernel::fixed ? name : fmt::format("{} {}", name, shape_name(work));
}

}  // namespace

PassKernels pass_kernels(const Prepared& prepared, const Program& program) {
  const PricedShares shares(program, prepared.prices);
  PassKernels kernels;
  Names names;
  for (const NamedLayer& layer : prepared.work.named_layers) kernels.layers.push_back(layer.name);
  for (const OpId op : first_ops(program)) {
    std::vector<PassKernel>& list = kernels.of_type.emplace_back();
    if (op == none) continue;
    const std::vector<double> parts = shares.of_works(op);
    size_t k = 0;
    for (const Work& work : program.works_of(program.type(op))) {
      const double share = parts[k++];
      if (share <= 0) continue;
      const Origin& origin = work.origin;
      list.push_back({origin.layer, names.place_of(kernel_name(work)), origin.purpose, share});
    }
  }
  kernels.names = std::move(names).take();
  return kernels;
}

}  // namespace pipewright
