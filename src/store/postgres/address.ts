import { TwotrackError } from '../../errors.ts'

/** Where a database is: every host that a URL names, and how it is called in messages, which say no password. */
export interface Address {
  /** One URL for each host. */
  readonly hosts: readonly string[]
  readonly shown: string
}

const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/
/** What is always so, or meant for other clients. */
const LEFT_OUT = ['target_session_attrs', 'load_balance_hosts', 'connect_timeout']

/** `postgres://user:password@one:5432,two:5432/database`, as PostgreSQL's own clients take it. */
export function parseAddress(url: string): Address {
  const [, start, authority, path = '', query = ''] = FORM.exec(url) ?? []
  if (start === undefined || authority === undefined) throw badAddress()
  const parameters = new URLSearchParams(query)
  for (const name of LEFT_OUT) parameters.delete(name)
  const folders = parameters.get('host')?.split(',') ?? []
  parameters.delete('host')
  const places = folders.length > 0 ? folders : authority.split(',')
  const hosts = places.map((place) => {
    const own = new URLSearchParams(parameters)
    if (folders.length > 0) own.set('host', place)
    const one = `${start}${folders.length > 0 ? authority || 'localhost' : place}${path}?${own}`
    if (!URL.canParse(one)) throw badAddress()
    return one
  })
  return { hosts, shown: `${places.join(',')}${path}` }
}

/** Says nothing of what was given: it may hold a password. */
const badAddress = () =>
  new TwotrackError(
    'bad_argument',
    'The URL of the database is not of the form postgres://user:password@host:5432/database (several hosts with ' +
      'commas between them; characters such as @ or / in a password percent-encoded).',
  )
