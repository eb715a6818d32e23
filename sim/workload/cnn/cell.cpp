// A cell of a searched network: states that are sums of earlier ones (arXiv 1707.07012, section 3).
#include <fmt/format.h>

#include "workload/cnn/builder.hpp"

namespace pipewright::cnn {

/// The sum of what `part` and the one after it make of their states.
Image Builder::sum_of(const CnnStep& step, size_t part, const std::vector<Image>& states,
                      Operations& operations) {
  append(operations, run_from(states[step.from[part]], step.parts[part]));
  const Image one = at();
  append(operations, run_from(states[step.from[part + 1]], step.parts[part + 1]));
  if (at() != one) {
    step.source.fail(fmt::format("state {} would be a sum of {}x{}x{} and {}x{}x{}", states.size(),
                                 one.channels, one.height, one.width, at().channels, at().height,
                                 at().width));
  }
  operations.push_back(joined(path_.share(), one, 2));
  return one;
}

Operations Builder::cell(const CnnStep& step) {
  const Image input = at(), previous = previous_.value_or(input);
  Operations operations = run_all(step.parts[0]);
  std::vector<Image> states{at()};
  append(operations, run_from(previous, step.parts[1]));
  states.push_back(at());
  for (size_t part = 2; part < step.parts.size(); part += 2)
    states.push_back(sum_of(step, part, states, operations));

  Image together = states[step.states.front()];
  together.channels = 0;
  for (const size_t state : step.states) {
    const Image& image = states[state];
    if (image.height != together.height || image.width != together.width) {
      step.source.fail(fmt::format("states of {}x{} and {}x{} cannot stand side by side",
                                   together.height, together.width, image.height, image.width));
    }
    together.channels += image.channels;
  }
  operations.push_back(joined(path_.share(), together, 1));
  path_.go_to(together);
  previous_ = input;
  return operations;
}

}  // namespace pipewright::cnn
