import { describe, expect, test } from 'vitest'
import { webPage } from '../../src/summarize/page/web-page.ts'
import type { Observation } from '../../src/summarize/summarizer.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'
import { learned } from './learned.ts'

const learn = (text: string, call: Partial<Observation> = {}) =>
  learned(webPage, { tool: 'fetch', text, ...call })
const SHOP = `<!DOCTYPE html>
<html><head><title>Lamps &amp; more</title><style>p { color: red }</style>
<script>var secret = "<p>no</p>"</script></head>
<body><nav><a href="/">Home</a><a href="/cart">Cart</a></nav>
<main><h1>Lamps</h1><p>Bright &#8212; and <b>cheap</b>, see <a href="/guide">our guide</a> first.</p>
<table><tr><th>Name</th><th>Price</th></tr><tr><td>Orb</td><td>&euro;24.90</td></tr></table>
<ul><li><a href="/p/7">Orb lamp</a></li><li><a href="#top">up</a></li></ul><pre>  a
    b</pre>
<form><input name="q" id="search" placeholder="Find a lamp"><input type="hidden" name="csrf" value="x1">
<button id="go">Search</button></form></main><footer>Imprint</footer></body></html>`

describe('HTML', () => {
  test('is read as a person would: text, links, prices and controls', () => {
    const { said, lines } = learn(SHOP, { args: { url: 'https://lamps.example/all' } })
    expect(said).toBe('fetch https://lamps.example/all: page "Lamps & more", 12 lines, 4 links, 2 controls')
    expect(lines).toEqual([
      '[Home](/) [Cart](/cart)',
      '# Lamps',
      'Bright — and cheap, see [our guide](/guide) first.',
      'Name | Price',
      'Orb | €24.90',
      '- [Orb lamp](/p/7)',
      '- up',
      '  a',
      '    b',
      '[input name=q id=search placeholder=Find a lamp]',
      '[button id=go] Search',
      'Imprint',
    ])
  })

  test('shown by a shell is a page only when it is whole', () => {
    const part = '<div><p>a</p><p>b</p><p>c</p><ul><li>d</li></ul></div>'
    expect(learn(part, { args: { command: 'cat a.html b.html' } }).said).toBeUndefined()
    expect(learn(SHOP, { args: { command: 'curl https://lamps.example' } }).said).toContain(
      'page "Lamps & more"',
    )
  })

  test('an error page is an error', () => {
    expect(learn('<html><title>404 Not Found</title><body><h1>404</h1></body></html>').outcome).toBe('error')
  })
})

describe('text of a page stays as it is', () => {
  const front = 'Address: https://a.example/x\nTitle: Trees\nViewport position: Showing page 2 of 9.\n====\n'

  test('what a browser says above it names the page', () => {
    const text = `${front}# Oaks\n\nAn oak is a tree.\nSee [more](/more).`
    expect(learn(text).said).toBe('fetch: page "Trees", page 2 of 9, 3 lines')
    expect(learn(text).output).toBeUndefined()
  })

  test('a search is told by its results, a single line by itself', () => {
    const results = `${front}1. [One](https://one.example)\ntext\n2. [Two](https://two.example)\nmore`
    expect(learn(results).said).toBe('fetch: 2 results: "One", "Two"')
    expect(learn(`${front}The text was not found.`).said).toBe('fetch: "The text was not found."')
  })
})

test('hostile pages end in a bounded summary', () => {
  for (const unit of ['<a href="', '<', '<!--', '<p', '&amp', '<script>', '</a>'])
    expect(
      testSummarizer(webPage, { text: `<!doctype html><html>${unit.repeat(50_000)}` })?.summary.length ?? 0,
    ).toBeLessThan(300)
})
