// The option of formats whose files hold the times of layers.
#pragma once

#include "convert/formats/format.hpp"

namespace pipewright::convert {

inline const Option layers_option = {
    .name = "layers", .argument = "", .help = "the layers of the model with their times"};

}  // namespace pipewright::convert
