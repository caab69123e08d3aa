"""Three runs of four arms that every acceptance test of the claims checker reads."""

import pytest
from full_page import full_page
from true_runs import make_runs


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("accepted"))


@pytest.fixture(scope="session")
def page(project):
    return full_page(project)
