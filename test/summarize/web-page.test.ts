import { describe, expect, test } from 'vitest'
import { webPage } from '../../src/summarize/page/web-page.ts'
import { type SeenCall, testSummarizer } from '../../src/testing/summarizer.ts'
import { learned } from './learned.ts'

const learn = (text: string, call: SeenCall = {}) => {
  const { names: _, ...page } = learned(webPage, { tool: 'fetch', text, ...call })
  return page
}
const SHOP = `<!DOCTYPE html>
<html><head><title>Lamps &amp; more</title><style>p { color: red }</style>
<meta name="description" content="All our lamps"><script>var secret = "<p>no</p>"</script></head>
<body><nav><a href="/">Home</a><a href="/cart">Cart</a></nav>
<main><h1>Lamps</h1><p>Bright &#8212; and <b>cheap</b>, see <a href="/guide">our guide</a> first.</p>
<table><tr><th>Name</th><th>Price</th></tr><tr><td>Orb</td><td>&euro;24.90</td></tr></table>
<ul><li><a href="/p/7">Orb lamp</a></li><li><a href="/p/7">Orb lamp</a></li><li><a href="#top">up</a></li></ul>
<form><input name="q" id="search" placeholder="Find a lamp"><input type="hidden" name="csrf" value="x1">
<button id="go">Search</button></form></main><footer>Imprint</footer></body></html>`

describe('HTML', () => {
  test('is read as a person would: text, links, prices and controls; menus last', () => {
    const { said, key, about, lines } = learn(SHOP, { args: { url: 'https://lamps.example/all' } })
    expect(said).toMatch(/^Page "Lamps & more": 14 lines, 4 links, 2 controls from fetch/)
    expect({ key, about }).toEqual({ key: 'https://lamps.example/all', about: 'Lamps & more' })
    expect(lines).toEqual([
      'description: All our lamps',
      '# Lamps',
      'Bright — and cheap, see our guide first.',
      'our guide → /guide',
      'Name | Price',
      'Orb | €24.90',
      'Orb lamp → /p/7',
      'Orb lamp',
      'up',
      '[input text name=q id=search placeholder=Find a lamp]',
      '[button id=go] Search',
      'Home → /',
      'Cart → /cart',
      'Imprint',
    ])
  })

  test('that begins inside a script shows what comes after it', () => {
    const { lines } = learn(
      'if (a < b) { run() }</script><div><p>First</p><p>Second</p><p>Third</p></div><div>x</div>',
      {
        args: { url: 'https://a.example/' },
      },
    )
    expect(lines).toEqual(['First', 'Second', 'Third', 'x'])
  })

  test('of a page that its scripts would make keeps where they point to', () => {
    const text =
      '<!doctype html><html><head><title>App</title><script>load("https:\\/\\/api.example\\/v2\\/videos?id=77")</script><link href="https://cdn.example/a.css"></head><body><div id="root"></div></body></html>'
    expect(learn(text)).toMatchObject({
      said: 'Hardly any text but scripts on page "App" from fetch',
      lines: ['→ https://api.example/v2/videos?id=77'],
    })
  })

  test('behind an HTTP status tells the status first', () => {
    const text =
      'HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/html\r\n\r\n<!doctype html><html><body><h1>Down</h1><p>Try later</p></body></html>'
    expect(learn(text, { tool: 'shell', args: { command: 'curl -i https://a.example' } })).toMatchObject({
      said: expect.stringMatching(/^HTTP 503 Service Unavailable, Page "Down"/),
      outcome: 'error',
    })
  })
})

describe('pages as Markdown or text', () => {
  test('prose without its targets, which follow it', () => {
    const text =
      '[Home](/ "Start")\n\n# Orb\n\nA lamp by [Ann Lee](/people/ann_(designer) "Ann") and ![logo](l.png) others[1](#n1).\n\n## Price\n\n24 EUR'
    expect(learn(text, { args: { url: 'https://lamps.example/p/7' } })).toMatchObject({
      said: expect.stringMatching(/^Page "Orb": 6 lines, 2 links/),
      lines: [
        '# Orb',
        'A lamp by Ann Lee and logo others1.',
        'Ann Lee → /people/ann_(designer)',
        '## Price',
        '24 EUR',
        'Home → /',
      ],
    })
  })

  test('what a browser says of a page is not its text', () => {
    const text =
      'Address: https://a.example/long\nTitle: A long read\nViewport position: Showing page 2 of 9.\n=====\nIt goes on here.\nAnd here.'
    expect(learn(text, { tool: 'page_down' })).toMatchObject({
      said: 'Page "A long read", page 2 of 9: 2 lines from page_down',
      key: 'https://a.example/long (page 2 of 9)',
      lines: ['It goes on here.', 'And here.'],
    })
  })

  test('a search is told by what it found', () => {
    const text =
      'Title: lamps - Search\n\n## Results\n1. [Orb lamp](https://a.example/7)\nCheap.\n2. [Lamp guide](https://b.example/guide)\nLong.'
    expect(learn(text, { tool: 'web_search', args: { query: 'lamps' } })).toMatchObject({
      said: 'Found 2 links: "Orb lamp", "Lamp guide" from search "lamps"',
      about: '',
      lines: expect.arrayContaining(['1. Orb lamp → https://a.example/7']),
    })
  })

  test('a page of one line is that line; an error page is an error', () => {
    const found = 'Address: https://a.example/x\nTitle: X\n===\nThe text was not found.'
    expect(learn(found).said).toBe('"The text was not found." on page "X" from fetch')
    expect(learn('Title: 404 Not Found\n===\n# Nothing here\nSorry.').outcome).toBe('error')
  })
})

describe('the elements of a page as browser agents list them', () => {
  test.for([
    [
      'accessibility tree',
      "[1] RootWebArea 'Shop' focused: True\n\t[4] link 'Cart'\n\t\t[5] StaticText 'Cart'\n\t[7] textbox 'Search' required: False\n\t[9] generic\n\t[12] StaticText '24.90 EUR'",
      [
        '[1] RootWebArea "Shop" focused: True',
        '[4] link "Cart"',
        '[7] textbox "Search" required: False',
        '24.90 EUR',
      ],
    ],
    [
      'outline with references',
      '- heading "Shop" [level=1] [ref=e2]\n- link "Cart" [ref=e4] [cursor=pointer]:\n  - /url: /cart\n- button "Buy" [ref=e6]\n- text: 24.90 EUR',
      ['[e2] heading "Shop" [level=1]', '[e4] link "Cart" → /cart', '[e6] button "Buy"', '24.90 EUR'],
    ],
    [
      'numbered tags',
      '[1]<a href=/cart>Cart</a>\n[2]<input placeholder=Search />\n[3]<button>Buy</button>',
      ['[1] a "Cart" href=/cart', '[2] input placeholder=Search', '[3] button "Buy"'],
    ],
  ] as const)('%s', ([, text, lines]) => {
    const learned = learn(text, { tool: 'snapshot' })
    expect(learned.lines).toEqual(lines)
    expect(learned.said).toMatch(/^Page .*control/)
  })
})

describe('what is no page is left to others', () => {
  test.for([
    [
      'code that has tags in it',
      { command: 'git show HEAD:App.tsx' },
      `return (\n${'  <div className="a"><p>{x}</p></div>\n'.repeat(9)})`,
    ],
    [
      'a few words of a tool that takes an address',
      { url: 'https://a.example/repo.git' },
      "Cloning into 'repo'...\ndone.",
    ],
    ['XML', {}, '<?xml version="1.0"?><project><name>a</name><id>7</id></project>'],
    ['types', {}, 'Map<string, number>\nSet<string>'],
    ['nothing', {}, ''],
  ] as const)('%s', ([, args, text]) => {
    expect(learn(text, { args }).said).toBeUndefined()
  })

  test('hostile pages end in a bounded summary', () => {
    const many = 40_000
    for (const text of [
      '<a href="'.repeat(many),
      '<a ">" '.repeat(many),
      '<!--'.repeat(many),
      `<!doctype html>${'<td>x'.repeat(many)}`,
      `<!doctype html>${'<div>'.repeat(many)}deep`,
      `<!doctype html>${'<a href=x>'.repeat(many)}`,
      `<!doctype html>${'<script>'.repeat(many)}`,
      `<!doctype html><p>${'&amp'.repeat(many)}`,
      ']('.repeat(many),
      '[a]((((((('.repeat(many),
      '- button "'.repeat(many),
    ]) {
      const summary = testSummarizer(webPage, { text, args: { url: 'https://a.example/' } })
      expect(JSON.stringify(summary ?? {}).length).toBeLessThan(60_000)
    }
  })
})
