"""An agent in Python with a memory. Its model is a stand-in: put the call of yours in its place."""

import sys

from twotrack import Memory

command = sys.argv[1:] or ("npx", "twotrack")
memory = Memory("counter", goal="Count the words of the poem.", command=command)


def read_poem(line):
    return ["Tyger Tyger, burning bright,", "In the forests of the night;"][line]


words = 0
for line in (0, 1):
    prompt = memory.ask("prompt", model="stand-in")  # {"text", "tokens", …}: what your model is sent
    memory.ask("answer", model="stand-in", text=f"I read line {line + 1}.")
    words += len(memory.run("read_poem", read_poem, line=line).split())
try:
    memory.run("read_poem", read_poem, line=7)
except IndexError:
    pass
print(memory.ask("prompt")["body"])
memory.close(summary=f"{words} words")
