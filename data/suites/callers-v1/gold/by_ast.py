"""Gold, first method: who calls a function, by resolving names and imports on Python's own syntax tree.

    python by_ast.py --tree DIR --target package.module:qualname

prints the sorted JSON list of `path::qualname`. Exit 2, with a message, when the target is not defined in
the tree. Nothing of the tree is imported or run, and nothing outside it is read.

A name is looked up as Python does: innermost scope first, class bodies invisible to the functions inside
them, `global` and `nonlocal` obeyed. A binding that is neither a definition, nor an import, nor a plain
`a = b` resolves to nothing. Methods are found through `self`, `cls`, `super()`, a class's own name, a
parameter's annotation and a local `x = Class(...)`, along the bases.

The other method shares no line with this one. benchctl-canary-662956e0-ed24-4796-854f-397faa1fccfb
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
DEPTH = 24
"""Longest chain of aliases, re-exports and bases followed: more is a circle."""


@dataclass(frozen=True)
class Thing:
    """What an expression is: a `module`, `function`, `class`, or the `instance` of a class of the tree."""

    kind: str
    module: str
    qualname: str = ""


@dataclass
class Scope:
    """One block of names. `binds` maps a name to the syntax that binds it, in source order."""

    kind: str
    module: Module
    qualname: str
    parent: Scope | None
    node: ast.AST
    binds: dict[str, list[tuple[str, object]]] = field(default_factory=lambda: defaultdict(list))
    outer: dict[str, str] = field(default_factory=dict)

    def function(self) -> str:
        """Return the qualname of the innermost `def` around this scope, or `<module>`."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope.qualname if scope else "<module>"


@dataclass
class Module:
    """One file of the tree, with every class scope and every call by the scope it is written in."""

    name: str
    path: str
    is_package: bool
    scope: Scope = field(init=False)
    classes: dict[str, Scope] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)

    def absolute(self, module: str | None, level: int) -> str:
        """Return the absolute name that `from <level dots><module>` means here."""
        if not level:
            return module or ""
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.is_package else 0)
        return ".".join([*parts[:keep], *([module] if module else [])])


class _Binder(ast.NodeVisitor):
    """Fills a module's scopes."""

    def __init__(self, module: Module, tree: ast.Module) -> None:
        self.module = module
        self.scope = module.scope = Scope("module", module, "", None, tree)
        self.generic_visit(tree)

    def bind(self, name: str, how: str, what: object = None) -> None:
        place = self.scope
        where = self.scope.outer.get(name)
        while where == "global" and place.parent is not None:
            place = place.parent
        if where == "nonlocal":
            place = next(
                (s for s in enclosing(place.parent) if s.kind == "function" and name in s.binds), place
            )
        place.binds[name].append((how, what))

    def inside(
        self, kind: str, name: str, node: ast.AST, body: list[ast.AST], args: ast.arguments | None
    ) -> None:
        above = self.scope
        dotted = f"{above.qualname}.{name}" if above.qualname and name else name or above.qualname
        self.scope = Scope(kind, self.module, dotted, above, node)
        if kind == "class":
            self.module.classes[dotted] = self.scope
        for word in declarations(body) if kind == "function" else ():
            how = "global" if isinstance(word, ast.Global) else "nonlocal"
            self.scope.outer.update(dict.fromkeys(word.names, how))
        if args is not None:
            for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
                if arg is not None:
                    plain = arg is not args.vararg and arg is not args.kwarg
                    self.bind(arg.arg, "parameter", arg if plain else None)
        for child in body:
            self.visit(child)
        self.scope = above

    def visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name, "def", node)
        dotted = f"{self.scope.qualname}.{node.name}" if self.scope.qualname else node.name
        self.module.functions.add(dotted)
        for outside in (*node.decorator_list, node.args, *([node.returns] if node.returns else [])):
            self.visit(outside)
        self.inside("function", node.name, node, list(node.body), node.args)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_function  # noqa: N815 - the visitor's own naming

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self.inside("lambda", "", node, [node.body], node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name, "class", node)
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        self.inside("class", node.name, node, list(node.body), None)

    def visit_comprehension_like(self, node: ast.expr) -> None:
        generators = node.generators  # type: ignore[attr-defined]
        self.visit(generators[0].iter)
        rest = [part for g in generators for part in (g.target, *g.ifs)] + [g.iter for g in generators[1:]]
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
        self.inside("lambda", "", node, [*rest, *values], None)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_comprehension_like  # noqa: N815

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self.bind(alias.asname, "import", (alias.name, None))
            else:
                self.bind(alias.name.split(".")[0], "import", (alias.name.split(".")[0], None))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        origin = self.module.absolute(node.module, node.level)
        for alias in node.names:
            self.bind(alias.asname or alias.name, "import", (origin, alias.name))

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.bind(node.targets[0].id, "value", node.value)
        else:
            for target in node.targets:
                self.visit(target)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) and node.value is not None:
            self.bind(node.target.id, "value", node.value)
        else:
            self.visit(node.target)
        for part in (node.annotation, node.value):
            if part is not None:
                self.visit(part)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id, "opaque")

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name, "opaque")
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.module.calls.append((node, self.scope))
        self.generic_visit(node)


def declarations(body: Sequence[ast.AST]) -> Iterator[ast.Global | ast.Nonlocal]:
    """Yield the `global` and `nonlocal` statements of a block, those of the blocks inside it left out."""
    for node in body:
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield node
        elif not isinstance(node, (*FUNCTION, ast.ClassDef, ast.Lambda)):
            yield from declarations(list(ast.iter_child_nodes(node)))


def enclosing(scope: Scope | None) -> list[Scope]:
    """Return a scope and those around it, innermost first."""
    chain = []
    while scope is not None:
        chain.append(scope)
        scope = scope.parent
    return chain


class Resolver:
    """Says what an expression is, across the modules of one tree."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, Module] = {}
        for path in sorted(root.rglob("*.py")):
            rel = path.relative_to(root)
            parts = rel.with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            module = Module(name, rel.as_posix(), is_package)
            _Binder(module, ast.parse(path.read_bytes(), filename=str(rel)))
            self.modules[name] = module

    def member(self, module: str, name: str, depth: int) -> set[Thing]:
        """Return what `module.name` is: a global of the module, or a module inside it."""
        home = self.modules.get(module)
        if home is None or depth > DEPTH:
            return set()
        found = self.bound(home.scope, name, depth + 1) if name in home.scope.binds else set()
        if not found and "*" in home.scope.binds:
            for _, (origin, _name) in home.scope.binds["*"]:  # type: ignore[misc]
                found |= self.member(origin, name, depth + 1)
        if not found and f"{module}.{name}" in self.modules:
            found = {Thing("module", f"{module}.{name}")}
        return found

    def bound(self, scope: Scope, name: str, depth: int) -> set[Thing]:
        """Return what the bindings of one name in one scope may be."""
        found: set[Thing] = set()
        dotted = f"{scope.qualname}.{name}" if scope.qualname else name
        for how, what in scope.binds[name] if depth <= DEPTH else ():
            if how == "def":
                found.add(Thing("function", scope.module.name, dotted))
            elif how == "class":
                found.add(Thing("class", scope.module.name, dotted))
            elif how == "import":
                origin, item = what  # type: ignore[misc]
                found |= {Thing("module", origin)} if item is None else self.member(origin, item, depth + 1)
            elif how == "value":
                found |= self.expression(what, scope, depth + 1)  # type: ignore[arg-type]
            elif how == "parameter" and isinstance(what, ast.arg):
                found |= self.parameter(what, scope, depth)
        return found

    def parameter(self, arg: ast.arg, scope: Scope, depth: int) -> set[Thing]:
        """Return the instance that a parameter is: `self` and `cls` of a method, or its annotated class."""
        above = scope.parent
        if isinstance(scope.node, FUNCTION) and above is not None and above.kind == "class":
            marks = {d.id for d in scope.node.decorator_list if isinstance(d, ast.Name)}
            first = [*scope.node.args.posonlyargs, *scope.node.args.args][:1]
            if first == [arg] and "staticmethod" not in marks:
                is_class = "classmethod" in marks or scope.node.name in {"__new__", "__init_subclass__"}
                return {Thing("class" if is_class else "instance", scope.module.name, above.qualname)}
        hint: ast.expr | None = arg.annotation
        if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
            try:
                hint = ast.parse(hint.value, mode="eval").body
            except SyntaxError:
                hint = None
        options = [hint.left, hint.right] if isinstance(hint, ast.BinOp) else [hint]
        things = {t for o in options if o is not None for t in self.expression(o, above or scope, depth + 1)}
        return {Thing("instance", t.module, t.qualname) for t in things if t.kind == "class"}

    def name(self, name: str, scope: Scope, depth: int) -> set[Thing]:
        """Return what a bare name means in a scope."""
        for index, place in enumerate(enclosing(scope)):
            if place.kind == "class" and index:
                continue
            if place.outer.get(name) == "global":
                return self.member(scope.module.name, name, depth + 1)
            if name in place.binds and place.kind != "module":
                return self.bound(place, name, depth + 1)
        return self.member(scope.module.name, name, depth + 1)

    def expression(self, node: ast.expr, scope: Scope, depth: int = 0) -> set[Thing]:
        """Return everything that an expression may be; empty where that cannot be proven."""
        if depth > DEPTH:
            return set()
        if isinstance(node, ast.Name):
            return self.name(node.id, scope, depth)
        if isinstance(node, ast.Attribute):
            return {
                t
                for base in self.expression(node.value, scope, depth + 1)
                for t in self.attribute(base, node.attr, depth + 1)
            }
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
                home = next((s for s in enclosing(scope) if s.kind == "class"), None)
                return {Thing("super", home.module.name, home.qualname)} if home else set()
            made = self.expression(node.func, scope, depth + 1)
            return {Thing("instance", t.module, t.qualname) for t in made if t.kind == "class"}
        return set()

    def attribute(self, base: Thing, name: str, depth: int) -> set[Thing]:
        """Return what `base.name` is."""
        if base.kind == "module":
            return self.member(base.module, name, depth)
        if (
            base.kind not in {"class", "instance", "super"}
            or depth > DEPTH
            or base.module not in self.modules
        ):
            return set()
        home = self.modules[base.module].classes.get(base.qualname)
        if home is None:
            return set()
        if base.kind != "super" and name in home.binds:
            return self.bound(home, name, depth + 1)
        for parent in home.node.bases:  # type: ignore[attr-defined]
            for thing in self.expression(parent, home.parent or home, depth + 1):
                if thing.kind == "class" and (found := self.attribute(thing, name, depth + 1)):
                    return found
        return set()


def callers(root: Path, target: str) -> list[str]:
    """Return the sorted items. Raises LookupError when the tree does not define the target."""
    module, _, qualname = target.partition(":")
    resolver = Resolver(root)
    if module not in resolver.modules or qualname not in resolver.modules[module].functions:
        raise LookupError(f"the tree defines no function {target}")
    wanted = Thing("function", module, qualname)
    return sorted(
        {
            f"{place.path}::{scope.function()}"
            for place in resolver.modules.values()
            for call, scope in place.calls
            if wanted in resolver.expression(call.func, scope)
        }
    )


def main() -> int:
    """Print the list; 0, or 2 with a message."""
    parser = argparse.ArgumentParser(description="callers of a function, by ast")
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--target", required=True)
    options = parser.parse_args()
    try:
        print(json.dumps(callers(options.tree, options.target), indent=1))
    except (LookupError, OSError, SyntaxError) as error:
        print(f"by_ast: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
