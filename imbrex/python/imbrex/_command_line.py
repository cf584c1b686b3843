# SPDX-License-Identifier: Apache-2.0
"""Command lines: the words of the runtime's options, and the command imbrex."""

import difflib
import os
import pathlib
import re
import shutil

from imbrex import _core, _errors


def words_of(options, beside=()):
    """The command-line words for options of the runtime. Raises UsageError for an unknown option. `beside`: other
    names for the suggestion in its text."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        known = re.findall(r"^ *(--[a-z][a-z-]*)", _core.options_help(), re.MULTILINE)
        if option not in known:
            near = difflib.get_close_matches(name, [*beside, *(k[2:].replace("-", "_") for k in known)], 1)
            raise _errors.UsageError(f"{name}={value!r}: the runtime has no option {option}"
                                     + (f"; did you mean {near[0]}?" if near else
                                        f"; it has {', '.join(known)}"))
        if value is True:
            words.append(option)
        elif value is not False and value is not None:
            words += [option, str(value)]
    return words


def command():
    """The command imbrex: that of this package, or one in the search path."""
    package = pathlib.Path(_core.__file__).parent
    places = [os.environ.get("IMBREX_COMMAND"), package / "bin/imbrex", package.parents[1] / "bin/imbrex",
              shutil.which("imbrex")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(place)
    raise _errors.Error("the command imbrex, which starts processes, was not found: let PATH or IMBREX_COMMAND name "
                        "it, or start one process")
