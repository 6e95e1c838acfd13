"""The crafted corpus: every kind of secret, in the forms in which people and tools write them."""

from random import Random

import pytest

from remora.core.redaction import redact

# Nothing here is a real secret: each is drawn from a seeded generator, and prefixes are put together at run time.
LOWER, DIGITS, HEX = "abcdefghijklmnopqrstuvwxyz", "0123456789", "0123456789abcdef"
UPPER = LOWER.upper()
BASE62 = LOWER + UPPER + DIGITS
BASE64, URL64 = BASE62 + "+/", BASE62 + "-_"
_random = Random(20)


def draw(size: int, letters: str = BASE62) -> str:
    """A random word that holds every class of its letters."""
    while True:
        word = "".join(_random.choices(letters, k=size))
        classes = [set(LOWER), set(UPPER), set(DIGITS)]
        if all(set(word) & part for part in classes if len(set(letters) & part) > 5) and word[0].isalnum():
            return word


def uuid() -> str:
    return "-".join(draw(size, HEX) for size in (8, 4, 4, 4, 12))


def pem_body(lines: int) -> str:
    return "\n".join(["MII" + draw(61, BASE64), *(draw(64, BASE64) for _ in range(lines - 2)), draw(38, BASE64) + "=="])


PEM = pem_body(12)
CHOSEN = "hunter" + "2x", "Tr0ub4dor" + "&3", "S3cure!" + "Pass", "c0rrect" + "-h0rse-battery", "qwErty" + "_9!x"

VENDOR = {
    "aws-access-key": "AKIA" + draw(16, UPPER + "234567"),
    "aws-session-key": "ASIA" + draw(16, UPPER + "234567"),
    "google-api-key": "AIza" + draw(35, URL64),
    "google-oauth-secret": "GOC" + "SPX-" + draw(28, URL64),
    "google-access-token": "ya29." + draw(120, URL64),
    "azure-client-secret": draw(3) + "8Q" + "~" + draw(34),
    "github-classic": "ghp" + "_" + draw(36),
    "github-oauth": "gho" + "_" + draw(36),
    "github-app": "ghs" + "_" + draw(36),
    "github-fine-grained": "github" + "_pat_" + draw(22) + "_" + draw(59),
    "gitlab": "glpat" + "-" + draw(20, URL64),
    "gitlab-runner": "glrt" + "-" + draw(20, URL64),
    "bitbucket": "ATBB" + draw(32),
    "atlassian": "ATATT3" + "xFfGF0" + draw(170, URL64) + "=" + draw(8, HEX.upper()),
    "slack-bot": "xox" + "b-" + draw(12, DIGITS) + "-" + draw(12, DIGITS) + "-" + draw(24),
    "slack-user": "xoxp-" + draw(11, DIGITS) + "-" + draw(11, DIGITS) + "-" + draw(12, DIGITS) + "-" + draw(32, HEX),
    "slack-app": "xapp" + "-1-A" + draw(9, UPPER + DIGITS) + "-" + draw(13, DIGITS) + "-" + draw(64, HEX),
    "stripe-live": "sk" + "_live_" + draw(24),
    "stripe-restricted": "rk" + "_live_" + draw(24),
    "stripe-webhook": "whsec" + "_" + draw(32),
    "twilio": "SK" + draw(32, HEX),
    "sendgrid": "SG" + "." + draw(22, URL64) + "." + draw(43, URL64),
    "npm": "npm" + "_" + draw(36),
    "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + draw(90, URL64),
    "docker": "dckr" + "_pat_" + draw(27, URL64),
    "huggingface": "hf" + "_" + draw(34, LOWER + UPPER),
    "openai-project": "sk" + "-proj-" + draw(74, URL64),
    "openai-classic": "sk" + "-" + draw(20) + "T3Blbk" + "FJ" + draw(20),
    "anthropic": "sk" + "-ant-api03-" + draw(93, URL64) + "AA",
    "openrouter": "sk" + "-or-v1-" + draw(64, HEX),
    "groq": "gsk" + "_" + draw(52),
    "replicate": "r8" + "_" + draw(37),
    "heroku": "HRKU" + "-" + uuid(),
    "digitalocean": "dop" + "_v1_" + draw(64, HEX),
    "telegram": draw(10, "123456789") + ":AA" + draw(33, URL64),
    "discord-bot": "M" + draw(23) + "." + draw(6) + "." + draw(27, URL64),
    "shopify": "shp" + "at_" + draw(32, HEX),
    "square": "sq0" + "csp-" + draw(43, URL64),
    "mailgun": "key" + "-" + draw(32, HEX),
    "mailchimp": draw(32, HEX) + "-us" + "12",
    "vault": "hvs" + "." + draw(90, URL64),
    "terraform": draw(14) + ".atlas" + "v1." + draw(67, URL64),
    "databricks": "dapi" + draw(32, HEX),
    "linear": "lin" + "_api_" + draw(40),
    "notion": "ntn" + "_" + draw(46),
    "figma": "figd" + "_" + draw(40, URL64),
    "airtable": "pat" + draw(14) + "." + draw(64, HEX),
    "supabase": "sbp" + "_" + draw(40, HEX),
    "planetscale": "pscale" + "_tkn_" + draw(43, URL64),
    "grafana": "glsa" + "_" + draw(32) + "_" + draw(8, HEX),
    "newrelic": "NRAK" + "-" + draw(27, UPPER + DIGITS),
    "dynatrace": "dt0" + "c01." + draw(24, UPPER + DIGITS) + "." + draw(64, UPPER + DIGITS),
    "sentry-token": "sntrys" + "_eyJ" + draw(120),
    "doppler": "dp" + ".pt." + draw(43),
    "postman": "PMAK" + "-" + draw(24, HEX) + "-" + draw(34, HEX),
    "tailscale": "tskey" + "-auth-" + draw(12) + "-" + draw(24),
    "rubygems": "rubygems" + "_" + draw(48, HEX),
    "age": "AGE-SECRET" + "-KEY-1" + draw(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "remora": "rmk" + "_" + draw(43, URL64),
    "jwt": "eyJ" + draw(33, URL64) + ".eyJ" + draw(60, URL64) + "." + draw(43, URL64),
    "cut-off-jwt": "eyJ" + draw(33, URL64) + ".eyJ" + draw(60, URL64),
}

AROUND = (
    "{}",
    "the key is {}, keep it",
    "curl -H 'X-Thing: {}' https://api.example.com",
    '{{"value": "{}"}}',
    "first line\\n{}\\nlast line",
    "({})",
    "https://api.example.com/v1?x={}&y=1",
    "`{}`.",
    "KEY={}",
)


@pytest.mark.parametrize("kind", VENDOR)
def test_a_vendor_secret_is_removed_wherever_it_stands(kind: str) -> None:
    for around in AROUND:
        text = around.format(VENDOR[kind])
        assert VENDOR[kind] not in redact(text).text, text
        left = redact(text).text
        assert not [at for at in range(len(left) - 9) if left[at : at + 10] in VENDOR[kind]], left


PLACES = {
    "env": "DB_PASSWORD={}",
    "env quoted": 'DB_PASSWORD="{}"',
    "env export": "export ADMIN_PASS='{}'",
    "env with a comment": "SMTP_PASSWORD={} # rotate in May",
    "env in the middle": "NODE_ENV=production\nPGPASSWORD={}\nPORT=3000\n",
    "shell one-off": "PGPASSWORD={} psql -h db -U app",
    "windows": "set DB_PASSWORD={}",
    "windows setx": 'setx DB_PASSWORD "{}"',
    "powershell": '$env:DB_PASSWORD = "{}"',
    "dockerfile": "FROM x\nENV DB_PASSWORD {}\nRUN y",
    "dockerfile with =": "ENV DB_PASSWORD={}",
    "docker -e": "docker run -e MYSQL_ROOT_PASSWORD={} -p 3306:3306 mysql:8",
    "docker --env": "docker run --env 'POSTGRES_PASSWORD={}' postgres",
    "compose list": "environment:\n  - POSTGRES_USER=app\n  - POSTGRES_PASSWORD={}\n",
    "compose map": "environment:\n  POSTGRES_PASSWORD: {}\n",
    "compose default": "environment:\n  POSTGRES_PASSWORD: '{}'\n",
    "yaml": "database:\n  user: app\n  password: {}\n",
    "yaml quoted": 'password: "{}"',
    "yaml block": "password: |\n  {}\nuser: x\n",
    "yaml folded": "db:\n  password: >-\n    {}\n",
    "k8s env": "env:\n  - name: DB_PASSWORD\n    value: {}\n",
    "k8s env quoted": 'env:\n  - name: DB_PASSWORD\n    value: "{}"\n',
    "k8s string data": "kind: Secret\nstringData:\n  anything: {}\n",
    "json": '{{"user": "app", "password": "{}"}}',
    "json tight": '{{"password":"{}","port":1}}',
    "json escaped": '{{"body": "{{\\"password\\": \\"{}\\"}}"}}',
    "json escaped twice": '"{{\\\\\\"password\\\\\\": \\\\\\"{}\\\\\\"}}"',
    "json name and value": '{{"name": "DB_PASSWORD", "value": "{}"}}',
    "json multi-line": '{{\n  "password":\n    "{}"\n}}',
    "toml": 'password = "{}"',
    "ini": "[client]\nuser=root\npassword={}\n",
    "ini spaces": "[db]\npassword = {}\n",
    "properties": "spring.datasource.password={}",
    "python": 'password = "{}"',
    "python typed": 'password: str = "{}"',
    "python kwargs": "connect(host='db', user='app', password='{}', port=5432)",
    "python item": 'config["password"] = "{}"',
    "python environ": "os.environ['DB_PASSWORD'] = '{}'",
    "python attribute": 'self.db_password = "{}"',
    "python comparison": 'if password == "{}":',
    "javascript": "const dbPassword = '{}';",
    "typescript": 'const password: string = "{}";',
    "template literal": "const password = `{}`;",
    "js object": "{{ host: 'x', password: '{}', port: 1 }}",
    "go": 'password := "{}"',
    "go typed": 'var dbPassword string = "{}"',
    "rust": 'let password: &str = "{}";',
    "java": 'private static final String PASSWORD = "{}";',
    "java setter": 'dataSource.setPassword("{}");',
    "c": 'char *password = "{}";',
    "c array": 'const char password[] = "{}";',
    "c#": 'string password = @"{}";',
    "kotlin": 'val password: String = "{}"',
    "swift": 'let password = "{}"',
    "ruby hash": ":password => '{}'",
    "php define": "define('DB_PASSWORD', '{}');",
    "php array": "'password' => '{}',",
    "php variable": '$password = "{}";',
    "perl": "my $password = '{}';",
    "terraform": 'variable "x" {{\n  password = "{}"\n}}',
    "xml element": "<password>{}</password>",
    "xml spaces": "<db:password type='plain'>\n  {}\n</db:password>",
    "xml attribute": '<add key="Password" value="{}" />',
    "maven": "<server><username>u</username><password>{}</password></server>",
    "ado": "Server=db;Database=x;User Id=sa;Password={};Encrypt=true",
    "ado pwd": '"Server=db;Uid=sa;Pwd={};"',
    "odbc": "DRIVER={{ODBC Driver 18}};SERVER=x;UID=sa;PWD={}",
    "jdbc": "jdbc:mysql://db:3306/x?user=app&password={}&useSSL=false",
    "libpq": "host=db user=app password={} dbname=x",
    "long option": "tool --password {} --verbose",
    "long option =": "tool --password={} --verbose",
    "long option quoted": "tool --db-password '{}'",
    "java property": "java -Ddb.password={} -jar x.jar",
    "argv list": 'subprocess.run(["tool", "--password", "{}"])',
    "sql": "ALTER USER app WITH PASSWORD '{}';",
    "sql identified": "CREATE USER 'a'@'%' IDENTIFIED BY '{}';",
    "netrc": "machine api.example.com login me password {}",
    "netrc lines": "machine api.example.com\n  login me\n  password {}\n",
    "pgpass": "db.example.com:5432:app:me:{}",
    "mysql -p": "mysql -u root -p{} app",
    "sshpass": "sshpass -p '{}' ssh me@host",
    "redis-cli": "redis-cli -h r -a {} ping",
    "docker login": "docker login -u me -p {} registry.example.com",
    "curl -u": "curl -u me:{} https://api.example.com/x",
    "curl --user": 'curl --user "me:{}" https://api.example.com/x',
    "openssl": "openssl rsa -in k.pem -passin pass:{}",
    "redis.conf": "requirepass = {}",
    "ansible": "ansible_ssh_pass={}",
    "ansible become": "ansible_become_password: {}",
    "log line": "2024-05-01 ERROR login failed password={} user=bob",
    "prose": "the password: {}",
    "dict repr": "{{'user': 'app', 'password': '{}'}}",
    "query string": "POST /login?user=me&password={} HTTP/1.1",
    "form body": "grant_type=password&username=me&password={}",
    "cut off": '{{"password": "{}',
    "wifi": 'network={{\n  psk="{}"\n}}',
    "rails": 'password: <%= ENV["X"] %>\nold_password: {}\n',
    "helm --set": "helm install x --set auth.rootPassword={},a=b",
    "kubectl literal": "kubectl create secret generic x --from-literal=password={}",
    "env in a json string": '{{"content": "set -e\\nexport DB_PASSWORD={}\\nexport NEXT_LINE=stays"}}',
    "prose that says it": "My password is {}, please keep it",
    "prose in ticks": "The password is `{}`.",
    "piped": "echo '{}' | docker login --password-stdin -u me",
    "here string": "sudo -S true <<< '{}'",
    "keytool": "keytool -storepass {} -list",
    "gpg": "gpg --batch --passphrase {} -d f",
    "securestring": 'ConvertTo-SecureString "{}" -AsPlainText -Force',
}


@pytest.mark.parametrize("place", PLACES)
def test_a_chosen_password_is_removed_wherever_it_stands(place: str) -> None:
    for password in CHOSEN:
        text = PLACES[place].format(password)
        assert password not in redact(text).text, text


TOKEN_PLACES = {
    "env": "API_TOKEN={}",
    "env key": "OPENAI_KEY={}",
    "secret": "CLIENT_SECRET={}",
    "python": 'api_key = "{}"',
    "camel": 'const accessToken = "{}"',
    "yaml": "secret_key: {}",
    "json": '{{"client_secret":"{}"}}',
    "npmrc": "//registry.npmjs.org/:_authToken={}",
    "pypirc": "[pypi]\nusername = __token__\npassword = {}\n",
    "git remote": "https://x-access-token:{}@github.com/acme/api.git",
    "git remote user": "https://{}@github.com/acme/api.git",
    "bearer": "Authorization: Bearer {}",
    "bearer in curl": 'curl -H "Authorization: Bearer {}" https://x',
    "bearer in python": "headers = {{'Authorization': 'Bearer {}'}}",
    "token scheme": "Authorization: token {}",
    "no scheme": "authorization: {}",
    "x-api-key": "X-Api-Key: {}",
    "x-api-key in python": 'headers["X-Api-Key"] = "{}"',
    "private token": 'curl --header "PRIVATE-TOKEN: {}" https://gitlab.example.com',
    "vault header": "X-Vault-Token: {}",
    "query": "https://x.example.com/a?access_token={}&b=1",
    "query key": "https://x.example.com/a?api_key={}",
    "cookie": "Cookie: theme=dark; session={}; a=b",
    "set-cookie": "Set-Cookie: sid={}; Path=/; HttpOnly",
    "cookie in curl": "curl -b 'sid={}' https://x.example.com",
    "azure storage": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net",
    "service bus": "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={}",
    "sas": "https://x.blob.core.windows.net/c?sv=2022-11-02&sig={}",
    "aws": "aws_secret_access_key = {}",
    "aws env": "AWS_SECRET_ACCESS_KEY={}",
    "aws json": '"SecretAccessKey": "{}"',
    "aws session": "aws_session_token={}",
    "redis url": "redis://:{}@cache:6379/0",
    "amqp url": "amqps://app:{}@mq.example.com/vhost",
    "mongo url": "mongodb+srv://app:{}@c0.example.net/x?retryWrites=true",
    "option": "gh auth login --with-token --token {}",
    "option =": "tool --api-key={}",
    "slack webhook": "https://hooks.slack.com/services/T00000000/B00000000/{}",
    "prose": "I used {} and it worked",
    "quoted prose": 'set it to "{}" please',
    "signing key": "SIGNING_KEY: '{}'",
    "flask": 'app.config["SECRET_KEY"] = "{}"',
    "laravel": "APP_KEY=base64:{}",
    "wordpress": "define('AUTH_KEY', '{}');",
    "fastlane": "match_token: '{}'",
    "xml": "<apiKey>{}</apiKey>",
    "rust": 'const API_TOKEN: &str = "{}";',
    "terraform": 'token = "{}"',
}


@pytest.mark.parametrize("place", TOKEN_PLACES)
def test_a_random_token_is_removed_wherever_it_stands(place: str) -> None:
    for token in (draw(24), draw(40), draw(43, URL64), draw(32, LOWER + DIGITS) if "prose" not in place else draw(32)):
        text = TOKEN_PLACES[place].format(token)
        assert token not in redact(text).text, text
    if "prose" not in place and place != "slack webhook":
        for token in (draw(32, HEX), uuid()):
            text = TOKEN_PLACES[place].format(token)
            assert token not in redact(text).text, text


@pytest.mark.parametrize("name", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""])
@pytest.mark.parametrize("form", ["whole", "cut off", "one line", "indented", "concatenated", "tail"])
def test_a_private_key_is_removed_whole_or_cut_off(name: str, form: str) -> None:
    begin, end = f"-----BEGIN {name}PRIVATE KEY-----", f"-----END {name}PRIVATE KEY-----"
    whole = f"{begin}\n{PEM}\n{end}"
    text = {
        "whole": f"before\n{whole}\nafter the key",
        "cut off": f"before\n{begin}\n" + PEM[:400],
        "one line": '{"private_key": "' + whole.replace("\n", "\\n") + '\\n", "x": "after the key"}',
        "indented": "tls.key: |\n    " + whole.replace("\n", "\n    ") + "\nafter the key",
        "concatenated": "key = (\n"
        + "\n".join(f'    "{line}\\n"' for line in whole.split("\n"))
        + "\n)\nafter the key",
        "tail": "\n".join(PEM.split("\n")[6:]) + f"\n{end}\nafter the key",
    }[form]
    left = redact(text).text
    assert not [line for line in PEM.split("\n") if line[:30] in left], left
    assert form == "cut off" or "after the key" in left


def test_a_key_block_of_pgp_and_putty_is_removed() -> None:
    pgp = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + PEM + "\n-----END PGP PRIVATE KEY BLOCK-----"
    putty = "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 12\n" + PEM + "\nPrivate-MAC: x"
    for text in (pgp, putty):
        assert not [line for line in PEM.split("\n") if line in redact(text).text]


def test_basic_credentials_are_removed() -> None:
    encoded = "bWU6" + "aHVudGVyMng="  # me: and a password
    for text in (
        f"Authorization: Basic {encoded}",
        f'{{"auths": {{"r.example.com": {{"auth": "{encoded}"}}}}}}',
        f"_auth={encoded}",
        f"proxy-authorization: basic {encoded}",
        f"sent Basic {encoded} to it",
    ):
        assert encoded not in redact(text).text, text


def test_a_kubernetes_secret_is_removed_under_any_name() -> None:
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  anything: cGFzc3dvcmQ=\n  other: bG9uZ3Bhc3M=\n"
    )
    left = redact(text).text
    assert "cGFzc3dvcmQ" not in left
    assert "bG9uZ3Bhc3M" not in left
    assert "name: x" in left


def test_webhooks_and_password_hashes_are_removed() -> None:
    word = draw(68, URL64)
    for text in (
        f"https://discord.com/api/webhooks/{draw(18, DIGITS)}/{word}",
        "$2b$12$" + word[:53].replace("-", "x").replace("_", "y"),
        f"root:$6${draw(16)}${word.replace('-', 'x').replace('_', 'y')}:19000:0:99999:7:::",
    ):
        assert word[:40] not in redact(text).text, text


def test_a_sentry_dsn_keeps_its_host() -> None:
    word = draw(32, HEX)
    left = redact(f"dsn = https://{word}@o1.ingest.sentry.io/123").text
    assert word not in left
    assert "ingest.sentry.io/123" in left


def test_a_passphrase_of_words_is_removed() -> None:
    words = "correct horse battery " + "staple"
    for text in (f'passphrase: "{words}"', f"password: {words}\n", f"passphrase = '{words}'"):
        assert words not in redact(text).text, text


def test_a_value_in_a_json_string_ends_at_the_escaped_line_end() -> None:
    assert redact('"DB_PASSWORD=hunter2x\\nexport NEXT_LINE=stays"').text.endswith('\\nexport NEXT_LINE=stays"')
