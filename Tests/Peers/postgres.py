"""Private servers of PostgreSQL, counters on them, and what a sale has come to."""
import collections
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import requests
from wire import Wire

import counter
import deaths

BIN = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), default=None)
CARD = {"type": "card", "number": counter.CARD, "expiry": "12/30", "cvc": "123"}
STANDBY = "standby_one"
START_SECONDS = 60
MANY = "max_connections=400"
LEASE = {"TILL_LEASE_SECONDS": "5"}


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


class Cluster:
    """A private server on a socket in a folder of its own, with a port on loopback; it refuses to run as root."""

    def __init__(self, primary=None, port=None):
        """`primary`: whose standby it is; `port`: at which it reaches that one."""
        assert BIN, "PostgreSQL is not installed: scripts/setup test"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="till-pg-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.port, self.data, self.process = counter.free_port(), self.folder / "data", None
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
        (self.folder / "password").write_text("a-secret\n")
        (self.folder / "password").chmod(0o644)
        if primary:
            self.run("pg_basebackup", "--no-sync", "-c", "fast", "-R", "-D", self.data, "-d",
                     f"host=127.0.0.1 port={port or primary.port} user=owner password=a-secret "
                     f"application_name={STANDBY}")
            return
        self.run("initdb", "--no-sync", "-D", self.data, "-U", "owner", "--auth-local=trust",
                 "--auth-host=scram-sha-256", "-E", "UTF8", "--locale=C", "--pwfile", self.folder / "password")

    def run(self, program, *arguments):
        subprocess.run([BIN / program, *map(str, arguments)], check=True, capture_output=True, cwd=self.folder,
                       user=self.user)

    def start(self, *settings):
        options = [option for setting in settings for option in ("-c", setting)]
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                [BIN / "postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port), "-h", "127.0.0.1",
                 *options],
                stdout=log, stderr=log, cwd=self.folder, user=self.user, start_new_session=True)
        assert counter.until(lambda: subprocess.run(
            [BIN / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)]).returncode == 0, START_SECONDS)
        return self

    def renew(self):
        """As a new one, whatever a test has left."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.psql("ALTER SYSTEM RESET ALL", "postgres")
        self.psql("SELECT pg_reload_conf()", "postgres")
        self.make_database()

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(20)

    def kill(self):
        """All of its processes at once, as a machine that loses its power."""
        for process in [self.process.pid, *children(self.process.pid)]:
            os.kill(process, signal.SIGKILL)
        self.process.wait()

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.data)

    def psql(self, sql, database="till"):
        done = subprocess.run(
            ["psql", "-h", self.folder, "-p", str(self.port), "-U", "owner", "-d", database, "-XAtq", "-c", sql],
            capture_output=True, text=True, timeout=20)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def make_database(self):
        """A new one, whose owner is a role that may do nothing else."""
        if self.psql("SELECT count(*) FROM pg_roles WHERE rolname = 'shop'", "postgres") == "0":
            self.psql("CREATE ROLE shop LOGIN PASSWORD 'a-secret'", "postgres")
        self.psql("DROP DATABASE IF EXISTS till WITH (FORCE)", "postgres")
        self.psql("CREATE DATABASE till OWNER shop", "postgres")

    def address(self, database="till", user="shop"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def end(self):
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


class Pair:
    """A primary that waits for its standby with each commit; `line` is the way from one to the other."""

    def __init__(self):
        self.primary, self.standby, self.line = Cluster(), None, None
        try:
            self.primary.start(MANY)
            self.primary.make_database()
            self.line = Wire(self.primary.port)
            self.standby = Cluster(self.primary, self.line.port).start(MANY)
            # Only the server that is primary now waits for a standby, so the other can go on alone.
            self.primary.psql(f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'", "postgres")
            self.primary.psql("SELECT pg_reload_conf()", "postgres")
            sync = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
            assert counter.until(lambda: self.primary.psql(sync, "postgres") == "1", START_SECONDS)
        except BaseException:
            self.end()
            raise

    def address(self, schema="public", port=None):
        """Of both; `port`: at which the primary is reached."""
        return (f"postgresql://shop@127.0.0.1:{port or self.primary.port},127.0.0.1:{self.standby.port}/till"
                f"?options=-csearch_path%3D{schema}")

    def promote(self):
        """The primary dies, and with it all that is on its way to the standby, which takes its place."""
        self.primary.kill()
        self.line.drop()
        self.standby.promote()

    def end(self):
        if self.line:
            self.line.close()
        for server in (self.primary, self.standby):
            if server:
                server.end()


class Counter(counter.Server):
    """A counter on the database; its log lies in a folder of its own."""

    def __init__(self, folder, cluster, *flags, address=None, **options):
        folder.mkdir(exist_ok=True)
        super().__init__(folder, *flags, **options)
        self.journal = address or cluster.address()


def command(cluster, *arguments, **options):
    return counter.till(*arguments, "--journal", cluster.address(), "--json", **options)


def verified(cluster):
    answer = command(cluster, "journal", "verify")
    assert answer.code == 0 and answer.json["ok"] is True, answer
    return answer.json


def charged_by_order(sandbox):
    """What the provider has taken, charge by charge."""
    books = collections.defaultdict(list)
    for charge in deaths.ledger(sandbox):
        if charge["captured"]:
            books[next(value for value in charge["metadata"].values() if value.startswith("o-"))].append(
                charge["captured"])
    return books


def sell(server, order, patience=30):
    """One sale, sent again under its keys until it is answered; the payment if it is paid."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            made = server().create(order, f"create-{order}")
            if made.status_code in (200, 201):
                paid = server().confirm(made.json()["id"], f"confirm-{order}", CARD)
                if paid.status_code == 200:
                    return paid.json()
            elif made.status_code not in (409, 503):
                raise AssertionError(made.text)
        except requests.RequestException:
            pass
        time.sleep(0.05)
    return None
