#include "workload/transformer/boxes.hpp"

namespace pipewright::transformer {

Operation Boxes::boxed(const Way& way, int64_t width, Part part) const {
  const double bytes = bytes_of_feature_ * static_cast<double>(width);
  Operation operation{.part = part};
  operation.forward_steps = boxing(grid_, way.made, way.used, bytes);
  operation.input_gradient_steps = boxing(grid_, way.gradient_made, way.gradient_used, bytes);
  if (!operation.forward_steps.empty())
    operation.saved = bytes / static_cast<double>(parts(grid_, way.used, Spread::batch) *
                                                  parts(grid_, way.used, Spread::features));
  return operation;
}

Operation Boxes::into(const Signatures& product, const Spreads& from, int64_t width,
                      Part part) const {
  return boxed({from, on_sides(product, input_of), on_sides(product, input_gradient_of), from},
               width, part);
}

Operation Boxes::out_of(const Signatures& product, const Spreads& to, int64_t width,
                        Part part) const {
  Operation operation = boxed(
      {on_sides(product, output_of), to, to, on_sides(product, output_gradient_of)}, width, part);
  operation.saved = 0;
  return operation;
}

}  // namespace pipewright::transformer
