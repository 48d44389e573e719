"""What imports leave out for a report is there again for everybody else."""

import sys

from matplotlib.artist import Artist

from fleetkit.reports.lightening import light_jsonschema, light_matplotlib


def test_a_parser_of_addresses_is_loaded_by_the_first_address_that_is_checked(
    tmp_path, monkeypatch
):
    parser = "def is_valid_syntax(term, value):\n    return (term, value) == ('iri', 'urn:x')\n"
    (tmp_path / "rfc3987_syntax.py").write_text(parser)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("jsonschema", "rfc3987_syntax"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with light_jsonschema():
        from rfc3987_syntax import is_valid_syntax
    assert "rfc3987_syntax" not in sys.modules
    assert [is_valid_syntax("iri", text) for text in ("urn:x", "x")] == [True, False]
    assert sys.modules["rfc3987_syntax"].__file__ == str(tmp_path / "rfc3987_syntax.py")


def test_only_classes_of_the_block_have_no_list_of_what_can_be_set():
    with light_matplotlib():

        class Light(Artist):
            pass

    class Whole(Artist):
        pass

    assert ["zorder" in (one.set.__doc__ or "") for one in (Light, Whole)] == [False, True]
