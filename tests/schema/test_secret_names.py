"""Which names of variables say that they hold a secret: the plan needs those, and the redaction takes them out."""

import pytest

from benchctl.planning.world import needed_variables
from benchctl.schema.agent_spec import AgentSpec
from benchctl.schema.secret_names import sounds_secret
from benchctl.workspace.redaction import secrets_of

NAMES = {
    "OPENAI_API_KEY": True,
    "API_KEYS": True,
    "APIKEY": True,
    "AWS_ACCESS_KEY_ID": True,
    "GITHUB_TOKEN": True,
    "MY_APITOKEN": True,
    "ACCESS_TOKENS": True,
    "MAX_TOKEN": True,  # the token of somebody called Max
    "TOKEN_LIMITED_ACCESS": True,
    "SECRETS": True,
    "secret_lower": True,
    "DB_PASSWORD": True,
    "DB_PASSWD": True,
    "GPG_PASSPHRASE": True,
    "GH_CREDENTIALS": True,
    "MAX_TOKENS_KEY": True,
    "KEY_FILE": False,  # where it is
    "SSH_KEY_PATH": False,
    "KEYBOARD_LAYOUT": False,
    "KEYMAP": False,
    "TOKENIZERS_PARALLELISM": False,
    "MAX_TOKENS": False,  # how many
    "max_output_tokens": False,
    "NUM_TOKENS": False,
    "TOKENS_LIMIT": False,
    "TOKEN_BUDGET": False,
    "HOME": False,
    "EDITOR": False,
}


@pytest.mark.parametrize(("name", "secret"), NAMES.items())
def test_a_name_says_whether_it_holds_a_secret_and_all_ask_the_same_rule(name, secret):
    agent = AgentSpec(kind="command", title="A", argv=("x",), env=(name,))
    assert sounds_secret(name) is secret
    assert needed_variables(agent) == ((name,) if secret else ())
    assert secrets_of({name: "a-value-of-some-length"}).keys() == ({name} if secret else set())
