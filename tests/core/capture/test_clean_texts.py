"""Secrets leave many texts at once exactly as they leave each alone."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.clean_texts import redact_all
from remora.core.redaction import redact_text

SECRETS = (
    "AKIA" + "Q3EXAMPLE7KEY2ZX",
    "ghp_" + "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW2xY4",
    "password = 'hunter2hunter2'",
    "https://user:s3cr3tpass@host.test/x",
    "Authorization: Bearer abcdefghijklmnop123456",
    "commit 4f9d0c5b8e7a6d3c2b1a09f8e7d6c5b4a3928170",
    "export API_TOKEN=Zx81Kq9Lm2Np4Rt6Vw8Yb0",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\n",
    "an ordinary sentence about tokens and keys",
    "sha256:",
    "the commit",
    "data:",
    "",
)


@given(st.lists(st.sampled_from(SECRETS) | st.text(max_size=40), max_size=12))
def test_texts_are_cleaned_together_as_they_are_alone(texts: list[str]) -> None:
    assert redact_all(texts, redact_text) == [redact_text(text) for text in texts]


def test_clean_texts_cost_one_look() -> None:
    looks = []

    def redact(text: str) -> str:
        looks.append(text)
        return text

    assert redact_all([f"text {number}" for number in range(64)], redact) == [f"text {n}" for n in range(64)]
    assert len(looks) == 1
