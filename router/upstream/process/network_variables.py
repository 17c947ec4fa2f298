"""Environment variables that say how to reach the network: private certificate authorities, proxies
and package registries. Pure.

Fetching a package, discovery with network and servers in use get the same ones. A registry whose
address contains a password is for fetching only: a server needs no access to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_CERTIFICATE_FILES = frozenset(
    "ssl_cert_file requests_ca_bundle curl_ca_bundle node_extra_ca_certs aws_ca_bundle "
    "git_ssl_cainfo deno_cert nix_ssl_cert_file pip_cert npm_config_cafile cargo_http_cainfo "
    "grpc_default_ssl_roots_file_path httplib2_ca_certs".split()
)
_CERTIFICATE_FOLDERS = frozenset({"ssl_cert_dir"})
_CERTIFICATE_SETTINGS = frozenset(
    "node_use_system_ca deno_tls_ca_store uv_native_tls uv_system_certs npm_config_ca "
    "npm_config_strict_ssl pip_trusted_host uv_insecure_host".split()
)
_PROXIES = frozenset(
    "http_proxy https_proxy all_proxy no_proxy node_use_env_proxy "
    "npm_config_proxy npm_config_https_proxy npm_config_noproxy pip_proxy".split()
)
_REGISTRIES = frozenset(
    "npm_config_registry bun_config_registry yarn_npm_registry_server pip_index_url "
    "pip_extra_index_url pip_no_index pip_find_links uv_default_index uv_index uv_index_url "
    "uv_extra_index_url uv_no_index uv_find_links uv_index_strategy goproxy".split()
)
_SCOPED_REGISTRY = re.compile(r"npm_config_@[^:]+:registry")
_PASSWORD_IN_URL = re.compile(r"//[^/\s@]+@")


def is_certificate_variable(name: str) -> bool:
    name = _normalized(name)
    return name in _CERTIFICATE_FILES | _CERTIFICATE_FOLDERS | _CERTIFICATE_SETTINGS


def is_proxy_variable(name: str) -> bool:
    return _normalized(name) in _PROXIES


def is_registry_variable(name: str) -> bool:
    name = _normalized(name)
    return name in _REGISTRIES or _SCOPED_REGISTRY.fullmatch(name) is not None


def is_network_variable(name: str) -> bool:
    return is_certificate_variable(name) or is_proxy_variable(name) or is_registry_variable(name)


def reaches_servers(name: str, value: str) -> bool:
    """Whether a server inherits this variable of ours."""
    if is_registry_variable(name):
        return _PASSWORD_IN_URL.search(value) is None
    return is_certificate_variable(name) or is_proxy_variable(name)


def certificate_paths(environment: Mapping[str, str], separator: str) -> set[str]:
    """The files and folders of certificates that `environment` names."""
    files = {v for k, v in environment.items() if _normalized(k) in _CERTIFICATE_FILES}
    folders = (v for k, v in environment.items() if _normalized(k) in _CERTIFICATE_FOLDERS)
    return {each for each in (*files, *separator.join(folders).split(separator)) if each}


def _normalized(name: str) -> str:
    """npm reads its settings from variables in either case, and curl and others their proxy."""
    return name.lower()
