"""The MCP server: programs have roles work for them by its tools. It only translates: `RunningBot` carries out.

server.py has the tools, stdio_front.py and http_front.py the two ways to them. The SDK is imported only there.
"""
