// Prints the arrays in the .npy files that standard input names, each followed by a line that no array prints as.
#include <ferry/ferry.hpp>
#include <iostream>
#include <string>

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    try {
      std::cout << ferry::load_npy(path) << "\n";
    } catch (const std::exception& error) {
      std::cout << error.what() << "\n";
    }
    std::cout << "end of array\n";
  }
}
