# SPDX-License-Identifier: Apache-2.0
"""The conditions of @when and Chare.wait, given as text, and what they depend on."""

import ast
import sys


class ChareStateCond:
    """A condition on the chare only."""

    def __init__(self, text, module_name):
        self._code = compile(text.strip(), f"<condition {text!r}>", "eval")
        self._globals = sys.modules[module_name].__dict__

    def holds(self, chare, arguments=()):
        return eval(self._code, self._globals, {"self": chare})


class ChareStateMsgCond(ChareStateCond):
    """A condition on the chare and the arguments of a message."""

    def __init__(self, text, module_name, places):
        super().__init__(text, module_name)
        self._places = places

    def holds(self, chare, arguments=()):
        names = {name: arguments[place] for name, place in self._places.items() if place < len(arguments)}
        return eval(self._code, self._globals, {**names, "self": chare})


class MsgTagCond:
    """The condition that an attribute of the chare equals an argument of the message."""

    def __init__(self, attrib_name, arg_idx):
        self.attrib_name = attrib_name
        self.arg_idx = arg_idx

    def holds(self, chare, arguments=()):
        return getattr(chare, self.attrib_name) == arguments[self.arg_idx]


def _attribute_of_self(node):
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return None


def parse_cond_str(cond_str, module_name, method_arguments=None):
    """Parses a condition. `method_arguments`: positions of a method's arguments by name; without them the condition
    may use only the chare's state."""
    method_arguments = method_arguments or {}
    tree = ast.parse(cond_str.strip(), mode="eval").body
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and isinstance(tree.ops[0], ast.Eq):
        for own, other in ((tree.left, tree.comparators[0]), (tree.comparators[0], tree.left)):
            name = _attribute_of_self(own)
            if name is not None and isinstance(other, ast.Name) and other.id in method_arguments:
                return MsgTagCond(name, method_arguments[other.id])
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if names & set(method_arguments):
        return ChareStateMsgCond(cond_str, module_name, method_arguments)
    return ChareStateCond(cond_str, module_name)
