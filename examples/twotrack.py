"""A client for `twotrack serve --stdio`: memory for an agent in Python. Nothing but Python's own library is needed."""

import json
import subprocess

#: What a message has at most.
CHARS_MAX = 64_000_000


class TwotrackError(Exception):
    """What was refused, and why; `code` says it in one word."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error.get("data", {}).get("code", "")


def _refused(message):
    return TwotrackError({"message": message, "data": {"code": "bad_argument"}})


class Memory:
    """The log of one agent. Opened again with the same name it goes on."""

    def __init__(self, agent, goal=None, command=("npx", "twotrack"), **options):
        self._server = subprocess.Popen(
            [*command, "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",  # half a character, such as of a file's odd name, is written as JSON's \udc80
        )
        self._id = 0
        self.opened = self.ask("open", agent=agent, **({} if goal is None else {"goal": goal}), **options)

    def ask(self, method, **params):
        """Sends a request and waits for its answer. What can't be sent is refused before anything is."""
        self._id += 1
        request = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        try:
            line = json.dumps(request, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as cause:
            raise _refused(f"{method}: no JSON can be made of this: {cause}") from cause
        if len(line) > CHARS_MAX:
            raise _refused(f"{method}: {len(line)} characters; a message has at most {CHARS_MAX}")
        try:
            self._server.stdin.write(line + "\n")
            self._server.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended; its last line may say why.
        answer = json.loads(self._server.stdout.readline() or '{"error": {"message": "twotrack has ended"}}')
        if "error" in answer:
            raise TwotrackError(answer["error"])
        return answer["result"]

    def run(self, tool, function, **args):
        """Records a call, runs it, and records what it returned or raised."""
        call = self.ask("call", tool=tool, args=args)
        try:
            output = function(**call["args"])
        except Exception as raised:
            self.ask("result", call_id=call["call_id"], error=f"{type(raised).__name__}: {raised}")
            raise
        try:
            self.ask("result", call_id=call["call_id"], output=output)
        except TwotrackError as refused:
            # The tool has run, which the log is to say.
            self.ask("result", call_id=call["call_id"], error=f"It ran, but what it returned is not recorded: {refused}")
            raise
        return output

    def close(self, summary=None):
        """With a summary the work is done; without one it was given up."""
        self.ask("close", **({} if summary is None else {"summary": summary}))
        self._server.stdin.close()
        self._server.wait()
