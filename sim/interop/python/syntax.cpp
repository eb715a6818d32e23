#include "interop/python/syntax.hpp"

namespace pipewright::interop::python {

std::string Expression::written() const {
  constexpr size_t longest = 200;
  if (!source || end <= begin) return {};
  if (end - begin <= longest) return source->substr(begin, end - begin);
  size_t size = longest;
  // A character of several bytes stays whole.
  while (size > 0 && (static_cast<unsigned char>((*source)[begin + size]) & 0xC0) == 0x80) --size;
  return source->substr(begin, size) + "...";
}

}  // namespace pipewright::interop::python
