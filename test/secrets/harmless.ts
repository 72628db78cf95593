import { base64url, chars, hex, signedWith } from './made.ts'

/** What looks like a secret to a hasty eye. */
export const harmless: readonly (readonly [name: string, text: string])[] = [
  [
    'what a search prints of a decorator',
    './typing_password_option.py:9:@click.password_option()\n./test_token.py:12:@app.api_token_required2()',
  ],
  [
    'tokens in three parts that let nobody in: without a signature, and the sample that everybody copies',
    [
      `${base64url('{"alg":"none"}')}.${base64url('{"urn:example:claim":true}')}.`,
      signedWith('your-256-bit-secret', '{"sub":"1234567890","name":"John Doe","iat":1516239022}'),
    ].join('\n'),
  ],
  [
    'what tests put where a password or a token goes',
    [
      ...['ghs_SECRET', 'ghs_SUBCFGTOK', 'gltoken123', 'embedded', 'LEAKME', 'p%40ss%3Aword'].map(
        (word) => `https://oauth2:${word}@git.test/a.git`,
      ),
      `token = "ghp${'_'}averyrealisticlookingtoken0123456789"`,
      "'UserPassword': 'p@ssw0rd'",
    ].join('\n'),
  ],
  ['a digest', `sha256:${hex(64, 'd')}`],
  ['a commit', `commit ${hex(40, 'c')}\nAuthor: Someone <someone@example.com>`],
  ['a uuid', `request_id=${hex(8, 'u')}-${hex(4, 'v')}-4${hex(3, 'w')}-a${hex(3, 'x')}-${hex(12, 'y')}`],
  ['integrity of a lock file', `"integrity": "sha512-${chars(86, 'i')}=="`],
  ['an image', `<img src="data:image/png;base64,${chars(2000, 'img')}==">`],
  ['minified code', 'var e=t.token,n=this.key||"k"+r;function a(t,e){return t.password===e.password1}'],
  [
    'placeholders',
    `token: <your-token>, API_KEY=xxxxxxxxxxxxxxxx, password=$${'{'}DB_PASSWORD}, secret: {{ vault.secret }}`,
  ],
  [
    'more placeholders',
    'PASSWORD=$PASSWORD TOKEN=%TOKEN% key=... secret="changeme" password="your-password-here"',
  ],
  [
    'code',
    'password = getpass.getpass()\ntoken = request.headers["X-Token"]\nself.api_key = api_key or os.environ["KEY1"]',
  ],
  ['types', 'interface Login { password: string; token?: Token2; apiKey: ApiKeyV2 }'],
  ['tests', 'login(password="test1234")\nlogin(password="password123")\nassert token == "abc123"'],
  [
    'tests that passed',
    '--- PASS: TestPkg1 (0.00s)\nPASS: localhost:8000 -> ok\nEXPASS", "X1"\nconst pass = value?.passphrase',
  ],
  ['a hidden field', `<input type="hidden" name="authenticity_token" value="${chars(44, 'af')}==">`],
  ['numbers', 'max_tokens: 4096\nprompt_tokens=12345678\ntoken_count: 1234567890'],
  ['an address without a password', 'https://example.com:8080/a@b ssh://git@github.com/a/b.git'],
  ['example addresses', 'postgres://user:password@localhost/db https://user:pass@example.com/'],
  ['a public key', `ssh-rsa AAAAB3NzaC1yc2E${chars(350, 'pub')} me@host\npublic_key = "${chars(44, 'pk')}"`],
  [
    'a certificate',
    `-----BEGIN CERTIFICATE-----\n${chars(64, 'cert')}\n${chars(64, 'cer2')}\n-----END CERTIFICATE-----`,
  ],
  ['names of keys', 'primaryKey: "user_id_2024_a1", "sort_key": "2024-01-01#a1b2", keyName = "prod-key-v2"'],
  [
    'a type',
    'interface Pair {\n  privateKey: Uint8Array\n  secretKey: CryptoKeyPair2\n  token: Base64UrlString\n}',
  ],
  [
    'ids of sessions',
    `SESSION_ID="${hex(8, 's')}-${hex(4, 't')}-4${hex(3, 'u')}-9${hex(3, 'v')}-${hex(12, 'w')}" token: ${hex(40, 'k')}`,
  ],
  ['a colour', '--token-accent: #1f6feb; key: #A1b2C3d4; password-border: rgba(12,34,56,0.5)'],
  [
    'digests behind names',
    `sentry-cli sha256: ${hex(64, 'x')}\nDATADOG_TRACE_ID=${hex(32, 'y')}\napiKeyHash: "${hex(64, 'z')}"\nurn:oauth:jwk-thumbprint:sha-256:${chars(43, 'jt')}`,
  ],
  [
    'numbers behind names',
    'asana = 1204567890123456, token_total: 48213377102934, secret: 0x7fffffffffffffff',
  ],
  [
    'names in the place of values',
    'token = getAccessTokenV2, apiKey: Ed25519VerificationKey2018, key: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, secret: "sha256WithRSAEncryption", auth = OAuth2PasswordBearer',
  ],
  ['a query', 'mutation { login(password: String!, token: Base64String2!) { id } }'],
  ['part of a path', 'token=packages/core-v2/src/auth2/session3/index.test.ts secret: ~/x9/Vault2/k8s'],
  ['a password that everybody has', 'postgres://postgres:postgres@localhost password: "Password123!"'],
  ['words of base64 in a list', 'IHRpZXQ= 6Imy57u85ZCI PWdldA== Lml0ZXJhdG9y IG7DpWdvdA== INij2YrYttin'],
  ['base64 of nothing secret', Buffer.from('{"name":"twotrack","type":"module"}').toString('base64')],
  ['paths', 'KEY_FILE=/etc/ssl/private/server1.key\nTOKEN_PATH=~/.config/tool/token2.json'],
  [
    'JWTs of documentation and tests, and one that has expired',
    [
      '{"sub":"1234567890","name":"John Doe","iat":1516239022}',
      '{"iss":"joe","exp":1300819380}',
      '{"foo":"bar"}',
      '{"sub":"user 7","exp":1.6e9}',
    ]
      .map((claims) => `token = "${signedWith('key', claims)}"`)
      .join('\n'),
  ],
  [
    'passwords that tests are written with',
    'client.get("/", auth=("alice", "wonderland1"))\nCREATE ROLE a LOGIN PASSWORD \'test4scram\'\nuser.set_password("hello123")',
  ],
  [
    'addresses that try how they are written',
    'pg://me:s%40f%23@localhost http://%C3%BCser:p%C3%A4ssword@host/ https://u:he%2F%2Fo@host',
  ],
  [
    'credentials of the standard',
    `Authorization: Basic ${btoa('Aladdin:open sesame')}\nAuthorization: Basic ${btoa('foo:bar')}\n"access_token":"2YotnFZFEjr1zCs${'icMWpAA'}"\nAuthorization: Basic ${btoa(`s6BhdRkqt3:gX1f${'Bat3bV'}`)}`,
  ],
  ['a word in base64', `  password: ${btoa('admin')}  # 'admin'`],
  [
    'ids, and a part of an id whose name says secret',
    'SessionId: "John-01edf534b8b56e8eb", sessionId: "st-b1c2d3e4f5g6a", arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret1-a1b2c3',
  ],
  ['a certificate behind a name', `"SigningKeyCertificateChain": "MIIC${chars(60, 'chain')}"`],
  [
    'tokens of a place in a list and of a version',
    `"LockToken": "${chars(32, 'lo')}", pagination_token: ${chars(40, 'pt')}, PolicyUpdateToken="1:${chars(22, 'ut')}=="`,
  ],
  [
    'readable texts in base64 behind a name',
    ["you're not supposed to decode this!", '{"foo": "bar"}', '{"offset":120,"limit":60}', 'hono:ahotproject']
      .map((text) => `token = '${btoa(text)}' Authorization: Bearer ${btoa(text)}`)
      .join('\n'),
  ],
  [
    'JWTs of names that are reserved for documentation',
    `token = '${signedWith('key', '{"iss":"https://issuer.example","aud":"app","iat":1}')}'`,
  ],
  ['a pattern for tokens', String.raw`TOKEN = "^(?:[A-Za-z0-9_-]{2,}\.){2}[A-Za-z0-9_=#!@$%&*-]{2,}$"`],
]
