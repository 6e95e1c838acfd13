"""Secrets that are known by their own shape: one row per kind, tried only where one of its literals occurs."""

import re

from remora.core.redaction.shape import Shape


def _row(kind: str, literals: str, regex: str, before: str = "") -> Shape:
    return Shape(kind, tuple(literals.split()), regex, before and before + "$")


# A secret may follow an escaped line end or sign (`\n`, `%3D`), whose letters are no part of it.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
_END = r"(?![A-Za-z0-9_])"
_GAP = r"(?:\s|\\{1,4}[nrt]|[\"'`,+>|*#])"

BLOCK_SHAPES = (
    _row(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]|-(?!----)){0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        rf"|(?:{_GAP}{{1,12}}[A-Za-z0-9-]{{4,20}}:[^\n\\]{{1,100}}){{0,4}}"
        rf"(?:{_GAP}{{1,12}}[A-Za-z0-9+/=]{{16,20000}}){{0,400}}(?:{_GAP}{{1,12}}[A-Za-z0-9+/]{{1,16}}={{1,2}})?)",
    ),
    _row(
        "private-key",
        "Private-Lines",
        rf"Private-Lines: ?\d{{1,3}}(?P<value>(?:{_GAP}{{1,4}}[A-Za-z0-9+/=]{{16,80}}){{1,99}})",
    ),
)
"""Keys of many lines: whole, cut off at the end, or the header alone."""

LONG_WORD = re.compile(r"[A-Za-z0-9_.+/=~$:@%}-]{16,}")
"""A run of characters long enough to hold a one-word secret; ordinary text has few."""

VENDOR_SHAPES = (
    _row("private-key", "b3BlbnNzaC1rZXktdjE", r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s]{20,20000}"),
    _row("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40,2000}"),
    # Clouds
    _row("aws-access-key", "AKIA ASIA ABIA ACCA", rf"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    _row("aws-session-token", "FwoGZXIvYXdz IQoJb3JpZ2lu", r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/=%]{50,4000}"),
    _row("aws-bedrock-key", "ABSK bedrock-api-key-", r"(?:\bABSK|bedrock-api-key-)[A-Za-z0-9+/=]{40,400}"),
    _row("google-api-key", "AIza", r"AIza[0-9A-Za-z_-]{30,45}"),
    _row("google-oauth", "ya29. GOCSPX- 1//0", r"(?:ya29\.|GOCSPX-|1//0)[0-9A-Za-z_-]{20,1000}"),
    _row("azure-client-secret", "Q~", r"Q~[A-Za-z0-9_~.-]{31,36}", r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{2,5}\d"),
    _row(
        "azure-key",
        "AzCa ACDb AStZ AzSe ARm+ APIM",
        r"(?:AzCa|ACDb|AStZ|AzSe|ARm\+|APIM)[A-Za-z0-9+/=]{5,60}",
        r"[A-Za-z0-9+/]{30,60}",
    ),
    _row("azure-devops-token", "AZDO", r"AZDO[A-Za-z0-9]{4}", _START + r"[A-Za-z0-9]{70,80}"),
    _row("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{40,80}"),
    _row("digitalocean-spaces-key", "DO00", rf"{_START}DO00[A-Z0-9]{{16}}{_END}"),
    _row("alibaba-key", "LTAI", rf"{_START}LTAI[A-Za-z0-9]{{12,24}}{_END}"),
    _row("tencent-key", "AKID", rf"{_START}AKID[A-Za-z0-9]{{32}}{_END}"),
    _row(
        "cloudflare-token",
        "v1.0- cfut_ cfat_ cfk_",
        r"(?:v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}|cf(?:ut|at|k)_[A-Za-z0-9_-]{30,80})",
    ),
    _row("heroku-key", "HRKU-", r"HRKU-[A-Za-z0-9_-]{30,80}"),
    _row("fly-token", "fm2_ fm1r_ fm1a_ fo1_", rf"{_START}f(?:m2|m1r|m1a|o1)_[A-Za-z0-9+/=_-]{{30,2000}}"),
    _row("vercel-token", "vcp_ vck_ vci_ vca_ vcr_", rf"{_START}vc[pkiar]_[A-Za-z0-9]{{20,80}}"),
    _row("netlify-token", "nfp_ nfc_ nfo_ nfu_", rf"{_START}nf[pcou]_[A-Za-z0-9]{{30,60}}"),
    _row("render-key", "rnd_", rf"{_START}rnd_[A-Za-z0-9]{{20,60}}"),
    _row("ibm-cos-key", "HMAC_KEY", r"HMAC_KEY[A-Za-z0-9]{20,60}"),
    _row("scaleway-key", "SCW", rf"{_START}SCW[A-Z0-9]{{17}}{_END}"),
    _row(
        "yandex-key",
        "AQVN y0_Ag t1.9",
        rf"{_START}(?:AQVN[A-Za-z0-9_-]{{35,40}}|y0_Ag[A-Za-z0-9_-]{{40,80}}|t1\.9[A-Za-z0-9_=.-]{{60,300}})",
    ),
    # Code hosts, packages and delivery
    _row(
        "github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{30,255}(?:\.[A-Za-z0-9_-]{10,1000}){0,2}"
    ),
    _row("github-fine-grained-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    _row("github-app-token", "v1.", rf"{_START}v1\.[0-9a-f]{{40}}{_END}"),
    _row(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glrtr- glwt- GR1348941",
        r"(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-|GR1348941)[A-Za-z0-9_.=-]{18,300}",
    ),
    _row(
        "bitbucket-token",
        "ATBB ATCTT3 BBDC-",
        rf"{_START}(?:ATBB[A-Za-z0-9_=-]{{28,64}}|ATCTT3[A-Za-z0-9_=-]{{50,300}}|BBDC-[A-Za-z0-9+/=]{{30,60}})",
    ),
    _row("atlassian-token", "ATATT3 ATOATT", r"(?:ATATT3|ATOATT)[A-Za-z0-9_=-]{30,300}"),
    _row("npm-token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{30,60}}"),
    _row("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,1000}|pypi-AgE[A-Za-z0-9_-]{13,1000}"),
    _row("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,60}"),
    _row("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{40,60}"),
    _row("nuget-key", "oy2", rf"{_START}oy2[a-z0-9]{{43}}{_END}"),
    _row("crates-token", "cio", rf"{_START}cio[A-Za-z0-9]{{32}}{_END}"),
    _row("clojars-token", "CLOJARS_", r"CLOJARS_[a-f0-9]{50,70}"),
    _row("artifactory-token", "AKCp cmVmdGtu", rf"{_START}(?:AKCp[A-Za-z0-9]{{50,90}}|cmVmdGtu[A-Za-z0-9]{{50,70}})"),
    _row("circleci-token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{20,120}"),
    _row("buildkite-token", "bkua_ bkct_", r"bk(?:ua|ct)_[A-Za-z0-9]{30,60}"),
    _row("sonar-token", "sqp_ squ_ sqa_", rf"{_START}sq[pua]_[a-f0-9]{{40}}"),
    _row("sourcegraph-token", "sgp_ slk_", rf"{_START}(?:sgp|slk)_[A-Za-z0-9_]{{40,80}}"),
    _row("terraform-token", ".atlasv1.", r"\.atlasv1\.[A-Za-z0-9_=-]{40,100}", r"[A-Za-z0-9]{14}"),
    _row("vault-token", "hvs. hvb. hvr.", rf"{_START}hv[sbr]\.[A-Za-z0-9_-]{{20,300}}"),
    _row("pulumi-token", "pul-", rf"{_START}pul-[a-f0-9]{{40}}{_END}"),
    _row("doppler-token", "dp.", rf"{_START}dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{{30,120}}"),
    _row("postman-key", "PMAK-", r"PMAK-[a-f0-9]{20,30}-[a-f0-9]{30,40}"),
    _row("tailscale-key", "tskey-", r"tskey-[A-Za-z0-9-]{16,120}"),
    _row(
        "onepassword-token",
        "ops_eyJ A3-",
        rf"ops_eyJ[A-Za-z0-9+/=_-]{{40,2000}}|{_START}A3-[A-Z0-9]{{6}}-[A-Z0-9]{{6,11}}(?:-[A-Z0-9]{{5,6}}){{3,4}}",
    ),
    _row("prefect-key", "pnu_ pnb_", rf"{_START}pn[ub]_[A-Za-z0-9]{{36}}"),
    # Chat, mail and phone
    _row("slack-token", "xox xapp-", r"(?:xox[abcdeoprs][.-](?:[a-z0-9]{1,6}[.-])?|xapp-)[A-Za-z0-9%/+=.-]{10,400}"),
    _row(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Za-z0-9+/_-]{20,200})",
    ),
    _row("teams-webhook", "webhook.office.com", r"webhook\.office\.com/webhookb2/(?P<value>[A-Za-z0-9@/_-]{40,300})"),
    _row("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{15,25}/(?P<value>[A-Za-z0-9_-]{40,100})"),
    _row(
        "discord-token",
        ".",
        r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}",
        _START + r"[MNO][A-Za-z0-9_-]{22,28}",
    ),
    _row("discord-token", "mfa.", rf"{_START}mfa\.[A-Za-z0-9_-]{{80,95}}"),
    _row("telegram-token", ":AA", r":AA[A-Za-z0-9_-]{30,40}", r"(?<!\d)\d{8,10}"),
    _row("twilio-key", "SK", rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    _row("sendgrid-key", "SG.", rf"{_START}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,64}}"),
    _row("mailgun-key", "-", rf"-[0-9a-f]{{8}}-[0-9a-f]{{8}}(?!-){_END}", _START + r"[0-9a-f]{32}"),
    _row("mailgun-key", "key- pubkey-", rf"{_START}(?:pub)?key-[0-9a-f]{{32}}{_END}"),
    _row("mailchimp-key", "-us", rf"-us\d{{1,2}}{_END}", _START + r"[0-9a-f]{32}"),
    _row("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{40,80}-[A-Za-z0-9]{10,20}"),
    _row("resend-key", "re_", rf"{_START}re_[A-Za-z0-9]{{6,12}}_[A-Za-z0-9]{{16,32}}{_END}"),
    # Money
    _row(
        "stripe-key",
        "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ whsec_",
        rf"{_START}(?:[spr]k_(?:live|test)_[A-Za-z0-9]{{10,250}}|whsec_[A-Za-z0-9+/=]{{20,100}})",
    ),
    _row("shopify-token", "shp", r"shp(?:at|ca|pa|ss|ua|tka)_[A-Za-z0-9]{24,64}"),
    _row("square-token", "sq0 EAAA", rf"sq0[a-z]{{3}}-[A-Za-z0-9_-]{{20,60}}|{_START}EAAA[A-Za-z0-9_-]{{56,70}}"),
    _row("paypal-token", "access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{10,20}\$[a-f0-9]{32}"),
    _row("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,30}"),
    _row("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?"),
    _row(
        "plaid-token",
        "access-",
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    _row("easypost-key", "EZAK EZTK", rf"{_START}EZ[AT]K[A-Za-z0-9]{{54}}"),
    _row("shippo-token", "shippo_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    # Models
    _row("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,300}"),
    _row(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- T3BlbkFJ",
        r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,300}|sk-[A-Za-z0-9_-]{10,100}T3BlbkFJ[A-Za-z0-9_-]{10,100}",
    ),
    _row(
        "model-api-key",
        "sk-",
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))sk-(?:or-v1-|lf-)?(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,200}",
    ),
    _row("huggingface-token", "hf_ api_org_", rf"{_START}(?:hf_|api_org_)[A-Za-z0-9]{{28,60}}"),
    _row("groq-key", "gsk_", rf"{_START}gsk_[A-Za-z0-9]{{40,80}}"),
    _row("replicate-token", "r8_", rf"{_START}r8_[A-Za-z0-9]{{30,50}}"),
    _row("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{30,80}"),
    _row("xai-key", "xai-", rf"{_START}xai-[A-Za-z0-9]{{40,120}}"),
    _row("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{40,90}"),
    _row("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,12}"),
    _row("tavily-key", "tvly-", r"tvly-(?:dev-)?[A-Za-z0-9_-]{20,60}"),
    _row("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9_]{30,100}"),
    _row("cerebras-key", "csk- fw_", rf"{_START}(?:csk-[a-z0-9]{{40,60}}|fw_[A-Za-z0-9]{{20,40}}){_END}"),
    # Watching and data
    _row("datadog-key", "ddapp_ ddpat_ ddapi_", r"dd(?:app|pat|api)_[A-Za-z0-9_-]{30,60}"),
    _row("sentry-dsn", "://", r"://(?P<value>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{3,80}/\d{1,20}"),
    _row("sentry-token", "sntrys_ sntryu_ sntrya_", r"sntry[sua]_[A-Za-z0-9+/=_-]{40,400}"),
    _row(
        "grafana-token", "glsa_ glc_ eyJrIjoi", r"gl(?:sa|c)_[A-Za-z0-9+/=_]{32,400}|eyJrIjoi[A-Za-z0-9+/=_-]{40,400}"
    ),
    _row("newrelic-key", "NRAK- NRII- NRJS- NRRA-", r"NR(?:AK|II|JS|RA)-[A-Za-z0-9_-]{19,60}"),
    _row("newrelic-key", "NRAL", r"NRAL", r"[a-f0-9]{36}"),
    _row("dynatrace-token", "dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    _row("honeycomb-key", "hcaik_ hcbik_", r"hc[a-z]ik_[a-z0-9]{50,70}"),
    _row("databricks-token", "dapi dose dkea", rf"{_START}(?:dapi|dose|dkea)[0-9a-f]{{32}}(?:-\d{{1,2}})?{_END}"),
    _row(
        "supabase-key", "sbp_ sb_secret_", rf"{_START}(?:sbp_(?:v0_)?[a-f0-9]{{40}}|sb_secret_[A-Za-z0-9_-]{{20,60}})"
    ),
    _row("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth|api)_[A-Za-z0-9_.=-]{30,80}"),
    _row("neon-key", "napi_ npg_", rf"{_START}(?:napi_[a-z0-9]{{40,80}}|npg_[A-Za-z0-9]{{12,30}})"),
    _row("confluent-key", "cflt", rf"{_START}cflt[A-Za-z0-9+/]{{56,64}}"),
    # Work tools
    _row("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    _row("notion-token", "secret_ ntn_", rf"{_START}(?:secret_[A-Za-z0-9]{{43}}|ntn_[A-Za-z0-9]{{40,60}}){_END}"),
    _row("airtable-token", "pat", rf"{_START}pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}"),
    _row("figma-token", "figd_ figu_", r"fig[du]_[A-Za-z0-9_-]{30,80}"),
    _row(
        "hubspot-token",
        "pat-",
        rf"{_START}pat-[a-z]{{2,3}}\d-[0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}}",
    ),
    _row("contentful-token", "CFPAT-", r"CFPAT-[A-Za-z0-9_-]{40,50}"),
    _row("typeform-token", "tfp_", rf"{_START}tfp_[A-Za-z0-9_-]{{40,70}}"),
    _row("dropbox-token", "sl.", rf"{_START}sl\.(?:u\.)?[A-Za-z0-9_-]{{100,1500}}"),
    _row("facebook-token", "EAA", rf"{_START}EAA[A-Za-z0-9]{{60,400}}"),
    _row("twitter-bearer", "AAAAAAAAAA", r"AAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{40,160}"),
    _row(
        "launchdarkly-key",
        "sdk- api-",
        rf"{_START}(?:sdk|api)-[0-9a-f]{{8}}-[0-9a-f]{{4}}-4[0-9a-f]{{3}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}",
    ),
    # Anywhere
    _row("remora-key", "rmk_", r"rmk_[A-Za-z0-9_-]{20,120}"),
    _row("jwt", "eyJ", _START + r"eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,4000}){0,3}"),
    _row(
        "password-hash",
        "$2 $5$ $6$ $y$ $argon2 $apr1$ $1$ pbkdf2_ SSHA} SSHA256} SSHA512} scrypt:",
        r"\$(?:2[abxy]\$\d\d|[56y]|argon2(?:id|i|d)|apr1|1)\$[./A-Za-z0-9$=,+-]{22,200}"
        r"|pbkdf2_\w{3,10}\$\d{3,8}\$[A-Za-z0-9./+=]{4,64}\$[A-Za-z0-9./+=]{20,100}"
        r"|SSHA(?:256|512)?\}[A-Za-z0-9+/=]{20,140}|scrypt:\d{1,9}:\d{1,2}:\d{1,2}\$[^\s\"']{40,200}",
    ),
)
"""One-word secrets, each in a run of LONG_WORD. Ordered: an earlier kind names a place that several kinds claim."""
