// Headers that nearly every file includes, compiled once. Files include what they use all the same:
// without precompiled headers (-Db_pch=false) the build must stand, too.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
