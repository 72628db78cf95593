import { acrossLines } from './lines.ts'
import { entropy, isPublished, surprise } from './random.ts'
import { matchAt, type SecretRule } from './rule.ts'

/**
 * Tokens that say themselves what they are: a prefix that their issuer chose for it, then characters of a known number.
 * Facts from the issuers' documentation and from the rules of gitleaks (MIT) and secretlint (MIT).
 *
 * A row: the kind; `i` if case does not matter, `a` if the token must stand alone, not in a path or in base64, `n` if
 * anything may stand before it, `<n` if n characters of it come before its word, `-` for none of these; the words it is
 * found by; the pattern.
 */
const TABLE = String.raw`
1password-key      -    A3- A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
1password-token    -    ops_ey ops_eyJ[\w+/-]{200,4000}={0,3}
adobe-secret       i    p8e- p8e-[a-z0-9]{32}
age-key            i    age-secret-key-1 AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
airtable-token     -    pat pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
alibaba-key        ia   LTAI LTAI[a-z0-9]{12,20}
anthropic-key      -    sk-ant- sk-ant-(?:api\d\d|admin\d\d|oat\d\d|ort\d\d|sid\d\d)-[\w-]{80,120}AA
api-key            a    sk- sk-[A-Za-z0-9]{32,64}
api-key            a    sk- sk-[a-f0-9]{32}
artifactory-key    -    AKCp AKCp[A-Za-z0-9]{69}
artifactory-token  -    cmVmd cmVmd[A-Za-z0-9]{59}
asana-token        a    1/,2/ [12]/\d{16}(?:/\d{16})?:[a-f0-9]{32}
atlassian-token    -    ATATT3,ATCTT3,ATBB (?:AT[AC]TT3[\w=-]{150,220}|ATBB[A-Za-z0-9]{32})
authress-key       i    sc_,ext_,scauth_,authress_ (?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}
aws-bedrock-key    a    ABSK ABSK[A-Za-z0-9+/]{109,269}={0,2}
aws-bedrock-key    -    bedrock-api-key- bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[\w+/=%-]{0,4000}
aws-key-id         a    AKIA,ASIA,ABIA,ACCA,A3T (?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?<!EXAMPLE)
axiom-token        -    xaat-,xapt- xa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
azure-key          a<52 JQQJ9 [A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{26}(?:[A-Za-z0-9]{2}==)?
azure-key          a<76 +ASt,+ABa,+AMC,APIM,ACDb [A-Za-z0-9+/]{76}(?:\+A(?:St|Ba|MC)|APIM|ACDb)[A-Za-z0-9+/]{5}[AQgw]==
azure-key          a<33 +ASb,+AEh,+ARm,AIoT,AzCa [A-Za-z0-9+/]{33}(?:\+A(?:Sb|Eh|Rm)|AIoT|AzCa)[A-P][A-Za-z0-9+/]{5}=
azure-key          a<42 +ACR,AzSe [A-Za-z0-9+/]{42}(?:\+ACR|AzSe)[A-D][A-Za-z0-9+/]{5}
azure-key          a<44 AzFu [\w-]{44}AzFu[\w-]{5}[AQgw]==
azure-secret       a<4  Q~ [\w~.]{3}\dQ~[\w~.-]{31,34}
braintree-token    -    access_token$ access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}
brevo-key          i    xsmtpsib- xsmtpsib-[a-f0-9]{64}-[a-z0-9]{16}
browserbase-key    a    bb_live_,bb_test_ bb_(?:live|test)_(?=[A-Za-z_-]*\d)[\w-]{20,40}
buildkite-token    -    bkua_ bkua_[a-f0-9]{40}
cerebras-key       -    csk- csk-[a-z0-9]{48}
circleci-token     -    CCIPAT_ CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}
clickhouse-key     a    4b1d 4b1d[A-Za-z0-9]{38}
clickup-token      a    pk_ pk_\d{6,10}_[A-Z0-9]{32}
clojars-token      i    clojars_ CLOJARS_[a-z0-9]{60}
cloudflare-key     -    v1.0- v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
cloudflare-key     -    cfk_,cfut_,cfat_ cf(?:k|ut|at)_[A-Za-z0-9_-]{40,64}
cloudinary-url     i    cloudinary:// cloudinary://\d{6,20}:[\w-]{15,40}@[\w-]+
contentful-token   -    CFPAT- CFPAT-[\w-]{43}
crates-token       a    cio cio(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{32}
cursor-key         -    crsr_ crsr_[a-f0-9]{64}
databricks-token   -    dapi dapi[a-f0-9]{32}(?:-\d)?
dbt-token          -    dbtc_,dbtu_ dbt[cu]_[\w-]{40}
defined-key        i    dnkey- dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}
deno-token         a    ddp_,ddo_,ddw_ dd[pow]_[A-Za-z0-9]{36,40}
digitalocean-token i    doo_v1_,dop_v1_,dor_v1_ do[opr]_v1_[a-f0-9]{64}
discord-token      a<24 .G [MNO][\w-]{23}\.G[\w-]{5}\.[\w-]{27,40}
discord-token      a<26 .G [MNO][\w-]{25}\.G[\w-]{5}\.[\w-]{27,40}
discord-webhook    n    /api/webhooks/ /api/webhooks/\d{17,20}/[\w-]{60,72}
django-key         -    django-insecure- django-insecure-[^\s'"\\]{40,60}
docker-token       -    dckr_pat_,dckr_oat_ dckr_[po]at_[\w-]{27,40}
doppler-token      i    dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit. dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[a-z0-9]{40,44}
dropbox-token      a    sl. sl\.[\w-]{130,160}
duffel-token       i    duffel_ duffel_(?:test|live)_[a-z0-9_=-]{43}
dynatrace-token    i    dt0 dt0[a-z]\d\d\.[a-z0-9]{24}\.[a-z0-9]{64}
e2b-key            -    e2b_ e2b_[a-f0-9]{40}
easypost-key       ia   EZAK,EZTK EZ[AT]K[a-z0-9]{54}
elevenlabs-key     a    sk_ sk_[a-f0-9]{48}
facebook-token     a    EAAM,EAAC,EAAB,EAAG EAA[MCBG][A-Za-z0-9]{100,500}
figma-token        -    figd_,figo_ fig[do][hr]?_[\w-]{38,64}
firebase-key       -    APA91b APA91b[\w-]{134}
firecrawl-key      a    fc- fc-[a-f0-9]{32}
fireworks-key      a    fw_ fw_[A-Za-z0-9]{24}
flutterwave-key    i    FLWSECK FLWSECK(?:_TEST)?-(?:[a-h0-9]{32}-X|[a-h0-9]{12})
flutterwave-key    i    FLWPUBK FLWPUBK(?:_TEST)?-[a-h0-9]{32}-X
fly-token          a    fo1_,fm1,fm2_ (?:fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,4000}={0,3})
frameio-token      i    fio-u- fio-u-[a-z0-9_=-]{64}
freemius-key       a    sk_ sk_[A-Za-z0-9]{29}
github-token       -    ghp_,gho_,ghu_,ghs_,ghr_ gh[pousr]_[A-Za-z0-9]{36,251}
github-token       -    github_pat_ github_pat_\w{82}
github-token       -    ghs_ ghs_\d{1,12}_eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{20,2000}
gitlab-cookie      -    _gitlab_session= _gitlab_session=[0-9a-z]{32}
gitlab-token       -    glpat-,glrt-,glcbt- gl(?:pat-|rt-|cbt-[0-9a-zA-Z]{1,5}_)[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?
gitlab-token       -    gldt-,glffct-,glft-,glimt-,glagent-,gloas-,glptt-,glsoat-,glwt-,glrtr- gl(?:dt|ffct|ft|imt|agent|oas|ptt|soat|wt|rtr)-[\w-]{20,64}
gitlab-token       -    GR1348941 GR1348941[\w-]{20}
google-key         -    AIza AIza[\w-]{35}
google-key         a    AQ. AQ\.[\w-]{40,80}
google-oauth       -    GOCSPX- GOCSPX-[\w-]{28}
google-oauth       -    ya29. ya29\.[\w-]{30,1000}
google-oauth       -    1//0 1//0[\w-]{60,160}
grafana-key        -    eyJrIjoi eyJrIjoi[A-Za-z0-9]{70,400}={0,3}
grafana-token      -    glc_ glc_[A-Za-z0-9+/]{32,400}={0,3}
grafana-token      -    glsa_ glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
groq-key           -    gsk_ gsk_[A-Za-z0-9]{48,56}
harness-key        -    pat.,sat. (?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}
heroku-key         -    HRKU- HRKU-[\w-]{58,64}
honeycomb-key      -    hcaik_,hcamk_,hcalk_ hca[iml]k_[a-z0-9]{58}
hubspot-token      -    pat-na1-,pat-eu1- pat-(?:na|eu)1-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
huggingface-token  a    hf_ hf_(?:[A-Za-z]{34}|[A-Za-z0-9]{34})
huggingface-token  a    api_org_ api_org_[A-Za-z]{34}
infracost-key      a    ico- ico-[A-Za-z0-9]{32}
inngest-key        -    signkey- signkey-(?:prod|test|branch)-[a-f0-9]{32,64}
intercom-token     a    dG9rO dG9rO[A-Za-z0-9+/]{54,56}=?
intra42-secret     i    s-s4t2 s-s4t2(?:ud|af)-[a-f0-9]{64}
jina-key           -    jina_ jina_[\w-]{60}
jwt                a    ey ey[A-Za-z0-9_-]{15,4000}\.(?:ey[\w/-]{10,12000}\.[\w/-]{10,4000}={0,2}|[\w-]{20,2000}\.[\w-]{16,32}\.[\w-]{10,12000}\.[\w-]{22})
langsmith-key      -    lsv2_ lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
launchdarkly-key   a    sdk-,mob- (?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}
linear-key         i    lin_api_,lin_oauth_ lin_(?:api|oauth)_[a-z0-9]{40,64}
mailchimp-key      a<32 -us (?<!token:\x20)[a-f0-9]{32}-us\d{1,2}
mailgun-key        a    key- key-[0-9a-f]{32}
mapbox-token       -    sk.eyJ sk\.eyJ[\w-]{40,200}\.[\w-]{15,40}
jwt                -    ZXlK (?<![\w/+])ZXlK[\w+/-]{36,32000}={0,2}
maxmind-key        <36  _mmk [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
mongodb-secret     -    mdb_sa_sk_ mdb_sa_sk_[\w-]{40,60}
neon-key           -    napi_ napi_[a-z0-9]{64}
neon-password      a    npg_ npg_[A-Za-z0-9]{12,32}
netlify-token      -    nfp_ nfp_[A-Za-z0-9]{36,40}
newrelic-key       i    NRAK-,NRII-,NRJS-,NRRA- NR(?:AK-[A-Z0-9]{27}|II-[A-Z0-9-]{32}|JS-[a-f0-9]{19}|RA-[a-f0-9]{42})
notion-token       -    ntn_ ntn_[0-9]{11}[A-Za-z0-9]{35}
notion-token       -    secret_ secret_[A-Za-z0-9]{43}
npm-token          -    npm_ npm_[A-Za-z0-9]{36}
nuget-key          a    oy2 oy2[a-z0-9]{43}
nvidia-key         -    nvapi- nvapi-[\w-]{60,70}
octopus-key        a    API- API-[A-Z0-9]{26,36}
openai-key         <-1  T3BlbkFJ sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,74}T3BlbkFJ[\w-]{20,74}
openai-key         -    sk-proj-,sk-svcacct-,sk-admin-,sk-or-v1-,sk-lf- sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{36,200}
openshift-token    -    sha256~ sha256~[\w-]{43}
paddle-key         -    pdl_ pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}
paypal-token       a    A21AA A21AA[\w-]{60,120}
perplexity-key     -    pplx- pplx-[A-Za-z0-9]{48}
pinecone-key       -    pcsk_ pcsk_[A-Za-z0-9]{5,8}_[A-Za-z0-9]{60,66}
planetscale-key    i    pscale_ pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}
polar-token        -    polar_ polar_[a-z]{2,4}_[A-Za-z0-9]{32,64}
posthog-key        -    phx_,phc_ ph[xc]_[A-Za-z0-9]{43,48}
postman-key        i    PMAK- PMAK-[a-f0-9]{24}-[a-f0-9]{34}
prefect-token      -    pnu_ pnu_[A-Za-z0-9]{36}
pulumi-token       -    pul- pul-[a-f0-9]{40}
pypi-token         -    pypi-AgE pypi-AgE[\w-]{50,1000}
readme-token       -    rdme_ rdme_[a-z0-9]{70}
render-key         -    rnd_ rnd_[A-Za-z0-9]{28,32}
replicate-token    -    r8_ r8_[A-Za-z0-9]{37}
resend-key         a    re_ re_(?=\w*\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{24}
rubygems-key       -    rubygems_ rubygems_[a-f0-9]{48}
salesforce-token   a    00D 00D[A-Za-z0-9]{12}![\w.]{80,120}
scalingo-token     -    tk-us- tk-us-[\w-]{48}
sendgrid-key       -    SG. SG\.[\w=.-]{66}
sendinblue-key     i    xkeysib- xkeysib-[a-f0-9]{64}-[a-z0-9]{16}
sentry-token       -    sntrys_ sntrys_eyJ[A-Za-z0-9+/]{20,400}={0,2}_[A-Za-z0-9+/]{43}
sentry-token       -    sntryu_ sntryu_[a-f0-9]{64}
settlemint-token   -    sm_aat_,sm_pat_,sm_sat_ sm_[aps]at_[A-Za-z0-9]{16}
shippo-token       i    shippo_ shippo_(?:live|test)_[a-f0-9]{40}
shopify-token      i    shpat_,shpca_,shppa_,shpss_,shprt_ shp(?:at|ca|pa|ss|rt)_[a-f0-9]{32}
slack-cookie       -    xoxd- xoxd-[\w%+/=-]{40,400}
slack-token        i    xapp- xapp-\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{2,128}
slack-token        -    xoxb- xoxb-\d{8,14}-(?:\d{8,14}[A-Za-z0-9-]{0,80}|[A-Za-z0-9]{18,26})
slack-token        -    xoxo-,xoxs- xox[os](?:-\d{1,24}){3}-[a-fA-F\d]{1,80}
slack-token        -    xoxa-,xoxr- xox[ar]-(?:\d-)?[0-9a-zA-Z]{8,48}
slack-token        -    xoxp-,xoxe- xox[pe](?:-\d{10,13}){3}-[A-Za-z0-9-]{28,34}
slack-token        i    xoxe xoxe(?:\.xox[bp])?-\d-[A-Z0-9]{140,170}
slack-token        -    xoxc- xoxc(?:-\d{10,14}){3}-[a-f0-9]{64}
slack-webhook      i    hooks.slack.com/ hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,80}
snyk-token         -    snyk_uat.,snyk_sat. snyk_[us]at\.[a-f0-9]{8}\.[\w.-]{40,200}
sonar-token        -    sqp_,squ_,sqa_ sq[pua]_[a-f0-9]{40}
sourcegraph-token  i    sgp_ sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}
square-token       -    sq0atp-,sq0csp-,sq0idp- sq0(?:atp|csp|idp)-[\w-]{22,60}
square-token       a    EAAA EAAA[\w-]{22,60}
stripe-key         -    sk_test_,sk_live_,sk_prod_,rk_test_,rk_live_,rk_prod_ [sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,247}
stripe-webhook     -    whsec_ whsec_[A-Za-z0-9+/=]{24,80}
supabase-key       -    sbp_,sb_secret_ (?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})
tailscale-key      -    tskey- tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}
tavily-key         -    tvly- tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}
teams-webhook      in   .webhook.office.com/ \.webhook\.office\.com/webhookb2/[\w@-]{36,90}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}(?:/[\w-]{0,60})?
telegram-token     a<10 :AA \d{10}:AA[\w-]{33}
telegram-token     n<14 :AA /bot\d{10}:AA[\w-]{33}
terraform-token    i<14 .atlasv1. [a-z0-9]{14}\.atlasv1\.[\w=-]{60,70}
together-key       -    tgp_v1_ tgp_v1_[\w-]{43}
trello-token       a    ATTA ATTA[a-fA-F0-9]{72}
trigger-key        a    tr_dev_,tr_prod_,tr_stg_,tr_pat_ tr_(?:dev|prod|stg|pat)_(?=[A-Za-z]*\d)[A-Za-z0-9]{20,40}
twilio-key         a    SK SK[0-9a-fA-F]{32}
typeform-token     i    tfp_ tfp_[a-z0-9_.=-]{59}
vault-token        -    hvs.,hvb.,hvr. hv[sbr]\.[\w-]{24,300}
vault-token        a    s. s\.(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{24}
vercel-token       -    vercel_blob_rw_ vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}
vercel-token       a    vcp_,vci_,vca_,vcr_,vck_ vc[piark]_[A-Za-z0-9]{20,64}
voyage-key         a    pa- pa-(?=[\w-]*\d[\w-]*\d)[\w-]{43}
xai-key            -    xai- xai-[A-Za-z0-9]{80}
yandex-key         a    AQVN AQVN[\w-]{35,38}
zapier-webhook     in   hooks.zapier.com/ hooks\.zapier\.com/hooks/catch/\d{4,12}/[a-z0-9]{5,16}
`

const BEFORE = /[A-Za-z0-9]/
const BEFORE_ALONE = /[\w+/.%-]/
const AFTER = /[A-Za-z0-9_]/
/** Of a token whose word may stand anywhere in it. */
const BACK_MAX = 90

export const tokenRules: readonly SecretRule[] = TABLE.trim().split('\n').map(ruleOf)

function ruleOf(row: string): SecretRule {
  const [kind = '', how = '', words = '', source = ''] = row.split(/ +/)
  const [flags = '', before] = how.split('<')
  const pattern = new RegExp(source, flags.includes('i') ? 'iy' : 'y')
  const alone = flags.includes('a')
  const back = Number(before ?? 0)
  return {
    kind,
    words: words.split(','),
    find(text, at) {
      const from = back < 0 ? beforeIt(text, at) : at - back
      if (from < 0 || !(flags.includes('n') || beginsAt(text, from, alone))) return undefined
      const match = matchAt(pattern, text, from)?.[0] ?? ''
      const { value, to } = acrossLines(pattern, text, from, match) ?? {
        value: match,
        to: from + match.length,
      }
      if (value === '') return undefined
      // What was matched and is none holds none either.
      const none = { spans: [], upTo: to }
      if (AFTER.test(text.charAt(to)) || (alone && goesOn(text, to))) return none
      return isMade(value) ? { from, to } : none
    },
  }
}

/** As a machine makes them: neither `xxxxxx` nor words, and not one of those that everybody knows. */
const isMade = (value: string): boolean =>
  entropy(value) >= 2.5 &&
  surprise(value) >= 0.1 &&
  !/([xX*#.])\1{5}/.test(value) &&
  !/0123456789|1234567890/.test(value) &&
  !isPublished(value)

/** Where a token that holds its word in the middle begins; -1 where none does. */
function beforeIt(text: string, at: number): number {
  const window = Math.max(0, at - BACK_MAX)
  const begin = text.slice(window, at).lastIndexOf('sk-')
  return begin < 0 ? -1 : window + begin
}

/** A sign at the beginning of a line is that of a difference. */
const beginsAt = (text: string, at: number, alone: boolean): boolean =>
  !(alone ? BEFORE_ALONE : BEFORE).test(text.charAt(at - 1)) ||
  /^(?:^|\n)[+-]$/.test(text.slice(Math.max(at - 2, 0), at))

/** In a path, a file name, base64 or another word. */
const goesOn = (text: string, at: number): boolean =>
  /[+/%-]/.test(text.charAt(at)) || (text.charAt(at) === '.' && /\w/.test(text.charAt(at + 1)))
