"""A real nginx in front of the counter, as its own documents begin: `proxy_pass` to the counter's address.

It rewrites `Host` to that address, so every visitor of a public site looks like a browser on the machine itself.
"""
import re
import shutil
import subprocess

import pytest
import requests

import counter

STOCK = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass {upstream}; }}
  }}
}}
"""


@pytest.fixture
def public(server, tmp_path):
    """The address of the proxy; its log of requests is `access.log`."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not program:
        pytest.fail("nginx is not installed (Debian: apt-get install nginx-light)", pytrace=False)
    port = counter.free_port()
    file = tmp_path / "nginx.conf"
    file.write_text(STOCK.format(folder=tmp_path, port=port, upstream=server.url))
    process = subprocess.Popen([program, "-c", str(file), "-p", str(tmp_path)], stderr=subprocess.PIPE, text=True)
    counter.wait_for(f"http://127.0.0.1:{port}/healthz", process, tmp_path / "error.log")
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.communicate(timeout=10)


def routes(server):
    """Every address that the description names, with its methods."""
    path = ""
    for line in requests.get(server.url + "/openapi.yaml", timeout=10).text.splitlines():
        if found := re.match(r"  (/\S*):$", line):
            path = re.sub(r"\{\w+\}", "x", found[1])
        elif found := re.match(r"    (get|post|delete|put|patch):$", line):
            yield found[1].upper(), path


def test_a_visitor_of_a_public_site_is_nobody(server, public):
    made = server.create("o-1", "k-1").json()["id"]
    page = requests.get(public + "/", timeout=10)
    assert page.status_code == 200 and "set-cookie" not in page.headers
    assert "o-1" not in page.text and made not in page.text
    asked = 0
    # Who says that a proxy speaks for him, where none is trusted, is not even asked who he is.
    forged = {"Host": "localhost", "X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1",
              "Forwarded": "for=127.0.0.1;host=localhost"}
    nobody = (401, "unauthorized")
    for headers, told in (({}, nobody), ({"X-Till-Page": "1"}, nobody), (forged, (400, "untrusted_proxy"))):
        session = requests.Session()
        session.get(public + "/", timeout=10)
        for method, path in routes(server):
            if not path.startswith("/v1/") and path != "/metrics":
                continue
            if path.startswith("/v1/shops/") and path.endswith("/notifications") and told == nobody:
                told_here = (401, "shop_signature")  # a shop signs, and has no key
            else:
                told_here = told
            answer = session.request(method, public + path, headers=headers, json={}, timeout=10)
            assert (answer.status_code, answer.json()["code"]) == told_here, (method, path, answer.text)
            asked += 1
    assert asked > 90, asked


def test_a_start_code_is_in_no_log_of_the_proxy(server, public, browser, tmp_path):
    # Under its own name the page has another origin than the address that the proxy names: nobody is signed in by that.
    page = browser.new_page()
    start = server.start_url().replace(server.url, public)
    page.goto(start)
    page.locator("#session").wait_for(state="visible", timeout=10_000)
    assert "start=" not in page.url
    page.close()
    code = start.split("#start=")[1]
    assert code not in (tmp_path / "access.log").read_text()
    assert counter.until(lambda: "POST /session" in (tmp_path / "access.log").read_text())


def test_a_clerk_behind_the_proxy_signs_in_where_the_shop_says_its_address(tmp_path, browser):
    port = counter.free_port()
    public = f"http://127.0.0.1:{port}"
    folder = tmp_path / "counter"
    folder.mkdir()
    with counter.Server(folder, env={"TILL_RECEIPT_URL": public}) as server:
        file = tmp_path / "nginx.conf"
        file.write_text(STOCK.format(folder=tmp_path, port=port, upstream=server.url))
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        process = subprocess.Popen([program, "-c", str(file), "-p", str(tmp_path)])
        try:
            counter.wait_for(public + "/healthz", process, tmp_path / "error.log")
            page = browser.new_page()
            page.goto(server.start_url().replace(server.url, public))
            page.locator("#till").wait_for(state="visible", timeout=10_000)
            page.close()
        finally:
            process.terminate()
            process.wait(10)
