/** The look of a report: the reader's own fonts, light or dark as the reader's system is. */
export const style = `
:root { color-scheme: light dark;
  --ink: light-dark(#1d2329, #d9dee3); --quiet: light-dark(#5c6670, #98a2ad); --paper: light-dark(#ffffff, #15191d);
  --panel: light-dark(#f4f6f8, #1d2329); --line: light-dark(#dde2e7, #313941); --link: light-dark(#0b5fa5, #7db8f0);
  --good: light-dark(#176b3a, #7fd6a0); --goodback: light-dark(#e0f3e7, #17331f);
  --bad: light-dark(#a3231f, #ff9d97); --badback: light-dark(#fbe5e3, #3d1a18);
  --half: light-dark(#7a5200, #ecc06c); --halfback: light-dark(#fbf0d6, #382b10); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 3rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
p { margin: .4rem 0; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
ul { margin: .4rem 0; padding-left: 1.2rem; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; margin: .4rem 0;
  white-space: pre-wrap; max-height: 24rem; overflow: auto; }
.quiet { color: var(--quiet); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .7rem; margin: 1.5rem 0; }
.figures div { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .7rem .9rem; }
.figures dt { color: var(--quiet); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.figures dd.quiet { font-size: .8rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-bottom: 1px solid var(--line); }
th { background: var(--panel); font-weight: 600; white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
tr:target td { background: var(--halfback); }
td:not(.number) { min-width: 5rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .8rem; white-space: nowrap; }
.badge.success { color: var(--good); background: var(--goodback); }
.badge.error { color: var(--bad); background: var(--badback); }
.badge.partial { color: var(--half); background: var(--halfback); }
details { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; margin: .7rem 0; }
summary { cursor: pointer; font-weight: 600; }
@media print { pre { max-height: none; } }
`
