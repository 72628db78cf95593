import { entropy, isDigest, isTemplate, surprise } from './random.ts'
import { matchAt, type SecretRule } from './rule.ts'

/**
 * Keys without a form of their own, known by the name before them: `DATADOG_API_KEY = "…"`. A row is the names, then
 * the forms its values have. Facts from the rules of gitleaks (MIT).
 *
 * A form is a kind of character and a number: `x` hexadecimal digits, `l` letters and digits, `w` these and `= _ -`,
 *`uuid`; or a pattern in slashes.
 */
const TABLE = String.raw`
adafruit                                 w32
adobe                                    x32
airtable                                 l17
algolia                                  l32
alibaba,aliyun                           l30
asana                                    l32
atlassian,confluence,jira                /[a-z0-9]{20}[a-f0-9]{4}/
beamer                                   /b_[a-z0-9=_-]{44}/
bitbucket                                l32 w64
bittrex                                  l32
meraki                                   x40
cloudflare                               w40 x37
codecov                                  l32 uuid
cohere,co_api_key                        l40
coinbase                                 w64
confluent                                l16 l64
contentful                               w43
datadog,dd_api_key,dd_app_key            l32 l40
discord                                  x64 w32 /[MNO][a-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}/
droneci                                  l32
dropbox                                  l15 /[a-z0-9]{11}AAAAAAAAAA[a-z0-9_=-]{43}/ /sl\.[a-z0-9_=-]{130,160}/
etsy                                     l24
facebook                                 x32 /\d{15,16}[|%][\w-]{27,40}/
fastly                                   w32
finicity                                 x32 l20
finnhub                                  l20
flickr                                   l32
freshbooks                               l64
gitter                                   w40
gocardless                               /live_[a-z0-9_=-]{40}/
heroku                                   uuid
hubspot                                  uuid
intercom                                 w60
jfrog,artifactory,bintray,xray           l73 l64
kraken                                   /[a-z0-9/=_+-]{80,90}/
kucoin                                   x24 uuid
launchdarkly                             w40
linear                                   x32
linkedin,linked_in,linked-in             l14 l16
lob                                      /(?:live|test)_[a-f0-9]{35}/ /(?:test|live)_pub_[a-f0-9]{31}/
looker                                   l20 l24
mailchimp                                /[a-f0-9]{32}-us\d\d/
mailgun                                  /(?:pub)?key-[a-f0-9]{32}/ /[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}/
mapbox                                   /[ps]k\.[a-z0-9]{60,150}\.[\w-]{22}/
mattermost                               l26
messagebird,message-bird,message_bird    l25 uuid
mistral                                  l32
netlify                                  /[a-z0-9=_-]{40,46}/
new-relic,newrelic,new_relic             l64 /nr(?:js-[a-f0-9]{19}|ii-[a-z0-9-]{32}|ak-[a-z0-9]{27})/
nytimes,new-york-times,newyorktimes      w32
okta                                     /00[\w=-]{40}/
plaid                                    l24 l30 /access-(?:sandbox|development|production)-[0-9a-f-]{36}/
private_ai,private-ai,privateai          l32
rapidapi                                 w50
sendbird                                 uuid x40
sentry                                   x64 x32
contribsys__com                          /[a-f0-9]{8}:[a-f0-9]{8}/
consul_http_token,nomad_token,railway_token,sauce_access_key uuid
snyk                                     uuid
sonar                                    /(?:sq[upa]_)?[a-z0-9=_-]{40}/
sourcegraph                              x40
squarespace                              uuid
sumo                                     /su[A-Za-z0-9]{12}/ l64
telegr                                   /[0-9]{5,16}:A[a-z0-9_-]{34}/
travis                                   l22
twitch                                   l30
twitter                                  l45 l25 l50 /[0-9]{15,25}-[A-Za-z0-9]{20,40}/ /A{22}[A-Za-z0-9%]{80,100}/
typeform                                 /tfp_[a-z0-9_.=-]{59}/
wallet,private_key                       /0x[a-f0-9]{64}/
yandex                                   /t1\.[\w-]{1,200}={0,2}\.[\w-]{86}={0,2}/ /AQVN[\w-]{35,38}/ /YC[\w-]{38}/
zendesk                                  l40
`

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const LETTERS: Readonly<Record<string, string>> = {
  x: '[a-f0-9]',
  l: '[a-z0-9]',
  w: '[a-z0-9=_-]',
}

/** The rest of the name, then whatever sets a value: `=`, `:`, `=>`, `:=`, `||`, `,` with quotes and spaces around it. */
const ASSIGNS = /([ \t\w.-]{0,20})[\s'"\\\]]{0,16}(?:=>|=|>|:{1,3}=|\|\||:|\?=|,)[`'"\s=\\]{0,16}/y

/** Names of what tells apart or compares: never secret, and of the same form as many a key. */
export const isNameOfDigest = (name: string): boolean =>
  /(?:ids?|guid|uuid|names?|hash|sha\d*|md5|digest|checksum|sum|fingerprint|commit|rev|revision|release|version|ref|tag|trace|span|project|channel|urls?|uri|paths?|files?|dir|index|arn|integrity|etag|nonce|signature|public\w*|prefix|cursor|page|type|count|size|length|expir\w*|host|endpoint|algorithm|certificate\w*)[_.-]?\d{0,2}$/i.test(
    name.trimEnd(),
  )

export const namedRules: readonly SecretRule[] = TABLE.trim().split('\n').map(ruleOf)

function ruleOf(row: string): SecretRule {
  const [names = '', ...forms] = row.split(/ +/)
  const words = names.split(',')
  const patterns = forms.map((form) => ({
    pattern: new RegExp(sourceOf(form), 'iy'),
    tells: form.startsWith('/'),
  }))
  return {
    kind: `${(words[0] ?? '').replace(/[_-]+/g, '')}-key`,
    words,
    find(text, from, to) {
      if (!isName(text.slice(from, to))) return undefined
      const assigns = matchAt(ASSIGNS, text, to)
      if (assigns?.[1] === undefined || isNameOfDigest(assigns[1])) return undefined
      const at = to + assigns[0].length
      for (const { pattern, tells } of patterns) {
        const value = matchAt(pattern, text, at)?.[0]
        if (value === undefined || !/^(?:[\s'"`;\\]|$)/.test(text.charAt(at + value.length))) continue
        if (isTemplate(value) || entropy(value) < 2 || !/[a-z]/i.test(value)) continue
        if (tells || isDigest(value) || surprise(value) >= 0.38) return { from: at, to: at + value.length }
      }
      return undefined
    },
  }
}

function sourceOf(form: string): string {
  if (form === 'uuid') return UUID
  if (form.startsWith('/')) return form.slice(1, -1)
  return `${LETTERS[form.charAt(0)]}{${form.slice(1)}}`
}

/** A short name must be written as one: `etsy` is no part of `getSystem`. */
const isName = (name: string): boolean => name.length > 6 || /^[^A-Z]+$|^[^a-z]+$|^[A-Z][^A-Z]+$/.test(name)
