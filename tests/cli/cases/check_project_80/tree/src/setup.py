from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(name="e", ext_modules=[CUDAExtension("e", ["e.cu"])], cmdclass={"build_ext": BuildExtension})
