#!/usr/bin/env bash
# Uses Ferry as other projects do. check.sh CASE; CTest sets
#   FERRY_SOURCE, FERRY_BUILD   the sources, and the build folder that tests are run in
#   FERRY_STAGE                 a folder to work in
#   CXX                         the compiler that built Ferry
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here projects=$here/projects static=$FERRY_STAGE/moved/static shared=$FERRY_STAGE/moved/shared

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Configures and builds a project in a folder of its own.
make_project() {
  local name=$1 project=$2
  shift 2
  rm -rf "${FERRY_STAGE:?}/$name"
  cmake -G Ninja -S "$projects/$project" -B "$FERRY_STAGE/$name" -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@"
  cmake --build "$FERRY_STAGE/$name"
}

# Runs a program, which must print one line, nothing on stderr, and end with the code.
expect() {
  local code=$1 got=0
  shift
  "$@" >"$FERRY_STAGE/out" 2>"$FERRY_STAGE/err" || got=$?
  cat "$FERRY_STAGE/out" "$FERRY_STAGE/err"
  [[ $got == "$code" ]] || die "$1 ended with $got, not $code"
  [[ $(<"$FERRY_STAGE/out") == "ferry works" && ! -s $FERRY_STAGE/err ]] || die "$1 printed something else"
}

# Installs a build and moves the tree, so that all that follows uses a moved one. What is text names no folder from here.
install_and_move() {
  local build=$1 name=$2
  rm -rf "$FERRY_STAGE/first" "$FERRY_STAGE/moved/$name"
  cmake --install "$build" --prefix "$FERRY_STAGE/first/$name"
  mkdir -p "$FERRY_STAGE/moved"
  mv "$FERRY_STAGE/first/$name" "$FERRY_STAGE/moved/$name"
  if grep -rIlF -e "$FERRY_STAGE/first" -e "$FERRY_BUILD" -e "$FERRY_SOURCE/" "$FERRY_STAGE/moved/$name"; then
    die "the files above name folders of this machine"
  fi
}

case $1 in
  install_static) install_and_move "$FERRY_BUILD" static ;;
  install_shared)
    cmake -G Ninja -S "$FERRY_SOURCE" -B "$FERRY_STAGE/shared" -DCMAKE_CXX_COMPILER="$CXX" -DBUILD_SHARED_LIBS=ON \
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DFERRY_BUILD_TESTS=OFF \
      -DFERRY_BUILD_EXAMPLES=OFF -DFERRY_BUILD_BENCHMARKS=OFF
    cmake --build "$FERRY_STAGE/shared"
    install_and_move "$FERRY_STAGE/shared" shared
    version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$shared"/lib*/cmake/ferry/ferryConfigVersion.cmake)
    library=$(echo "$shared"/lib*/libferry.so)
    readelf -d "$library" | grep -F "soname: [libferry.so.${version%.*}]" || die "the soname is not that of $version"
    # Only what the headers offer, nothing of the backends'; the standard library's templates are weak, and show anyway.
    names=$(nm -DC --defined-only "$library")
    if grep -vE ' [uVvWw] .*std::' <<<"$names" |
      grep -vE ' (typeinfo (name )?for |vtable for )?ferry::v0::' || grep -F ferry::v0::backend::sim:: <<<"$names"; then
      die "the library shows the symbols above"
    fi
    grep -q ' T ferry::v0::default_device()' <<<"$names" || die "the library does not show what the headers declare"
    ;;
  find_package_static)
    make_project "$1" find_package -DCMAKE_PREFIX_PATH="$static"
    expect 0 "$FERRY_STAGE/$1/user"
    ;;
  find_package_shared)
    make_project "$1" find_package -DCMAKE_PREFIX_PATH="$shared"
    readelf -d "$FERRY_STAGE/$1/user" | grep -F 'Shared library: [libferry.so.' || die "libferry.so was not linked"
    expect 0 "$FERRY_STAGE/$1/user"
    ;;
  pkg_config_static | pkg_config_shared)
    name=${1#pkg_config_}
    prefix=${!name}
    PKG_CONFIG_PATH=$(echo "$prefix"/lib*/pkgconfig)
    export PKG_CONFIG_PATH
    read -ra flags < <(pkg-config --cflags --libs ferry)
    "$CXX" -std=c++20 "-DEXPECTED_VERSION=\"$(pkg-config --modversion ferry)\"" "$projects/main.cpp" "${flags[@]}" \
      -o "$FERRY_STAGE/$1"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir ferry) expect 0 "$FERRY_STAGE/$1"
    ;;
  add_subdirectory)
    make_project "$1" add_subdirectory -DFERRY_SOURCE="$FERRY_SOURCE"
    expect 0 "$FERRY_STAGE/$1/user"
    cmake --install "$FERRY_STAGE/$1" --prefix "$FERRY_STAGE/$1/installed"
    [[ $(cd "$FERRY_STAGE/$1/installed" && find . -type f) == ./bin/user ]] || die "it installed files of Ferry's"
    ;;
  kokkos)
    make_project "$1" kokkos -DCMAKE_PREFIX_PATH="$static" -DKokkos_ROOT="${Kokkos_ROOT:-}"
    OMP_PROC_BIND=false expect 0 "$FERRY_STAGE/$1/user"
    ;;
  two_copies)
    make_project with_static two_copies -DCMAKE_PREFIX_PATH="$static"
    make_project with_shared two_copies -DCMAKE_PREFIX_PATH="$shared"
    if nm -DC --defined-only "$FERRY_STAGE"/with_static/libone.so | grep -F ferry::; then
      die "a plugin shows the symbols above of its own Ferry"
    fi
    for schedule in eager lazy random:1; do
      FERRY_SIM=$schedule expect 7 "$FERRY_STAGE/with_static/user" \
        "$FERRY_STAGE"/with_{static/lib{one,two},shared/lib{one,two}}.so
    done
    ;;
  deb)
    rm -rf "${FERRY_STAGE:?}/deb" && mkdir "$FERRY_STAGE/deb"
    cpack --config "$FERRY_BUILD/CPackConfig.cmake" -B "$FERRY_STAGE/deb"
    package=$(echo "$FERRY_STAGE"/deb/*.deb)
    for field in 'Package: libferry-dev' 'Version: [0-9]' 'Architecture: ' 'Section: libdevel' 'Maintainer: .' \
      'Depends: .*libc6 (>= '; do
      dpkg-deb --field "$package" | grep "^$field" || die "the package's fields lack $field"
    done
    files=$(dpkg-deb --contents "$package")
    for file in include/ferry/ferry.hpp 'lib/.*libferry' ferryConfig.cmake ferry.pc share/doc/libferry-dev/copyright; do
      grep "root/root .* ./usr/.*$file" <<<"$files" || die "the package lacks $file"
    done
    dpkg-deb --extract "$package" "$FERRY_STAGE/deb/unpacked"
    make_project from_deb find_package -DCMAKE_PREFIX_PATH="$FERRY_STAGE/deb/unpacked/usr"
    expect 0 "$FERRY_STAGE/from_deb/user"
    ;;
  *) die "there is no case $1" ;;
esac
