import { createHash, createHmac } from 'node:crypto'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const HEX = '0123456789abcdef'

/** Characters that look random and are the same in every run. Nothing real-looking stands in the source. */
export function chars(length: number, seed: string, alphabet = LETTERS): string {
  let made = ''
  for (let block = 0; made.length < length; block++)
    for (const byte of createHash('sha256').update(`${seed} ${block}`).digest())
      if (byte < alphabet.length * Math.floor(256 / alphabet.length)) made += alphabet[byte % alphabet.length]
  return made.slice(0, length)
}
export const hex = (length: number, seed: string): string => chars(length, seed, HEX)

export const base64url = (text: string): string => Buffer.from(text).toString('base64url')
export const signedWith = (key: string, claims: string): string => {
  const signed = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(claims)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}
const pem = (name: string, lines: number): string =>
  [
    `-----BEGIN ${name}-----`,
    ...Array.from({ length: lines }, (_, at) => chars(64, `${name} ${at}`)),
    `-----END ${name}-----`,
  ].join('\n')

/** A secret, and a text that it stands in as people and programs write it. */
export interface Made {
  readonly name: string
  readonly secret: string
  readonly text: string
}

const made = (name: string, secret: string, around = (value: string) => `Look: ${value} there`): Made => ({
  name,
  secret,
  text: around(secret),
})

/** One of each kind; `seed` gives others of the same kinds. */
export function secretsMade(seed = 'a'): readonly Made[] {
  const c = (length: number, what: string) => chars(length, `${seed} ${what}`)
  const h = (length: number, what: string) => hex(length, `${seed} ${what}`)
  const password = `Tr0ub4${c(6, 'pw')}!`
  return [
    made('github', `ghp${'_'}${c(36, 'gh')}`),
    made('github fine-grained', `github${'_pat_'}${c(22, 'fg')}_${c(59, 'fg2')}`),
    made(
      'github installation',
      `ghs${'_'}12345_${base64url('{"alg":"RS256","typ":"JWT"}')}.${base64url(`{"iss":"${c(9, 'gi')}"}`)}.${c(86, 'gj')}`,
    ),
    made('cloudflare', `cf${'ut_'}${c(40, 'cf')}${h(8, 'cg')}`),
    made('cloudflare account', `cf${'at_'}${c(40, 'ch')}${h(8, 'ci')}`),
    made('vercel', `vc${'p_'}${c(56, 've')}`),
    made('vercel gateway', `vc${'k_'}${c(56, 'vf')}`),
    made('neon', `napi${'_'}${chars(64, `${seed} ne`, 'abcdefghijklmnopqrstuvwxyz0123456789')}`),
    made('neon password', `npg${'_'}${c(12, 'np')}`),
    made('google authorization key', `AQ${'.'}Ab8${c(47, 'ga')}`),
    made('google client', `GOC${'SPX'}-${c(28, 'gc')}`),
    made('gitlab', `glpat${'-'}${c(20, 'gl')}`),
    made(
      'npm uuid',
      `${hex(8, 'nu')}-${hex(4, 'nv')}-4${hex(3, 'nw')}-a${hex(3, 'nx')}-${hex(12, 'ny')}`,
      (value) => `//packages.example/:_authToken=${value}\n`,
    ),
    made(
      'paddle',
      `pdl_live_apikey${'_'}${chars(26, `${seed} pa`, 'abcdefghijklmnopqrstuvwxyz0123456789')}_${c(22, 'pb')}_${c(3, 'pc')}`,
    ),
    made('wallet', `0x${hex(64, 'wallet')}`, (value) => `PRIVATE_KEY=${value}\n`),
    made('password ending with a sign', `${c(17, 'pct')}%`, (value) => `DB_PASSWORD=${value}\n`),
    made('npm', `npm${'_'}${c(36, 'npm')}`, (value) => `//packages.example/:_authToken=${value}\n`),
    made('openai', `sk${'-proj-'}${c(74, 'oa')}T3BlbkFJ${c(74, 'ob')}`, (value) => `OPENAI_API_KEY=${value}`),
    made('anthropic', `sk-${'ant-api03'}-${c(93, 'an')}AA`, (value) => `{"x-api-key": "${value}"}`),
    made(
      'slack',
      `xox${'b'}-${chars(12, seed, '123456789')}-${chars(12, `${seed}2`, '123456789')}-${c(24, 'sl')}`,
    ),
    made('stripe', `sk${'_live_'}${c(24, 'st')}`, (value) => `Stripe.api_key = "${value}"`),
    made('aws key id', `AK${'IA'}${chars(16, `${seed} aws`, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`),
    made('aws secret', `${c(19, 'as')}/${c(20, 'at')}`, (value) => `aws_secret_access_key = ${value}\n`),
    made('google', `AI${'za'}${c(35, 'go')}`, (value) => `https://maps.example/js?key=${value}&v=3`),
    made('sendgrid', `SG${'.'}${c(22, 'sg')}.${c(43, 'sh')}`),
    made(
      'jwt',
      [base64url('{"alg":"HS256","typ":"JWT"}'), base64url(`{"sub":"${c(12, 'jwt')}"}`), c(43, 'sig')].join(
        '.',
      ),
    ),
    made('private key', pem('RSA PRIVATE KEY', 12), (value) => `$ cat id_rsa\n${value}\n$`),
    made(
      'private key in JSON',
      JSON.stringify(pem('PRIVATE KEY', 12)).slice(1, -1),
      (value) => `{"private_key":"${value}\\n"}`,
    ),
    made('password assigned', password, (value) => `password = "${value}"`),
    made('password in the environment', password, (value) => `PATH=/bin\nDB_PASSWORD=${value}\nHOME=/root`),
    made('password in YAML', password, (value) => `db:\n  user: app\n  password: ${value}\n`),
    made('password in XML', password, (value) => `<server><password>${value}</password></server>`),
    made('password in an address', password, (value) => `postgres://app:${value}@db.internal:5432/app`),
    made(
      'password in a connection string',
      password,
      (value) => `Server=db;User Id=app;Password=${value};Encrypt=true`,
    ),
    made('password option', password, (value) => `mytool login --password ${value} --yes`),
    made('curl user', password, (value) => `curl -sS -u 'deploy:${value}' https://ci.internal/`),
    made('netrc', password, (value) => `machine api.internal\n  login deploy\n  password ${value}\n`),
    made(
      'storage key',
      `${c(84, 'sk')}${c(2, 'sk2')}==`,
      (value) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${value};`,
    ),
    made('bearer', c(40, 'be'), (value) => `> Authorization: Bearer ${value}\n> Accept: */*`),
    made(
      'basic',
      Buffer.from(`deploy:${password}`).toString('base64'),
      (value) => `-H "Authorization: Basic ${value}"`,
    ),
    made(
      'docker',
      Buffer.from(`deploy:${password}`).toString('base64'),
      (value) => `{"auths":{"ghcr.io":{"auth":"${value}"}}}`,
    ),
    made('api key header', c(32, 'xk'), (value) => `X-Api-Key: ${value}\n`),
    made('cookie', c(40, 'ck'), (value) => `Set-Cookie: sessionid=${value}; Path=/; HttpOnly`),
    made('api key assigned', h(32, 'ak'), (value) => `const config = { apiKey: '${value}' }`),
    made('token parameter', c(40, 'tp'), (value) => `GET /v1/items?access_token=${value}&page=2 200`),
    made('datadog', h(32, 'dd'), (value) => `DATADOG_API_KEY=${value}`),
    made(
      'webhook',
      `hooks.slack${'.com'}/services/T${c(10, 'wt')}/B${c(10, 'wb')}/${c(24, 'wh')}`,
      (value) => `https://${value}`,
    ),
    made('terraform', `${c(14, 'tf')}.atlas${'v1'}.${c(67, 'tg')}`),
    made('web key', c(43, 'jwk'), (value) => `{"kty":"EC","crv":"P-256","x":"${c(43, 'x')}","d":"${value}"}`),
    made(
      'kubernetes',
      Buffer.from(password).toString('base64'),
      (value) => `apiVersion: v1\nkind: Secret\ndata:\n  pin: ${value}\n`,
    ),
    made('session in a shell', c(32, 'sess'), (value) => `export SESSION_TOKEN="${value}"`),
    made('telegram', `${chars(10, seed, '123456789')}:AA${c(33, 'tg')}`, (value) => `/bot${value}/getMe`),
    made('discord', `MT${c(24, 'dc')}.G${c(5, 'dd')}.${c(38, 'de')}`, (value) => `client.login('${value}')`),
    made('hubspot', `pat-${'na1'}-${h(8, 'hu')}-${h(4, 'hv')}-4${h(3, 'hw')}-a${h(3, 'hx')}-${h(12, 'hy')}`),
    made(
      'encrypted token',
      [base64url('{"alg":"RSA-OAEP","enc":"A256GCM"}'), c(342, '1'), c(16, '2'), c(90, '3'), c(22, '4')].join(
        '.',
      ),
    ),
    made('hexadecimal key', h(32, 'hk'), (value) => `TWILIO_AUTH_TOKEN=${value}`),
    made('account and token', h(32, 'at'), (value) => `new twilio('AC${h(32, 'ac')}', '${value}')`),
    made('container variable', c(20, 'cv'), (value) => `env:\n  - name: DB_PASSWORD\n    value: ${value}\n`),
    made('default of a variable', password, (value) => `variable "db_password" {\n  default = "${value}"\n}`),
    made('property list', c(24, 'pl'), (value) => `<key>ApiToken</key>\n<string>${value}</string>`),
    made('constant', password, (value) => `define('DB_PASSWORD', '${value}');`),
    made('setter', password, (value) => `source.setPassword("${value}");`),
    made('sentence', `${c(14, 'se')}1`, (value) => `The password is ${value}, tell nobody.`),
    made('table', c(32, 'ta'), (value) => `| API key | \`${value}\` |`),
    made('SQL', password, (value) => `CREATE USER app WITH PASSWORD '${value}';`),
    made('list of arguments', password, (value) => `["deploy", "--password", "${value}"]`),
    made(
      'login of a registry',
      `${c(14, 'lr')}1`,
      (value) => `docker login -u ci -p ${value} registry.internal`,
    ),
    made('password through a pipe', `${c(14, 'pp')}1`, (value) => `echo "root:${value}" | chpasswd`),
    made('pair of a call', password, (value) => `requests.get(url, auth=('deploy', '${value}'))`),
    made('password file', c(14, 'pf'), (value) => `db.internal:5432:app:deploy:${value}`),
    ...['\t', ':', ' | '].map((sign) =>
      made(
        `private key with numbers of lines (${JSON.stringify(sign)})`,
        pem('PRIVATE KEY', 12)
          .split('\n')
          .map((line, at) => `${at + 1}${sign}${line}`)
          .join('\n'),
      ),
    ),
    made('private key in a difference', pem('PRIVATE KEY', 12).replaceAll(/^/gm, '-')),
    made('private key found by a search', pem('PRIVATE KEY', 12).replaceAll(/^/gm, 'certs/key.pem:7:')),
    made(
      'private key in a list',
      pem('PRIVATE KEY', 12)
        .split('\n')
        .map((line) => `"${line}"`)
        .join(',\n'),
    ),
    made('resend', `re${'_'}${c(8, 'ra')}_${c(24, 'rb')}`),
    made('crates.io', `ci${'o'}${c(32, 'cr')}`),
    made('snyk', `snyk${'_uat'}.${h(8, 'sn')}.${c(60, 'so')}`),
    made('inngest', `signkey${'-prod'}-${h(64, 'in')}`),
    made('polar', `polar${'_oat'}_${c(43, 'po')}`),
    made('deno', `dd${'p_'}${c(36, 'dp')}`),
    made('mongodb atlas', `mdb${'_sa_sk'}_${c(40, 'md')}`),
    made('azure', `${c(52, 'az')}JQ${'QJ99'}BDACYeBjFXJ3w3AAABACOG${c(4, 'ba')}`),
    made('azure storage', `${c(76, 'ab')}+A${'St'}${c(5, 'ac')}A==`),
    made(
      'azure functions',
      `${c(44, 'ad')}Az${'Fu'}${c(5, 'ae')}A==`,
      (value) => `https://x.test/f?code=${value}`,
    ),
    made('azure registry', `${c(42, 'af')}+A${'CR'}A${c(5, 'ag')}`),
    made('together', `tgp${'_v1'}_${c(43, 'to')}`),
    made('trigger.dev', `tr${'_prod'}_${c(20, 'tr')}`),
    made('paypal', `A21${'AA'}${c(80, 'pp')}`),
    made('trello', `AT${'TA'}${h(72, 'tl')}`),
    made('brevo', `xsmtp${'sib'}-${h(64, 'br')}-${c(16, 'bs')}`),
    made('axiom', `xa${'at'}-${h(8, 'a1')}-${h(4, 'a2')}-4${h(3, 'a3')}-a${h(3, 'a4')}-${h(12, 'a5')}`),
    made('honeycomb', `hc${'aik'}_01${chars(56, `${seed} hc`, 'abcdefghijklmnopqrstuvwxyz0123456789')}`),
    made('cursor', `crs${'r_'}${h(64, 'cu')}`),
    made('browserbase', `bb${'_live'}_${c(27, 'bb')}`),
    made(
      'slack in a browser',
      `xox${'c'}-${[1, 2, 3].map((n) => chars(12, `${seed} x${n}`, '123456789')).join('-')}-${h(64, 'xc')}`,
    ),
    made('digits of a secret', h(64, 'js'), (value) => `JWT_SECRET=${value}\n`),
    made(
      'consul',
      `${h(8, 'c1')}-${h(4, 'c2')}-4${h(3, 'c3')}-a${h(3, 'c4')}-${h(12, 'c5')}`,
      (value) => `CONSUL_HTTP_TOKEN=${value}`,
    ),
    made('ngrok', `2${c(26, 'ng')}_${c(21, 'nh')}`, (value) => `ngrok config add-authtoken ${value}`),
    made(
      'password that begins with a sign',
      `-${c(20, 'am')}`,
      (value) => `amqps://app:${value}@mq.internal/app`,
    ),
    made(
      'key of letters, digits and signs',
      `k1!${chars(47, `${seed} dj`, 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)')}`,
      (value) => `SECRET_KEY = '${value}'\n`,
    ),
    made('private key escaped twice', pem('PRIVATE KEY', 12).replaceAll('\n', String.raw`\\n`)),
  ]
}
