# Leaves out what the command line programs of llama.cpp share, which is half of what would be compiled and which its server
# in Python does not use. Included behind project(llama.cpp), see install.sh.
set(LLAMA_BUILD_COMMON OFF)
