"""Loaded by every Python of a test run: leads imports to the workspace and writes down which files were imported.

Beside it stand where.json (workspace, project, roots) and the folder seen/, one file per process.
"""

import atexit
import importlib.machinery
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "where.json"), encoding="utf-8") as file:
    WHERE = json.load(file)
WORKSPACE = WHERE["workspace"]
PROJECT = WHERE["project"]
ROOTS = WHERE["roots"]
INSTALLED = ("site-packages", "dist-packages")
SEEN = set()


def below(path, folder):
    return folder is not None and (path == folder or path.startswith(folder + os.sep))


def led(path):
    """The workspace's own copy of a path of the project, where it has one."""
    if not isinstance(path, str) or below(path, WORKSPACE) or not below(path, PROJECT):
        return path
    if any(part in INSTALLED for part in path.split(os.sep)):
        return path
    copy = WORKSPACE + path[len(PROJECT) :]
    return copy if os.path.exists(copy) else path


def expected(name):
    """Where the workspace has a module of this name; the standard library is loaded before anything else."""
    if name.split(".")[0] in getattr(sys, "stdlib_module_names", ()):
        return None
    for root in ROOTS:
        base = os.path.join(root, *name.split("."))
        for path in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return path
    return None


def note(name, path):
    if not isinstance(path, str) or not path.endswith(".py"):
        return
    path = os.path.realpath(path)
    if below(path, WORKSPACE):
        line = "own\t" + path
    else:
        own = led(path)
        own = own if own != path else expected(name)
        if own is None:
            return
        line = "other\t" + path + "\t" + own
    if line in SEEN:
        return
    SEEN.add(line)
    write(line)


def write(line):
    path = os.path.join(HERE, "seen", str(os.getpid()))
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")


class Canary:
    """Asks the other finders, and leads what they find in the project to the workspace."""

    def find_spec(self, name, path=None, target=None):
        for finder in list(sys.meta_path):
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                spec = self.own(spec)
                note(name, spec.origin)
                return spec
        return None

    def own(self, spec):
        folders = spec.submodule_search_locations
        own = None if folders is None else [led(folder) for folder in folders]
        origin = led(spec.origin)
        if origin == spec.origin:
            if own is not None and own != list(folders):
                spec.submodule_search_locations = own
            return spec
        return importlib.util.spec_from_file_location(spec.name, origin, submodule_search_locations=own)


def sweep():
    """What came by another way than the finders."""
    for name, module in list(sys.modules.items()):
        if name != "sitecustomize" and name != "__main__":
            note(name, getattr(module, "__file__", None))


def chain():
    """The sitecustomize that this one stands before."""
    others = [path for path in sys.path if os.path.abspath(path) != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.path[:] = [led(path) for path in sys.path]
sys.meta_path.insert(0, Canary())
write("python")
atexit.register(sweep)
chain()
