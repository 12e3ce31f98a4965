#!/usr/bin/env python3
"""Every word that the reader of kernel files knows is in the syntax files of
editors/ and in docs/kernels.md; and no keyword there is unknown to the reader.

    tests/editors.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

# Of formulas in spec files; kernels have no use for them.
SPEC_ONLY = {"size", "flat", "unflat", "opaque", "lambda"}
# Read where they stand only, so that they may be names, too.
IN_PLACE = {"at", "in", "replicated", "shard", "partial", "refines",
            "violation", "unproven", "real", "int", "bool"}


def strings(text, begin):
    """The string literals between `begin` and the end of that initializer."""
    return set(re.findall(r'"(\w+)"', text.split(begin, 1)[1].split("};", 1)[0]))


def main(root):
    read = lambda path: (root / path).read_text()
    keywords = strings(read("kernels/parse.c"), "bool is_keyword(")
    functions = strings(read("encode/lang_names.c"), "} functions[] =")
    reductions = strings(read("encode/lang.c"), "bool binds(")
    collectives = strings(read("kernels/mistakes.c"), "collectives[] =")
    words = (keywords | functions | reductions | collectives | IN_PLACE)
    words -= SPEC_ONLY
    bad = []
    for path in ("editors/vim/syntax/shardproof.vim",
                 "editors/vscode/syntaxes/shardproof.tmLanguage.json",
                 "docs/kernels.md"):
        # \b and \< of the patterns are no letters of the words after them
        there = set(re.findall(r"[a-z_0-9]+", re.sub(r"\\[b<]", " ", read(path))))
        bad += [f"{path}: {w} is missing" for w in sorted(words - there)]
    vim = re.findall(r"^syntax keyword sp(?!Todo)\w+ (.*)$",
                     read("editors/vim/syntax/shardproof.vim"), re.M)
    for word in sorted(set(" ".join(vim).split()) - words):
        bad.append(f"editors/vim: the reader does not know {word}")
    print("\n".join(bad) or f"{len(words)} words")
    return bool(bad) or len(words) < 60


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
