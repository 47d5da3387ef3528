"""The stub file of the native module says what is in the module: the same names, the same parameters, the same defaults."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import robomaton
from robomaton import _robomaton as native
from robomaton import commands

STUB = ast.parse(Path(robomaton.__file__).with_name("_robomaton.pyi").read_text())
#: Methods of the language that the stub may tell or leave out, as those of `object` hide whether a class has its own.
LANGUAGE = {
    *("__new__", "__repr__", "__reduce__", "__getnewargs_ex__", "__bool__", "__len__", "__iter__"),
    *("__enter__", "__exit__"),
}


def is_public(name: str) -> bool:
    """Whether a name is for users."""
    return not name.startswith("_")


def stubbed(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What is declared, by name; of overloads the last."""
    names = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return names


def declared(function: ast.FunctionDef) -> list[tuple[str, str, str | None]]:
    """Parameters of a stub: name, kind, default; without `self` or `cls`."""
    of = function.args
    first = [*of.posonlyargs, *of.args]
    padded = [None] * (len(first) - len(of.defaults)) + of.defaults
    rows = [(argument, "POSITIONAL_OR_KEYWORD", default) for argument, default in zip(first, padded)]
    rows += [(argument, "KEYWORD_ONLY", default) for argument, default in zip(of.kwonlyargs, of.kw_defaults)]
    told = [(argument.arg, kind, default and repr(ast.literal_eval(default))) for argument, kind, default in rows]
    return [row for row in told if row[0] not in ("self", "cls")]


def actual(function: object) -> list[tuple[str, str, str | None]]:
    """Parameters of a native function."""
    parameters = inspect.signature(function).parameters.values()
    empty = inspect.Parameter.empty
    told = [(of.name, of.kind.name, None if of.default is empty else repr(of.default)) for of in parameters]
    return [row for row in told if row[0] != "self"]


FUNCTIONS = [
    pytest.param(function, node, id=name)
    for name, node in stubbed(STUB.body).items()
    if isinstance(node, ast.FunctionDef) and (function := getattr(native, name, None))
]
for class_name, class_node in stubbed(STUB.body).items():
    if not isinstance(class_node, ast.ClassDef) or not hasattr(native, class_name):
        continue
    for name, node in stubbed(class_node.body).items():
        member = getattr(getattr(native, class_name), name, None)
        if name == "__new__":
            FUNCTIONS.append(pytest.param(getattr(native, class_name), node, id=class_name))
        elif is_public(name) and isinstance(node, ast.FunctionDef) and callable(member):
            FUNCTIONS.append(pytest.param(member, node, id=f"{class_name}.{name}"))


def names_of(thing: ModuleType | type) -> set[str]:
    """Public names of a module; of a class those that no other class gave it."""
    return {name for name in vars(thing) if is_public(name)}


def test_names_of_the_module() -> None:
    declared_names = {name for name in stubbed(STUB.body) if is_public(name)}
    assert declared_names == names_of(native)
    assert declared_names | {"Protego", "__version__", *commands.__all__} == set(robomaton.__all__)
    assert all(getattr(robomaton, name) is getattr(native, name) for name in declared_names)
    assert "__version__" in stubbed(STUB.body)


@pytest.mark.parametrize("name", ["Answer", "Image", "Robots", "SiteState", "Store", "StoreReader"])
def test_names_of_a_class(name: str) -> None:
    members = stubbed(stubbed(STUB.body)[name].body)
    of = getattr(native, name)
    assert {member for member in members if is_public(member)} == names_of(of)
    assert {member for member in members if not is_public(member)} <= LANGUAGE
    assert all(hasattr(of, member) for member in members)
    for member, node in members.items():
        is_property = any(getattr(mark, "id", None) == "property" for mark in node.decorator_list)
        assert is_property is not callable(getattr(of, member))


def test_attributes_of_errors(tmp_path: Path) -> None:
    assert native.ImageError.__mro__[1:3] == (native.Error, Exception)
    declared_names = set(stubbed(stubbed(STUB.body)["ImageError"].body))
    with pytest.raises(native.ImageError) as raised:
        robomaton.Image(__file__)
    assert declared_names == {name for name in vars(raised.value) if is_public(name)}
    assert native.StoreLocked.__mro__[1:4] == (native.StoreError, native.Error, Exception)
    with robomaton.Store(tmp_path) as store, pytest.raises(native.StoreLocked) as locked:
        robomaton.Store(store.path)
    declared_names = {*stubbed(stubbed(STUB.body)["StoreError"].body), *stubbed(stubbed(STUB.body)["StoreLocked"].body)}
    assert declared_names == {name for name in vars(locked.value) if is_public(name)}


@pytest.mark.parametrize(("function", "node"), FUNCTIONS)
def test_parameters(function: object, node: ast.FunctionDef) -> None:
    assert declared(node) == actual(function)


def test_functions_are_many() -> None:
    assert len(FUNCTIONS) > 20


def test_all_is_documented() -> None:
    for name in names_of(native) - {"VERDICTS"}:
        thing = getattr(native, name)
        assert inspect.getdoc(thing), name
        for member in names_of(thing) if isinstance(thing, type) else ():
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(robomaton.__file__).with_name("py.typed").exists()
