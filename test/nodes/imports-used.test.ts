import { expect, it } from 'vitest'
import { parseNodes } from '../../src/nodes/parse.ts'

const usedIn = async (path: string, source: string) => {
  const { nodes } = await parseNodes(path, source)
  return Object.fromEntries(nodes.map((node) => [node.qualified_name, node.imports_used]))
}

it('tells which imports of a Python file each node uses', async () => {
  const used = await usedIn(
    'a.py',
    `import os.path as p
import json
import xml.sax
from shop import take as grab, price
from .base import *

@price.cached
def a(json): return p.join('json', 'x')   # grab
def b(x): x.json = grab(price=1)
class C(grab):
    def m(self) -> json.JSONDecoder: pass
    def n(self): xml.sax.parse('')
def late():
    import re
    return re.compile('a')
`,
  )
  expect(used).toEqual({
    '': ['.base:*', 'json', 'os.path', 're', 'shop:price', 'shop:take', 'xml.sax'],
    a: ['os.path', 'shop:price'],
    b: ['shop:take'],
    C: ['json', 'shop:take', 'xml.sax'],
    'C.m': ['json'],
    'C.n': ['xml.sax'],
    late: ['re'],
  })
})

it('tells which imports of a TypeScript file each node uses', async () => {
  const used = await usedIn(
    'a.tsx',
    `import React, { type Ref, useState } from 'react'
import * as stock from './stock.ts'
import './side-effect.css'
const fs = require('node:fs')
export function A(props: { r: Ref }) { return <React.Fragment>{useState()}</React.Fragment> }
export const b = () => ({ stock })
const c = (o) => o.stock + o.useState // stock
function d() { return fs.readFileSync }
export { x } from './x.ts'
`,
  )
  expect(used).toEqual({
    '': [
      './side-effect.css',
      './stock.ts',
      './x.ts:x',
      'node:fs',
      'react:Ref',
      'react:default',
      'react:useState',
    ],
    A: ['react:Ref', 'react:default', 'react:useState'],
    b: ['./stock.ts'],
    c: [],
    d: ['node:fs'],
  })
})
