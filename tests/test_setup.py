"""The first run: address and key are asked for, tested, stored, and used from then on."""

import getpass
import json
import os
import stat

import pytest
from hostile import hostile, page, reply

import fleetkit as fk
from fleetkit import credentials, settings

SECRET = "fk_very_secret_1"
OTHER = "https://other.example"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Give each test a home and a folder of its own, and no settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in [name for name in os.environ if name.startswith("FLEETKIT_")]:
        monkeypatch.delenv(name)
    return tmp_path / "config" / "fleetkit" / "credentials.json"


@pytest.fixture
def keyring():
    """Return the package keyring with a keyring in memory, in place of the system's."""
    package = pytest.importorskip("keyring")
    from keyring.backend import KeyringBackend

    class Memory(KeyringBackend):
        priority = 1

        def __init__(self):
            super().__init__()
            self.keys = {}

        def get_password(self, service, username):
            return self.keys.get((service, username))

        def set_password(self, service, username, password):
            self.keys[service, username] = password

        def delete_password(self, service, username):
            del self.keys[service, username]

    before = package.get_keyring()
    package.set_keyring(Memory())
    yield package.get_keyring().keys
    package.set_keyring(before)


@pytest.fixture
def typing(monkeypatch):
    """Return a function that says what a person at a terminal types."""

    def types(address, key):
        class Terminal:
            def isatty(self):
                return True

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("builtins.input", lambda _: address)
        monkeypatch.setattr(getpass, "getpass", lambda _: key)

    return types


def test_without_settings_connect_says_where_address_and_key_go():
    with pytest.raises(fk.InvalidValue) as refused:
        fk.connect()
    for word in (
        "fk.setup()",
        "base_url",
        "FLEETKIT_BASE_URL",
        "fleetkit.toml",
        "FLEETKIT_API_KEY",
    ):
        assert word in str(refused.value)
    with pytest.raises(fk.InvalidValue, match=r"no API key for https://other.example.*fk\.setup"):
        fk.connect(OTHER)
    with pytest.raises(fk.InvalidValue, match=r"holds a user or password\."):
        fk.connect("https://ada:secret@fleet.example")


@pytest.mark.slow
def test_what_setup_stored_is_what_connect_uses(tiny, typing, home, capsys):
    typing(tiny.base_url, tiny.api_key)
    assert fk.setup(in_file=True).address == tiny.base_url
    with fk.connect() as fleet:
        assert len(fleet.equipment()) == 3
    assert stat.S_IMODE(home.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700
    printed = capsys.readouterr()
    assert str(home) in printed.out
    assert tiny.api_key not in printed.out + printed.err


def test_what_cannot_be_deleted_is_to_be_deleted_by_hand(home):
    home.mkdir(parents=True)
    with pytest.raises(
        fk.FleetkitError, match=r"credentials\.json can't be deleted: .* by hand\.$"
    ):
        credentials.forget()


def test_what_cannot_be_looked_for_is_to_be_deleted_by_hand_too(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ("x" * 300)))
    with pytest.raises(
        fk.FleetkitError,
        match=r"credentials\.json can't be deleted: File name too long\. Delete it by hand\.$",
    ):
        credentials.forget()


def test_the_key_goes_into_the_keyring_and_no_file_holds_it(tiny, typing, home, keyring):
    typing(tiny.base_url, tiny.api_key)
    fk.setup()
    assert keyring == {("fleetkit", tiny.base_url): tiny.api_key}
    assert tiny.api_key not in home.read_text()
    with fk.connect() as fleet:
        assert len(fleet.projects()) == 3
    assert credentials.forget()
    assert keyring == {}
    assert not home.exists()


@pytest.mark.parametrize(
    "written",
    [
        "https://fleet.example/",
        "https://fleet.example/v1/",
        "https://fleet.example/v1/equipment",
        "HTTPS://Fleet.Example",
        "https://fleet.example:443",
    ],
)
def test_a_stored_key_is_for_its_address_however_that_is_written(written):
    credentials.store("https://fleet.example", SECRET, in_file=True)
    assert fk.connect(written).address == "https://fleet.example"


def test_a_stored_key_is_for_its_address_alone():
    credentials.store("https://fleet.example", SECRET, in_file=True)
    assert credentials.key_of(OTHER) == ""
    with pytest.raises(fk.InvalidValue, match="There is no API key for https"):
        fk.connect(OTHER)


def test_arguments_win_over_the_environment_that_over_the_file_that_over_what_is_stored(
    tmp_path, monkeypatch
):
    def address():
        return fk.connect(api_key="k").address

    credentials.store("https://stored.example", SECRET, in_file=True)
    assert address() == "https://stored.example"
    (tmp_path / "fleetkit.toml").write_text('base_url = "https://file.example"\n')
    assert address() == "https://file.example"
    monkeypatch.setenv("FLEETKIT_BASE_URL", "https://environment.example")
    assert address() == "https://environment.example"
    assert fk.connect("https://argument.example", "k").address == "https://argument.example"


def test_a_key_of_the_environment_wins_over_the_stored_one(tiny, monkeypatch):
    credentials.store(tiny.base_url, SECRET, in_file=True)
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    with fk.connect() as fleet:
        assert len(fleet.services()) == 2


def test_what_fails_the_test_is_not_stored_and_what_was_stays(tiny, typing, home):
    credentials.store("https://fleet.example", SECRET, in_file=True)
    before = home.read_bytes()
    typing(tiny.base_url, "fk_wrong_key_9")
    with pytest.raises(fk.Unauthorized) as refused:
        fk.setup(in_file=True)
    assert "fk_wrong_key_9" not in str(refused.value)
    for address, key in (("ftp://x", "k"), (tiny.base_url, ""), (tiny.base_url, "two words")):
        typing(address, key)
        with pytest.raises(fk.InvalidValue):
            fk.setup(in_file=True)
    assert home.read_bytes() == before


def test_a_key_that_can_read_nothing_does_not_work(run, typing, home, monkeypatch):
    says = "The key can read no table. Give it at least one of the scopes in"
    blocked = reply(b"<html>Blocked</html>", 403, "text/html")
    with hostile(lambda asked: blocked) as server:
        typing(server.base_url, SECRET)
        with pytest.raises(fk.Forbidden, match=says):
            fk.setup(in_file=True)
        monkeypatch.setenv("FLEETKIT_API_KEY", SECRET)
        code, out, err = run("check", "--base-url", server.base_url)
    assert (code, out, home.exists()) == (1, "", False)
    assert says in err


@pytest.mark.parametrize("in_file", [True, False])
def test_who_gives_no_address_or_no_key_is_told_so_and_keeps_what_is_stored(
    tiny, typing, keyring, in_file
):
    typing("", "")
    with pytest.raises(fk.InvalidValue, match=r"^No address of a service was given\."):
        fk.setup(in_file=in_file)
    credentials.store(tiny.base_url, tiny.api_key, in_file=in_file)
    with pytest.raises(fk.InvalidValue, match=r"^No API key was given\."):
        fk.setup(in_file=in_file)
    assert credentials.key_of(tiny.base_url) == tiny.api_key


def test_a_folder_that_cannot_be_written_leaves_the_old_key_in_the_keyring(home, keyring):
    credentials.store("https://fleet.example", SECRET)
    home.unlink()
    home.mkdir()  # a folder in the file's place
    with pytest.raises(fk.FleetkitError, match="What was stored before still is"):
        credentials.store("https://fleet.example", "fk_new_key")
    assert keyring == {("fleetkit", "https://fleet.example"): SECRET}
    assert [path.name for path in home.parent.iterdir()] == ["credentials.json"]


def test_the_keyring_holds_no_key_that_another_one_replaced(keyring):
    credentials.store("https://fleet.example", SECRET)
    credentials.store(OTHER, "fk_second")
    assert keyring == {("fleetkit", OTHER): "fk_second"}
    credentials.store(OTHER, "fk_third", in_file=True)
    assert keyring == {}
    assert credentials.key_of(OTHER) == "fk_third"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_is_refused(home, mode):
    credentials.store("https://fleet.example", SECRET, in_file=True)
    home.chmod(mode)
    with pytest.raises(fk.InvalidValue, match="chmod 600") as refused:
        fk.connect()
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "\udcff"])
def test_a_damaged_file_is_one_clear_error_and_setup_replaces_it(home, text):
    home.parent.mkdir(parents=True)
    home.write_bytes(text.encode("utf-8", "surrogateescape"))
    home.chmod(0o600)
    with pytest.raises(fk.InvalidValue, match="run fleetkit setup again"):
        fk.connect()
    credentials.store("https://fleet.example", SECRET, in_file=True)
    assert json.loads(home.read_text())["base_url"] == "https://fleet.example"


@pytest.mark.parametrize(("text", "mode"), [("{", 0o600), ('{"api_key": "k"}', 0o644)])
def test_setup_replaces_what_cannot_be_used(tiny, typing, home, text, mode):
    home.parent.mkdir(parents=True)
    home.write_text(text)
    home.chmod(mode)
    typing(tiny.base_url, tiny.api_key)
    fk.setup(in_file=True)
    assert credentials.key_of(tiny.base_url) == tiny.api_key


def test_what_another_user_stored_is_not_said_to_be_damaged(home, monkeypatch):
    credentials.store("https://fleet.example", SECRET)
    home.chmod(0o000)
    user = os.geteuid()
    os.seteuid(user or 65534)  # root may read everything
    try:
        with pytest.raises(fk.InvalidValue, match=r"is not yours to read\. Set HOME") as refused:
            fk.connect()
        monkeypatch.setenv("FLEETKIT_BASE_URL", OTHER)
        monkeypatch.setenv("FLEETKIT_API_KEY", SECRET)
        assert OTHER in repr(fk.connect())
    finally:
        os.seteuid(user)
    assert "Delete" not in str(refused.value)


def ended(_):
    raise EOFError


def test_where_nobody_can_be_asked_setup_says_so(monkeypatch):
    monkeypatch.setattr("builtins.input", ended)
    with pytest.raises(fk.InvalidValue, match="nobody to ask"):
        fk.setup()


@pytest.mark.parametrize(
    ("asks", "lacks"), [("builtins.input", "address of a service"), ("getpass.getpass", "API key")]
)
def test_control_d_in_a_terminal_gives_no_answer(monkeypatch, typing, asks, lacks):
    typing(OTHER, SECRET)
    monkeypatch.setattr(asks, ended)
    with pytest.raises(fk.InvalidValue, match=rf"No {lacks} was given\."):
        fk.setup()


def test_where_nobody_can_be_asked_the_command_names_itself(run, monkeypatch):
    monkeypatch.setattr("builtins.input", ended)
    assert run("setup")[2].startswith("fleetkit: fleetkit setup asks for address and key, and here")


def test_a_terminal_that_would_show_the_key_is_not_asked(monkeypatch, typing):
    import warnings

    def shown(_):
        warnings.warn("Can not control echo", getpass.GetPassWarning, stacklevel=1)
        return SECRET

    typing("https://fleet.example", "")
    monkeypatch.setattr(getpass, "getpass", shown)
    with pytest.raises(fk.InvalidValue, match="nobody to ask"):
        fk.setup()


def test_the_command_stores_what_check_uses_and_forgets_it(run, tiny, monkeypatch, keyring):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO(f"{tiny.api_key}\n"))
    code, out, err = run("setup", "--base-url", tiny.base_url, "--file")
    assert (code, err, keyring) == (0, "", {})
    assert "answers, and the key works. It is stored in" in out
    assert tiny.api_key not in out
    assert run("check")[1].startswith(f"{tiny.base_url} answers, and the key works.")
    assert run("setup", "--forget")[1] == "Address and key are deleted.\n"
    assert run("setup", "--forget")[1] == "Nothing is stored.\n"
    code, _, err = run("check")
    assert code == 1
    assert "fleetkit setup asks for address and key" in err


def test_the_command_sends_the_key_in_the_header_and_as_openly_as_it_is_told_to(run, monkeypatch):
    import io

    def answer(request):
        requests.append(request)
        return reply(json.dumps(page(request, [])).encode())

    def setup(*options):
        monkeypatch.setattr("sys.stdin", io.StringIO("fk_key\n"))
        return run("setup", "--file", "--base-url", *options)

    requests = []
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0)  # no wait between attempts
    with hostile(answer) as server:
        assert setup(server.base_url, "--auth", "Bearer")[0] == 0
    assert {request.headers["authorization"] for request in requests} == {"Bearer fk_key"}
    address = "http://fleet.invalid"
    assert "unencrypted" in setup(address)[2]
    assert "No answer" in setup(address, "--allow-http")[2]


def test_a_wrong_key_on_the_command_line_is_one_line_without_it(run, tiny, monkeypatch):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("fk_wrong_key_9\n"))
    code, out, err = run("setup", "--base-url", tiny.base_url, "--file")
    assert code == 1
    assert err.count("\n") == 1
    assert "fk_wrong_key_9" not in out + err
    assert credentials.stored_address() == ""


def test_settings_read_nothing_that_is_stored():
    credentials.store("https://fleet.example", SECRET, in_file=True)
    assert settings.load().base_url == ""
    assert settings.load().api_key == ""
