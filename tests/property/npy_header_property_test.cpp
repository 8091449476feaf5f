// Whatever a .npy header says, the file is read or refused: no crash, no endless loop, no memory that the file does not
// account for.
#include "support/npy_file.hpp"
#include "support/random_case.hpp"

namespace ferry::test {
namespace {

const std::vector<std::string> headers = {
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
    "{'descr': [('x', '<f4', (2,)), ('', '|V2'), ('r', [('n', '>i2'), ('s', '|S3')], (2, 1))], "
    "'fortran_order': True, 'shape': (1, 2), }",
    "{'descr': '|b1', 'fortran_order': False, 'shape': (), }"};
const std::vector<std::string> pieces = {
    "(",    ")",  "[",    "]",   "{",       "}",    "'",    "\"", ",",           ":",
    "-",    "0",  "9",    "\\",  "<",       ">",    "|",    "V",  " ",           "S0",
    "(0,)", "\n", "\xff", "\\x", "\\u00e9", "True", "None", "L",  "99999999999", "9223372036854775807"};

std::string damaged(Random& random) {
  std::string header = random.pick(headers);
  for (index_t changes = random.between(0, 3); changes > 0 && !header.empty(); --changes) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<index_t>(header.size())));
    switch (random.below(4)) {
      case 0:
        header.erase(at, static_cast<std::size_t>(random.between(1, 4)));
        break;
      case 1:
        header.insert(at, random.pick(pieces));
        break;
      case 2:
        header.replace(at, 1, random.pick(pieces));
        break;
      default:
        header[at] = static_cast<char>(random.below(256));
    }
  }
  return header;
}

using NpyHeaders = NpyFile;

TEST_F(NpyHeaders, AreReadOrRefused) {
  int read = 0, refused = 0;
  for_each_case(5000, [&](Random& random) {
    write_header(damaged(random), static_cast<std::size_t>(random.below(80)), static_cast<int>(random.between(1, 3)));
    if (random.chance(5)) write(content().substr(0, static_cast<std::size_t>(random.below(60))));
    try {
      const AnyArray loaded = load_npy(path);
      EXPECT_LE(loaded.nbytes(), static_cast<index_t>(content().size()));
      EXPECT_EQ(map_npy(path).shape(), loaded.shape());
      if (loaded.size() < 1000) {
        EXPECT_FALSE(loaded.to_string().empty());
        static_cast<void>(loaded == loaded.copy());
      }
      ++read;
    } catch (const FormatError&) {
      ++refused;
    }
  });
  if (read + refused < 1000) return;  // a replay of single cases
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace ferry::test
