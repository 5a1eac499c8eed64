# SPDX-License-Identifier: Apache-2.0
"""Lays real NVIDIA parts from package registries into folders. See ../README.md."""

from . import pip
from .common import PartsError, Unavailable, cache_folder
from .lay import default_folder, info, is_laid, lay
from .recipes import Recipe, load_recipes
from .store import prune
from .trees import lay_trees
from .wheels import hollow_wheel

__all__ = [
    "PartsError",
    "Recipe",
    "Unavailable",
    "cache_folder",
    "default_folder",
    "hollow_wheel",
    "info",
    "is_laid",
    "lay",
    "lay_trees",
    "load_recipes",
    "pip",
    "prune",
]
