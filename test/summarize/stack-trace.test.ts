import { describe, expect, it } from 'vitest'
import { readStackTraces } from '../../src/summarize/stack-trace.ts'

const TRACES = [
  {
    language: 'python',
    text: 'starting\nTraceback (most recent call last):\n  File "/srv/app.py", line 9, in main\n    run()\n    ~~~^^\n  File "/srv/run.py", line 3, in run\n    raise KeyError(name)\nKeyError: \'tea\'\ndone\n',
    error: "KeyError: 'tea'",
    frames: [
      { path: '/srv/app.py', line: 9, symbol: 'main' },
      { path: '/srv/run.py', line: 3, symbol: 'run' },
    ],
  },
  {
    language: 'javascript',
    text: "/srv/a.js:3\n  x.y()\n    ^\n\nTypeError: Cannot read properties of undefined (reading 'y')\n    at Cart.total (/srv/a.js:3:5)\n    at async file:///srv/b.mjs:7:1\n    at Module._compile (node:internal/modules/cjs/loader:1554:14)\n",
    error: "TypeError: Cannot read properties of undefined (reading 'y')",
    frames: [
      { path: '/srv/a.js', line: 3, symbol: 'Cart.total' },
      { path: '/srv/b.mjs', line: 7 },
      { path: 'node:internal/modules/cjs/loader', line: 1554, symbol: 'Module._compile' },
    ],
  },
  {
    language: 'java',
    text: 'Exception in thread "main" java.lang.IllegalStateException: no stock\n\tat shop.Cart.total(Cart.java:12)\n\tat shop.Main.main(Main.java:5)\n',
    error: 'Exception in thread "main" java.lang.IllegalStateException: no stock',
    frames: [
      { path: 'Cart.java', line: 12, symbol: 'shop.Cart.total' },
      { path: 'Main.java', line: 5, symbol: 'shop.Main.main' },
    ],
  },
  {
    language: 'go',
    text: 'panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.total({0xc000, 0x2})\n\t/srv/cart.go:12 +0x1d\nmain.main()\n\t/srv/main.go:5 +0x2a\nexit status 2\n',
    error: 'panic: runtime error: index out of range [3] with length 2',
    frames: [
      { path: '/srv/cart.go', line: 12, symbol: 'main.total' },
      { path: '/srv/main.go', line: 5, symbol: 'main.main' },
    ],
  },
  {
    language: 'rust',
    text: "thread 'main' panicked at src/main.rs:4:7:\nindex out of bounds: the len is 2 but the index is 3\nstack backtrace:\n   0: shop::total\n             at ./src/cart.rs:12:5\nnote: run with more\n",
    error: 'index out of bounds: the len is 2 but the index is 3',
    frames: [
      { path: 'src/main.rs', line: 4 },
      { path: './src/cart.rs', line: 12, symbol: 'shop::total' },
    ],
  },
]

describe('stack traces', () => {
  for (const { language, text, error, frames } of TRACES) {
    it(`reads ${language}: the error and the frames in order`, () => {
      expect(readStackTraces(text)).toEqual([{ language, error, frames }])
    })
  }

  it('reads an exception and its cause as two', () => {
    const text =
      'java.lang.A: outer Exception: x\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: inner\n\tat d.E.f(E.java:2)\n\t... 3 more\n'
    expect(readStackTraces(text).map((trace) => trace.error)).toEqual([
      'java.lang.A: outer Exception: x',
      'Caused by: java.io.IOException: inner',
    ])
  })

  it('finds none in prose, code and search results', () => {
    expect(readStackTraces('The meeting is\n    at noon (in the hall)\n')).toEqual([])
    expect(readStackTraces('src/a.ts:12:  throw new Error("x")\nsrc/b.rb:3:in the middle\n')).toEqual([])
  })

  it('keeps a bounded number of frames of an endless recursion', () => {
    const frame = '    at f (/srv/a.js:1:2)\n'
    const [trace] = readStackTraces(`RangeError: Maximum call stack size exceeded\n${frame.repeat(10_000)}`)
    expect(trace?.frames).toHaveLength(50)
  })
})

it('passes over frames without an error once, however many they are', () => {
  const frames = '    at run (/app/a.js:1:2)\n'.repeat(40_000)
  expect(readStackTraces(frames)).toEqual([])
  const [trace] = readStackTraces(`${frames}done\nTypeError: x is no function\n    at f (/app/b.js:3:4)\n`)
  expect(trace?.error).toBe('TypeError: x is no function')
})
