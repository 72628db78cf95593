import { entropy, isPublished } from './likely.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/**
 * Tokens that say themselves what they are: a prefix that their issuer chose for it, then characters of a known number.
 * Facts from the issuers' documentation and from the rules of gitleaks (MIT) and secretlint (MIT).
 *
 * A row: the kind; the least bits of information a character (`xxxx` has fewer), then `i` if case does not matter,
 * `a` if the token must stand alone, not in a path or in base64, `n` if anything may stand before it, and `<n` if n characters of it come before its word;
 * the words it is found by; the pattern.
 */
const TABLE = String.raw`
1password-key      3.8    A3- A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
1password-token    4      ops_ey ops_eyJ[\w+/-]{200,4000}={0,3}
adobe-secret       2i     p8e- p8e-[a-z0-9]{32}
age-key            0i     age-secret-key-1 AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
airtable-token     0      pat pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
alibaba-key        2.5ia  LTAI LTAI[a-z0-9]{12,20}
anthropic-key      0      sk-ant- sk-ant-(?:api\d\d|admin\d\d|oat\d\d|ort\d\d|sid\d\d)-[\w-]{80,120}AA
api-key            3.8a   sk- sk-[A-Za-z0-9]{32,64}
api-key            3a     sk- sk-[a-f0-9]{32}
artifactory-key    4.5    AKCp AKCp[A-Za-z0-9]{69}
artifactory-token  4.5    cmVmd cmVmd[A-Za-z0-9]{59}
asana-token        3a     1/,2/ [12]/\d{16}(?:/\d{16})?:[a-f0-9]{32}
atlassian-token    3.5    ATATT3,ATCTT3,ATBB (?:AT[AC]TT3[\w=-]{150,220}|ATBB[A-Za-z0-9]{32})
authress-key       2i     sc_,ext_,scauth_,authress_ (?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}
aws-bedrock-key    3a     ABSK ABSK[A-Za-z0-9+/]{109,269}={0,2}
aws-bedrock-key    0      bedrock-api-key- bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\w+/=%-]{0,4000}
aws-key-id         3a     AKIA,ASIA,ABIA,ACCA,A3T (?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?<!EXAMPLE)
azure-secret       3a<4   Q~ [\w~.]{3}\dQ~[\w~.-]{31,34}
braintree-token    3      access_token$ access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}
buildkite-token    3      bkua_ bkua_[a-f0-9]{40}
cerebras-key       3.5    csk- csk-[a-z0-9]{48}
circleci-token     3      CCIPAT_ CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}
clickhouse-key     3a     4b1d 4b1d[A-Za-z0-9]{38}
clickup-token      3a     pk_ pk_\d{6,10}_[A-Z0-9]{32}
clojars-token      2i     clojars_ CLOJARS_[a-z0-9]{60}
cloudflare-key     0      v1.0- v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
cloudinary-url     0i     cloudinary:// cloudinary://\d{6,20}:[\w-]{15,40}@[\w-]+
contentful-token   3      CFPAT- CFPAT-[\w-]{43}
databricks-token   3      dapi dapi[a-f0-9]{32}(?:-\d)?
dbt-token          3.5    dbtc_,dbtu_ dbt[cu]_[\w-]{40}
defined-key        0i     dnkey- dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}
digitalocean-token 0i     doo_v1_,dop_v1_,dor_v1_ do[opr]_v1_[a-f0-9]{64}
discord-token      4a<24  .G [MNO][\w-]{23}\.G[\w-]{5}\.[\w-]{27,40}
discord-token      4a<26  .G [MNO][\w-]{25}\.G[\w-]{5}\.[\w-]{27,40}
discord-webhook    3n     /api/webhooks/ /api/webhooks/\d{17,20}/[\w-]{60,72}
django-key         3      django-insecure- django-insecure-[^\s'"\\]{40,60}
docker-token       3      dckr_pat_,dckr_oat_ dckr_[po]at_[\w-]{27,40}
doppler-token      2i     dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit. dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[a-z0-9]{40,44}
dropbox-token      4a     sl. sl\.[\w-]{130,160}
duffel-token       2i     duffel_ duffel_(?:test|live)_[a-z0-9_=-]{43}
dynatrace-token    3.5i   dt0 dt0[a-z]\d\d\.[a-z0-9]{24}\.[a-z0-9]{64}
e2b-key            3      e2b_ e2b_[a-f0-9]{40}
easypost-key       2ia    EZAK,EZTK EZ[AT]K[a-z0-9]{54}
elevenlabs-key     3a     sk_ sk_[a-f0-9]{48}
facebook-token     4a     EAAM,EAAC,EAAB,EAAG EAA[MCBG][A-Za-z0-9]{100,500}
figma-token        3      figd_,figo_ fig[do][hr]?_[\w-]{38,64}
firebase-key       4      APA91b APA91b[\w-]{134}
firecrawl-key      3a     fc- fc-[a-f0-9]{32}
fireworks-key      3.5a   fw_ fw_[A-Za-z0-9]{24}
flutterwave-key    2i     FLWSECK FLWSECK(?:_TEST)?-(?:[a-h0-9]{32}-X|[a-h0-9]{12})
flutterwave-key    2i     FLWPUBK FLWPUBK(?:_TEST)?-[a-h0-9]{32}-X
fly-token          4a     fo1_,fm1,fm2_ (?:fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,4000}={0,3})
frameio-token      2i     fio-u- fio-u-[a-z0-9_=-]{64}
freemius-key       3.8a   sk_ sk_[A-Za-z0-9]{29}
github-token       3      ghp_,gho_,ghu_,ghs_,ghr_ gh[pousr]_[A-Za-z0-9]{36,251}
github-token       3      github_pat_ github_pat_\w{82}
gitlab-cookie      3      _gitlab_session= _gitlab_session=[0-9a-z]{32}
gitlab-token       3      glpat-,glrt-,glcbt- gl(?:pat-|rt-|cbt-[0-9a-zA-Z]{1,5}_)[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?
gitlab-token       3      gldt-,glffct-,glft-,glimt-,glagent-,gloas-,glptt-,glsoat- gl(?:dt|ffct|ft|imt|agent|oas|ptt|soat)-[\w-]{20,64}
gitlab-token       3      GR1348941 GR1348941[\w-]{20}
google-key         3.5    AIza AIza[\w-]{35}
google-oauth       3      GOCSPX- GOCSPX-[\w-]{28}
google-oauth       3.5    ya29. ya29\.[\w-]{30,1000}
google-oauth       4      1//0 1//0[\w-]{60,160}
grafana-key        3      eyJrIjoi eyJrIjoi[A-Za-z0-9]{70,400}={0,3}
grafana-token      3      glc_ glc_[A-Za-z0-9+/]{32,400}={0,3}
grafana-token      3      glsa_ glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
groq-key           3.5    gsk_ gsk_[A-Za-z0-9]{48,56}
harness-key        0      pat.,sat. (?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}
heroku-key         3      HRKU- HRKU-[\w-]{58,64}
hubspot-token      3      pat-na1-,pat-eu1- pat-(?:na|eu)1-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
huggingface-token  3a     hf_ hf_(?:[A-Za-z]{34}|[A-Za-z0-9]{34})
huggingface-token  3a     api_org_ api_org_[A-Za-z]{34}
infracost-key      3a     ico- ico-[A-Za-z0-9]{32}
intercom-token     3.5a   dG9rO dG9rO[A-Za-z0-9+/]{54,56}=?
intra42-secret     3i     s-s4t2 s-s4t2(?:ud|af)-[a-f0-9]{64}
jina-key           4      jina_ jina_[\w-]{60}
langsmith-key      3      lsv2_ lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
launchdarkly-key   3a     sdk-,mob- (?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
linear-key         2i     lin_api_,lin_oauth_ lin_(?:api|oauth)_[a-z0-9]{40,64}
mailchimp-key      3a<32  -us (?<!token:\x20)[a-f0-9]{32}-us\d{1,2}
mailgun-key        3a     key- key-[0-9a-f]{32}
mapbox-token       3      sk.eyJ sk\.eyJ[\w-]{40,200}\.[\w-]{15,40}
maxmind-key        4<36   _mmk [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
neon-key           3.5    napi_ napi_[a-z0-9]{64}
netlify-token      3.5    nfp_ nfp_[A-Za-z0-9]{36,40}
newrelic-key       2.5i   NRAK-,NRII-,NRJS-,NRRA- NR(?:AK-[A-Z0-9]{27}|II-[A-Z0-9-]{32}|JS-[a-f0-9]{19}|RA-[a-f0-9]{42})
notion-token       4      ntn_ ntn_[0-9]{11}[A-Za-z0-9]{35}
notion-token       4      secret_ secret_[A-Za-z0-9]{43}
npm-token          3      npm_ npm_[A-Za-z0-9]{36}
nuget-key          3.5a   oy2 oy2[a-z0-9]{43}
nvidia-key         3.5    nvapi- nvapi-[\w-]{60,70}
octopus-key        3a     API- API-[A-Z0-9]{26,36}
openai-key         3<-1   T3BlbkFJ sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,74}T3BlbkFJ[\w-]{20,74}
openai-key         3.5    sk-proj-,sk-svcacct-,sk-admin-,sk-or-v1-,sk-lf- sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{36,200}
openshift-token    3.5    sha256~ sha256~[\w-]{43}
perplexity-key     3.5    pplx- pplx-[A-Za-z0-9]{48}
pinecone-key       4      pcsk_ pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{60,66}
planetscale-key    3i     pscale_ pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}
posthog-key        3.5    phx_,phc_ ph[xc]_[A-Za-z0-9]{43,48}
postman-key        3i     PMAK- PMAK-[a-f0-9]{24}-[a-f0-9]{34}
prefect-token      2.5    pnu_ pnu_[A-Za-z0-9]{36}
pulumi-token       2.5    pul- pul-[a-f0-9]{40}
pypi-token         3      pypi-AgE pypi-AgE[\w-]{50,1000}
readme-token       2.5    rdme_ rdme_[a-z0-9]{70}
render-key         3.5    rnd_ rnd_[A-Za-z0-9]{28,32}
replicate-token    3.5    r8_ r8_[A-Za-z0-9]{37}
rubygems-key       2.5    rubygems_ rubygems_[a-f0-9]{48}
salesforce-token   4a     00D 00D[A-Za-z0-9]{12}![\w.]{80,120}
scalingo-token     2.5    tk-us- tk-us-[\w-]{48}
sendgrid-key       3      SG. SG\.[\w=.-]{66}
sendinblue-key     2.5i   xkeysib- xkeysib-[a-f0-9]{64}-[a-z0-9]{16}
sentry-token       4      sntrys_ sntrys_eyJ[A-Za-z0-9+/]{20,400}={0,2}_[A-Za-z0-9+/]{43}
sentry-token       3      sntryu_ sntryu_[a-f0-9]{64}
settlemint-token   3      sm_aat_,sm_pat_,sm_sat_ sm_[aps]at_[A-Za-z0-9]{16}
shippo-token       2.5i   shippo_ shippo_(?:live|test)_[a-f0-9]{40}
shopify-token      2.5i   shpat_,shpca_,shppa_,shpss_,shprt_ shp(?:at|ca|pa|ss|rt)_[a-f0-9]{32}
slack-cookie       3      xoxd- xoxd-[\w%+/=-]{40,400}
slack-token        2i     xapp- xapp-\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{2,128}
slack-token        2.5    xoxb- xoxb-\d{8,14}-(?:\d{8,14}[A-Za-z0-9-]{0,80}|[A-Za-z0-9]{18,26})
slack-token        2      xoxo-,xoxs- xox[os](?:-\d{1,24}){3}-[a-fA-F\d]{1,80}
slack-token        2      xoxa-,xoxr- xox[ar]-(?:\d-)?[0-9a-zA-Z]{8,48}
slack-token        2      xoxp-,xoxe- xox[pe](?:-\d{10,13}){3}-[A-Za-z0-9-]{28,34}
slack-token        2i     xoxe xoxe(?:\.xox[bp])?-\d-[A-Z0-9]{140,170}
slack-webhook      3i     hooks.slack.com/ hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,80}
sonar-token        3      sqp_,squ_,sqa_ sq[pua]_[a-f0-9]{40}
sourcegraph-token  3i     sgp_ sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}
square-token       2.5    sq0atp-,sq0csp-,sq0idp- sq0(?:atp|csp|idp)-[\w-]{22,60}
square-token       3a     EAAA EAAA[\w-]{22,60}
stripe-key         2.5    sk_test_,sk_live_,sk_prod_,rk_test_,rk_live_,rk_prod_ [sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,247}
stripe-webhook     3      whsec_ whsec_[A-Za-z0-9+/=]{24,80}
supabase-key       3      sbp_,sb_secret_ (?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})
tailscale-key      3      tskey- tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}
tavily-key         3.5    tvly- tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}
teams-webhook      0in    .webhook.office.com/ \.webhook\.office\.com/webhookb2/[\w@-]{36,90}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}(?:/[\w-]{0,60})?
telegram-token     4a<10  :AA \d{10}:AA[\w-]{33}
telegram-token     4n<14  :AA /bot\d{10}:AA[\w-]{33}
terraform-token    3.5i<14 .atlasv1. [a-z0-9]{14}\.atlasv1\.[\w=-]{60,70}
twilio-key         3a     SK SK[0-9a-fA-F]{32}
typeform-token     3i     tfp_ tfp_[a-z0-9_.=-]{59}
vault-token        3.8    hvs.,hvb.,hvr. hv[sbr]\.[\w-]{24,300}
vault-token        3.5a   s. s\.(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{24}
vercel-token       4      vercel_blob_rw_ vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}
voyage-key         4a     pa- pa-(?=[\w-]*\d[\w-]*\d)[\w-]{43}
xai-key            3.5    xai- xai-[A-Za-z0-9]{80}
yandex-key         3a     AQVN AQVN[\w-]{35,38}
zapier-webhook     0in    hooks.zapier.com/ hooks\.zapier\.com/hooks/catch/\d{4,12}/[a-z0-9]{5,16}
`

const BEFORE = /[A-Za-z0-9]/
const BEFORE_ALONE = /[\w+/.%-]/
const AFTER = /[A-Za-z0-9_]/
/** Of a token whose word may stand anywhere in it. */
const BACK_MAX = 90

export const tokenRules: readonly Rule[] = TABLE.trim().split('\n').map(ruleOf)

function ruleOf(row: string): Rule {
  const [kind = '', how = '', words = '', source = ''] = row.split(/ +/)
  const [, bits, flags = '', before] = /^([\d.]+)([ian]*)(?:<(-?\d+))?$/.exec(how) ?? []
  const pattern = new RegExp(source, flags.includes('i') ? 'iy' : 'y')
  const alone = flags.includes('a')
  const back = Number(before ?? 0)
  return {
    kind,
    words: words.split(','),
    find(text, at) {
      const from = back < 0 ? beforeIt(text, at) : at - back
      if (from < 0 || !(flags.includes('n') || beginsAt(text, from, alone))) return undefined
      const match = matchAt(pattern, text, from)
      if (!match) return undefined
      const to = from + match[0].length
      const spans: Span[] = []
      // What was matched and is none holds none either.
      if (AFTER.test(text.charAt(to)) || (alone && goesOn(text, to))) return { spans, upTo: to }
      const poor = entropy(match[0]) < Number(bits) || /([xX*#.])\1{5}/.test(match[0])
      if (!poor && !isPublished(match[0])) spans.push({ from, to })
      return { spans, upTo: to }
    },
  }
}

/** Where a token that holds its word in the middle begins; -1 where none does. */
function beforeIt(text: string, at: number): number {
  const window = Math.max(0, at - BACK_MAX)
  const begin = text.slice(window, at).lastIndexOf('sk-')
  return begin < 0 ? -1 : window + begin
}

/** The letter of an escaped line end or tab is none of the token's. */
const beginsAt = (text: string, at: number, alone: boolean): boolean =>
  !(alone ? BEFORE_ALONE : BEFORE).test(text.charAt(at - 1)) ||
  /^\\[nrt]$/.test(text.slice(Math.max(at - 2, 0), at))

/** In a path, a file name, base64 or another word. */
const goesOn = (text: string, at: number): boolean =>
  /[+/%-]/.test(text.charAt(at)) || (text.charAt(at) === '.' && /\w/.test(text.charAt(at + 1)))
