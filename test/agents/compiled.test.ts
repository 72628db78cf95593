import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { put } from '../workspace/scratch.ts'
import { builtIn, call, folderWith } from './bench.ts'

const agent = await builtIn('test')
const lacks = (program: string) => spawnSync(program, ['version']).error !== undefined

const GO: Record<string, string> = {
  'go.mod': 'module example.com/shelf\n\ngo 1.18\n',
  'shelf/shelf.go': 'package shelf\n\nfunc Twice(n int) int { return n * 2 }\n',
  'shelf/shelf_test.go':
    'package shelf\n\nimport "testing"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Errorf("got %d", Twice(2))\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Twice(0) != 0 {\n\t\tt.Error("not zero")\n\t}\n}\n',
}
const RUST: Record<string, string> = {
  'Cargo.toml': '[package]\nname = "shelf"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': 'pub fn twice(n: i32) -> i32 {\n    n * 2\n}\n',
  'tests/whole.rs':
    '#[test]\nfn twice() {\n    assert_eq!(shelf::twice(2), 4);\n}\n\n#[test]\nfn zero() {\n    assert_eq!(shelf::twice(0), 0);\n}\n',
}

const ROWS = [
  { program: 'go', files: GO, source: 'shelf/shelf.go', path: 'shelf/shelf_test.go', line: 7 },
  { program: 'cargo', files: RUST, source: 'src/lib.rs', path: 'tests/whole.rs', line: 3 },
]

for (const { program, files, source, path, line } of ROWS)
  test.skipIf(lacks(program))(
    `${program} test: passes are counted, a failure is told with its place`,
    async () => {
      const workspace = await folderWith(files)
      const at = { workspace, node: path }
      const passed = await call(agent, 'run_tests', { path }, at)
      expect(passed).toMatchObject({
        outcome: 'success',
        knowledge_delta: { tests_passed: 2, test_runner: `${program} test` },
      })
      await put(workspace, { [source]: (files[source] ?? '').replace('* 2', '* 3') })
      const failed = await call(agent, 'run_tests', { path }, at)
      expect(failed.knowledge_delta).toMatchObject({ tests_passed: 1, tests_failed: 1 })
      expect(failed.result).toMatchObject({ failures: [{ path, line }] })
    },
  )
