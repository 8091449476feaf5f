// Every wrong program is found out under every schedule, with the message that it should get; no corrected one is.
#include "sim_corpus/corpus.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ferry/sim.hpp>
#include <string>

namespace ferry::test::corpus {

namespace {

constexpr const char* schedules[] = {"eager", "lazy", "random:1", "random:2", "random:3"};

class SimCorpus : public ::testing::TestWithParam<Program> {
 protected:
  void TearDown() override { sim::set_schedule(former_); }
  const Device first{"sim:0"}, second{"sim:1"};

 private:
  const std::string former_ = sim::schedule();
};

// What it throws ends it too, as it would end a program that catches nothing.
void run_to_its_end(const Program& program, const Device& first, const Device& second) {
  try {
    program.run(first, second, false);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}

TEST_P(SimCorpus, IsFoundOut) {
  for (const char* schedule : schedules) {
    sim::set_schedule(schedule);
    EXPECT_DEATH(run_to_its_end(GetParam(), first, second), GetParam().message) << schedule;
  }
}

TEST_P(SimCorpus, PassesWhenCorrected) {
  for (const char* schedule : schedules) {
    sim::set_schedule(schedule);
    EXPECT_NO_THROW(GetParam().run(first, second, true)) << schedule;
    first.synchronize();
    second.synchronize();
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SimCorpus, ::testing::ValuesIn(all_programs()),
                         [](const auto& program) { return std::string(program.param.name); });

}  // namespace

}  // namespace ferry::test::corpus
