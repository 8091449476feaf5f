// What the examples are told on the command line: pairs of --name and value.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ferry/ferry.hpp>
#include <string>
#include <utility>
#include <vector>

namespace examples {

class CommandLine {
 public:
  explicit CommandLine(std::string program) : program_(std::move(program)) {}

  /// An option with a text, which keeps its value when it is not given.
  CommandLine& text(const char* name, std::string& value) {
    options_.push_back({name, &value, nullptr});
    return *this;
  }
  /// An option with a whole number greater than 0.
  CommandLine& number(const char* name, ferry::index_t& value) {
    options_.push_back({name, nullptr, &value});
    return *this;
  }

  /// Reads the options, calls run(), and returns what main() is to return: 2 for a wrong command line, 1 when run()
  /// has thrown; both are said on stderr.
  template <class Run>
  int run(int argc, char** argv, Run&& run) const {
    if (!parse(argc, argv)) {
      std::fprintf(stderr, "usage: %s", program_.c_str());
      for (const Option& option : options_) std::fprintf(stderr, " [--%s %s]", option.name, option.text ? "TEXT" : "N");
      std::fprintf(stderr, "\n");
      return 2;
    }
    try {
      run();
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", program_.c_str(), error.what());
      return 1;
    }
  }

 private:
  struct Option {
    const char* name;
    std::string* text;
    ferry::index_t* number;
  };

  bool parse(int argc, char** argv) const {
    for (int i = 1; i + 1 < argc; i += 2) {
      const Option* const option = find(argv[i]);
      if (option == nullptr) return false;
      if (option->text != nullptr) {
        *option->text = argv[i + 1];
      } else {
        char* end = nullptr;
        *option->number = std::strtoll(argv[i + 1], &end, 10);
        if (*end != '\0' || *option->number <= 0) return false;
      }
    }
    return argc % 2 == 1;
  }
  const Option* find(const std::string& argument) const {
    for (const Option& option : options_) {
      if (argument == std::string("--") + option.name) return &option;
    }
    return nullptr;
  }

  std::string program_;
  std::vector<Option> options_;
};

/// The device of that name, or the one that FERRY_DEVICE names, else the best that there is.
inline ferry::Device device_named(const std::string& name) {
  return name.empty() ? ferry::default_device() : ferry::Device(name);
}

}  // namespace examples
