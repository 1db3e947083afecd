"""A tiny MCP server over its input and output, without the SDK, so that it starts in 50 ms.

    python -I -S raw_mcp_server.py TOOLS.json [LOG]

It lists what TOOLS.json holds at that moment, and does with a call what the tool's name says, or returns the text that
the tool has there as "returns". Each call is written to LOG, one name a line.
"""

import errno
import json
import os
import socket
import sys
import time
from typing import Any

PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # one pixel
)


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text_result(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def read_page(url: str) -> str:
    """Return the text of a page, or of the refusal of a proxy."""
    import urllib.error  # here: it takes longer than the rest of the server
    import urllib.request

    try:
        found = urllib.request.urlopen(url)
    except urllib.error.HTTPError as error:
        found = error
    with found:
        return str(found.read().decode())


def look(arguments: dict[str, Any]) -> Any:
    """Return which paths are there, or whether an address of the network can be reached, or a page."""
    if "paths" in arguments:
        return [path for path in arguments["paths"] if os.path.exists(path)]
    if "url" in arguments:
        return read_page(arguments["url"])
    try:
        socket.create_connection((arguments["address"], 80), timeout=1).close()
    except OSError as error:
        return "no network" if error.errno == errno.ENETUNREACH else str(error)
    return "reached"


def call(name: str, arguments: dict[str, Any], id: object, token: object = None) -> dict[str, Any] | None:
    """Return the result of a call; None if there is none."""
    if name == "echo":
        return text_result(json.dumps(arguments))
    if name == "environment":
        return text_result(json.dumps(dict(os.environ)))
    if name == "look":
        return text_result(json.dumps(look(arguments)))
    if name == "change":
        return text_result("changed")
    if name == "fail":
        return text_result("the thing is broken", isError=True)
    if name == "structured":
        data = {"from": "anna@example.org", "subject": "hello"}
        return text_result(json.dumps(data), structuredContent=data)
    if name == "picture":
        parts = [{"type": "text", "text": "a dot"}, {"type": "image", "data": PICTURE, "mimeType": "image/png"}]
        return {"content": parts}
    if name == "no_picture":
        return {"content": [{"type": "image", "data": "bm8=", "mimeType": "image/png"}]}
    if name == "huge":
        return text_result("x" * int(arguments["bytes"]))
    if name == "other_id":
        send({"id": 999_999, "result": text_result("not yours")})
        return None
    if name == "no_result":
        return {"content": "no list"}
    if name == "die":
        sys.stderr.write("out of memory\n")
        sys.exit(3)
    if name == "slow":
        time.sleep(float(arguments["seconds"]))
        return text_result("late")
    if name == "rubbish":
        sys.stdout.write("Starting…\n\n{]\n[1, 2]\n\x00\n" + "y" * 50_000 + "\n")
        return text_result("clean")
    if name == "flood":
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "x"}})
    if name == "progress":
        for each in arguments["steps"]:
            send({"method": "notifications/progress", "params": {"progressToken": token, **each}})
        return text_result("all done")
    if name == "refuse":
        send({"id": id, "error": {"code": -32602, "message": "no such order"}})
    return None  # `hang`


def main(tools_path: str, log_path: str = "") -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, id = message.get("method"), message.get("id")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "raw", "version": "1"}
            send({"id": id, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}})
        elif method == "tools/list":
            with open(tools_path) as file:
                listed = json.load(file)
            if listed == "never":
                send({"id": id, "result": {"tools": [], "nextCursor": "on"}})
            elif isinstance(listed, dict):  # another list from now on, and it is told at once
                with open(tools_path, "w") as file:
                    json.dump(listed["then"], file)
                send({"id": id, "result": {"tools": listed["now"]}})
                send({"method": "notifications/tools/list_changed"})
            elif listed != "silent":
                send({"id": id, "result": {"tools": listed}})
        elif method == "tools/call":
            name = message["params"]["name"]
            if log_path:
                with open(log_path, "a") as file:
                    file.write(name + "\n")
            with open(tools_path) as file:
                listed = json.load(file)
            texts = {tool["name"]: tool["returns"] for tool in listed if "returns" in tool}
            arguments = message["params"].get("arguments") or {}
            token = message["params"].get("_meta", {}).get("progressToken")
            result = text_result(texts[name]) if name in texts else call(name, arguments, id, token)
            if result is not None:
                send({"id": id, "result": result})
            if name == "change":
                send({"method": "notifications/tools/list_changed"})
        elif id is not None and "method" in message:
            send({"id": id, "error": {"code": -32601, "message": "no such method"}})


if __name__ == "__main__":
    main(*sys.argv[1:])
