#!/bin/sh
# Builds grblHAL's own firmware as a program, for tests/contract/test_grbl_peer.py. It is GPL-3: fetched, never kept here.
#
#     tools/grbl_peer.sh FOLDER [SIMULATOR-REPOSITORY CORE-REPOSITORY]
#     GRBL_PEER=FOLDER/build/grblHAL_sim pytest tests/contract/test_grbl_peer.py
#
# Needs git, cmake and a C compiler; the repositories may be local copies.
set -eu
folder=${1:?name a folder to build in}
simulator=${2:-https://github.com/grblHAL/Simulator}
core=${3:-https://github.com/grblHAL/core}

git clone -q "$simulator" "$folder"
git -C "$folder" checkout -q c9f6b81
rmdir "$folder/src/grbl"
git clone -q "$core" "$folder/src/grbl"
git -C "$folder/src/grbl" checkout -q 8689918
cmake -S "$folder" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release
cmake --build "$folder/build" --target grblHAL_sim
