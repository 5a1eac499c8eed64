# Each call is a project of a few lines, x of which nvcc 13.0 builds or refuses: sm_80 is supported, sm_50 is not. Without STOPS, the
# configure must end well and without a finding.
function(configure name code)
  cmake_parse_arguments(PARSE_ARGV 2 own "OLD" "STOPS;HAS;NOT;BELOW" "OPTIONS;ENVIRONMENT")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/cuda")
  set(language CUDA)
  if(own_OLD)  # FindCUDA
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/old")
    set(language "")
    string(PREPEND code "find_package(CUDA REQUIRED)\n")
  endif()
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/code.cmake" "${code}\n")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/below.cmake" "${own_BELOW}\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env COLUMNS=10000 ${own_ENVIRONMENT} "${CMAKE_COMMAND}" -G Ninja -S "${CASES}/one_line" -B "${folder}"
      -Werror=dev -Wno-error=deprecated "-DMODULES=${MODULES}" "-DCudaConsistent_PTXGUARD=${CudaConsistent_PTXGUARD}"
      "-DCODE=${CMAKE_CURRENT_BINARY_DIR}/code.cmake" "-DBELOW=${CMAKE_CURRENT_BINARY_DIR}/below.cmake"
      "-DLANGUAGE=${language}" "-DCMAKE_CUDA_COMPILER=${REPAIRED}/bin/nvcc" "-DCUDA_TOOLKIT_ROOT_DIR=${REPAIRED}"
      -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_BUILD_TYPE=Release ${own_OPTIONS}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(wrong "")
  if(output MATCHES "CMake Error at [^\n]*cmake/Modules/[^\n]*(\\(file\\)|\\(get_property\\)|\\(string\\)|\\(list\\))")
    set(wrong "an internal error")
  elseif(own_STOPS AND (result EQUAL 0 OR NOT output MATCHES "${own_STOPS}"))
    set(wrong "must stop with '${own_STOPS}'")
  elseif(NOT own_STOPS AND (NOT result EQUAL 0 OR output MATCHES "(error|warning).CC"))
    set(wrong "must end well")
  endif()
  if(own_HAS AND NOT output MATCHES "${own_HAS}")
    string(APPEND wrong " must have '${own_HAS}'")
  elseif(NOT own_HAS AND output MATCHES "CudaConsistent: not checked")
    string(APPEND wrong " must be read completely")
  endif()
  if(own_NOT AND output MATCHES "${own_NOT}")
    string(APPEND wrong " must not have '${own_NOT}'")
  endif()
  if(wrong)
    message(SEND_ERROR "${name}: ${wrong}: ${result}\n${code}\n${output}")
  endif()
endfunction()

set(old "-gencode=arch=compute_50,code=sm_50")
set(new "-gencode=arch=compute_90a,code=sm_90a")
set(refused "error.CC203.: nvcc 13.0.88 [^\n]*sm_50")

# Sources by relative names, of other folders, in generator expressions, by their language.
foreach(property COMPILE_OPTIONS COMPILE_FLAGS)
  foreach(flag new old)
    set(stops "")
    if(flag STREQUAL "old")
      set(stops STOPS "${refused}" HAS "${property} of x.cu")
    endif()
    configure(source_${property}_${flag} "add_library(x x.cu)\nset_source_files_properties(x.cu PROPERTIES ${property} \"${${flag}}\")" ${stops})
  endforeach()
endforeach()
configure(source_below "add_subdirectory(below)" STOPS "${refused}" HAS "COMPILE_OPTIONS of below/b.cu"
  BELOW "add_library(x b.cu)\nset_source_files_properties(b.cu PROPERTIES COMPILE_OPTIONS \"${old}\")")
configure(source_of_another_folder "add_library(x x.cu)\nadd_subdirectory(below)\n" STOPS "${refused}" HAS "COMPILE_OPTIONS of below/b.cu"
  BELOW "target_sources(x PRIVATE b.cu)\nset_source_files_properties(b.cu TARGET_DIRECTORY x PROPERTIES COMPILE_OPTIONS \"${old}\")")
configure(source_above "add_subdirectory(below)" STOPS "${refused}" HAS "COMPILE_OPTIONS of x.cu"
  BELOW "add_library(x ../x.cu)\nset_source_files_properties(../x.cu PROPERTIES COMPILE_OPTIONS \"${old}\")")
configure(source_generated "file(COPY x.cu DESTINATION \${CMAKE_BINARY_DIR}/made)\nadd_library(x \${CMAKE_BINARY_DIR}/made/x.cu)
set_source_files_properties(\${CMAKE_BINARY_DIR}/made/x.cu PROPERTIES COMPILE_OPTIONS \"${old}\")" STOPS "${refused}" HAS "made/x.cu")
configure(source_of_a_command "add_custom_command(OUTPUT made.cu COMMAND \${CMAKE_COMMAND} -E touch made.cu)\nadd_library(x made.cu)
set_source_files_properties(made.cu PROPERTIES COMPILE_OPTIONS \"${old}\")" STOPS "${refused}" HAS "made.cu")
configure(source_beside_a_generated_object "add_custom_command(OUTPUT a_generated_b.o COMMAND \${CMAKE_COMMAND} -E touch a_generated_b.o)
add_library(x STATIC x.cu a_generated_b.o)\nset_source_files_properties(x.cu PROPERTIES COMPILE_OPTIONS \"${old}\")" STOPS "${refused}" HAS "COMPILE_OPTIONS of x.cu")
configure(source_of_a_command_below "add_subdirectory(below)" STOPS "${refused}" HAS "made.cu"
  BELOW "add_custom_command(OUTPUT made.cu COMMAND \${CMAKE_COMMAND} -E touch made.cu)\nadd_library(x made.cu)\nset_source_files_properties(made.cu PROPERTIES COMPILE_OPTIONS \"${old}\")")
configure(source_of_configuration "add_library(x $<$<CONFIG:Release>:x.cu>)\nset_source_files_properties(x.cu PROPERTIES COMPILE_OPTIONS \"${old}\")" STOPS "${refused}")
configure(source_of_other_configuration "add_library(x m.cpp $<$<CONFIG:Debug>:x.cu>)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)")
configure(source_by_language "add_library(x y.cu m.cpp)\nset_source_files_properties(m.cpp PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS \"${old}\")" STOPS "${refused}" HAS "m.cpp")
configure(source_of_cxx "add_library(x x.cu)\nset_source_files_properties(x.cu PROPERTIES LANGUAGE CXX)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)")
configure(source_as_header "add_library(x m.cpp x.cu)\nset_source_files_properties(x.cu PROPERTIES HEADER_FILE_ONLY ON)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)")
configure(source_handed_on "add_library(i INTERFACE)\ntarget_sources(i INTERFACE \${CMAKE_CURRENT_SOURCE_DIR}/x.cu)
add_library(x m.cpp)\ntarget_link_libraries(x PRIVATE i)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)" STOPS "${refused}" HAS "CUDA_ARCHITECTURES of target x")

# What libraries hand on counts for a target that links them and compiles CUDA.
set(handing "add_library(i INTERFACE)\ntarget_compile_options(i INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:${old}>)\nadd_library(x x.cu)\n")
configure(linked "${handing}target_link_libraries(x PRIVATE i)" STOPS "${refused}" HAS "INTERFACE_COMPILE_OPTIONS of target i")
configure(linked_by_expression "${handing}target_link_libraries(x PRIVATE $<1:i>)" STOPS "${refused}")
configure(linked_by_name "${handing}target_link_libraries(x PRIVATE $<TARGET_NAME_IF_EXISTS:i>)" STOPS "${refused}")
configure(linked_by_another "${handing}add_library(j INTERFACE)\ntarget_link_libraries(j INTERFACE i)\ntarget_link_libraries(x PRIVATE j)" STOPS "${refused}")
configure(linked_by_alias "${handing}add_library(a::i ALIAS i)\ntarget_link_libraries(x PRIVATE a::i)" STOPS "${refused}")
configure(linked_by_none "${handing}")
configure(linked_by_cxx "${handing}add_library(c m.cpp)\ntarget_link_libraries(c PRIVATE i)")
configure(linked_privately "${handing}add_library(c STATIC m.cpp)\ntarget_link_libraries(c PRIVATE i)\ntarget_link_libraries(x PRIVATE c)")
configure(linked_in_other_configuration "${handing}target_link_libraries(x PRIVATE $<$<CONFIG:Debug>:i>)")
configure(linked_only_as_dependency "${handing}add_dependencies(x i)")
configure(linked_for_install "${handing}target_link_libraries(x PUBLIC $<INSTALL_INTERFACE:i>)")

# FindCUDA compiles with the flags of the call: the variable, as it is then, and OPTIONS.
configure(old_options "cuda_add_library(x STATIC x.cu OPTIONS -arch=sm_50)" OLD STOPS "${refused}" HAS "x.cu")
configure(old_options_of_configuration "cuda_add_library(x STATIC x.cu OPTIONS RELEASE -arch=sm_50)" OLD STOPS "${refused}")
configure(old_options_of_other_configuration "cuda_add_library(x STATIC x.cu OPTIONS DEBUG -arch=sm_50)" OLD)
configure(old_after "cuda_add_library(x STATIC x.cu)\nlist(APPEND CUDA_NVCC_FLAGS -arch=sm_50)" OLD)
configure(old_before "set(CUDA_NVCC_FLAGS -arch=sm_50)\ncuda_add_library(x STATIC x.cu)\nset(CUDA_NVCC_FLAGS \"\")" OLD STOPS "${refused}" HAS "CUDA_NVCC_FLAGS of")
configure(old_ptx "cuda_compile_ptx(p x.cu OPTIONS -arch=compute_50)\nadd_custom_target(x ALL DEPENDS \${p})" OLD STOPS "error.CC203.: nvcc 13.0.88 [^\n]*_50")
configure(old_ptx_good "cuda_compile_ptx(p x.cu OPTIONS -arch=compute_80)\nadd_custom_target(x ALL DEPENDS \${p})" OLD)
configure(old_ptx_source "cuda_compile_ptx(p x.cu OPTIONS -arch=compute_50)\nadd_library(x m.cpp \${p})" OLD STOPS "error.CC203.: nvcc 13.0.88 [^\n]*_50")
configure(old_ptx_unused "cuda_compile_ptx(p x.cu OPTIONS -arch=compute_50)\nadd_library(x m.cpp)" OLD)
configure(old_cubin "cuda_compile_cubin(p x.cu OPTIONS -arch=sm_50)\nadd_custom_target(x ALL DEPENDS \${p})" OLD STOPS "${refused}")
configure(old_objects "cuda_compile(p x.cu OPTIONS -arch=sm_50)\nadd_library(x STATIC \${p} m.cpp)" OLD STOPS "${refused}")
configure(old_excluded "cuda_add_library(x STATIC EXCLUDE_FROM_ALL x.cu OPTIONS -arch=sm_50)" OLD)
configure(old_removed "cuda_add_library(x STATIC y.cu OPTIONS -arch=sm_80)" OLD)  # the scripts of the calls above are still there

# Generator expressions and commands that decide late.
configure(expression_in_architectures "add_library(x x.cu)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"$<IF:$<CONFIG:Debug>,70,80>\")" STOPS "error.CC203.: CUDA_ARCHITECTURES of target x")
configure(expression_links_excluded "add_library(o STATIC EXCLUDE_FROM_ALL y.cu)\nset_target_properties(o PROPERTIES CUDA_ARCHITECTURES 50)
add_library(x SHARED x.cu)\ntarget_link_libraries(x PRIVATE $<1:o>)" STOPS "${refused}" HAS "CUDA_ARCHITECTURES of target o")
configure(expression_of_objects "add_library(o OBJECT EXCLUDE_FROM_ALL y.cu)\nset_target_properties(o PROPERTIES CUDA_ARCHITECTURES 50)
add_library(x x.cu $<$<CONFIG:Release>:$<TARGET_OBJECTS:o>>)" STOPS "${refused}" HAS "CUDA_ARCHITECTURES of target o")
configure(expression_of_other_objects "add_library(o OBJECT EXCLUDE_FROM_ALL y.cu)\nset_target_properties(o PROPERTIES CUDA_ARCHITECTURES 50)
add_library(x x.cu $<$<CONFIG:Debug>:$<TARGET_OBJECTS:o>>)")
configure(deferred "add_library(x x.cu)\ncmake_language(DEFER CALL set_target_properties x PROPERTIES CUDA_ARCHITECTURES 50)" STOPS "${refused}" HAS "CUDA_ARCHITECTURES of target x")
configure(deferred_twice "add_library(x x.cu)\nfunction(late)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)\nendfunction()
function(early)\ncmake_language(DEFER CALL late)\nendfunction()\ncmake_language(DEFER CALL early)" STOPS "${refused}")
configure(deferred_by_another_in_the_same_way "function(again)\nset_property(GLOBAL APPEND_STRING PROPERTY rounds x)\nget_property(rounds GLOBAL PROPERTY rounds)
string(LENGTH \"\${rounds}\" length)\nif(length LESS 40)\ncmake_language(DEFER CALL again)\nendif()\nendfunction()\nadd_library(x x.cu)\nagain()")
configure(deferred_good "add_library(x x.cu)\nset_target_properties(x PROPERTIES CUDA_ARCHITECTURES 50)\ncmake_language(DEFER CALL set_target_properties x PROPERTIES CUDA_ARCHITECTURES 80)")

# What nvcc refuses although it supports each architecture, with its own words.
set(off "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES OFF)\n")
function(refuses name options words)
  configure(${name} "add_library(x x.cu)\n${off}target_compile_options(x PRIVATE ${options})" STOPS "error.CC203.: nvcc 13.0.88 refuses COMPILE_OPTIONS of target x" HAS "${words}" ${ARGN})
endfunction()
refuses(pair_that_does_not_fit [["SHELL:-gencode arch=compute_90,code=sm_80"]] "Incompatible code generation")
refuses(list_in_gencode [["SHELL:-gencode arch=compute_80\\;90,code=sm_80\\;90"]] "nvcc fatal")
refuses(list_as_list [[-gencode "arch=compute_80;90,code=sm_80;90"]] "nvcc fatal")
refuses(dropped_option [[-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90]] "nvcc fatal")
refuses(without_code [["SHELL:-gencode arch=compute_80"]] "missing code")
refuses(host_compiler_missing [[-ccbin=/missing/g++]] "/missing/g")
configure(option_kept "add_library(x x.cu)\n${off}target_compile_options(x PRIVATE \"SHELL:-gencode arch=compute_80,code=sm_80\" \"SHELL:-gencode arch=compute_90,code=sm_90\")")
configure(option_with_quotes "add_library(x x.cu)\ntarget_compile_options(x PRIVATE -gencode=arch=compute_90a,code=\\\"sm_90a,compute_90a\\\")")
configure(old_option_with_quotes "cuda_add_library(x STATIC x.cu OPTIONS -gencode=arch=compute_90a,code=\\\"sm_90a,compute_90a\\\")" OLD)
configure(unknown_option "add_library(x x.cu)\ntarget_compile_options(x PRIVATE ${new} -Wall -fno-plt \"-DTEXT=\\\"a b\\\"\")")  # for the host compiler
configure(other_folder_of_code "set(CMAKE_CUDA_FLAGS \"-arch=compute_80\")\nadd_library(x x.cu)\n${off}target_compile_options(x PRIVATE -code=sm_80)")
configure(device_link "add_library(x SHARED x.cu)\nset_target_properties(x PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_options(x PRIVATE $<DEVICE_LINK:-arch=sm_50>)" STOPS "${refused}" HAS "LINK_OPTIONS of target x")
configure(device_link_without_device_code "add_library(x SHARED x.cu)\ntarget_link_options(x PRIVATE $<DEVICE_LINK:-arch=sm_50>)")

# A file with flags.
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/old.txt" "-gencode arch=compute_50,code=sm_50\n")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/new.txt" "-gencode arch=compute_80,code=sm_80\n")
configure(options_file "add_library(x x.cu)\n${off}target_compile_options(x PRIVATE --options-file=${CMAKE_CURRENT_BINARY_DIR}/old.txt)" STOPS "${refused}")
configure(options_file_good "add_library(x x.cu)\n${off}target_compile_options(x PRIVATE \"SHELL:-optf ${CMAKE_CURRENT_BINARY_DIR}/new.txt\")")
configure(options_file_later "add_library(x x.cu)\n${off}target_compile_options(x PRIVATE --options-file=made.txt)" HAS "CudaConsistent: not checked: the options file made.txt in COMPILE_OPTIONS of target x")

# Torch's CMake files turn TORCH_CUDA_ARCH_LIST, or a list of their own, into flags.
configure(torch "set(NVCC_FLAGS_EXTRA -gencode arch=compute_50,code=sm_50 -gencode arch=compute_80,code=sm_80)
set(CMAKE_CUDA_FLAGS \"-DX -gencode arch=compute_50,code=sm_50 -gencode arch=compute_80,code=sm_80 -O2\")\nadd_library(x x.cu)"
  STOPS "${refused}" HAS "fix +[^\n]*TORCH_CUDA_ARCH_LIST='?8.0" NOT "CMAKE_CUDA_FLAGS")
