"""A key that was copied with something around it: what is wrong is named, the key is not shown."""

import pytest

import fleetkit as fk
from fleetkit.client import Client
from fleetkit.client.key import Key


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('"fk_secret"', "is in quotes"),
        ("'fk_secret'", "is in quotes"),
        ("“fk_secret”", "is in quotes"),
        ('fk_secret"', "is in quotes"),
        ('"fk_secret', "is in quotes"),
        ("fk_secret\n", "holds a line end"),
        ("fk_secret\r", "holds a line end"),
        ("fk_se\ncret", "holds several lines"),
        ("fk_secret\r\nX-Other: 1", "holds several lines"),
        (" fk_secret", "has whitespace before or after it"),
        ("fk_secret\t", "has whitespace before or after it"),
        ("fk_secret\u00a0", "has whitespace before or after it"),
        ("fk_se cret", "holds whitespace, at position 6 of 10"),
        ("fk_sécret", "holds a character that no key has, at position 5 of 9"),
        ("fk_se\x00cret", "holds a character that no key has, at position 6 of 10"),
        ("fk_secret\ufeff", "holds a character that no key has, at position 10 of 10"),
        ("Bearer fk_secret", "comes with the name of its header"),
        ("X-API-Key: fk_secret", "comes with the name of its header"),
    ],
)
def test_what_came_with_a_copied_key_is_named_and_the_key_is_not_shown(text, says):
    with pytest.raises(fk.InvalidValue) as refused:
        Key(text)
    assert str(refused.value) == (
        f"The API key {says}. Give the key alone, as the dashboard showed it."
    )


@pytest.mark.parametrize("text", ["", " ", "\n", None, 3, b"fk_secret"])
def test_what_is_no_text_is_no_key(text):
    with pytest.raises(fk.InvalidValue, match=r"There is no API key\. Set FLEETKIT_API_KEY\."):
        Key(text)


@pytest.mark.parametrize("text", ["fk_secret", "Bearer_x", "a'b", "~!$%&/()=?"])
def test_what_can_be_a_key_is_one(text):
    assert Key(text).text == text


def test_a_key_in_quotes_is_named_on_the_way_in(monkeypatch):
    monkeypatch.setenv("FLEETKIT_API_KEY", '"fk_secret"')
    with pytest.raises(fk.InvalidValue, match="is in quotes") as refused:
        fk.connect("https://fleet.example")
    assert "fk_secret" not in str(refused.value)


def test_a_key_in_place_of_the_name_of_its_header_is_not_shown(monkeypatch):
    with pytest.raises(fk.InvalidValue, match=r"^auth is not one of X-API-Key, Bearer\.$"):
        Client("https://fleet.example", "fk_secret", auth="fk_secret")
    with pytest.raises(fk.InvalidValue, match=r"argument auth: this is not one of X-API-Key"):
        fk.connect("https://fleet.example", auth="fk_secret")
    monkeypatch.setenv("FLEETKIT_AUTH", "fk_secret")
    with pytest.raises(fk.InvalidValue, match=r"^FLEETKIT_AUTH: this is not one of X-API-Key"):
        fk.connect("https://fleet.example")
