"""The endpoints that a suite may list: a host and a port that there can be."""

import pytest
from pydantic import TypeAdapter, ValidationError

from benchctl.schema.fields import Endpoint

GOOD = [
    "api.example.org:443",
    "*.example.org:443",
    "*:443",
    "localhost:8000",
    "10.0.0.7:80",
    "a:1",
    "a_b.c:65535",
]
BAD = [
    "api.example.org",  # no port
    "api.example.org:0",
    "api.example.org:65536",
    "api.example.org:99999",
    "api.example.org:0443",
    "https://api.example.org:443",
    "*example.org:443",  # is no pattern, and would never match
    "api.*.org:443",
    "**:443",
    "-a.org:443",
    "a.org.:443",
    "user@a.org:443",
    "a.org:443/v1",
    "a.org:443\n",
    "",
]


@pytest.mark.parametrize("text", GOOD)
def test_an_endpoint_is_a_host_and_a_port(text):
    assert TypeAdapter(Endpoint).validate_python(text) == text


@pytest.mark.parametrize("text", BAD)
def test_nothing_else_is(text):
    with pytest.raises(ValidationError):
        TypeAdapter(Endpoint).validate_python(text)
