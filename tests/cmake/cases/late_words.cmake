# Settings that cannot be read are named as the project sets them, and findings speak of CMake.
include("${CASES}/late/configure.cmake")
set(nvcc "-DCMAKE_CUDA_COMPILER=${t124}/bin/nvcc")
set(words "could not judge|--(driver|gpu|ignore|require|probe|fail-on|arch)")
configure(fail_on OPTIONS ${nvcc} -DCudaConsistent_FAIL_ON=bogus STOPS "CudaConsistent_FAIL_ON does not know 'bogus'" NOT "${words}")
configure(driver OPTIONS ${nvcc} -DCudaConsistent_DRIVER=new STOPS "CudaConsistent_DRIVER needs a version" NOT "${words}")
configure(gpus OPTIONS ${nvcc} -DCudaConsistent_GPUS=Banana STOPS "CudaConsistent_GPUS does not know 'Banana'" NOT "${words}")
configure(ignore OPTIONS ${nvcc} -DCudaConsistent_IGNORE=CC103 STOPS "CudaConsistent_IGNORE needs CODE=reason" NOT "${words}")
configure(require OPTIONS ${nvcc} -DCudaConsistent_REQUIRE=cookies STOPS "CudaConsistent_REQUIRE does not know 'cookies'" NOT "${words}")
configure(probe OPTIONS ${nvcc} -DCudaConsistent_PROBE=hard STOPS "CudaConsistent_PROBE does not know 'hard'" NOT "${words}")
configure(architectures OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=banana STOPS "CMAKE_CUDA_ARCHITECTURES[^\n]*'banana'" NOT "${words}")
configure(old_driver OPTIONS ${nvcc} -DCudaConsistent_DRIVER=470 -DCMAKE_CUDA_ARCHITECTURES=80-real STOPS "error.CC208." HAS "CudaConsistent_DRIVER" NOT "${words}")
# Another toolkit than the one that is named outright is for other programs.
configure(named OPTIONS ${nvcc} -DCMAKE_CUDA_ARCHITECTURES=80 -DCudaConsistent_FAIL_ON=warning ENVIRONMENT "CUDA_HOME=${MIXED}" "PATH=${MIXED}/bin:/usr/bin:/bin")
