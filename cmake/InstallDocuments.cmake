# SPDX-License-Identifier: Apache-2.0
# Documents, and examples that can be built from where they lie. Links between them hold as in the source.
install(FILES README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md CITATION.cff LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY docs packaging DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT documents
        FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "*.py" PATTERN "*.ipynb"
        PATTERN installed EXCLUDE PATTERN resident EXCLUDE PATTERN style EXCLUDE
        REGEX "/(check_documents|document_names)[^/]*$" EXCLUDE)
install(FILES examples/installed/CMakeLists.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT documents)
