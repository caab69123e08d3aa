"""Pages are verified against real stored rows."""

from __future__ import annotations

import pytest
from project_of_runs import make_project_of_runs

from benchctl.claims.verify import verify_text


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    return make_project_of_runs(tmp_path_factory.mktemp("claims"))


@pytest.fixture
def verify(project):
    """Return a function from a page's text to its report; the page declares run r9."""

    def verified(text: str, **options):
        return verify_text(project, "page.md", f"<!-- benchctl: run=r9 -->\n\n{text}", **options)

    return verified
