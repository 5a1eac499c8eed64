# ptxguard_link_old_glibc(TARGET ROOT): links with the glibc of an older Debian (packages libc6 and libc6-dev unpacked in ROOT),
# so that the program starts wherever glibc is 2.17 or newer. ROOT is no sysroot for the linker: its links are absolute.
# SPDX-License-Identifier: Apache-2.0
function(ptxguard_link_old_glibc target root)
  set(shared "${root}/lib/x86_64-linux-gnu")
  set(static "${root}/usr/lib/x86_64-linux-gnu")
  set(folder "${PROJECT_BINARY_DIR}/old-glibc")
  file(WRITE "${folder}/libc.so"
    "GROUP ( ${shared}/libc.so.6 ${static}/libc_nonshared.a AS_NEEDED ( ${shared}/ld-linux-x86-64.so.2 ) )\n")
  file(CREATE_LINK "${shared}/libm.so.6" "${folder}/libm.so" SYMBOLIC)
  file(CREATE_LINK "${shared}/libdl.so.2" "${folder}/libdl.so" SYMBOLIC)
  file(CREATE_LINK "${shared}/libpthread.so.0" "${folder}/libpthread.so" SYMBOLIC)
  foreach(start crt1 Scrt1 crti crtn)
    file(CREATE_LINK "${static}/${start}.o" "${folder}/${start}.o" SYMBOLIC)
  endforeach()
  target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tools/ptxguard/host/old_glibc_posix.cpp")
  target_link_options(${target} PRIVATE "-B${folder}" "-L${folder}")
  target_link_libraries(${target} PRIVATE dl pthread)
endfunction()
