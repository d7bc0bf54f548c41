"""The page of what the stand-ins answer: the routing's own words, and the operations that the providers' libraries
can call.
"""
import importlib.machinery
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest
import stripe
from paypalserversdk.controllers import orders_controller, payments_controller, vault_controller

import counter

SCRIPT = counter.ROOT / "scripts/stand-ins"


@pytest.fixture(scope="module")
def tool():
    """The script as a module."""
    loader = importlib.machinery.SourceFileLoader("stand_ins", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("stand_ins", loader))
    loader.exec_module(module)
    return module


def listed(tool, name):
    return {(method, tool.plain(path)) for own, method, path, _ in tool.listed() if own == name}


def test_the_page_is_what_the_routing_and_the_list_say():
    told = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr


def test_a_route_that_the_list_lacks_and_a_note_that_nothing_answers_are_found(tool):
    rows, routes = tool.listed(), tool.routing()
    assert tool.errors(rows, routes) == []
    assert len(tool.errors(rows, routes | {("stripe", "GET", "/v1/moons")})) == 1
    assert len(tool.errors([*rows, ["stripe", "GET", "/v1/moons", "the near side"]], routes)) == 1
    assert len(tool.errors([*rows, rows[0]], routes)) == 1


def test_the_routing_of_every_stand_in_is_read(tool):
    names = {name for name, _, _ in tool.routing()}
    assert names == set(tool.TITLES)
    assert len([1 for name, _, _ in tool.routing() if name == "stripe"]) >= 70


def test_every_operation_of_stripes_library_on_the_listed_collections_is_in_the_list(tool):
    known = listed(tool, "stripe")
    collections = {path.split("/")[2] for _, path in known} - {"test_helpers"}
    named = set()
    for file in pathlib.Path(stripe.__file__).parent.rglob("*_service.py"):
        for method, path in re.findall(r'self\._request\(\s*"(get|post|delete)",\s*"(/v1/[^"]+)"', file.read_text()):
            if path.split("/")[2] in collections:
                named.add((method.upper(), tool.plain(path)))
    assert len(named) > 90
    assert named - known == set()


@pytest.mark.parametrize("controller", [orders_controller, payments_controller, vault_controller])
def test_every_operation_of_paypals_library_is_in_the_list(tool, controller):
    request = r"""\.path\(\s*["']([^"']+)["']\s*\)\s*\.http_method\(\s*HttpMethodEnum\.(\w+)"""
    found = re.findall(request, inspect.getsource(controller))
    named = {(method, tool.plain(path)) for path, method in found}
    assert named and named - listed(tool, "paypal") == set()
