"""The configuration file of each application as it is in use: other servers, other settings,
comments where the format has them. From the applications' own documentation."""

from __future__ import annotations

CLAUDE_CODE = """{
  "numStartups": 42,
  "tipsHistory": { "shift-enter": 3 },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/",
      "headers": { "Authorization": "Bearer ${GITHUB_TOKEN}" }
    }
  },
  "projects": {
    "/home/me/shop": {
      "allowedTools": [],
      "mcpServers": {
        "db": { "command": "uvx", "args": ["postgres-mcp", "${DB:-shop}"], "env": {} }
      }
    }
  }
}
"""

CLAUDE_DESKTOP = """{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/notes"]
    }
  }
}"""

CURSOR = """{
\t"mcpServers": {
\t\t"linear": {
\t\t\t"url": "https://mcp.linear.app/mcp",
\t\t\t"headers": {
\t\t\t\t"X-Api-Key": "${env:LINEAR_KEY}"
\t\t\t}
\t\t}
\t}
}
"""

VS_CODE = """{
  "inputs": [
    {
      "type": "promptString",
      "id": "perplexity-key",
      "description": "Perplexity API Key",
      "password": true
    },
    { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" }
  ],
  "servers": {
    // asks for its key
    "perplexity": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "server-perplexity-ask", "--region", "${input:region}"],
      "env": { "PERPLEXITY_API_KEY": "${input:perplexity-key}" },
    },
  },
}
"""

WINDSURF = (
    """{"mcpServers": {"notion": {"serverUrl": "https://notion.test/mcp", "disabled": true}}}"""
)

ZED = """// Zed settings
{
  "theme": "One Dark", // the dark one
  /* editor */
  "tab_size": 2,
  "context_servers": {
    "old-style": {
      "command": { "path": "node", "args": ["server.js"], "env": { "A": "1" } }
    },
    "built-in": { "source": "extension", "settings": {} }
  }
}
"""

CLINE = """{
  "mcpServers": {
    "weather": {
      "command": "node",
      "args": ["weather.js"],
      "disabled": true,
      "autoApprove": ["get_forecast"],
      "timeout": 60
    }
  }
}
"""

CODEX = """# Codex configuration
model = "gpt-5"   # the big one

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
env = { "DOCS_TOKEN" = "planted-docs-token" }

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"

[tui]
# no animations
animations = false
"""

GEMINI = """{
  "selectedAuthType": "oauth-personal",
  "mcpServers": {
    "search": { "httpUrl": "https://search.example/mcp", "headers": { "X-Key": "$SEARCH_KEY" } }
  }
}
"""

COPILOT = """{
  "mcpServers": {
    "playwright": { "type": "local", "command": "npx", "args": ["@playwright/mcp"], "tools": ["*"] }
  }
}
"""

OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  // servers
  "mcp": {
    "everything": {
      "type": "local",
      "command": ["npx", "-y", "@modelcontextprotocol/server-everything"],
      "environment": { "TOKEN": "{env:EVERYTHING_TOKEN}" },
      "enabled": false
    }
  }
}
"""

LM_STUDIO = """{
  "mcpServers": {
    "c": { "url": "https://c.example/mcp" }
  }
}
"""

GOOSE = """# goose
GOOSE_PROVIDER: anthropic

extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    type: builtin
  fetch:   # reads pages
    args:
    - mcp-server-fetch
    cmd: uvx
    enabled: true
    envs: {}
    name: fetch
    timeout: 300
    type: stdio

# how to behave
GOOSE_MODE: smart_approve
"""

QWEN = """{ "mcpServers": { "a": { "command": "a-server" } } }"""

ANTIGRAVITY = """{
  "mcpServers": {
    "b": { "serverUrl": "https://b.example/mcp" }
  }
}
"""

CONTINUE = """name: Local
version: 1.0.0
mcpServers:
  - name: sqlite
    command: uvx
    args: [mcp-server-sqlite]
  - name: remote
    type: streamable-http
    url: https://remote.example/mcp
    requestOptions:
      headers:
        Authorization: Bearer abc
"""

AMP = """{ "amp.mcpServers": { "semgrep": { "command": "semgrep-mcp" } } }"""

FILES: dict[str, tuple[str, str]] = {
    "claude-code": (".claude.json", CLAUDE_CODE),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", CLAUDE_DESKTOP),
    "cursor": (".cursor/mcp.json", CURSOR),
    "vscode": (".config/Code/User/mcp.json", VS_CODE),
    "vscode-insiders": (".config/Code - Insiders/User/mcp.json", VS_CODE),
    "windsurf": (".codeium/windsurf/mcp_config.json", WINDSURF),
    "zed": (".config/zed/settings.json", ZED),
    "cline": (".cline/data/settings/cline_mcp_settings.json", CLINE),
    "codex": (".codex/config.toml", CODEX),
    "gemini": (".gemini/settings.json", GEMINI),
    "copilot": (".copilot/mcp-config.json", COPILOT),
    "opencode": (".config/opencode/opencode.jsonc", OPENCODE),
    "lmstudio": (".lmstudio/mcp.json", LM_STUDIO),
    "goose": (".config/goose/config.yaml", GOOSE),
    "qwen": (".qwen/settings.json", QWEN),
    "antigravity": (".gemini/config/mcp_config.json", ANTIGRAVITY),
    "continue": (".continue/config.yaml", CONTINUE),
    "amp": (".config/amp/settings.json", AMP),
}
