"""A real nginx before a counter, set up as docs/HARDENING.md has it."""
import pathlib
import re
import shutil
import subprocess

import requests

import counter
import tls

DOCUMENT = counter.ROOT / "docs" / "HARDENING.md"
# The client's own address; the proxy comes from 127.0.0.1.
CLIENT = "127.0.0.2"


class From(requests.adapters.HTTPAdapter):
    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, **options, source_address=(CLIENT, 0))


class Nginx:
    """The document's configuration with other ports, files and names."""

    def __init__(self, folder, upstream, change=lambda text: text):
        self.folder, self.port = folder, counter.free_port()
        self.authority = tls.Authority(folder)
        certificate, key = self.authority.issue("nginx", names="DNS:till.example,IP:127.0.0.1")
        site = re.search(r"```nginx\n(.*?)```", DOCUMENT.read_text(), re.S)[1]
        for old, new in (
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"), ("http://127.0.0.1:8080", upstream),
            ("/etc/ssl/till/fullchain.pem", str(certificate)), ("/etc/ssl/till/privkey.pem", str(key)),
        ):
            assert site.count(old) == 1, old
            site = site.replace(old, new)
        own = "".join(f"{kind}_temp_path {folder}/{kind};\n"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nworker_processes 1;\n"
            + "events { worker_connections 2048; }\n"
            + f"http {{\naccess_log off;\n{own}{change(site)}\n}}\n")
        self.url = f"https://127.0.0.1:{self.port}"
        self.session = requests.Session()
        self.session.mount("https://", From())

    def __enter__(self):
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        assert pathlib.Path(binary).exists(), "nginx is not installed (scripts/setup test)"
        self.process = subprocess.Popen(
            [binary, "-c", str(self.folder / "nginx.conf"), "-p", str(self.folder), "-g", "daemon off;"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Some answer, whatever it is: only the port matters.
        assert counter.until(self.answers), (self.folder / "error.log").read_text()
        return self

    def answers(self):
        try:
            return bool(self.ask("GET", "/nothing").status_code)
        except requests.ConnectionError:
            return False

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)

    def ask(self, method, path, key=None, body=None, **headers):
        if key:
            headers["Authorization"] = "Bearer " + key
        return self.session.request(method, self.url + path, json=body, headers=headers, timeout=10,
                                    verify=str(self.authority.certificate))
