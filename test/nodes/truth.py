"""Prints what Python's own ast says of the files named on standard input, one JSON line for each."""

import ast
import json
import sys

sys.setrecursionlimit(20_000)


def text(node):
    return None if node is None else ast.unparse(node)


def params(arguments):
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [[arg.arg, text(arg.annotation), value is not None] for arg, value in zip(plain, defaults)]
    if arguments.vararg:
        found.append(["*" + arguments.vararg.arg, text(arguments.vararg.annotation), False])
    for arg, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append([arg.arg, text(arg.annotation), value is not None])
    if arguments.kwarg:
        found.append(["**" + arguments.kwarg.arg, text(arguments.kwarg.annotation), False])
    return found


def first_line(node):
    docstring = ast.get_docstring(node, clean=False)
    if docstring is None:
        return None
    return next((line.strip() for line in docstring.split("\n") if line.strip()), "")


def bound_lambda(node):
    if isinstance(node, ast.Assign):
        target = node.targets[-1]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda) else None


def definitions(tree):
    found = []
    counts = {}

    def add(node, name, kind, qualifier, start, doc, args, returns):
        qualified = f"{qualifier}.{name}" if qualifier else name
        counts[qualified] = counts.get(qualified, 0) + 1
        if counts[qualified] > 1:
            qualified = f"{qualified}~{counts[qualified]}"
        found.append([qualified, kind, start, node.end_lineno, doc, args, returns])
        return qualified

    def visit(node, qualifier, in_class):
        for child in ast.iter_child_nodes(node):
            name = bound_lambda(child)
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                start = min([child.lineno] + [decorator.lineno for decorator in child.decorator_list])
                is_class = isinstance(child, ast.ClassDef)
                kind = "class" if is_class else "method" if in_class else "function"
                args = [] if is_class else params(child.args)
                returns = None if is_class else text(child.returns)
                inner = add(child, child.name, kind, qualifier, start, first_line(child), args, returns)
                visit(child, inner, is_class)
            elif name is not None:
                kind = "method" if in_class else "function"
                inner = add(child, name, kind, qualifier, child.lineno, None, params(child.value.args), None)
                visit(child, inner, False)
            else:
                visit(child, qualifier, in_class)

    visit(tree, "", False)
    return found


for line in sys.stdin:
    try:
        with open(line.rstrip("\n"), "rb") as file:
            print(json.dumps(definitions(ast.parse(file.read()))), flush=True)
    except (SyntaxError, ValueError, RecursionError):
        print("null", flush=True)
