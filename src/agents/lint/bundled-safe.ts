/** The codes in a text, which is easier to read and to change than a list of strings. */
const codes = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Rules of ruff whose fixes are taken to keep what a program does: layout, unused imports, spelling of types. The wasm
 * build does not say which fixes ruff itself holds for safe, so this list is ours and rather short: a rule that is not
 * here is left to a person. In order: Pyflakes and pycodestyle, isort, pyupgrade,
 * the look of docstrings, strings, commas and comments, white space.
 */
const SAFE = codes(`
  F401 F541 F632 E401 E703 E713 E714 W291 W293 W292 W391 W605
  I001 I002
  UP004 UP006 UP007 UP009 UP010 UP011 UP012 UP015 UP018 UP020 UP024 UP025 UP026 UP034 UP037 UP039 UP045
  D202 D207 D208 D209 D210 D211 D403 D412 D413
  Q000 Q001 Q002 Q003 Q004 COM812 COM819 RUF100 PIE790
  E201 E202 E203 E211 E221 E222 E225 E226 E227 E228 E231 E241 E251 E252 E261 E262 E265 E266 E271 E272 E275
  E301 E302 E303 E304 E305 E306
`)

/** Rules whose fix is right whatever the project is configured for. */
const ALWAYS = codes('F541 E703 E713 E714')
/** Modules that nobody imports for what their import does, or for others to import from here. */
const PLAIN_MODULES = codes(`
  argparse ast asyncio base64 collections contextlib copy csv dataclasses datetime decimal enum functools hashlib
  inspect io itertools json logging math operator os pathlib random re shutil socket string struct subprocess sys
  tempfile textwrap threading time traceback types typing uuid warnings
`)

/** `isConfigured`: whether the project itself chose the rules. */
export function hasSafeFix(code: string, message: string, path: string, isConfigured: boolean): boolean {
  // What a package's __init__.py imports and does not use is often what it offers to others.
  if (code === 'F401' && path.endsWith('__init__.py')) return false
  if (isConfigured) return SAFE.has(code)
  const [, name = ''] = code === 'F401' ? (/^`([\w.]+)` imported but unused/.exec(message) ?? []) : []
  return ALWAYS.has(code) || PLAIN_MODULES.has(name)
}
