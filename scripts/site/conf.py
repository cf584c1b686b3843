# SPDX-License-Identifier: Apache-2.0
# The configuration of Sphinx for the site that scripts/site/build.py makes.
import pathlib

project = "Imbrex"
author = "the authors of Imbrex"
copyright = author  # noqa: A001  the name is Sphinx's
extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples"]
myst_heading_anchors = 4
breathe_projects = {"imbrex": str(pathlib.Path(__file__).resolve().parent.parent / "doxygen/xml")}
breathe_default_project = "imbrex"
breathe_default_members = ("members",)
breathe_show_include = False
cpp_id_attributes = ["IMBREX_HOST_DEVICE", "IMBREX_DEVICE"]
primary_domain = None
highlight_language = "none"
html_theme = "furo"
html_title = "Imbrex"
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
