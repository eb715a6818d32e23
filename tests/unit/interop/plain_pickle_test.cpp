#include "interop/plain_pickle.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using namespace std::string_literals;

nlohmann::json pickle_in(const std::string& bytes) { return read_plain_pickle(bytes, "p"); }

// What Python 3.11's pickle.dumps() makes of
// {"a": [None, True, -1, 70000, -2**40, 1.5], "b": ("x",)}.
const std::string protocol_2 =
    "\x80\x02}q\0(X\x01\0\0\0aq\x01]q\x02(N\x88J\xff\xff\xff\xffJ\x70\x11\x01\0"
    "\x8a\x06\0\0\0\0\0\xffG\x3f\xf8\0\0\0\0\0\0eX\x01\0\0\0bq\x03X\x01\0\0\0xq\x04\x85q\x05u."s;
const std::string protocol_4 =
    "\x80\x04\x95\x34\0\0\0\0\0\0\0}\x94(\x8c\x01"
    "a\x94]\x94(N\x88J\xff\xff\xff\xffJ\x70\x11\x01\0"
    "\x8a\x06\0\0\0\0\0\xffG\x3f\xf8\0\0\0\0\0\0e\x8c\x01"
    "b\x94\x8c\x01x\x94\x85\x94u."s;

TEST(PlainPickle, has_the_data_that_python_wrote) {
  const nlohmann::json data = {{"a", {nullptr, true, -1, 70000, -(int64_t{1} << 40), 1.5}},
                               {"b", {"x"}}};
  EXPECT_EQ(pickle_in(protocol_2), data);
  EXPECT_EQ(pickle_in(protocol_4), data);
}

TEST(PlainPickle, hands_out_again_what_it_kept) {
  EXPECT_EQ(pickle_in("\x80\x02](X\x01\0\0\0aq\0h\0e."s), (nlohmann::json{"a", "a"}));
}

// os.system("true"), and a list that is in two places.
TEST(PlainPickle, calls_nothing_and_shares_nothing) {
  EXPECT_EQ(error_of([] {
              pickle_in("\x80\x02"s + "cposix\nsystem\nq\0X\x04\0\0\0trueq\x01\x85q\x02Rq\x03."s);
            }),
            "p: error: is a pickle that holds more than data (byte 2: instruction 0x63); its "
            "functions are not called");
  EXPECT_EQ(error_of([] { pickle_in("\x80\x02]q\0(]q\x01K\x01"s + "ah\x01"s + "e."s); }),
            "p: error: this pickle shares a list or a dictionary between several places: write it "
            "as JSON");
}

TEST(PlainPickle, every_beginning_of_one_is_an_error) {
  for (const std::string& whole : {protocol_2, protocol_4})
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(error_of([&] { pickle_in(whole.substr(0, size)); }), "no error") << size;
}

TEST(PlainPickle, what_would_grow_without_end_is_refused) {
  // A text of 1 MiB, a thousand times.
  std::string copies = "\x80\x02(X\0\0\x10\0"s + std::string(1 << 20, 'x') + "q\0"s;
  for (int i = 0; i < 1000; ++i) copies += "h\0"s;
  EXPECT_NE(error_of([&] { pickle_in(copies + "l."); }), "no error");
  EXPECT_NE(error_of([&] {
              pickle_in("\x80\x02"s + std::string(1000, ']') + std::string(999, 'a') + ".");
            }),
            "no error");
}

}  // namespace
}  // namespace pipewright::test
