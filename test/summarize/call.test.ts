import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { readCall } from '../../src/summarize/call/call.ts'

const path = 'src/a.ts'
const call = (args: Json, tool = 'tool') => readCall(tool, args)
const shell = (command: string) => call({ command })

describe('edits by the names that tools give them', () => {
  test.for([
    { path, old_string: 'a', new_string: 'b' },
    { path, old: 'a', new: 'b' },
    { path, before: 'a', after: 'b' },
    { path, original: 'a', updated: 'b' },
    { path, old_content: 'a', new_content: 'b' },
    { path, oldString: 'a', newString: 'b' },
    { path, oldText: 'a', newText: 'b' },
    { command: 'str_replace', path, old_str: 'a', new_str: 'b' },
    { file_path: path, edits: [{ old_string: 'a', new_string: 'b' }] },
  ] as Json[])('%j', (args) => {
    expect(call(args)).toMatchObject({
      intent: { kind: 'change', path, verb: 'edit' },
      changes: [{ kind: 'edit', path, before: 'a', after: 'b' }],
    })
  })

  test('text taken out, every place, and a whole file', () => {
    expect(call({ path, old_string: 'a', new_string: '', replace_all: true }).changes).toEqual([
      { kind: 'edit', path, before: 'a', after: '', all: true },
    ])
    expect(call({ path, content: 'a\nb\n' }).changes).toEqual([{ kind: 'write', path, text: 'a\nb\n' }])
  })

  test('one of these names alone, a number or a date leaves a read what it is', () => {
    for (const args of [
      { path, old: 'a' },
      { path, after: 'cursor' },
      { path, before: 3, after: 3 },
      { path, after: '2026-01-01', before: '2026-02-01' },
    ] as Json[])
      expect(call(args).intent.kind, JSON.stringify(args)).toBe('read')
  })

  test('a patch, hunk by hunk', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.py\n@@ def f():\n def f():\n-    return 1\n+    return 2\n*** Add File: b.py\n+x = 1\n*** Delete File: c.py\n*** End Patch'
    const changes = [
      { kind: 'edit', path: 'a.py', before: 'def f():\n    return 1', after: 'def f():\n    return 2' },
      { kind: 'write', path: 'b.py', text: 'x = 1\n' },
      { kind: 'remove', path: 'c.py' },
    ]
    expect(call({ input: patch }).changes).toEqual(changes)
    expect(shell(`apply_patch <<'EOF'\n${patch}\nEOF`).changes).toEqual(changes)
    const diff = '--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 1\n+y = 2\n'
    expect(call({ diff }).changes).toEqual([
      { kind: 'edit', path: 'a.py', before: 'x = 1\ny = 1', after: 'x = 1\ny = 2' },
    ])
  })
})

test('a name says that what comes back is no file: a folder, places that were found', () => {
  for (const tool of ['list_directory', 'listDirectory', 'mcp__fs__list_dir'])
    expect(call({ path: 'src' }, tool).intent).toEqual({ kind: 'list', path: 'src' })
  for (const tool of ['find_file', 'findFile', 'search_files', 'glob'])
    expect(call({ file_name: 'a.ts' }, tool).intent).toEqual({ kind: 'search', pattern: 'a.ts' })
})

describe('what a shell command is for', () => {
  test.for([
    ['cat src/a.ts', { kind: 'read', path }],
    ['cd src && cat a.ts', { kind: 'read', path }],
    ["sed -n '10,20p' src/a.ts", { kind: 'read', path, from: 10, to: 20 }],
    ['nl -ba src/a.ts | sed -n 5,9p', { kind: 'read', path, from: 5, to: 9, numbers: true }],
    ['head -n 30 src/a.ts', { kind: 'read', path, from: 1, to: 30 }],
    ['tail -n +40 src/a.ts | head -5', { kind: 'read', path, from: 40, to: 44 }],
    ['tail -20 src/a.ts', { kind: 'read', path, from: 0 }],
    ["awk 'NR>=3 && NR<=8' src/a.ts", { kind: 'read', path, from: 3, to: 8 }],
    ["bash -lc 'cat src/a.ts'", { kind: 'read', path }],
    ['grep -rn "foo" src', { kind: 'search', pattern: 'foo', path: 'src' }],
    ['ls -la src', { kind: 'list', path: 'src' }],
  ] as const)('%s', ([command, intent]) => {
    expect(shell(command).intent).toMatchObject(intent)
  })

  test('several files, several ranges and headings are output like any other', () => {
    for (const command of [
      'cat a.ts b.ts',
      "sed -n '1,5p;20,30p' a.ts",
      'echo A; cat a.ts',
      'cat a.ts; cat b.ts',
      'cat a.ts | sort',
      'cat src/*.ts',
    ])
      expect(shell(command).intent.kind, command).toBe('run')
  })

  test('here-documents write files, also before something runs', () => {
    expect(shell("cat > a.py <<'EOF'\nx = $1\n\n    y\nEOF").changes).toEqual([
      { kind: 'write', path: 'a.py', text: 'x = $1\n\n    y\n' },
    ])
    const both = shell("cat <<'EOF' > a.py\nprint(1)\nEOF\npython a.py")
    expect(both.intent.kind).toBe('run')
    expect(both.changes).toHaveLength(1)
  })

  test('a file that changes in an unknown way is touched, one that is deleted removed', () => {
    for (const command of [
      'cat > a.py <<EOF\n$HOME\nEOF',
      "cat >> a.py <<'EOF'\nx\nEOF",
      "sed -i '/x/d' a.py",
      'cp b.py a.py',
      'python gen.py > a.py',
    ])
      expect(shell(command).changes, command).toEqual([{ kind: 'touch', path: 'a.py' }])
    for (const command of ['git checkout a.py', 'git checkout main -- a.py', 'git restore a.py'])
      expect(shell(command).changes, command).toEqual([{ kind: 'touch', path: 'a.py', restored: true }])
    expect(shell('git checkout -b feature/x').changes).toEqual([])
    expect(shell('git restore --staged a.py').changes).toEqual([])
    expect(shell('git rm a.py').changes).toEqual([{ kind: 'remove', path: 'a.py' }])
    expect(shell('rm a.py').changes).toEqual([{ kind: 'remove', path: 'a.py' }])
  })

  test('sed edits in place where its pattern is plain text', () => {
    const edit = (script: string) => shell(`sed -i '${script}' a.py`).changes
    expect(edit('s/old_name/new_name/g')).toEqual([
      { kind: 'edit', path: 'a.py', before: 'old_name', after: 'new_name', all: true },
    ])
    expect(edit('s/return f(x\\.y)/return g(x)/')).toMatchObject([
      { before: 'return f(x.y)', after: 'return g(x)' },
    ])
    for (const unsure of ['s/a.*b/c/g', '12,14s/aaaaaaaaa/b/', '$d', 's/x/y/', 's/\\(a\\)b/\\1/g'])
      expect(edit(unsure)).toEqual([{ kind: 'touch', path: 'a.py' }])
  })

  test('sed changes lines by their numbers', () => {
    const [edit] = ["sed -i '12s/a/b/' a.py", "sed -i '12,14d' a.py"].map((one) => shell(one).changes)
    expect(edit).toEqual([{ kind: 'edit', path: 'a.py', before: 'a', after: 'b', all: false, line: 12 }])
    const at = (script: string) => shell(`sed -i '${script}' a.py`).changes[0]
    expect(at('12,14d')).toEqual({ kind: 'lines', path: 'a.py', from: 12, to: 14, text: null })
    expect(at('12c\\    return x')).toMatchObject({ kind: 'lines', from: 12, to: 12, text: '    return x' })
    expect(at('7i\\import os\\nimport re')).toMatchObject({ from: 7, to: 6, text: 'import os\nimport re' })
    expect(at('7a # the end')).toMatchObject({ from: 8, to: 7, text: '# the end' })
    // The numbers of the second are those before the first.
    expect(shell('sed -i -e 2d -e 5d a.py').changes).toEqual([{ kind: 'touch', path: 'a.py' }])
  })

  test('a script on the command line touches the files that it writes, whatever it calls them', () => {
    for (const command of [
      `python3 - <<'EOF'\np = 'src/a.py'\ns = open(p).read()\nopen(p, 'w').write(s.replace('x', 'y'))\nEOF`,
      `python -c "from pathlib import Path; Path('src/a.py').write_text('x')"`,
      `node -e 'require("fs").writeFileSync("src/a.py", "x")'`,
      `ruby -e 'File.write("src/a.py", "x")'`,
    ])
      expect(shell(command).changes, command).toEqual([{ kind: 'touch', path: 'src/a.py' }])
    expect(shell(`python3 -c "print(open('src/a.py').read())"`).changes).toEqual([])
  })

  test('files that are removed', () => {
    expect(shell('rm -f a.py b.py').changes.map(({ path }) => path)).toEqual(['a.py', 'b.py'])
    expect(shell('rm *.pyc').changes).toEqual([])
  })
})

describe('the call in a few words', () => {
  const PROSE = 'Okay! The variable is set. It was "x" before. Now I fix the return.'

  test('prose stands in quotation marks, and no label is longer than its bound', () => {
    expect(call({ thought: PROSE }, 'say').label).toBe(
      `say "Okay! The variable is set. It was 'x' before. Now I fix the return."`,
    )
    expect(call({ thought: PROSE.repeat(9) }, 'say').label).toHaveLength(110)
  })

  test('a path that begins with a variable lies in no other folder', () => {
    const { changes } = shell("cd $TMP/a && cat <<'EOF' > $TMP/b.txt\nx\nEOF")
    expect(changes).toMatchObject([{ kind: 'write', path: '$TMP/b.txt' }])
  })

  test('a command without the folder that it always begins with', () => {
    expect(shell('cd /repo && python  -m x').label).toBe('$ python -m x')
  })
})
