"""The explorers as a page for browsers, for colleagues who write no code.

``server`` is Voila with one notebook, ``visitors`` starts a kernel for each visitor, ``page`` is
what that kernel shows. Voila is an extra: only ``server`` and ``visitors`` load it.
"""
