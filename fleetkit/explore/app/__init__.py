"""The explorers as a page for browsers, for readers who write no code.

``server`` is Voila with one notebook, ``visitors`` starts a kernel for each reader, ``page`` is
what that kernel shows. Voila is an extra: only ``server`` and ``visitors`` load it.
"""
